"""The strict transcript and the sealed one: what is read, what is refused, what is written."""

import io
import itertools
import json
import os
import pathlib
import tempfile
import unittest

from toolreplay.errors import (
    CanonicalError,
    InputError,
    ToolReplayError,
    TranscriptError,
    UsageError,
)
from toolreplay.records.call import Link, Place, ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.transcript import (
    FIELDS,
    SEALED_FIELDS,
    TranscriptWriter,
    differ_only_in_index,
    read_sealed,
    read_transcript,
    same_call_again,
)

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"

GOOD = {"index": 0, "tool": "read_file", "args": {"path": "a.md"}, "response": {"bytes": 1}}
SEALED = {**GOOD, "prev": "0" * 64, "digest": "ab" * 32}


def read(data: bytes, limits: Limits | None = None) -> list[ToolCall]:
    return list(read_transcript(io.BytesIO(data), *([limits] if limits else [])))


def refused(data: bytes, reader: object = read_transcript, limits: Limits | None = None) -> str:
    """Return the one line with which input is refused; accepted input is a failure."""
    try:
        calls = list(reader(io.BytesIO(data), *([limits] if limits else [])))  # type: ignore[operator]
    except InputError as error:
        return str(error)
    raise AssertionError(f"accepted: {calls!r:.100}")


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


class StrictTranscripts(unittest.TestCase):
    def test_a_call_is_what_the_line_says_and_where_it_stands(self) -> None:
        """Decided by the tutorial (four fields) and by us (the place)."""
        data = lines(GOOD)
        self.assertEqual(
            read(data),
            [ToolCall(0, "read_file", {"path": "a.md"}, {"bytes": 1}, Place(1, 0, len(data)))],
        )
        call = read(data)[0]
        self.assertIs(type(call), ToolCall)
        self.assertIs(type(call.place), Place)
        self.assertEqual((call.outcome, call.link, call.meta), (None, None, None))

    def test_the_samples_are_read(self) -> None:
        """Decided by the tutorial: six calls and four."""
        for name, count in (("session-dirty.jsonl", 6), ("session-clean.jsonl", 4)):
            data = (SAMPLES / name).read_bytes()
            calls = read(data)
            self.assertEqual([call.index for call in calls], list(range(count)))
            for call in calls:
                line = data[call.place.start : call.place.end]
                self.assertEqual(json.loads(line)["tool"], call.tool)

    def test_an_empty_file_and_blank_lines_alone_are_a_transcript_of_no_calls(self) -> None:
        """Decided by the tutorial: blank lines are no records."""
        for data in (b"", b"\n", b"\n\r\n \t \n", b"   "):
            self.assertEqual(read(data), [])

    def test_blank_lines_count_as_lines_but_not_as_records(self) -> None:
        """Decided by the tutorial."""
        calls = read(b"\n" + lines(GOOD) + b" \t\r\n\n" + lines({**GOOD, "index": 1}) + b"\n")
        self.assertEqual([(call.index, call.place.line) for call in calls], [(0, 2), (1, 5)])
        self.assertEqual(
            refused(b"\n\n" + lines({**GOOD, "extra": 1})), "line 3: unexpected field(s): extra"
        )

    def test_only_json_blanks_make_a_line_blank(self) -> None:
        """Decided by RFC 8259, section 2."""
        for blank in (b"\x0b", b"\x0c", b"\xc2\xa0", b"\xe2\x80\xa8", b"\x1f"):
            with self.subTest(blank):
                self.assertTrue(refused(blank + b"\n").startswith("line 1: not valid JSON"))

    def test_lines_may_end_in_cr_lf_and_the_last_in_nothing(self) -> None:
        """Decided by the tutorial: CR is white space to JSON."""
        second = {**GOOD, "index": 1}
        unix = lines(GOOD, second)
        for data in (
            unix,
            unix.replace(b"\n", b"\r\n"),
            unix[:-1],
            unix.replace(b"\n", b"\r\n")[:-2],
        ):
            self.assertEqual([call.index for call in read(data)], [0, 1])
        self.assertIn("more text after the value", refused(unix.replace(b"\n", b"\r")))

    def test_members_may_stand_in_any_order(self) -> None:
        """Decided by RFC 8259, section 4."""
        for order in itertools.permutations(GOOD):
            data = lines({name: GOOD[name] for name in order})  # type: ignore[literal-required]
            self.assertEqual(read(data)[0][:4], (0, "read_file", {"path": "a.md"}, {"bytes": 1}))

    def test_the_calls_before_a_bad_line_are_yielded(self) -> None:
        """Decided by us: reading is a stream."""
        calls = read_transcript(io.BytesIO(lines(GOOD) + b"{"))
        self.assertEqual(next(calls).index, 0)
        with self.assertRaises(TranscriptError):
            next(calls)


