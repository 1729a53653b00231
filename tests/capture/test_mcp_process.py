"""The wrapper as a process: it ends as the server ends, and never leaves one behind."""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.wrapped import command, wrapped

PYTHON = [sys.executable, "-I", "-S", "-c"]
DEAF = "import signal, sys, time\n"
DEAF += "for each in (1, 2, 3, 15): signal.signal(each, signal.SIG_IGN)\n"
DEAF += "import os; print(os.getpid(), flush=True); time.sleep(60)\n"
"""A server that hears neither the end of its input nor a signal."""

PATIENT = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
"""A server that does not hear the end of its input."""


def lives(pid: int) -> bool:
    """Whether a process runs still; a zombie does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def gone_within(pid: int, seconds: float) -> bool:
    """Whether a process ends in that time."""
    until = time.monotonic() + seconds
    while lives(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class Wrapped(unittest.TestCase):
    """Starts wrappers, and ends what is left of them."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")

    def start(self, server: list[str], **more: object) -> "subprocess.Popen[bytes]":
        """Start a server behind the wrapper."""
        ran = wrapped(self.store, server, **more)
        self.addCleanup(self._end, ran)
        return ran

    def pid_of_server(self, ran: "subprocess.Popen[bytes]") -> int:
        """Return the process id that a server prints first."""
        assert ran.stdout is not None
        return int(ran.stdout.readline())

    @staticmethod
    def _end(ran: "subprocess.Popen[bytes]") -> None:
        if ran.poll() is None:
            ran.kill()
        ran.communicate()


