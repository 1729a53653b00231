"""The workflow close, against the vectors and an independent recomputation of its root."""

import copy
import hashlib
import itertools
import unittest

from tests.evidence.aer1.documents import HOSTILE, cases, sha
from toolreplay.evidence.aer1.workflow import (
    RECEIPT_ID,
    SEQ_OUTPUT,
    CloseReport,
    RootBuilder,
    check_close,
    is_close_document,
    receipt_id_leaf,
    seq_output_leaf,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

OLD_ROOT_OR_ORDER = ("merkle_root does not match", "duplicate receipt_id", "step seq values")
"""What the older full-table check says about other things than the tables."""


def root_of(leaves: list[bytes]) -> str:
    """The root, level by level."""
    level = leaves or [hashlib.sha256(b"").digest()]
    while len(level) > 1:
        level = [
            hashlib.sha256(left + (right or left)).digest()
            for left, right in itertools.zip_longest(level[::2], level[1::2])
        ]
    return level[0].hex()


def close(version: str | None = SEQ_OUTPUT, count: int = 5) -> dict:
    """A close with the least that its root rule needs."""
    steps = [
        {"seq": seq, "receipt_id": f"{seq:08x}-0000-4000-8000-000000000000", "output_hash": sha(bytes([seq]))}
        for seq in range(1, count + 1)
    ]  # fmt: skip
    document: dict = {"workflow_id": "w", "steps": steps, "count": count}
    if version is not None:
        document["merkle_version"] = version
    return rebuilt(document)


def rebuilt(document: dict) -> dict:
    """The document with the root of its steps, whatever they now are."""
    if document.get("merkle_version") == SEQ_OUTPUT:
        texts = [f"{step['seq']}:{step['output_hash']}" for step in document["steps"]]
    else:
        texts = [step["receipt_id"] for step in document["steps"]]
    root = root_of([hashlib.sha256(text.encode()).digest() for text in texts])
    return {**document, "merkle_root": root}


def as_receipts(document: dict) -> dict:
    """The same close in the other shape."""
    receipts = [
        {"id": step["receipt_id"], "step_index": step["seq"] - 1, "output_hash": step["output_hash"]}
        for step in document["steps"]
    ]  # fmt: skip
    others = {name: value for name, value in document.items() if name != "steps"}
    return {**others, "receipts": receipts}


def failed(report: CloseReport) -> list[str]:
    return [check.name for check in report.checks if check.result == FAILED]


def result(report: CloseReport, name: str) -> str:
    return next(check.result for check in report.checks if check.name == name)


class Vectors(unittest.TestCase):
    """Decided by AER-1, or by us where a case says `ours`: aer1/vectors/workflows.json."""

    def test_each_case(self) -> None:
        found = cases("workflows")
        self.assertEqual(len(found), 53)
        for case in found:
            expect, report = case["expect"], check_close(case["doc"], case.get("expected_id"))
            with self.subTest(case["id"], title=case["title"]):
                verdict = expect.get("ours", expect["aer1_verify"])["verdict"]
                self.assertEqual("PASS" if report.passed else "FAIL", verdict)
                self.assertEqual(is_close_document(case["doc"]), expect["is_workflow_doc"])
                if "crash" not in expect["aer1_verify"]:
                    reference = expect["aer1_verify"]
                    self.assertEqual(report.merkle_version, reference["merkle_version"])
                    self.assertEqual(report.workflow_id, reference["workflow_id"])

    def test_the_tables_of_each_case(self) -> None:
        """The older full-table check also wants the older root, which is no matter of the tables."""
        for case in cases("workflows"):
            reasons = case["expect"]["aer1kit_v0"]["reasons"]
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(
                    check_close(case["doc"]).tables_pass,
                    all(reason.startswith(OLD_ROOT_OR_ORDER) for reason in reasons),
                )

    def test_what_passes_strictly_no_older_reader_refuses_but_for_its_root_rule(self) -> None:
        for case in cases("workflows"):
            reasons = case["expect"]["kit_v0"]["reasons"]
            report = check_close(case["doc"], case.get("expected_id"))
            # The older reader knows one of the two roots and one of the two shapes.
            if report.strict_passed and report.merkle_version == RECEIPT_ID and "steps" in case["doc"]:  # fmt: skip
                self.assertEqual(reasons, [], case["id"])


class Root(unittest.TestCase):
    """Decided by AER-1, WF-2 and WF-11."""

    def test_every_count_has_the_root_made_level_by_level(self) -> None:
        builder, leaves = RootBuilder(), []
        self.assertEqual(builder.root(), sha(b""))
        for number in range(1, 200):
            leaves.append(hashlib.sha256(str(number).encode()).digest())
            builder.add(leaves[-1])
            self.assertEqual(builder.root(), root_of(leaves), number)
            self.assertEqual(builder.root(), root_of(leaves), "asking changes nothing")

    def test_it_keeps_one_digest_a_level(self) -> None:
        builder = RootBuilder()
        for _ in range(5_000):
            builder.add(b"\0" * 32)
        self.assertLess(len(vars(builder)["_waiting"]), 14)

    def test_leaves(self) -> None:
        self.assertEqual(seq_output_leaf(12, "ab").hex(), sha(b"12:ab"))
        self.assertEqual(receipt_id_leaf("é").hex(), sha("é".encode()))
        with self.assertRaises(UnicodeEncodeError):
            receipt_id_leaf("\ud800")

    def test_a_repeated_last_id_has_the_root_of_the_shorter_list(self) -> None:
        """WF-6: why a receipt id may stand there once only."""
        document = close(RECEIPT_ID, 3)
        longer = copy.deepcopy(document)
        longer["steps"].append({**longer["steps"][-1], "seq": 4})
        longer["count"] = 4
        self.assertEqual(rebuilt(longer)["merkle_root"], document["merkle_root"])
        self.assertEqual(failed(check_close(longer)), ["receipt ids"])


class AnIntactClose(unittest.TestCase):
    """Decided by AER-1, WF-1 to WF-11."""

    def test_both_rules_and_both_shapes_pass(self) -> None:
        for version in (SEQ_OUTPUT, RECEIPT_ID, None):
            for document in (close(version), as_receipts(close(version))):
                report = check_close(document, "w")
                self.assertEqual({check.result for check in report.checks}, {PASSED})
                self.assertTrue(report.passed and report.strict_passed)
                self.assertEqual(report.merkle_version, version or RECEIPT_ID)
                self.assertEqual((report.step_count, report.workflow_id), (5, "w"))
                self.assertEqual(report.root, document["merkle_root"])
                self.assertTrue(is_close_document(document))

    def test_what_is_not_there_to_compare_was_not_checked(self) -> None:
        document = close()
        del document["count"]
        report = check_close(document)
        self.assertEqual(result(report, "count"), NOT_CHECKED)
        self.assertEqual(result(report, "workflow id"), NOT_CHECKED)
        self.assertTrue(report.passed)

    def test_a_missing_rule_name_means_the_older_one(self) -> None:
        for value in (None, ""):
            report = check_close({**close(None), "merkle_version": value})
            self.assertEqual((report.strict_passed, report.merkle_version), (True, RECEIPT_ID))
        for value in (0, False, [], {}):
            report = check_close({**close(None), "merkle_version": value})
            self.assertEqual((report.passed, report.strict_passed), (True, False))

    def test_the_id_of_the_other_member(self) -> None:
        """WF-8."""
        for value in (None, "", 0, []):
            document = {**close(), "workflow_id": value, "id": "i"}
            self.assertTrue(check_close(document, "i").passed)
            self.assertEqual(failed(check_close(document, "w")), ["workflow id"])


class WhatIsReportedAndFailsStrictly(unittest.TestCase):
    """Decided by us: others refuse these, so nothing that must pass everywhere may have them."""

    def noted(self, document: dict, note: str) -> None:
        report = check_close(document)
        self.assertEqual((report.passed, report.strict_passed), (True, False), failed(report))
        self.assertEqual(len(report.notes), 1)
        self.assertRegex(report.notes[0], note)

    def test_spellings_of_the_root(self) -> None:
        document = close()
        root = document["merkle_root"]
        for spelling in (root.upper(), f"sha256:{root}"):
            self.noted({**document, "merkle_root": spelling}, "^merkle_root has a prefix")

    def test_spellings_of_a_leaf_input(self) -> None:
        for spell in (str.upper, "sha256:{}".format):
            document = close()
            document["steps"][1]["output_hash"] = spell(document["steps"][1]["output_hash"])
            self.noted(document, "^step 2 output_hash has a prefix")

    def test_order_of_the_array(self) -> None:
        for version in (SEQ_OUTPUT, RECEIPT_ID):
            document = close(version)
            document["steps"].reverse()
            self.noted(document, r"^step 1 of the list has the sequence number 5 \(and 3 more\)$")

    def test_ids_that_could_be_inner_nodes(self) -> None:
        document = close(RECEIPT_ID)
        document["steps"][2]["receipt_id"] += "\n"
        self.noted(rebuilt(document), "^step 3 has a receipt id that is no lower-case UUID$")

    def test_numbers_that_are_not_spelled_as_integers(self) -> None:
        document = close()
        document["steps"][0]["seq"] = 1.0
        self.noted(document, "^step 1 has a sequence number with a decimal point$")
        for document in ({**close(), "count": 5.0}, {**close(count=1), "count": True}):
            self.noted(document, "^count is not an integer$")

    def test_a_step_without_id_under_the_current_rule(self) -> None:
        document = close()
        del document["steps"][3]["receipt_id"]
        self.noted(document, "^step 4 has no receipt id$")

    def test_an_id_that_has_no_utf_8(self) -> None:
        document = close()
        document["steps"][3]["receipt_id"] = "\ud800"
        self.noted(document, "^step 4 has a receipt id with a lone surrogate$")

    def test_two_shapes_at_once(self) -> None:
        document = close()
        self.noted({**as_receipts(document), "steps": []}, "^steps stands beside receipts")

    def test_a_time_that_no_calendar_has(self) -> None:
        document = close()
        document["steps"][0]["started_at"] = "2026-02-30T00:00:00Z"
        self.noted(document, "^step 1 started_at is a time that no calendar has$")


class ABrokenClose(unittest.TestCase):
    """Decided by AER-1: what is changed is what fails."""

    def test_each_flipped_digit_of_root_and_results(self) -> None:
        honest = close(count=3)
        for place in range(64):
            for change in range(4):
                document = copy.deepcopy(honest)
                holder, name = (document, "merkle_root") if change == 3 else (document["steps"][change], "output_hash")  # fmt: skip
                digit = "1" if holder[name][place] == "0" else "0"
                holder[name] = holder[name][:place] + digit + holder[name][place + 1 :]
                self.assertEqual(failed(check_close(document)), ["root"])

    def test_what_a_root_does_not_cover(self) -> None:
        """Ids under the current rule, results under the older one."""
        document = close()
        document["steps"][0]["receipt_id"] = "x"
        self.assertTrue(check_close(document).passed)
        document = close(RECEIPT_ID)
        document["steps"][0]["output_hash"] = "x"
        self.assertTrue(check_close(document).passed)

    def test_cut_and_built_again_it_is_intact_on_its_own(self) -> None:
        """ATK-1: root and count have to be kept elsewhere."""
        for version in (SEQ_OUTPUT, RECEIPT_ID):
            document = close(version)
            del document["steps"][-1]
            self.assertEqual(failed(check_close(document)), ["count", "root"])
            self.assertEqual(failed(check_close(rebuilt(document))), ["count"])
            document["count"] = 4
            self.assertTrue(check_close(rebuilt(document)).passed)

    def test_sequence_numbers(self) -> None:
        """WF-4; a boolean is no number, here as in a chain."""
        for value in (None, True, False, "1", 0, 2, 6, -1, 1.5, 10**5000, float("nan"), [], {}):
            for position in range(5):
                document = close()
                document["steps"][position]["seq"] = value
                if value == position + 1 and value is not True:
                    continue
                report = check_close(document)
                self.assertIn("sequence", failed(report))
                self.assertEqual(result(report, "root"), NOT_CHECKED)
        for value in (None, True, False, 0.0, "0", 1):
            document = as_receipts(close())
            document["receipts"][0]["step_index"] = value
            self.assertEqual(failed(check_close(document)), ["sequence"])

    def test_leaf_inputs(self) -> None:
        for version, member in ((SEQ_OUTPUT, "output_hash"), (RECEIPT_ID, "receipt_id")):
            for value in (None, "", 5, "\ud800", [], {}):
                document = close(version)
                document["steps"][1][member] = value
                self.assertEqual(failed(check_close(document)), ["leaf inputs"])

    def test_one_receipt_for_two_steps(self) -> None:
        """WF-6, decided by us: the newest obtainable reader lets it pass."""
        for version in (SEQ_OUTPUT, RECEIPT_ID):
            document = close(version)
            document["steps"][1]["receipt_id"] = document["steps"][3]["receipt_id"]
            for shape in (rebuilt(document), as_receipts(rebuilt(document))):
                self.assertEqual(failed(check_close(shape)), ["receipt ids"])

    def test_other_members(self) -> None:
        for member, value, check in (
            ("merkle_version", "seq-output-v2", "merkle_version"),
            ("merkle_version", 1, "merkle_version"),
            ("merkle_root", None, "merkle_root"),
            ("merkle_root", "a" * 63, "merkle_root"),
            ("count", 4, "count"),
            ("count", "5", "count"),
            ("steps", [], "steps"),
        ):
            report = check_close({**close(), member: value})
            with self.subTest(member, value=value):
                self.assertIn(check, failed(report))
                self.assertEqual(result(report, "root"), PASSED if member == "count" else NOT_CHECKED)  # fmt: skip

    def test_what_is_no_close(self) -> None:
        """WF-1."""
        honest = close()
        for document in (
            None, [], {}, {"merkle_root": honest["merkle_root"]}, {"steps": honest["steps"]},
            {**honest, "steps": {}}, {**honest, "steps": [1]}, {**honest, "receipts": [1]},
        ):  # fmt: skip
            self.assertFalse(is_close_document(document))
            self.assertIn("document", failed(check_close(document)))
        self.assertTrue(is_close_document({"merkle_root": None, "receipts": []}))


class AnyValue(unittest.TestCase):
    """Decided by us: a check answers, whatever it is given."""

    def test_as_document_member_and_step(self) -> None:
        for value in HOSTILE:
            self.assertFalse(check_close(value).passed)
            self.assertFalse(is_close_document(value))
        for version in (SEQ_OUTPUT, RECEIPT_ID):
            for honest in (close(version), as_receipts(close(version))):
                shape = "steps" if "steps" in honest else "receipts"
                for value in HOSTILE:
                    check_close(honest, value)  # type: ignore[arg-type]
                    for member in (*honest, "id"):
                        self.one_line({**honest, member: value})
                    document = copy.deepcopy(honest)
                    document[shape][1] = value
                    self.one_line(document)
                    for member in (*honest[shape][1], "started_at"):
                        document = copy.deepcopy(honest)
                        document[shape][1][member] = value
                        self.one_line(document)

    def one_line(self, document: dict) -> None:
        is_close_document(document)
        report = check_close(document)
        for line in (*report.notes, *(check.reason for check in report.checks + report.tables)):
            self.assertLess(len(line), 150)
            self.assertNotIn("\n", line)
