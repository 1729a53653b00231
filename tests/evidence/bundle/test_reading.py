"""Reading the lines of a bundle: whatever is not exactly one is an error that names its line."""

import hashlib
import hmac
import io
import json
import unittest
from collections.abc import Callable
from typing import Any

from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.in_a_log import Log
from toolreplay.errors import InputError
from toolreplay.evidence.bundle.lines import PART_BYTES, BundleLine
from toolreplay.evidence.bundle.reading import CarriedPiece, bundle_lines
from toolreplay.records.limits import DEFAULT, Limits


def read(data: bytes, limits: Limits = DEFAULT) -> list[BundleLine]:
    return list(bundle_lines(io.BytesIO(data), limits))


class Sound(unittest.TestCase):
    """Decided by us: a line is its kind, its value, its bytes and their place."""

    def test_each_line_of_a_run(self) -> None:
        data = attacks.with_pieces().bundle()
        lines = read(data)
        self.assertEqual(b"".join(line.raw for line in lines), data)
        self.assertEqual([line.number for line in lines], list(range(1, len(lines) + 1)))
        for line in lines:
            self.assertEqual(data[line.start : line.end], line.raw)
            wanted = json.loads(line.raw)
            if line.kind == "entry":
                self.assertEqual(line.payload, made.form(wanted["payload"]))
            if line.kind == "piece":
                self.assertEqual(line.value["content"], made.base64.b64decode(wanted["b64"]))
            else:
                self.assertEqual(line.value, wanted)

    def test_each_line_of_a_run_in_a_log(self) -> None:
        maker = made.imported(2)
        log = Log().filled(3).take(maker).filled(2)
        data = log.bundle(maker, erased=[1], since=[4])
        for line in read(data):
            wanted = json.loads(line.raw)
            self.assertEqual(line.value, wanted)
            if line.kind != "entry":
                self.assertIsNone(line.logged)
                continue
            assert line.logged is not None
            self.assertEqual(line.logged, log.logged(maker.head.run, wanted["entry"]))
            payload = None if wanted["payload"] is None else made.form(wanted["payload"])
            self.assertEqual(line.payload, payload)

    def test_the_end_line_knows_the_digest_of_all_before_it(self) -> None:
        data = made.imported(1).bundle()
        end = read(data)[-1]
        self.assertEqual(end.before, hashlib.sha256(data[: end.start]).hexdigest())
        self.assertEqual(end.value["sha256"], end.before)

    def test_a_payload_is_read_alike_whether_it_was_erased_before_or_not(self) -> None:
        values = made.apart(made.imported(1).bundle())
        made.entries_of(values)[1].update(payload=None, salt=None, commit="ab" * 32)
        line = read(made.joined(values))[2]
        self.assertEqual(
            (line.kind, line.payload, line.value["commit"]), ("entry", None, "ab" * 32)
        )


