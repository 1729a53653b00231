"""What was written before a call left, against its receipt."""

import unittest
from typing import Any

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.intents import Intents
from toolreplay.evidence.record import Fault
from toolreplay.records.call import Place

PLACE = Place(2, 10, 20)


def intended(position: int, tool: str = "t", **args: Any) -> dict[str, Any]:
    return {
        "position": position,
        "tool": {"name": tool, "version": "unknown", "scope": "unknown"},
        "args": made.as_piece(args).described,
    }


def ended(position: int | None, tool: str = "t", layer: str = "mcp-wire", **args: Any) -> dict[str, Any]:  # fmt: skip
    what = intended(0, tool, **args)
    return {
        "binding": {"position": position},
        "capture": {"layer": layer},
        "tool": what["tool"],
        "inputs": {"args": what["args"]},
    }


def kinds(faults: list[Fault]) -> list[tuple[str, object]]:
    return [(fault.kind, fault.subject) for fault in faults]


class OfOneCall(unittest.TestCase):
    """Decided by us: where a layer sees calls leave, each has an intent with equal tool and args."""

    def setUp(self) -> None:
        self.intents = Intents()

    def test_one_that_is_doubted_is_not_held_against_its_outcome(self) -> None:
        self.intents.start(intended(1, "t", n=1), PLACE, is_doubted=True)
        self.assertEqual(self.intents.outcome(ended(1, "other", n=2)), [])
        self.assertEqual(self.intents.open, {})

    def test_they_fit(self) -> None:
        self.assertEqual(self.intents.start(intended(1, n=1), PLACE), [])
        self.assertEqual(self.intents.open[1].place, PLACE)
        self.assertEqual(self.intents.outcome(ended(1, n=1)), [])
        self.assertEqual(self.intents.open, {})

    def test_another_tool_or_other_arguments(self) -> None:
        for other in (ended(1, "u", n=1), ended(1, n=2), ended(1, n=1.0)):
            intents = Intents()
            intents.start(intended(1, n=1), PLACE)
            self.assertEqual(kinds(intents.outcome(other)), [("broken-commitment", "intent")])

    def test_none_was_written(self) -> None:
        self.assertEqual(kinds(self.intents.outcome(ended(3))), [("missing-entry", 3)])
        self.assertEqual(Intents().outcome(ended(3), has_erased=True), [])

    def test_two_for_one_position(self) -> None:
        self.intents.start(intended(1), PLACE)
        self.assertEqual(
            kinds(self.intents.start(intended(1), PLACE)), [("broken-link", "position")]
        )

    def test_two_outcomes_of_one(self) -> None:
        self.intents.start(intended(1), PLACE)
        self.intents.outcome(ended(1))
        self.assertEqual(kinds(self.intents.outcome(ended(1))), [("broken-link", "position")])

    def test_an_import_has_none(self) -> None:
        self.assertEqual(self.intents.outcome(ended(1, layer="import")), [])
        self.assertEqual(
            kinds(self.intents.outcome(ended(1, layer="import"))), [("broken-link", "position")]
        )

    def test_only_a_close_receipt_has_no_position(self) -> None:
        self.assertEqual(
            kinds(self.intents.outcome(ended(None))), [("broken-commitment", "position")]
        )


class AtTheClose(unittest.TestCase):
    """Decided by us: the close receipt lists the positions without outcome, and holes are told."""

    def setUp(self) -> None:
        self.intents = Intents()
        for position in (1, 2, 3):
            self.intents.start(intended(position), PLACE)
        self.intents.outcome(ended(2))

    def at_close(self, *unfinished: int) -> list[tuple[str, object]]:
        return kinds(list(self.intents.faults_at_close(list(unfinished))))

    def test_as_it_is(self) -> None:
        self.assertEqual(self.at_close(1, 3), [])

    def test_one_that_it_does_not_list(self) -> None:
        self.assertEqual(self.at_close(1), [("broken-commitment", 3)])

    def test_one_that_is_not_here_is_missed_once(self) -> None:
        self.assertEqual(self.at_close(1, 3, 4), [("missing-entry", 4)])

    def test_a_hole_in_the_positions(self) -> None:
        self.intents.start(intended(6), PLACE)
        self.assertEqual(self.at_close(1, 3, 6), [("missing-entry", 4)])


if __name__ == "__main__":
    unittest.main()
