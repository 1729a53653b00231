"""What passes through the wrapper comes out byte for byte, whatever it is."""

import os
import sys
import threading
import time
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.recorded import payloads, runs
from tests.capture.wrapped import wrapped
from toolreplay.capture.mcp_stdio.lines import LINE, LONG, LONG_END, Lines

CAT = ["cat"]
MEBIBYTE = 1 << 20


class LinesOfAStream(unittest.TestCase):
    """Lines end at LF and nowhere else."""

    def test_lines_come_whole_however_they_are_cut(self) -> None:
        """The bytes of all pieces are those that came in."""
        data = b"a\r\n\n \xe2\x80\xa8\xff\n" + b"x" * 30 + b"\nlast"
        for size in (1, 2, 3, 7, 100):
            lines = Lines(12)
            pieces = [
                piece
                for at in range(0, len(data), size)
                for piece in lines.feed(data[at : at + size])
            ]
            whole = [piece for kind, piece in pieces if kind == LINE]
            self.assertEqual(whole, [b"a\r\n", b"\n", b" \xe2\x80\xa8\xff\n"])
            self.assertEqual(b"".join(piece for _, piece in pieces) + lines.rest(), data)
            self.assertEqual([kind for kind, _ in pieces if kind != LINE][-1], LONG_END)
            self.assertEqual(lines.rest(), b"")

    def test_a_long_line_is_never_held_whole(self) -> None:
        """Not even where it has no end."""
        lines = Lines(10)
        self.assertEqual([*lines.feed(b"x" * 10)], [])
        self.assertEqual([*lines.feed(b"y")], [(LONG, b"x" * 10 + b"y")])
        self.assertEqual([*lines.feed(b"z" * 50)], [(LONG, b"z" * 50)])
        self.assertTrue(lines.in_long)
        self.assertEqual([*lines.feed(b"\na\n")], [(LONG_END, b"\n"), (LINE, b"a\n")])


class ThroughCat(unittest.TestCase):
    """`cat` as the server: both directions at once."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")

    def through(self, data: bytes, *options: str) -> bytes:
        """Return what comes out of the wrapper around `cat`."""
        ran = wrapped(self.store, CAT, *options)
        out, err = ran.communicate(data, timeout=120)
        self.assertEqual((ran.returncode, err), (0, b""))
        return out

    def test_odd_bytes(self) -> None:
        """CRLF, blanks, no UTF-8, batches, no JSON, zero bytes, a last line without its end."""
        call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}'
        data = (
            b'{"a":1}\r\n\r\n\n  \t\n\xff\xfe\x80\n[1,{"method":"x"},[]]\nnot JSON\n\x00\x00\n'
            b'"\xe2\x80\xa8"\n\xef\xbb\xbf{}\n['
            + call
            + b",\t"
            + call
            + b"]\n"
            + call
            + b"\r\n"
            + call
        )
        self.assertEqual(self.through(data), data)

    def test_a_line_of_20_million_bytes(self) -> None:
        """Too long to be looked at: it passes, and the record has a gap for it."""
        data = b'{"x":"' + b"y" * 20_000_000 + b'"}\n{"id":1}\n'
        self.assertEqual(self.through(data), data)
        (run,) = runs(self.store)
        gaps = [value["reason"] for kind, value in payloads(self.store, run) if kind == "gap"]
        self.assertEqual(sorted(gaps), ["unparsed line", "unparsed line of the server"])

    def test_a_line_of_3_million_bytes_is_recorded(self) -> None:
        """Pictures are that large."""
        args = b'"' + b"z" * 3_000_000 + b'"'
        line = b'{"id":1,"method":"tools/call","params":{"name":"t","arguments":' + args + b"}}\n"
        self.assertEqual(self.through(line), line)
        (run,) = runs(self.store)
        (start,) = [value for kind, value in payloads(self.store, run) if kind == "start"]
        self.assertEqual(start["args"]["length"], len(args))

    def test_64_mebibytes_wait_in_the_pipes_and_not_in_memory(self) -> None:
        """A client that does not read stops the server, as without us."""
        code = (
            "import sys\nline = b'{\"x\":\"' + b'y' * 1000 + b'\"}\\n'\n"
            f"for _ in range({64 * MEBIBYTE} // len(line) + 1): sys.stdout.buffer.write(line)"
        )
        ran = wrapped(self.store, [sys.executable, "-c", code])
        assert ran.stdout is not None
        time.sleep(1.5)
        status = Path(f"/proc/{ran.pid}/status").read_text(encoding="ascii")
        (resident,) = [int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line]
        self.assertLess(resident, 40 * 1024)
        out = ran.stdout.read()
        ran.communicate(timeout=60)
        self.assertEqual((ran.returncode, len(out) > 64 * MEBIBYTE), (0, True))
        self.assertEqual(set(out.split(b"\n")), {b'{"x":"' + b"y" * 1000 + b'"}', b""})

    def test_each_direction_moves_while_the_other_is_full(self) -> None:
        """A big answer and a big request meet: neither waits for the other."""
        code = (
            "import sys\nsys.stdout.buffer.write(b'o' * 8_000_000 + b'\\n'); sys.stdout.flush()\n"
            "print(len(sys.stdin.buffer.read()))"
        )
        ran = wrapped(self.store, [sys.executable, "-c", code])
        assert ran.stdin is not None
        writer = threading.Thread(target=_feed, args=(ran.stdin, b"i" * 9_000_000 + b"\n"))
        writer.start()
        assert ran.stdout is not None
        out = ran.stdout.read()
        writer.join()
        self.assertEqual(out[8_000_000:], b"\n9000001\n")
        ran.wait(timeout=30)
        ran.stdout.close()
        assert ran.stderr is not None
        ran.stderr.close()

    def test_a_slow_reader_gets_everything_after_the_end(self) -> None:
        """The server is not ended while what it prints is on its way."""
        data = b'{"x":1}\n' * 100_000
        ran = wrapped(self.store, CAT)
        assert ran.stdin is not None and ran.stdout is not None
        writer = threading.Thread(target=_feed, args=(ran.stdin, data))
        writer.start()
        time.sleep(2.5)
        out = ran.stdout.read()
        writer.join()
        self.assertEqual(out, data)
        self.assertEqual(ran.wait(timeout=30), 0)
        ran.stdout.close()
        assert ran.stderr is not None
        ran.stderr.close()

    def test_descriptors_that_do_not_wait(self) -> None:
        """Whoever started us may have set them so."""
        data = b'{"x":1}\n' * 100_000
        source, to_wrapper = os.pipe()
        from_wrapper, target = os.pipe()
        os.set_blocking(source, False)
        os.set_blocking(target, False)
        ran = wrapped(self.store, CAT, stdin=source, stdout=target)
        os.close(source)
        os.close(target)
        writer = threading.Thread(target=_feed, args=(os.fdopen(to_wrapper, "wb"), data))
        writer.start()
        with open(from_wrapper, "rb") as file:
            time.sleep(1)
            self.assertEqual(file.read(), data)
        writer.join()
        ran.communicate(timeout=30)
        self.assertEqual(ran.returncode, 0)


def _feed(file: object, data: bytes) -> None:
    file.write(data)  # type: ignore[attr-defined]
    file.close()  # type: ignore[attr-defined]


if __name__ == "__main__":
    unittest.main()