class RefusedLines(unittest.TestCase):
    def test_a_record_must_be_an_object(self) -> None:
        """Decided by the tutorial."""
        for value in (None, True, 1, "x", [], [GOOD]):
            self.assertEqual(refused(lines(value)), "line 1: a record must be an object")

    def test_unknown_members_are_named_in_order(self) -> None:
        """Decided by the tutorial: `unexpected field(s): extra` is its spelling."""
        self.assertEqual(refused(lines({**GOOD, "extra": 1})), "line 1: unexpected field(s): extra")
        self.assertEqual(
            refused(lines({**GOOD, "z": 1, "a": 2, "Index": 0})),
            "line 1: unexpected field(s): Index, a, z",
        )
        self.assertEqual(refused(lines(SEALED)), "line 1: unexpected field(s): digest, prev")

    def test_missing_members_are_named_in_order(self) -> None:
        """Decided by the tutorial."""
        for name in GOOD:
            record = {key: value for key, value in GOOD.items() if key != name}
            self.assertEqual(refused(lines(record)), f"line 1: missing field(s): {name}")
        self.assertEqual(refused(b"{}"), "line 1: missing field(s): args, index, response, tool")

    def test_an_unknown_member_is_named_before_a_missing_one(self) -> None:
        """Decided by us: a misspelt name is both."""
        record = {("arguments" if key == "args" else key): value for key, value in GOOD.items()}
        self.assertEqual(refused(lines(record)), "line 1: unexpected field(s): arguments")

    def test_hostile_names_do_not_make_a_long_message(self) -> None:
        """Decided by us: at most ten names, each at most a hundred characters."""
        message = refused(lines({**GOOD, **{f"x{number:02}": 1 for number in range(30)}}))
        self.assertTrue(message.endswith("x08, x09, and 20 more"), message)
        message = refused(lines({**GOOD, "y" * 10_000: 1}))
        self.assertEqual(message, f"line 1: unexpected field(s): {'y' * 100}…")

    def test_an_index_is_an_integer_and_nothing_like_one(self) -> None:
        """Decided by the tutorial: `true`, `1.0` and `"1"` are errors."""
        for index in (True, False, 0.0, -0.0, "0", None, [0], {}):
            self.assertEqual(
                refused(lines({**GOOD, "index": index})), "line 1: index must be an integer"
            )
        for index in (True, 1.0):
            self.assertEqual(
                refused(lines(GOOD, {**GOOD, "index": index})), "line 2: index must be an integer"
            )

    def test_an_index_counts_from_0_without_gap(self) -> None:
        """Decided by the tutorial; the hint by us."""
        second = {**GOOD, "index": 1}
        hint = " (a transcript starts at index 0)"
        table = (
            ([{**GOOD, "index": 4}], f"line 1: index must be 0, found 4{hint}"),
            ([second], f"line 1: index must be 0, found 1{hint}"),
            ([{**GOOD, "index": -1}], f"line 1: index must be 0, found -1{hint}"),
            ([GOOD, GOOD], "line 2: index must be 1, found 0"),
            ([GOOD, {**GOOD, "index": 4}], "line 2: index must be 1, found 4"),
            ([GOOD, second, second], "line 3: index must be 2, found 1"),
            (
                [GOOD, {**GOOD, "index": 10**30}],
                "line 2: index must be 1, found a number of more than 20 digits",
            ),
        )
        for records, message in table:
            with self.subTest(message):
                self.assertEqual(refused(lines(*records)), message)

    def test_an_index_beyond_the_small_integers_is_compared_by_value(self) -> None:
        """Decided by us: the interpreter shares small integers only."""
        data = lines(*({**GOOD, "index": index} for index in range(600)))
        self.assertEqual(len(read(data)), 600)
        self.assertEqual(
            refused(data + lines({**GOOD, "index": 601})), "line 601: index must be 600, found 601"
        )

    def test_minus_zero_is_the_integer_0(self) -> None:
        """Decided by RFC 8259, section 6: `-0` is a number, and Python reads it as the integer 0."""
        self.assertEqual(len(read(lines(GOOD).replace(b'"index": 0', b'"index": -0'))), 1)

    def test_types_of_the_other_members(self) -> None:
        """Decided by the tutorial: a tool is a non-empty string, args and response are objects."""
        for value in (None, 1, True, [], {}):
            self.assertEqual(
                refused(lines({**GOOD, "tool": value})), "line 1: tool must be a string"
            )
        self.assertEqual(refused(lines({**GOOD, "tool": ""})), "line 1: tool must not be empty")
        for value in (None, 1, "x", []):
            self.assertEqual(
                refused(lines({**GOOD, "args": value})), "line 1: args must be an object"
            )
            self.assertEqual(
                refused(lines({**GOOD, "response": value})), "line 1: response must be an object"
            )

    def test_the_first_wrong_member_is_named(self) -> None:
        """Decided by us: index, tool, args, response, in this order."""
        record: dict[str, object] = {"index": "x", "tool": 1, "args": 1, "response": 1}
        for name, fixed in GOOD.items():
            self.assertTrue(refused(lines(record)).startswith(f"line 1: {name} must be"))
            record[name] = fixed

    def test_what_the_line_parser_refuses_is_refused_with_its_line(self) -> None:
        """Decided by us: records/jsonl.py has the rules."""
        good = lines(GOOD)
        table = {
            b'{"index": 1, "tool": "t", "args": {"path": 1, "path": 2}, "response": {}}': "duplicate field 'path'",
            b'{"index": 1, "index": 1, "tool": "t", "args": {}, "response": {}}': "duplicate field 'index'",
            b'{"index": 1, "tool": "t", "args": {"a": NaN}, "response": {}}': "NaN is not JSON",
            b'{"index": 1, "tool": "t", "args": {}, "response": {"a": 1e999}}': "a number overflows to infinity",
            b'\xef\xbb\xbf{"index": 1}': "starts with a byte order mark (save the file as UTF-8 without one)",
            b'{"index": 1, "tool": "t", "args": {}, "respon': "not valid JSON (the line ends inside a string)",
            b'{"index": 1, "tool": "\xff"}': "not UTF-8 (byte 23 of the line)",
        }
        for line, fact in table.items():
            for ending in (b"", b"\n", b"\r\n"):
                with self.subTest(line):
                    self.assertEqual(refused(good + line + ending), f"line 2: {fact}")

    def test_limits_are_named_with_their_flag(self) -> None:
        """Decided by us."""
        table = (
            (
                Limits(line_bytes=20),
                "line 1: longer than 20 bytes (--max-line-bytes raises the limit)",
            ),
            (
                Limits(line_values=3),
                "line 1: more than 3 values (--max-line-values raises the limit)",
            ),
            (Limits(depth=1), "line 1: nested deeper than 1 levels (--max-depth raises the limit)"),
        )
        for limits, message in table:
            self.assertEqual(refused(lines(GOOD), limits=limits), message)

    def test_every_refusal_is_a_transcript_error_but_that_of_a_line_too_long(self) -> None:
        """Decided by us: InputError is what a caller catches."""
        with self.assertRaises(TranscriptError) as caught:
            read(b"{}")
        self.assertEqual((caught.exception.where, caught.exception.what[:7]), ("line 1", "missing"))
        self.assertIsNone(caught.exception.__cause__)
        with self.assertRaises(InputError):
            read(b" " * 30, Limits(line_bytes=20))


