"""From a receipt to the call that audits judge."""

import unittest
from typing import Any, ClassVar

from tests.evidence.bundle import made
from tests.evidence.bundle.made import Maker, judged
from toolreplay.evidence.bundle.calls import CallReader, unreadable_call
from toolreplay.evidence.profile.piece import Piece, piece_of, sealed_piece
from toolreplay.records.call import OUTCOMES, WITHOUT_RESULT, Place, ReceiptFacts, Same, ToolCall
from toolreplay.records.limits import DEFAULT

PLACE = Place(3, 10, 20)
RUN_KEY = b"r" * 32


def call_of(args: Any = None, result: Any = ..., *, with_sealed: bool = False, **more: Any) -> ToolCall:  # fmt: skip
    maker = Maker().open().call(1, "t", args, result, **more).close()
    (call,) = judged(maker.bundle(with_sealed=with_sealed)).calls
    return call


class Content(unittest.TestCase):
    """Decided by us: JSON where it is JSON, else text, else what it is without its content."""

    def test_arguments(self) -> None:
        table: list[tuple[Any, Any]] = [
            ({"a": [1.5, None]}, {"a": [1.5, None]}),
            (b"", {}),
            ([1, 2], {"_raw": "[1,2]"}),
            (b'{"a":1,"a":2}', {"_raw": '{"a":1,"a":2}'}),
            (made.detached(b'{"n":1}'), {"n": 1}),
        ]
        for given, wanted in table:
            with self.subTest(given):
                self.assertEqual(call_of(given, {}).args, wanted)

    def test_results(self) -> None:
        binary = b"\x89PNG\xff"
        digest = piece_of(binary, "image/png").described["digest"]
        table: list[tuple[Any, Any]] = [
            ({"a": 1}, {"a": 1}),
            (b"", {}),
            (b"plain text", {"content": "plain text", "is_error": False}),
            ([1], {"content": [1], "is_error": False}),
            (binary, {"_piece": {"digest": digest, "length": 5}}),
            (made.detached(b"large"), {"content": "large", "is_error": False}),
        ]
        for given, wanted in table:
            with self.subTest(given):
                self.assertEqual(call_of({}, given).response, wanted)

    def test_a_sealed_piece_is_never_opened(self) -> None:
        for run_key, member in ((RUN_KEY, "same"), (None, "digest")):
            secret = sealed_piece(b"1234", "text/plain", b"k" * 32, run_key)
            for with_sealed in (False, True):
                call = call_of({}, secret, with_sealed=with_sealed)
                self.assertEqual(call.response, {"_sealed": secret.described[member]})


class Outcomes(unittest.TestCase):
    """Decided by us: a call without a result has its outcome in its place."""

    def test_each(self) -> None:
        for status in OUTCOMES:
            with self.subTest(status):
                call = call_of({}, {"n": 1}, status=status)
                wanted = {"outcome": status} if status in WITHOUT_RESULT else {"n": 1}
                self.assertEqual((call.outcome, call.response), (status, wanted))

    def test_nothing_came_back(self) -> None:
        call = call_of({}, status="timeout")
        self.assertEqual((call.outcome, call.response), ("missing", {"outcome": "timeout"}))

    def test_text_of_a_call_that_failed_is_an_error(self) -> None:
        call = call_of({}, b"no such file", status="tool_error")
        self.assertEqual(call.response, {"content": "no such file", "is_error": True})

    def test_where_the_source_does_not_say(self) -> None:
        self.assertIsNone(call_of({}, {}, flags=["outcome_unknown"]).outcome)

    def test_what_stands_beside(self) -> None:
        call = call_of({}, {}, flags=["late", "truncated"])
        assert call.meta is not None and call.meta.receipt is not None
        self.assertEqual((call.meta.notes, call.meta.model), (("late", "truncated"), "model-1"))
        self.assertEqual(call.meta.call_id, call.meta.receipt.receipt_id)
        self.assertEqual(call.meta.at, "2026-11-30T09:00:02.000Z")


class Hidden(unittest.TestCase):
    """Decided by us: what was replaced is neither equal nor different, but for `same`."""

    redacted: ClassVar[dict[str, Any]] = {"redactions": [{"path": "/token", "rule": "key-name"}]}

    def original(self, *, with_same: bool = True) -> Piece:
        return sealed_piece(b"secret", "text/plain", b"k" * 32, RUN_KEY if with_same else None)

    def test_nothing_hidden(self) -> None:
        self.assertIsNone(call_of({}, {}).same)

    def test_redacted_without_an_original(self) -> None:
        self.assertEqual(call_of({}, {}, inputs=self.redacted).same, Same(None, None, True, False))
        self.assertEqual(call_of({}, {}, outputs=self.redacted).same, Same(None, None, False, True))

    def test_redacted_with_one_that_can_be_told_equal(self) -> None:
        original = self.original().described
        inputs = {**self.redacted, "original": original}
        self.assertEqual(
            call_of({}, {}, inputs=inputs).same, Same(original["same"], None, False, False)
        )
        inputs["original"] = self.original(with_same=False).described
        self.assertEqual(call_of({}, {}, inputs=inputs).same, Same(None, None, True, False))

    def test_a_sealed_piece_that_cannot_be_told_equal(self) -> None:
        bare, told = self.original(with_same=False), self.original()
        self.assertEqual(call_of({}, bare).same, Same(None, None, False, True))
        self.assertEqual(call_of(bare, {}).same, Same(None, None, True, False))
        self.assertIsNone(call_of(told, told).same)


class WithoutAReceiptThatCanBeRead(unittest.TestCase):
    """Decided by us: the call stands in its place, and nothing is made up for it."""

    def test_it_has_a_name_where_there_is_one(self) -> None:
        facts = ReceiptFacts("id", "")
        call = unreadable_call("t", PLACE, facts)
        self.assertEqual((call.tool, call.args, call.outcome), ("t", {}, "missing"))
        self.assertEqual((call.response, call.place), ({"outcome": "missing"}, PLACE))
        for tool in (None, "", 7, {"name": "t"}):
            self.assertEqual(unreadable_call(tool, PLACE, None).tool, "unknown")

    def test_an_intent_says_what_was_meant(self) -> None:
        payload = {
            "tool": {"name": "t"}, "args": made.as_piece({"n": 1}).described,
            "started_at": made.PUBLISHED,
        }  # fmt: skip
        call = CallReader(DEFAULT, lambda _: None).intent(payload, PLACE)
        self.assertEqual((call.tool, call.args, call.outcome), ("t", {"n": 1}, "missing"))
        self.assertEqual(call.meta and call.meta.at, made.PUBLISHED)
        payload["args"] = made.detached(b"{}").described
        call = CallReader(DEFAULT, lambda _: None).intent(payload, PLACE)
        self.assertEqual(call.args["_piece"]["length"], 2)


if __name__ == "__main__":
    unittest.main()
