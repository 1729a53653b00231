"""Receipts alone: what is found, and what is reported beside it."""

import io
import json
import tracemalloc
import unittest
from typing import Any

from tests.evidence.aer1.made import CLASS, CONTENT, NOW, form, hash_of, legacy, receipt
from tests.evidence.alone import own_run
from toolreplay.errors import InputError
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.alone.receipts import ReceiptsChecker, fault_text
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, PASSED
from toolreplay.records.limits import DEFAULT

NOTHING = Asked()


class Judged:
    """A file of receipts, read to its end."""

    def __init__(self, *documents: Any, asked: Asked = NOTHING, data: bytes | None = None) -> None:
        text = "\n".join(map(json.dumps, documents)).encode() if data is None else data
        self.checker = ReceiptsChecker(io.BytesIO(text), DEFAULT)
        self.checker.begin(asked)
        self.faults: list[Fault] = []
        self.calls: list[Any] = []
        for call in self.checker.calls():
            self.calls.append(call)
            self.faults += self.checker.take()
        self.faults += self.checker.take()
        self.checks = {check.line: check for check in self.checker.checks()}
        self.notes = list(self.checker.notes())

    @property
    def kinds(self) -> list[str]:
        return [fault.kind for fault in self.faults]


def other(number: int, **members: Any) -> dict[str, Any]:
    return receipt(id=own_run.identity(number), **members)


class Foreign(unittest.TestCase):
    """Decided by AER-1, and by us for what a report says."""

    def test_receipts_that_hold(self) -> None:
        judged = Judged(other(1), other(2))
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["contents"][1:3], (PASSED, "2 of 2"))
        self.assertEqual(judged.checker.provenance, CLASS)
        self.assertEqual([call.args for call in judged.calls], [CONTENT["inputs"]] * 2)
        self.assertEqual([call.index for call in judged.calls], [0, 1])

    def test_a_wrong_digest_and_another_spelling_read_differently(self) -> None:
        data = form(CONTENT)
        wrong = other(1, output_hash=hash_of(b"x"))
        spelled = receipt(data.replace(b":", b": ", 1), id=own_run.identity(2))
        judged = Judged(wrong, spelled)
        self.assertEqual(judged.kinds, ["broken-commitment"] * 2)
        self.assertRegex(judged.faults[0].detail, "^digest wrong: the bytes hash to ")
        self.assertRegex(judged.faults[1].detail, "^digest ok, not canonical: ")
        self.assertEqual([fault.index for fault in judged.faults], [0, 1])
        self.assertEqual(judged.checks["contents"][1:3], (FAILED, "0 of 2"))

    def test_an_id_used_twice(self) -> None:
        judged = Judged(other(1), other(2), other(1))
        self.assertEqual([(f.kind, f.index) for f in judged.faults], [("duplicate-receipt", 2)])
        self.assertEqual(judged.checks["links"].result, FAILED)
        self.assertEqual(judged.checks["contents"].result, PASSED)

    def test_no_receipt_never_passes(self) -> None:
        for data in (b"", b"[]"):
            self.assertEqual(Judged(data=data).checks["contents"].result, FAILED)

    def test_what_is_no_receipt_fails(self) -> None:
        for document in (5, [], None, {}):
            judged = Judged(other(1), document)
            self.assertEqual(judged.kinds, ["broken-commitment"])
            self.assertEqual(len(judged.calls), 2)

    def test_a_member_twice_fails_at_every_level(self) -> None:
        data = json.dumps(receipt()).encode()[:-1] + b', "x": 1, "x": 1}'
        for level in ("default", "core", "strict"):
            judged = Judged(data=data, asked=Asked(level=level))
            self.assertEqual(judged.kinds, ["broken-commitment"], level)
            self.assertIn("the member 'x' stands twice", judged.faults[0].detail)

    def test_levels(self) -> None:
        bare = receipt(tool="search")
        self.assertEqual(Judged(bare).faults, [])
        self.assertIn("core: tool", Judged(bare, asked=Asked(level="core")).faults[0].detail)
        self.assertTrue(Judged(bare, asked=Asked(level="strict")).faults)
        spelled = receipt(form(CONTENT).replace(b":", b": ", 1))
        self.assertEqual(Judged(spelled, asked=Asked(level="core")).faults, [])

    def test_the_clock_is_the_one_that_was_given(self) -> None:
        late = receipt(created_at="2030-01-01T00:00:00Z")
        self.assertEqual(Judged(late).faults, [])
        self.assertIn("not in the future", Judged(late, asked=Asked(now=NOW)).faults[0].detail)

    def test_an_expected_id_and_a_resolved_record(self) -> None:
        made = receipt()
        self.assertEqual(Judged(made, asked=Asked(expected_id=made["id"])).faults, [])
        judged = Judged(made, asked=Asked(expected_id="other"))
        self.assertIn("id binding", judged.faults[0].detail)
        self.assertIn("id_state: mismatch", judged.notes)
        asked = Asked(resolved_record={"output_hash": "x"}, has_resolved_record=True)
        self.assertIn("another digest", Judged(made, asked=asked).faults[0].detail)
        with self.assertRaises(InputError):
            Judged(other(1), other(2), asked=asked)

    def test_notes_say_what_is_not_bound_and_where_classes_differ(self) -> None:
        data = form({**CONTENT, "receipt_schema_version": "0.3"})
        old = legacy(data, id=own_run.identity(7), provenance_class="LOGGED BY AGENT")
        judged = Judged(other(1), old)
        self.assertEqual(judged.faults, [])
        text = "\n".join(judged.notes)
        self.assertIn("nothing but the committed bytes is bound", text)
        self.assertIn(f"provenance classes differ: {CLASS} (1), LOGGED BY AGENT (1)", text)

    def test_a_class_that_is_none_is_not_shown(self) -> None:
        judged = Judged(legacy(form(CONTENT), provenance_class="\x1b[2J"))
        self.assertEqual(judged.checker.provenance, "no provenance class")

    def test_memory_does_not_grow_with_the_receipts(self) -> None:
        def peak(count: int) -> int:
            lines = [json.dumps(other(number)).encode() for number in range(count)]
            checker = ReceiptsChecker(io.BytesIO(b"\n".join(lines)), DEFAULT)
            tracemalloc.start()
            for _ in checker.calls():
                checker.take()
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return most

        small = peak(200)
        self.assertLess(peak(2_000), small * 2 + 500_000)


