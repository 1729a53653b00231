"""One recorded call."""

import unittest

from toolreplay.records.call import (
    NEVER_RAN,
    OUTCOMES,
    WITHOUT_RESULT,
    CallMeta,
    Link,
    Place,
    ReceiptFacts,
    ToolCall,
)

PLACE = Place(1, 0, 10)


def call(outcome: str | None) -> ToolCall:
    return ToolCall(0, "t", {}, {}, PLACE, outcome)


class ACall(unittest.TestCase):
    def test_a_call_of_a_strict_transcript_has_a_result(self) -> None:
        """Decided by the tutorial: a transcript says nothing of outcomes, every response counts."""
        self.assertTrue(call(None).has_result)

    def test_each_outcome_either_left_a_result_or_did_not(self) -> None:
        """Decided by us: an error is an answer that can be compared, silence is none."""
        with_result = {outcome for outcome in OUTCOMES if call(outcome).has_result}
        self.assertEqual(with_result, {"ok", "tool_error", "protocol_error", "timeout"})
        self.assertEqual(set(OUTCOMES) - with_result, WITHOUT_RESULT)

    def test_what_never_ran_left_no_result(self) -> None:
        """Decided by us: a call that was denied, cancelled or not executed changed nothing."""
        self.assertEqual(NEVER_RAN, {"cancelled", "denied", "not_executed"})
        self.assertLess(NEVER_RAN, WITHOUT_RESULT)

    def test_the_words_are_distinct(self) -> None:
        """Decided by us: one word per thing."""
        self.assertEqual(len(OUTCOMES), len(set(OUTCOMES)))

    def test_calls_are_values(self) -> None:
        """Decided by us: one is made for every call of a run, and nobody can change it."""
        self.assertEqual(call("ok"), call("ok"))
        with self.assertRaises(AttributeError):
            call("ok").tool = "u"  # type: ignore[misc]

    def test_what_is_not_known_is_none(self) -> None:
        """Decided by us: nothing is made up."""
        self.assertEqual(set(ToolCall(0, "t", {}, {}, PLACE)[5:]), {None})
        self.assertEqual(CallMeta().notes, ())
        self.assertEqual(set(CallMeta()._replace(notes=None)), {None})  # type: ignore[arg-type]
        self.assertEqual(set(ReceiptFacts("id", "ab" * 32)[2:]), {None})

    def test_the_order_of_fields_is_fixed(self) -> None:
        """Decided by us: the reader builds calls by position."""
        self.assertEqual(
            ToolCall._fields,
            ("index", "tool", "args", "response", "place", "outcome", "link", "meta", "same"),
        )
        self.assertEqual(Place._fields, ("line", "start", "end"))
        self.assertEqual(Link._fields, ("index", "prev", "digest"))
