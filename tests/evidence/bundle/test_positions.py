"""Calls back in the order they began, and which numbers have come."""

import unittest

from toolreplay.evidence.bundle.positions import Held, InPosition, Numbers
from toolreplay.evidence.record import Fault
from toolreplay.records.call import Place, ToolCall


def call_at(line: int) -> ToolCall:
    return ToolCall(0, f"tool_{line}", {}, {}, Place(line, 0, 1))


class Order(unittest.TestCase):
    """Decided by us: receipts come as they were finished, audits want calls as they began."""

    def given(self, *positions: int | None) -> list[tuple[int, str]]:
        again = []

        def make(place: Place) -> ToolCall:
            again.append(place.line)
            return call_at(place.line)

        order = InPosition(make)
        found = []
        for line, position in enumerate(positions, 1):
            call = call_at(line)
            found += list(order.take(position, Held(call, call.place)))
        found += list(order.finish())
        self.again = again
        return [(call.index, call.tool) for call, _ in found]

    def test_in_order_they_pass_at_once(self) -> None:
        self.assertEqual(self.given(1, 2, 3), [(0, "tool_1"), (1, "tool_2"), (2, "tool_3")])

    def test_the_first_to_begin_ends_last(self) -> None:
        self.assertEqual(self.given(2, 3, 1), [(0, "tool_3"), (1, "tool_1"), (2, "tool_2")])

    def test_a_hole_is_passed_over_at_the_end(self) -> None:
        self.assertEqual(self.given(1, 4, 3), [(0, "tool_1"), (1, "tool_3"), (2, "tool_2")])

    def test_a_place_that_is_taken_or_unknown_stands_where_it_comes(self) -> None:
        self.assertEqual(self.given(1, 1, None, 2), [(n, f"tool_{n + 1}") for n in range(4)])
        self.assertEqual(self.given(2, 2, 1), [(0, "tool_2"), (1, "tool_3"), (2, "tool_1")])

    def test_of_many_that_wait_only_the_place_is_held(self) -> None:
        positions = [*range(2, 102), 1]
        found = self.given(*positions)
        self.assertEqual(found, [(0, "tool_101"), *((n, f"tool_{n}") for n in range(1, 101))])
        self.assertEqual(self.again, list(range(65, 101)))

    def test_faults_get_the_index_of_their_call(self) -> None:
        order = InPosition(lambda place: call_at(place.line))
        fault = Fault("broken-link", "text")
        self.assertEqual(list(order.take(2, Held(call_at(1), Place(1, 0, 1), (fault,)))), [])
        found = list(order.take(1, Held(call_at(2), Place(2, 0, 1))))
        self.assertEqual([faults for _, faults in found], [(), (fault._replace(index=1),)])


class WhichNumbersCame(unittest.TestCase):
    """Decided by us: from 1, each once."""

    def test_once_each(self) -> None:
        numbers = Numbers()
        self.assertEqual([numbers.take(n) for n in (1, 3, 3, 2, 1, 4)], [True, True, False, True, False, True])  # fmt: skip
        self.assertEqual((numbers.next, numbers.last, list(numbers.missing())), (5, 4, []))

    def test_holes_are_ranges_below_the_largest(self) -> None:
        numbers = Numbers()
        self.assertEqual((numbers.last, list(numbers.missing())), (0, []))
        for number in (2, 5, 9, 10):
            numbers.take(number)
        self.assertEqual(list(numbers.missing()), [(1, 1), (3, 4), (6, 8)])
        self.assertEqual([number in numbers for number in (1, 2, 3, 10, 11)], [False, True, False, True, False])  # fmt: skip
        self.assertEqual(numbers.last, 10)


if __name__ == "__main__":
    unittest.main()
