"""Counts on the bytes of a line: what stands inside strings must never count."""

import json
import random
import unittest
from typing import Any

from toolreplay.records.structure import (
    colons_outside_strings,
    is_deeper,
    opens_at_most,
    values_over,
)


def random_value(source: random.Random, depth: int) -> Any:
    kind = source.randrange(8 if depth else 6)
    if kind < 3:
        return "".join(source.choice('ab:"\\[]{},é\n') for _ in range(source.randrange(9)))
    if kind < 6:
        return source.choice([None, True, 7, -0.5, 1e30])
    items = [random_value(source, depth - 1) for _ in range(source.randrange(6))]
    if kind == 6:
        return items
    return {f'{n}:"\\{{': item for n, item in enumerate(items)}


def depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    below = max((depth_of(item) for item in inner), default=0)
    return below + isinstance(value, (dict, list))


def members_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = len(value) if isinstance(value, dict) else 0
    return own + sum(members_of(item) for item in inner)


def lines() -> "list[tuple[Any, bytes]]":
    source = random.Random(11)
    made = []
    for _ in range(400):
        value = random_value(source, 5)
        text = json.dumps(value, ensure_ascii=source.random() < 0.5)
        made.append((value, text.encode("utf-8")))
    return made


class WhatStandsInsideStringsDoesNotCount(unittest.TestCase):
    """We decided to count on bytes; a parser's own tree is the judge."""

    def test_colons_are_as_many_as_members(self) -> None:
        for value, line in lines():
            self.assertEqual(colons_outside_strings(line), members_of(value), line)

    def test_depth_is_that_of_the_value(self) -> None:
        for value, line in lines():
            depth = depth_of(value)
            self.assertFalse(is_deeper(line, depth), line)
            if depth:
                self.assertTrue(is_deeper(line, depth - 1), line)

    def test_depth_is_exact_around_the_number_of_quick_passes(self) -> None:
        for depth in (1, 7, 8, 9, 15, 16, 17, 18, 199, 200, 201):
            for opening, closing in (("[", "]"), ('{"a":', "}"), ('["[",', "]"), ('["]\\"",', "]")):
                line = (opening * depth + "1" + closing * depth).encode()
                with self.subTest(depth=depth, opening=opening):
                    self.assertFalse(is_deeper(line, depth))
                    self.assertTrue(is_deeper(line, depth - 1))

    def test_brackets_in_strings_cannot_close_real_ones(self) -> None:
        line = ('["]",' * 201 + "1" + ',"["]' * 201).encode()
        self.assertTrue(is_deeper(line, 200))

    def test_values_are_counted_outside_strings_only(self) -> None:
        inside = json.dumps(["[{,:" * 50]).encode()
        self.assertFalse(values_over(inside, 1))
        self.assertTrue(values_over(b"[1,2,3]", 2))
        self.assertFalse(values_over(b"[1,2,3]", 3))

    def test_quotes_across_a_megabyte_are_followed(self) -> None:
        line = json.dumps(["x" * (1 << 20), ":", "[", "y" * (1 << 20), {"a": ":"}]).encode()
        self.assertEqual(colons_outside_strings(line), 1)

    def test_few_brackets_are_counted_wherever_they_stand(self) -> None:
        self.assertTrue(opens_at_most(b'["[{"]', 3))
        self.assertFalse(opens_at_most(b'["[{"]', 2))
        self.assertTrue(opens_at_most(b"", 0))


if __name__ == "__main__":
    unittest.main()
