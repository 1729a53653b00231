"""How documents are delivered, and what they are."""

import io
import json
import unittest
from typing import Any

from tests.evidence.aer1.documents import run
from tests.evidence.aer1.made import receipt
from toolreplay.errors import InputError
from toolreplay.evidence.alone.delivered import (
    Delivered,
    documents_of,
    evidence_form,
    is_receipt,
    receipt_in,
)
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import RECEIPTS, TIMELINE, WORKFLOW

CLOSE = {"merkle_root": "0" * 64, "steps": [{"seq": 1}]}


def read(data: bytes) -> list[Delivered]:
    return list(documents_of(io.BytesIO(data), DEFAULT))


class Documents(unittest.TestCase):
    """Decided by us: one value, an array, or a line each."""

    def test_every_way_gives_the_same_documents(self) -> None:
        values = [receipt(), receipt(id="x")]
        for data in (
            json.dumps(values), json.dumps(values, indent=1),
            "\n".join(map(json.dumps, values)), "\n\n".join(map(json.dumps, values)) + "\n",
        ):  # fmt: skip
            self.assertEqual([one.value for one in read(data.encode())], values)
        for indent in (None, 2):
            found = read(json.dumps(values[0], indent=indent).encode())
            self.assertEqual([one.value for one in found], values[:1])

    def test_a_line_has_its_place(self) -> None:
        found = read(b'{"a": 1}\n\n{"b": 2}\n')
        self.assertEqual([tuple(one.place) for one in found], [(1, 0, 9), (3, 10, 19)])

    def test_a_member_twice_is_said_once(self) -> None:
        self.assertEqual([one.twice for one in read(b'{"a": 1, "a": 2}\n{"b": 1}\n')], ["a", None])
        self.assertEqual([one.twice for one in read(b'[{"a": 1, "a": 2}, {}]')], ["a", None])

    def test_what_is_no_json_is_refused_with_its_line(self) -> None:
        self.assertEqual(read(b""), [])
        self.assertEqual(read(b"[]"), [])
        for data, where in ((b"{", ""), (b'{"a": 1}\n{\n', "line 2"), (b"\xff", "")):
            with self.assertRaises(InputError) as caught:
                read(data)
            self.assertEqual(caught.exception.where, where)

    def test_a_document_over_the_limit_is_refused(self) -> None:
        small = DEFAULT._replace(line_bytes=10)
        with self.assertRaisesRegex(InputError, "longer than 10 bytes"):
            list(documents_of(io.BytesIO(b'{\n"a":\n"01234567890"}'), small))


class TheReceiptInIt(unittest.TestCase):
    """Decided by AER-1 (REC-1), and by us for what an MCP server hands on."""

    def test_it_is_unwrapped(self) -> None:
        made: dict[str, Any] = receipt()
        for document in (
            made, {"receipt": made}, {"content": [], "_receipt": made},
            {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "_receipt": made}},
            {"result": {"_receipt": {"receipt": made}}},
        ):  # fmt: skip
            self.assertIs(receipt_in(document), made)
        for document in (
            None,
            5,
            [],
            {"receipt": 5},
            {"_receipt": []},
            {"result": {"_receipt": 1}},
        ):
            self.assertIs(receipt_in(document), document)


class Forms(unittest.TestCase):
    """Decided by us: the content says what it is."""

    def test_each_form(self) -> None:
        made = receipt()
        entry = run()[0]
        for value, form in (
            (made, RECEIPTS), ([made], RECEIPTS), ({"receipt": made}, RECEIPTS),
            ({"result": {"_receipt": made}}, RECEIPTS), (receipt(canonical_bytes=...), RECEIPTS),
            (entry, TIMELINE), ([entry], TIMELINE), (CLOSE, WORKFLOW), ([CLOSE], WORKFLOW),
            ({**made, **CLOSE}, WORKFLOW), ({"merkle_root": 1, "receipts": []}, WORKFLOW),
            ({}, None), ([], None), ("x", None), (None, None), ([[made]], None),
            ({"index": 0, "tool": "t", "args": {}, "response": {}}, None),
        ):  # fmt: skip
            self.assertEqual(evidence_form(value), form)

    def test_two_members_make_a_receipt(self) -> None:
        self.assertFalse(is_receipt({"output_hash": 1}))
        self.assertTrue(is_receipt({"output_hash": 1, "provenance_class": 2}))
