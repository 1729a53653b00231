"""Places of values in a JSON text: what a slice of them says is what a parser says."""

import json
import random
import unittest

from toolreplay.records.spans import elements_of, members_of, names_of, scalars_of

_STRINGS = ["", "a", 'q"\\', "\u2028", "é\U0001f600", "{[,:]}", "\\u0041", "\n"]


def _random(source: random.Random, depth: int = 0) -> object:
    kind = source.randrange(8 if depth < 5 else 5)
    if kind < 2:
        return source.choice(_STRINGS) + source.choice(_STRINGS)
    if kind < 5:
        return source.choice([None, True, False, 0, -1.5e300, 10**30])
    if kind < 7:
        names = source.sample(_STRINGS, source.randrange(5))
        return {name: _random(source, depth + 1) for name in names}
    return [_random(source, depth + 1) for _ in range(source.randrange(5))]


def _spelt(source: random.Random, value: object) -> bytes:
    indent = source.choice([None, 1])
    separators = source.choice([(",", ":"), (" , ", " : ")])
    text = json.dumps(
        value, indent=indent, separators=separators, ensure_ascii=source.random() < 0.5
    )
    return b" \t" + text.encode("utf-8") + b"\r\n"


def _leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[object, object]]:
    if isinstance(value, dict):
        return [leaf for name, each in value.items() for leaf in _leaves(each, (*path, name))]
    if isinstance(value, list):
        return [leaf for index, each in enumerate(value) for leaf in _leaves(each, (*path, index))]
    return [(path, value)]


def _names(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[object, object]]:
    found: list[tuple[object, object]] = []
    if isinstance(value, dict):
        for name, each in value.items():
            found += [((*path, name), name), *_names(each, (*path, name))]
    if isinstance(value, list):
        for index, each in enumerate(value):
            found += _names(each, (*path, index))
    return found


class Places(unittest.TestCase):
    """Decided by RFC 8259: the places are those of its grammar."""

    def test_random_values_are_found_where_they_stand(self) -> None:
        """Each slice parses to the member, element or scalar that the parser has there."""
        source = random.Random(6)
        for _ in range(400):
            value = _random(source)
            data = _spelt(source, value)
            members = {m.name: json.loads(data[m.start : m.end]) for m in members_of(data)}
            self.assertEqual(members, value if isinstance(value, dict) else {})
            elements = [json.loads(data[start:end]) for start, end in elements_of(data)]
            self.assertEqual(elements, value if isinstance(value, list) else [])
            found = [(s.path, json.loads(data[s.start : s.end])) for s in scalars_of(data)]
            self.assertEqual(found, _leaves(value))
            names = [(s.path, json.loads(data[s.start : s.end])) for s in names_of(data)]
            self.assertEqual(names, _names(value))

    def test_duplicates_are_all_there_in_order(self) -> None:
        """Parsers take the last, which is for whoever asks."""
        found = members_of(b'{"id":1,"x":{"id":9},"id":2}')
        self.assertEqual([member.name for member in found], ["id", "x", "id"])

    def test_bytes_that_are_no_text_are_passed_over(self) -> None:
        """Servers send them, and clients take them."""
        data = b'{"a":"\xff\xfe","b":[1]}'
        self.assertEqual([data[m.start : m.end] for m in members_of(data)], [b'"\xff\xfe"', b"[1]"])

    def test_any_depth_is_followed_without_recursion(self) -> None:
        """A hundred thousand brackets are one value."""
        data = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        self.assertEqual(members_of(data)[0].end, len(data) - 1)
        self.assertEqual(list(scalars_of(data)), [])
        self.assertEqual([name.path for name in names_of(data)], [("a",)])

    def test_a_text_that_ends_too_early_is_refused(self) -> None:
        """It is no JSON, and no place in it can be told."""
        for data in (b'{"a"', b'{"a":', b'{"a":[', b'{"a":1', b'{"a":1,"b"'):
            with self.subTest(data), self.assertRaises(ValueError):
                members_of(data)
        with self.assertRaises(ValueError):
            elements_of(b"[1,2")


if __name__ == "__main__":
    unittest.main()