class SealedTranscripts(unittest.TestCase):
    def test_a_call_carries_its_link_as_the_file_has_it(self) -> None:
        """Decided by us: whether a link is right is judged in evidence/seal.py, not here."""
        call = next(read_sealed(io.BytesIO(lines({**SEALED, "index": 7}))))
        self.assertEqual(call.link, Link(7, "0" * 64, "ab" * 32))
        self.assertIs(type(call.link), Link)
        self.assertEqual(call.index, 0)

    def test_any_integer_is_an_index_here(self) -> None:
        """Decided by the tutorial: a wrong index is a broken link, not an input error."""
        for index in (-5, 0, 1, 10**50):
            call = next(read_sealed(io.BytesIO(lines({**SEALED, "index": index}))))
            assert call.link is not None
            self.assertEqual(call.link.index, index)
        for index in (True, 1.0, "1", None):
            self.assertEqual(
                refused(lines({**SEALED, "index": index}), read_sealed),
                "line 1: index must be an integer",
            )

    def test_prev_and_digest_are_64_lower_case_hex_digits(self) -> None:
        """Decided by the tutorial: anything else is an input error."""
        for name in ("prev", "digest"):
            for value in (
                "",
                "0" * 63,
                "0" * 65,
                "A" * 64,
                "g" * 64,
                " " + "0" * 63,
                "0" * 64 + "\n",
                "\uff10" * 64,
                "٠" * 64,
                None,
                0,
                ["0" * 64],
            ):
                with self.subTest((name, value)):
                    self.assertEqual(
                        refused(lines({**SEALED, name: value}), read_sealed),
                        f"line 1: {name} must be 64 lower-case hex digits",
                    )

    def test_members_are_exactly_six(self) -> None:
        """Decided by the tutorial."""
        self.assertEqual(
            refused(lines(GOOD), read_sealed), "line 1: missing field(s): digest, prev"
        )
        self.assertEqual(
            refused(lines({**SEALED, "signature": 1}), read_sealed),
            "line 1: unexpected field(s): signature",
        )
        self.assertEqual(set(SEALED_FIELDS - FIELDS), {"prev", "digest"})

    def test_the_other_members_have_the_rules_of_a_transcript(self) -> None:
        """Decided by the tutorial."""
        table = {
            "tool": ("", "tool must not be empty"),
            "args": ([], "args must be an object"),
            "response": (1, "response must be an object"),
        }
        for name, (value, fact) in table.items():
            self.assertEqual(
                refused(b"\n" + lines({**SEALED, name: value}), read_sealed), f"line 2: {fact}"
            )
        self.assertEqual(list(read_sealed(io.BytesIO(b" \n\n"))), [])


