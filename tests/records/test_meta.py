"""The companion of an imported transcript."""

import io
import json
import unittest

from toolreplay.errors import InputError
from toolreplay.records.call import OUTCOMES, WITHOUT_RESULT, CallMeta, Place, ToolCall
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.meta import META_FORMAT, MetaReader, meta_head, meta_line, meta_name
from toolreplay.records.run import RunInfo

HEAD = {"format": META_FORMAT, "imported": "claude_code", "run": "r", "agent": None}
LINE = {
    "index": 0, "call_id": "c1", "at": "2026-01-01T00:00:00Z", "ended_at": None, "model": "m", "outcome": "ok",
    "file": "s.jsonl", "bytes": [0, 10], "line_sha256": "ab" * 32,
}  # fmt: skip
CALL = ToolCall(0, "t", {}, {"content": "x", "is_error": False}, Place(1, 0, 10))


def lines(*records: object) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(record) + "\n" for record in records).encode())


def refused(
    *records: object, calls: tuple[ToolCall, ...] = (CALL,), limits: Limits = DEFAULT
) -> str:
    try:
        joined = list(MetaReader(lines(*records), "x.meta.jsonl", limits).join(iter(calls)))
    except InputError as error:
        return str(error)
    raise AssertionError(f"accepted: {joined!r}")


class TheCompanion(unittest.TestCase):
    def test_what_is_written_reads_back(self) -> None:
        """Decided by us: docs/formats/meta.md."""
        meta = CallMeta("c\ud800", "2026-01-01T00:00:00Z", None, "mödel")
        call = CALL._replace(outcome="tool_error", meta=meta)
        head = meta_head(RunInfo("r\u2028", "s.jsonl", "claude_code", agent="a", model="m"))
        written = head + meta_line(call, "s.jsonl", "0" * 64)
        self.assertTrue(written.isascii())
        reader = MetaReader(io.BytesIO(written), "x")
        self.assertEqual(
            (reader.imported, reader.run, reader.agent, reader.model),
            ("claude_code", "r\u2028", "a", "m"),
        )
        self.assertEqual(list(reader.join(iter([CALL]))), [call])

    def test_its_name_is_that_of_the_transcript_and_more(self) -> None:
        """Decided by us: both stand beside each other in a listing."""
        self.assertEqual(meta_name("run.jsonl"), "run.jsonl.meta.jsonl")

    def test_the_first_line_says_what_it_is(self) -> None:
        """Decided by us: a wrong file is named as such."""
        for head in ({**HEAD, "format": "x"}, {}, [], 1, None, {**HEAD, "format": None}):
            self.assertEqual(
                refused(head),
                f"x.meta.jsonl: line 1: not the companion of a transcript ({META_FORMAT})",
            )
        self.assertEqual(
            refused(), f"x.meta.jsonl: line 1: not the companion of a transcript ({META_FORMAT})"
        )
        for name, value in (("imported", None), ("imported", 1), ("run", None), ("run", [])):
            self.assertEqual(
                refused({**HEAD, name: value}),
                "x.meta.jsonl: line 1: imported and run must be strings",
            )
        for name in ("agent", "model"):
            self.assertEqual(
                refused({**HEAD, name: 1}),
                f"x.meta.jsonl: line 1: {name} must be a string or null",
            )

    def test_both_files_tell_of_the_same_calls(self) -> None:
        """Decided by us: an outcome must not slip to another call."""
        self.assertEqual(refused(HEAD), "x.meta.jsonl: ends before the call at index 0")
        self.assertEqual(
            refused(HEAD, LINE, LINE), "x.meta.jsonl: line 3: the transcript has only 1 calls"
        )
        self.assertEqual(
            refused(HEAD, LINE, calls=()), "x.meta.jsonl: line 2: the transcript has only 0 calls"
        )
        for index in (1, -1, True, 0.0, "0", None):
            self.assertEqual(
                refused(HEAD, {**LINE, "index": index}), "x.meta.jsonl: line 2: index must be 0"
            )

    def test_members_and_their_types(self) -> None:
        """Decided by us: exactly the documented ones."""
        for record in (
            {**LINE, "extra": 1},
            {},
            [],
            1,
            {name: LINE[name] for name in list(LINE)[1:]},
        ):
            self.assertIn("line 2: must have exactly at, bytes, call_id", refused(HEAD, record))
        for name in ("call_id", "at", "ended_at", "model"):
            self.assertIn("must be strings or null", refused(HEAD, {**LINE, name: 5}))

    def test_an_outcome_is_one_of_the_words(self) -> None:
        """Decided by us."""
        for outcome in (None, "", "OK", 1, [], {}, ["ok"]):
            self.assertEqual(
                refused(HEAD, {**LINE, "outcome": outcome}), "x.meta.jsonl: line 2: unknown outcome"
            )

    def test_an_outcome_without_result_stands_over_a_response_that_says_so(self) -> None:
        """Decided by us: a forged companion must not hide a response from the audits."""
        for outcome in OUTCOMES:
            empty = CALL._replace(response={"outcome": outcome})
            fits, other = (empty, CALL) if outcome in WITHOUT_RESULT else (CALL, None)
            joined = list(
                MetaReader(lines(HEAD, {**LINE, "outcome": outcome}), "x").join(iter([fits]))
            )
            self.assertEqual(joined[0].outcome, outcome)
            if other is not None:
                self.assertEqual(
                    refused(HEAD, {**LINE, "outcome": outcome}, calls=(other,)),
                    "x.meta.jsonl: line 2: outcome does not fit the response at index 0",
                )

    def test_a_response_with_any_value_for_outcome_is_an_ordinary_response(self) -> None:
        """Decided by us: a tool may answer with a member of that name."""
        for value in ([], {}, ["missing"], 1, None, "later"):
            call = CALL._replace(response={"outcome": value})
            joined = list(MetaReader(lines(HEAD, LINE), "x").join(iter([call])))
            self.assertEqual(joined[0].outcome, "ok")

    def test_broken_lines_and_limits_are_named_with_the_companion(self) -> None:
        """Decided by us: two files are read at once, so the message says which."""
        data = json.dumps(HEAD).encode() + b"\n\n{"
        with self.assertRaisesRegex(InputError, "^x: line 3: not valid JSON"):
            list(MetaReader(io.BytesIO(data), "x").join(iter([CALL])))
        self.assertIn("nested deeper than 1 levels", refused(HEAD, LINE, limits=Limits(depth=1)))
        self.assertTrue(
            refused(HEAD, limits=Limits(line_bytes=5)).startswith("x.meta.jsonl: line 1: longer")
        )
