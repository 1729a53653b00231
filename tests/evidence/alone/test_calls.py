"""From a foreign receipt to a call."""

import unittest

from tests.evidence.aer1.made import form, hash_of
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.aer1.committed import read_committed
from toolreplay.evidence.alone.calls import foreign_call, is_ours, tool_name
from toolreplay.records.call import Place, ReceiptFacts, ToolCall

FACTS = ReceiptFacts("id", "00")


def call(data: bytes, tool: object = "t", at: object = None) -> ToolCall:
    read = read_committed(base64_of(data), hash_of(data))
    return foreign_call(tool, read, FACTS, at, Place(1, 0, 1))


class Calls(unittest.TestCase):
    """Decided by us: what is named nowhere is not guessed."""

    def test_inputs_and_what_came_back(self) -> None:
        for name in ("outputs", "output", "result"):
            found = call(form({"inputs": {"a": 1}, name: {"b": 2}}))
            self.assertEqual(
                (found.args, found.response, found.outcome), ({"a": 1}, {"b": 2}, None)
            )
        self.assertEqual(call(form({"result": [1]})).response, {"content": [1]})

    def test_nothing_is_made_up(self) -> None:
        for data in (b"5", b"null", b"[]", b"{}", b"not json", b'{"inputs":5}', b"\xff"):
            found = call(data)
            self.assertEqual((found.args, found.outcome), ({}, "missing"))

    def test_what_has_no_form_to_compare_is_left_out(self) -> None:
        for data in (b'{"inputs":{"a":NaN}}', b'{"inputs":{"a":1e999}}'):
            self.assertEqual(call(data).args, {})
        self.assertEqual(call(b'{"inputs": {"a": 1}}').args, {"a": 1})

    def test_the_time_is_one(self) -> None:
        for at, shown in (
            ("2026-05-15T21:33:32Z", "2026-05-15T21:33:32Z"),
            ("soon", None),
            (5, None),
        ):
            self.assertEqual(call(b"{}", at=at).meta.at, shown)

    def test_names(self) -> None:
        self.assertEqual(tool_name({"name": "x"}), "x")
        self.assertEqual(tool_name("x"), "x")
        for tool in (None, {}, {"name": 5}, "", []):
            self.assertEqual(tool_name(tool), "unknown")
        self.assertTrue(is_ours({"binding": {"profile": "toolreplay/1"}}))
        for value in (None, {}, {"binding": 5}, {"binding": {"profile": "other"}}):
            self.assertFalse(is_ours(value))