class Refused(unittest.TestCase):
    """Decided by us: never repaired, and each with its line."""

    def refused(self, data: bytes, line: int, text: str, limits: Limits = DEFAULT) -> None:
        with self.assertRaises(InputError) as caught:
            read(data, limits)
        self.assertEqual(caught.exception.where, f"line {line}")
        self.assertIn(text, caught.exception.what)

    def changed(self, change: Callable[[list[made.Value]], Any], line: int, text: str) -> None:
        values = made.apart(attacks.with_pieces().bundle())
        change(values)
        with self.subTest(text):
            self.refused(made.joined(values), line, text)

    def test_spellings(self) -> None:
        data = made.imported(1).bundle()
        lines = data.splitlines(keepends=True)
        for number in (1, 2, 3, 6):
            line = lines[number - 1]
            for other, text in (
                (line.replace(b":", b": ", 1), "form aer1"),
                (line.replace(b"\n", b"\r\n"), "form aer1"),
                (line[:-2] + b',"zz":1}\n', "members of any line"),
                (b"\n", "is blank"),
                (b"[]\n", "members of any line"),
                (line.replace(b"{", b'{"a":1,"a":2,', 1), "duplicate"),
            ):
                changed = b"".join([*lines[: number - 1], other, *lines[number:]])
                with self.subTest(number=number, text=text):
                    self.refused(changed, number, text)
        self.refused(data[:-1], len(lines), "does not end in a line feed")
        self.refused(data + b"\n{}\n", len(lines) + 1, "is blank")

    def test_a_payload_in_another_spelling(self) -> None:
        data = made.imported(1).bundle()
        self.refused(data.replace(b'"profile":', b'"profile" :', 1), 2, "form aer1")
        self.refused(data.replace(b"tester", b"\\u0074ester", 1), 2, "form aer1")

    def test_the_first_line(self) -> None:
        def first(**members: Any) -> Callable[[list[made.Value]], Any]:
            return lambda values: values[0].update(members)

        self.changed(first(format="toolreplay-run/2"), 1, "format must be toolreplay-run/1")
        for run in ("r r", "r\n", "ü", "r/.."):
            self.changed(first(run=run), 1, "run must be 1 to 128 of")
        self.changed(first(run=""), 1, "run must be 1 to 128 of")
        self.changed(first(run="r" * 129), 1, "run must be 1 to 128 of")
        self.changed(first(run=1), 1, "run must be 1 to 128 of")
        self.changed(first(origin="log.example"), 1, "origin and size must be null together")
        self.changed(first(size=1), 1, "origin and size must be null together")
        self.changed(lambda values: values.pop(0), 1, "must be the first line")
        self.changed(lambda values: values.insert(1, values[0]), 2, "must not be the first line")

    def test_pieces(self) -> None:
        def piece(**members: Any) -> Callable[[list[made.Value]], Any]:
            return lambda values: values[2].update(members)

        self.changed(piece(piece="AB" * 32), 3, "64 lower-case hex digits")
        self.changed(piece(last=1), 3, "true or false")
        self.changed(piece(part=-1), 3, "part must be a whole number")
        self.changed(piece(part=True), 3, "part must be a whole number")
        self.changed(piece(key="x"), 3, "key must be 64")
        self.changed(piece(b64="eB=="), 3, "b64 ")
        self.changed(piece(b64=1), 3, "b64 ")
        large = made.base64.b64encode(bytes(PART_BYTES + 1)).decode()
        self.changed(piece(b64=large), 3, f"more than {PART_BYTES} bytes")

    def test_entries(self) -> None:
        def entry(**members: Any) -> Callable[[list[made.Value]], Any]:
            return lambda values: values[1].update(members)

        self.changed(entry(entry=-1), 2, "entry must be a whole number")
        self.changed(entry(entry=1.0), 2, "entry must be a whole number")
        self.changed(entry(index=0), 2, "belong to a log")
        self.changed(entry(path=[]), 2, "belong to a log")
        self.changed(entry(payload=None), 2, "null together")
        self.changed(entry(salt=None), 2, "null together")
        self.changed(entry(payload=None, salt=None), 2, "carry its commit")
        self.changed(entry(commit="ab" * 32), 2, "only an erased entry")
        self.changed(entry(payload=[]), 2, "payload must be an object")
        self.changed(entry(salt="ab"), 2, "salt must be 64")

    def test_the_order_of_kinds(self) -> None:
        values = made.apart(attacks.with_pieces().bundle())
        at = next(number for number, value in enumerate(values) if "workflow" in value)
        moved = [*values[: at - 1], values[at], values[at - 1], *values[at + 1 :]]
        self.refused(made.joined(moved), at + 1, "too late")
        twice = [*values[: at + 1], values[at], *values[at + 1 :]]
        self.refused(made.joined(twice), at + 2, "a second line of kind workflow")
        data = made.joined(values)
        self.refused(data + data.splitlines(keepends=True)[-1], len(values) + 2, "a second line")

    def test_what_needs_a_log(self) -> None:
        for value in (
            {"head": {"origin": "o", "size": 1, "root": ""}}, {"checkpoint_b64": ""},
            {"consistency": {"from": 1, "path": []}},
        ):  # fmt: skip
            values = [*made.apart(made.imported(1).bundle()), value]
            self.refused(made.joined(values), len(values), "needs a log")

    def in_log(self, change: Callable[[list[made.Value]], Any], line: int, text: str) -> None:
        maker = made.imported(1)
        log = Log().take(maker).filled(2)
        values = made.apart(log.bundle(maker, since=[1, 3]))
        change(values)
        with self.subTest(text):
            self.refused(made.joined(values), line, text)

    def test_the_first_line_of_a_run_in_a_log(self) -> None:
        for origin in ("", "a b", "a+b", "a\u00a0b", "a\nb", "x" * 256, 1, "\x7f"):
            self.in_log(lambda values, o=origin: values[0].update(origin=o), 1, "origin must be")
        for size in (0, -1, True, 2**63, 1.5, "1"):
            self.in_log(lambda values, n=size: values[0].update(size=n), 1, "size must be")
        self.in_log(lambda values: values[0].update(origin=None), 1, "null together")

    def test_entries_of_a_run_in_a_log(self) -> None:
        def entry(**members: Any) -> Callable[[list[made.Value]], Any]:
            return lambda values: values[1].update(members)

        for member in ("leaf_b64", "index", "path"):
            self.in_log(entry(**{member: None}), 2, "the first line names a log")
        self.in_log(entry(leaf_b64=None, index=None, path=None), 2, "the first line names a log")
        for index in (-1, True, 2**63, 1.0, "1"):
            self.in_log(entry(index=index), 2, "index must be")
        for path in ("", [1], ["AB" * 32], ["ab" * 31], ["ab" * 32] * 64):
            self.in_log(entry(path=path), 2, "path must be a list of at most 63")
        self.in_log(entry(leaf_b64="eB=="), 2, "leaf_b64 ")
        self.in_log(entry(leaf_b64=1), 2, "leaf_b64 ")
        large = made.base64.b64encode(bytes(65_536)).decode()
        self.in_log(entry(leaf_b64=large), 2, "leaf_b64 has more than 65535 bytes")
        self.in_log(lambda values: values[0].update(origin=None, size=None), 2, "belong to a log")

    def test_the_lines_of_a_log(self) -> None:
        def line(kind: str, new: Any) -> Callable[[list[made.Value]], Any]:
            def change(values: list[made.Value]) -> None:
                value = next(value for value in values if kind in value)
                value[kind] = {**value[kind], **new} if isinstance(new, dict) else new

            return change

        for new in (0, 5, True, 1.0):
            self.in_log(line("consistency", {"from": new}), 8, "from must be")
        self.in_log(line("consistency", {"from": 3}), 9, "larger than in the line before it")
        self.in_log(line("consistency", {"path": ["ab" * 32] * 65}), 8, "at most 64 hashes")
        self.in_log(line("consistency", {"more": 1}), 8, "an object of from and path")
        self.in_log(line("consistency", []), 8, "an object of from and path")
        self.in_log(line("head", []), 10, "an object of origin, size and root")
        self.in_log(line("head", {"more": 1}), 10, "an object of origin, size and root")
        self.in_log(line("head", {"root": "AB" * 32}), 10, "root must be")
        for new in ({"origin": ""}, {"size": 0}):
            self.in_log(line("head", new), 10, "those of a log")
        self.in_log(lambda values: values.append(values[-1]), 11, "a second line of kind head")
        checkpoint = {"checkpoint_b64": "eB=="}
        self.in_log(lambda values: values.append(checkpoint), 11, "checkpoint_b64 ")
        checkpoint = {"checkpoint_b64": "eA=="}
        self.in_log(lambda values: values.append(checkpoint), 11, "a second line of kind checkp")
        self.in_log(lambda values: values.append(values[-2]), 11, "stands too late")

    def test_too_many_lines_of_one_kind(self) -> None:
        maker = made.imported(1)
        log = Log().take(maker).filled(70)
        read(log.bundle(maker, since=range(1, 65)))
        self.refused(log.bundle(maker, since=range(1, 66)), 72, "more than 64 lines of kind")

    def test_limits(self) -> None:
        data = made.imported(1).bundle()
        self.refused(data, 2, "longer than 300 bytes", Limits(line_bytes=300))
        self.refused(data, 2, "nested deeper than 1 levels", Limits(depth=1))


class APiece(unittest.TestCase):
    """Decided by us: hashed as it comes, its content kept only while it is small."""

    def test_it_fits(self) -> None:
        piece = CarriedPiece(hashlib.sha256(b"abcd").hexdigest(), None, 10)
        piece.add(b"ab")
        self.assertFalse(piece.fits)
        piece.add(b"cd")
        self.assertEqual((piece.fits, piece.content, piece.length, piece.parts), (True, b"abcd", 4, 2))  # fmt: skip

    def test_a_sealed_one_under_its_key(self) -> None:
        key = bytes(range(32))
        piece = CarriedPiece(hmac.new(key, b"ab", "sha256").hexdigest(), key.hex(), 10)
        piece.add(b"ab")
        self.assertTrue(piece.fits)

    def test_a_large_one_is_not_kept(self) -> None:
        piece = CarriedPiece(hashlib.sha256(b"abcd").hexdigest(), None, 3)
        piece.add(b"ab")
        piece.add(b"cd")
        self.assertEqual((piece.fits, piece.content), (True, None))


if __name__ == "__main__":
    unittest.main()