class ReadingALineAgain(unittest.TestCase):
    def test_the_response_and_index_of_a_line(self) -> None:
        """Decided by us: a place costs less memory than a response."""
        (call,) = read(lines(GOOD))
        later = call._replace(index=9)
        self.assertEqual(same_call_again(lines({**GOOD, "index": 3}), later), (3, {"bytes": 1}))

    def test_a_file_that_changed_meanwhile_is_an_input_error(self) -> None:
        """Decided by us: never a traceback, never a verdict over two states of a file."""
        (call,) = read(lines(GOOD))
        later = call._replace(index=9)
        for line in (
            b"", b"{}", b"[]", b"1", b"\xff", lines(GOOD)[:-5], b'{"index": 1}',
            lines({**GOOD, "index": 9}), lines({**GOOD, "tool": "other"}),
            lines({**GOOD, "args": {"path": "b.md"}}), lines({**GOOD, "index": "0"}),
            lines({**GOOD, "index": 0.5}), lines({**GOOD, "index": True}),
            lines({**GOOD, "index": -0.0}), lines({**GOOD, "response": 7}),
            lines({**GOOD, "more": 1}),
        ):  # fmt: skip
            with (
                self.subTest(line),
                self.assertRaisesRegex(TranscriptError, "the file changed while it was read"),
            ):
                same_call_again(line, later)

    def test_lines_that_differ_in_the_index_alone_are_recognised(self) -> None:
        """Decided by us: a shortcut of replay; False means unknown."""
        same = [
            b'{"index": 1, "tool": "t"}\n',
            b'{"index": 22, "tool": "t"}\n',
            b'{"index":3, "tool": "t"}\n',
        ]
        for one, other in itertools.product(same, repeat=2):
            self.assertTrue(differ_only_in_index(one, other))
        for other in (
            b'{"index": 1, "tool": "u"}\n',
            b'{"index": 1, "tool": "t"}\r\n',
            b'{"index": 1,"tool": "t"}\n',
            b'{"tool": "t", "index": 1}\n',
            b"",
        ):
            with self.subTest(other):
                self.assertFalse(differ_only_in_index(same[0], other))