class Ends(Wrapped):
    """Exit statuses and signals are those of the server."""

    def test_its_status_is_ours(self) -> None:
        """Also while the client's side is open still."""
        for status in (0, 1, 7, 255):
            ran = self.start([*PYTHON, f"import sys; sys.exit({status})"])
            self.assertEqual(ran.wait(timeout=20), status)

    def test_a_signal_that_kills_it_kills_us(self) -> None:
        """Those that can be caught, and the one that cannot."""
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV):
            ran = self.start([*PYTHON, f"import os; os.kill(os.getpid(), {int(number)})"])
            self.assertEqual(ran.wait(timeout=20), -number)

    def test_signals_are_passed_on(self) -> None:
        """A server that ends in its own way does so."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            code = f"import os, signal, sys, time\nsignal.signal({int(number)}, lambda *_: sys.exit(9))\n"
            ran = self.start([*PYTHON, f"{code}print(os.getpid(), flush=True); time.sleep(30)"])
            self.pid_of_server(ran)
            ran.send_signal(number)
            self.assertEqual(ran.wait(timeout=20), 9)
            ran = self.start([*PYTHON, PATIENT])
            self.pid_of_server(ran)
            ran.send_signal(number)
            self.assertEqual(ran.wait(timeout=20), -number if number != signal.SIGINT else -2)

    def test_a_signal_to_the_whole_group(self) -> None:
        """As a client does that started a session of its own for us."""
        ran = self.start([*PYTHON, PATIENT], start_new_session=True)
        server = self.pid_of_server(ran)
        self.assertEqual(os.getpgid(server), ran.pid)
        os.killpg(ran.pid, signal.SIGTERM)
        self.assertEqual(ran.wait(timeout=20), -signal.SIGTERM)
        self.assertTrue(gone_within(server, 5))

    def test_what_it_printed_last_is_handed_on(self) -> None:
        """It ends before all of it was read."""
        code = "import os, sys; os.write(1, b'x' * 60000); os._exit(3)"
        ran = self.start([*PYTHON, code])
        self.assertEqual(ran.communicate(timeout=20)[0], b"x" * 60000)
        self.assertEqual(ran.returncode, 3)

    def test_a_grandchild_that_holds_its_output_does_not_hold_us(self) -> None:
        """Standard error too is held by it, and is no pipe of ours."""
        code = "import os, time\nif os.fork() == 0: time.sleep(8); os._exit(0)\nos._exit(4)"
        ran = self.start([*PYTHON, code])
        before = time.monotonic()
        self.assertEqual(ran.wait(timeout=20), 4)
        self.assertLess(time.monotonic() - before, 4)

    def test_a_command_that_cannot_be_started(self) -> None:
        """As a shell says it, with one line of ours."""
        for server, status in ((["/no/such/file"], 127), ([os.fspath(self.store.parent)], 126)):
            ran = self.start(server)
            out, err = ran.communicate(timeout=20)
            self.assertEqual((ran.returncode, out), (status, b""))
            self.assertRegex(err, rb"\Atoolreplay: [^\n]+\n\Z")

    def test_usage(self) -> None:
        """Without a command, and with a closed stream."""
        ran = self.start([])
        self.assertEqual(ran.wait(timeout=20), 2)
        shell = ["sh", "-c", 'exec "$@" <&-', "sh", *command(self.store, ["cat"])]
        closed = subprocess.run(shell, capture_output=True, check=False, timeout=20)
        self.assertEqual((closed.returncode, closed.stdout), (2, b""))


class Surroundings(Wrapped):
    """The server finds what it would find without us."""

    def test_environment_folder_and_descriptors(self) -> None:
        """Also the locale, which the interpreter sets for itself where there is none."""
        code = (
            "import os, sys; print(sorted(os.listdir('/proc/self/fd')), os.getcwd(), os.umask(0))"
        )
        probe = ["sh", "-c", f'cat /proc/self/environ; exec "$0" -I -S -c "{code}"', sys.executable]
        for environment in ({}, {"LC_CTYPE": "C"}, {"A": "1", "LANG": "C"}):
            direct = subprocess.run(
                probe, env=environment, stdin=subprocess.PIPE, capture_output=True, check=True
            )
            ran = self.start(probe, env=environment)
            out, err = ran.communicate(timeout=20)
            self.assertEqual((out, err), (direct.stdout, direct.stderr))

    def test_signals_are_as_they_were(self) -> None:
        """No mask of ours, nothing ignored that was not."""
        code = "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status"
        direct = subprocess.run(
            ["sh", "-c", code], stdin=subprocess.PIPE, capture_output=True, check=True
        )
        out, _ = self.start(["sh", "-c", code]).communicate(timeout=20)
        self.assertEqual(out, direct.stdout)

    def test_standard_error_is_untouched(self) -> None:
        """It is the same file, not a pipe of ours."""
        path = self.store.with_name("err")
        with path.open("wb") as file:
            code = "import os; os.write(2, os.readlink('/proc/self/fd/2').encode())"
            self.start([*PYTHON, code], stderr=file).wait(timeout=20)
        self.assertEqual(path.read_text(encoding="utf-8"), os.fspath(path.resolve()))


class NoOrphan(Wrapped):
    """Wrappers that leave servers behind fill machines with them."""

    def test_one_that_ignores_the_end_of_its_input_is_ended(self) -> None:
        """Before the two seconds after which official clients signal, and kill, us."""
        for code in (PATIENT, DEAF):
            ran = self.start([*PYTHON, code])
            server = self.pid_of_server(ran)
            assert ran.stdin is not None
            ran.stdin.close()
            before = time.monotonic()
            ran.stdin = None
            ran.wait(timeout=20)
            self.assertLess(time.monotonic() - before, 2.0)
            self.assertIn(-ran.returncode, (signal.SIGTERM, signal.SIGKILL))
            self.assertFalse(lives(server))

    def test_one_that_needs_a_moment_gets_it(self) -> None:
        """The end of the input comes first, and alone."""
        code = "import sys, time; sys.stdin.read(); time.sleep(0.5); print('done'); sys.exit(5)"
        ran = self.start([*PYTHON, code])
        out, _ = ran.communicate(timeout=20)
        self.assertEqual((out, ran.returncode), (b"done\n", 5))

    @unittest.skipUnless(sys.platform == "linux", "the kernel ends the server on Linux only")
    def test_none_is_left_when_we_are_killed(self) -> None:
        """Not even one that hears nothing."""
        for code in (PATIENT, DEAF):
            ran = self.start([*PYTHON, code])
            server = self.pid_of_server(ran)
            ran.kill()
            ran.wait(timeout=20)
            self.assertTrue(gone_within(server, 5))

    def test_none_is_left_when_the_client_is_killed(self) -> None:
        """Our input ends with the client."""
        argv = command(self.store, [*PYTHON, DEAF])
        code = f"import subprocess, time\np = subprocess.Popen({argv!r}, stdin=-1, stdout=-1)\n"
        code += "print(p.pid, p.stdout.readline().decode(), flush=True); time.sleep(60)"
        client = subprocess.Popen([*PYTHON, code], stdout=subprocess.PIPE)
        assert client.stdout is not None
        ours, server = (int(word) for word in client.stdout.readline().split())
        client.kill()
        client.communicate()
        self.assertTrue(gone_within(server, 5))
        self.assertTrue(gone_within(ours, 5))

    def test_a_client_that_reads_no_more_ends_a_server_that_prints(self) -> None:
        """The server is told by its own pipe, as without us."""
        ran = self.start(["yes"])
        assert ran.stdout is not None
        ran.stdout.read(100)
        ran.stdout.close()
        ran.stdout = None
        self.assertEqual(ran.wait(timeout=20), -signal.SIGPIPE)

    def test_a_server_that_reads_no_more_tells_the_client(self) -> None:
        """A write of the client fails, as without us."""
        ran = self.start(
            [*PYTHON, "import os, time; os.close(0); print(1, flush=True); time.sleep(9)"]
        )
        self.pid_of_server(ran)
        assert ran.stdin is not None
        with self.assertRaises(BrokenPipeError):
            for _ in range(200):
                ran.stdin.write(b"{}\n")
                ran.stdin.flush()
                time.sleep(0.01)
        ran.kill()


if __name__ == "__main__":
    unittest.main()