class Ours(unittest.TestCase):
    """Decided by AER-1 (IDB-10), and by us: the profile of the committed bytes counts."""

    def test_they_are_full_calls_and_the_close_receipt_is_none(self) -> None:
        judged = Judged(*own_run.receipts())
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["contents"].count, "4 of 4")
        self.assertEqual([call.args for call in judged.calls], [{"n": 1}, {"n": 2}, {"n": 3}])
        self.assertEqual(judged.calls[0].response, {"ok": True})

    def test_the_label_must_be_that_of_the_bytes(self) -> None:
        first = own_run.receipts()[0]
        for name, value in (
            ("id", own_run.identity(77)), ("created_at", "2026-11-30T08:00:02.000Z"),
            ("tool", {**first["tool"], "name": "other"}),
        ):  # fmt: skip
            judged = Judged({**first, name: value})
            self.assertEqual(judged.kinds, ["broken-commitment"], name)
            self.assertEqual(judged.faults[0].detail, f"{name} is not what the committed bytes say")

    def test_what_the_profile_does_not_have_is_named(self) -> None:
        judged = Judged({**own_run.receipts()[0], "anchor_note": 1})
        self.assertEqual(judged.faults, [])
        self.assertIn("unknown member: anchor_note", judged.notes)

    def test_another_version_of_the_profile_is_noted_and_no_finding(self) -> None:
        """What recomputes was not edited, whatever members it has."""

        def cut(committed: dict[str, Any]) -> None:
            del committed["outputs"]["flags"]

        receipt = own_run.again(own_run.receipts()[0], cut)
        judged = Judged(receipt)
        self.assertEqual(judged.faults, [])
        note = (
            "not of this version of toolreplay/1, read as of any producer: outputs.flags is missing"
        )
        self.assertIn(note, judged.notes)
        other = Judged({**receipt, "id": "9d0e3a53-1b76-4a3f-9d32-53a1c0a5f3aa"})
        self.assertEqual(
            [f.detail for f in other.faults], ["id is not what the committed bytes say"]
        )

    def test_detached_content_is_not_available_and_no_failure(self) -> None:
        judged = Judged(*own_run.receipts(own_run.bundle(1, b'"' + b"x" * 5000 + b'"')))
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["contents"][1:3], (PASSED, "2 of 2; 1 piece not available"))


class TheText(unittest.TestCase):
    """Decided by us: one line a receipt, the first things first."""

    def test_nothing_is_said_of_what_holds(self) -> None:
        report = check_receipt(receipt())
        self.assertEqual(fault_text(report, "default"), "")
        self.assertIs(report.checks_at("default"), report.checks)

    def test_at_most_three_and_a_count(self) -> None:
        report = check_receipt(receipt(created_at="x", hash_algorithm="x", canonical_byte_length=1, output_hash="x"))  # fmt: skip
        text = fault_text(report, "default")
        self.assertTrue(text.startswith("digest wrong: "))
        self.assertTrue(text.endswith(" more)"))
        self.assertNotIn("provenance", text)