class WritingTranscripts(unittest.TestCase):
    def test_what_is_written_reads_back(self) -> None:
        """Decided by us: a recorder needs no other program to check what it wrote."""
        calls = [
            (
                "read_file",
                {"path": "é\U0001f600\ud800"},
                {"n": [1, 1.5, -0.0, None, True, 10**30], "": {}},
            ),
            ("\u2028\x7f\x1b", {}, {"deep": [[[{}]]]}),
        ]
        file = io.BytesIO()
        with TranscriptWriter(file) as transcript:
            self.assertEqual([transcript.call(*call) for call in calls], [0, 1])
        self.assertFalse(file.closed)
        self.assertTrue(file.getvalue().isascii())
        self.assertEqual([call[1:4] for call in read(file.getvalue())], calls)

    def test_a_line_is_complete_when_the_call_returns(self) -> None:
        """Decided by us: what was recorded before a crash is readable after it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.jsonl")
            transcript = TranscriptWriter(path)
            for count in (1, 2, 3):
                transcript.call("t", {}, {})
                self.assertEqual(len(read(pathlib.Path(path).read_bytes())), count)
            transcript.close()

    def test_a_file_that_exists_is_not_overwritten(self) -> None:
        """Decided by us: a transcript is evidence."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.jsonl")
            path.write_bytes(b"mine")
            for target in (path, str(path)):
                with self.assertRaisesRegex(UsageError, "exists already"):
                    TranscriptWriter(target)
            self.assertEqual(path.read_bytes(), b"mine")

    def test_what_the_reader_would_refuse_is_not_written(self) -> None:
        """Decided by us: the call raises, and the file is as it was before."""
        file = io.BytesIO()
        transcript = TranscriptWriter(file, Limits(line_bytes=300, line_values=20, depth=5))
        transcript.call("t", {}, {})
        before = file.getvalue()
        table: list[tuple[object, object, object, type[ToolReplayError], str]] = [
            ("", {}, {}, TranscriptError, "index 1: tool must not be empty"),
            (None, {}, {}, TranscriptError, "index 1: tool must be a string"),
            ("t", [], {}, TranscriptError, "index 1: args must be an object"),
            ("t", {}, None, TranscriptError, "index 1: response must be an object"),
            ("t", {"a": "x" * 300}, {}, TranscriptError, "index 1: longer than 300 bytes"),
            ("t", {"a": list(range(60))}, {}, TranscriptError, "index 1: more than 20 values (--max-line-values raises the limit)"),
            ("t", {"a": [[[[[[1]]]]]]}, {}, TranscriptError, "index 1: nested deeper than 5 levels (--max-depth raises the limit)"),
            ("t", {"a": float("nan")}, {}, CanonicalError, "the number nan has no form"),
            ("t", {1: 2}, {}, CanonicalError, "a member name of type int has no form"),
            ("t", {}, {"a": (1,)}, CanonicalError, "a value of type tuple has no form"),
            ("t", {"a": 10**5000}, {}, CanonicalError, "an integer of more than 4300 digits has no form"),
            ("t", {"a": "\ud83d\ude00"}, {}, CanonicalError, "a surrogate pair as two characters has no form"),
        ]  # fmt: skip
        for tool, args, response, kind, message in table:
            with self.subTest(message):
                with self.assertRaises(kind) as caught:
                    transcript.call(tool, args, response)  # type: ignore[arg-type]
                self.assertEqual(str(caught.exception), message)
                self.assertEqual(file.getvalue(), before)
        self.assertEqual(transcript.call("t", {}, {}), 1)
        self.assertEqual([call.index for call in read(file.getvalue())], [0, 1])

    def test_a_line_of_exactly_the_limit_is_written_and_read(self) -> None:
        """Decided by us: writer and reader count alike."""
        length = len(json.dumps({"index": 0, "tool": "t", "args": {"a": ""}, "response": {}}))
        for extra, fits in ((10, True), (11, False)):
            limits = Limits(line_bytes=length + 10)
            file = io.BytesIO()
            transcript = TranscriptWriter(file, limits)
            if fits:
                transcript.call("t", {"a": "x" * extra}, {})
                self.assertEqual(len(read(file.getvalue(), limits)), 1)
            else:
                with self.assertRaises(TranscriptError):
                    transcript.call("t", {"a": "x" * extra}, {})

    def test_an_error_inside_the_with_block_closes_the_file_and_is_not_hidden(self) -> None:
        """Decided by us."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.jsonl")
            with self.assertRaises(ZeroDivisionError), TranscriptWriter(path) as transcript:
                transcript.call("t", {}, {"ok": True})
                1 / 0  # noqa: B018
            self.assertEqual(len(read(path.read_bytes())), 1)
            with self.assertRaises(ValueError):
                transcript.call("t", {}, {})
