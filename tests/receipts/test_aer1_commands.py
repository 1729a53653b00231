"""The commands of two words, and `conformance`."""

import json
import shutil
import unittest
from typing import Any

from tests.cli import ways
from tests.evidence.aer1.documents import FOLDER, run
from tests.evidence.aer1.made import receipt
from tests.evidence.alone import own_run
from tests.receipts.test_receipt_doors import CLOSE, InAFolder
from toolreplay.cli.further import FURTHER
from toolreplay.evidence.aer1.rules import RULES


class TwoWords(InAFolder):
    """Decided by us."""

    def test_the_first_word_lists_the_second(self) -> None:
        for name in [name for group in FURTHER.values() for name in group]:
            first, second = name.split()
            self.assertIn(f"  {name} ", self.says(0, first, "--help"))
            self.assertIn(second, self.says(2, first))
            self.assertIn("did you mean", self.says(2, first, second[:-1]))

    def test_an_option_before_the_second_word_is_no_command(self) -> None:
        self.says(2, "receipt", "--strict", "verify")


class ReceiptVerify(InAFolder):
    """Decided by AER-1, section 11 of its command line, and by us for the lines."""

    def test_each_check_has_its_line(self) -> None:
        text = self.says(0, "receipt", "verify", self.write("x.json", receipt()))
        for line in ("passed       digest (HSH-1)\n", "passed       canonical form (CAN-2 to CAN-13)\n",
                     "not checked  not in the future (TIM-7): no time to compare with\n",
                     "id_state                 unverified\n", "anchor                   absent\n",
                     "provenance class         EXECUTED BY TOOLREPLAY\n",
                     "claimed by the producer  verified\n", "exit 0: nothing found.\n"):  # fmt: skip
            self.assertIn(line, text)

    def test_the_legacy_notice_and_the_anchor(self) -> None:
        data = b'{"inputs":{},"receipt_schema_version":"0.3"}'
        old = receipt(data, receipt_schema_version="0.3")
        self.assertIn(
            "could be others unnoticed",
            self.says(0, "receipt", "verify", self.write("o.json", old)),
        )
        anchor = {"log": "https://log.example/", "leaf_hash": receipt()["output_hash"],
                  "anchored_at": "2026-01-01T00:00:00Z", "proof": {}}  # fmt: skip
        name = self.write("a.json", receipt(anchor=anchor))
        self.assertIn(
            "verified: consistent (log not contacted)", self.says(0, "receipt", "verify", name)
        )
        self.assertIn("anchor                   not checked", self.says(0, "receipt", "verify", name, "--no-anchor-check"))  # fmt: skip

    def test_json(self) -> None:
        name = self.write("x.json", receipt(output_hash="sha256:" + "0" * 64))
        found = self.ran("receipt", "verify", name, "--format", "json")
        document = json.loads(found.out)
        self.assertEqual((found.status, document["verdict"], document["exit"]), (1, "FAIL", 1))

    def test_what_cannot_be_read_is_one_line(self) -> None:
        for data in (b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000, b"1" * 5000):
            (self.folder / "x.json").write_bytes(data)
            found = self.ran("receipt", "verify", "x.json")
            self.assertEqual((found.status, found.out, found.error.count("\n")), (2, b"", 1))

    def test_any_value_has_an_answer(self) -> None:
        for value in (5, None, "x", [], {}, {"id": 5, "canonical_bytes": [], "output_hash": {}}):
            self.says(1, "receipt", "verify", self.write("x.json", value))


class Chains(InAFolder):
    """Decided by AER-1, sections 8 and 9."""

    def test_verify(self) -> None:
        name = self.write("t.json", run())
        self.assertIn(
            "deletion and rewriting by the holder not excluded",
            self.says(0, "chain", "verify", name),
        )
        self.says(1, "chain", "verify", self.write("c.jsonl", *run()[:-1]))
        self.says(1, "chain", "verify", self.write("e.json", []))
        (self.folder / "empty.json").write_bytes(b"")
        self.says(2, "chain", "verify", "empty.json")
        kept = {"job_id": "job-1", "entry_count": 6, "published_at": "2026-11-30T09:00:00Z",
                "final_entry_digest": "0" * 64}  # fmt: skip
        text = self.says(1, "chain", "verify", name, "--commitment", self.write("k.json", kept))
        self.assertIn("failed       commitment: digest (CMT-3): ", text)

    def test_export(self) -> None:
        (self.folder / "b.run.jsonl").write_bytes(own_run.bundle())
        found = self.ran("chain", "export", "b.run.jsonl")
        self.assertEqual((found.status, len(json.loads(found.out))), (0, 4))
        self.says(0, "chain", "export", "b.run.jsonl", "-o", "t.json")
        self.assertEqual((self.folder / "t.json").read_bytes(), found.out)
        self.says(0, "chain", "verify", "t.json")
        self.says(0, "verify", "t.json")
        self.says(2, "chain", "export", "t.json")
        self.says(2, "chain", "export", "b.run.jsonl", "-o", "b.run.jsonl")


class Workflows(InAFolder):
    """Decided by AER-1, section 10, and by us for steps against receipts."""

    def test_verify(self) -> None:
        name = self.write("c.json", CLOSE)
        self.says(0, "workflow", "verify", name, "--expected-id", CLOSE["workflow_id"])
        self.says(1, "workflow", "verify", name, "--expected-id", "x")
        self.says(1, "workflow", "verify", name, "--strict")

    def test_export_and_the_receipts_beside_it(self) -> None:
        (self.folder / "b.run.jsonl").write_bytes(own_run.bundle())
        self.says(0, "workflow", "export", "b.run.jsonl", "-o", "w.json")
        receipts = self.write("r.jsonl", *own_run.receipts())
        text = self.says(0, "workflow", "verify", "w.json", "--strict", "--receipts", receipts)
        self.assertIn("passed       one to one (WF-6)\n", text)
        fewer = self.write("f.jsonl", *own_run.receipts()[1:])
        text = self.says(1, "workflow", "verify", "w.json", "--receipts", fewer)
        self.assertIn("failed       one to one (WF-6): no receipt is here", text)
        (self.folder / "none.run.jsonl").write_bytes(own_run.bundle(0))
        self.says(2, "workflow", "export", "none.run.jsonl")


class Conformance(InAFolder):
    """Decided by AER-1: every case agrees, or says why not."""

    def test_the_shipped_cases(self) -> None:
        text = self.says(0, "conformance")
        self.assertIn("exit 0: 314 of 314 cases agree.\n", text)
        for rule in RULES:
            self.assertIn(f"  {rule} ", text)

    def test_the_zipapp_carries_them(self) -> None:
        found = ways.run(ways.build_zipapp(self.folder), "conformance", folder=self.folder)
        self.assertEqual((found.status, found.out), (0, self.ran("conformance").out))

    def planted(self, kind: str, change: Any) -> None:
        document = json.loads((FOLDER / f"{kind}.json").read_bytes())
        change(document["cases"][0])
        (self.folder / f"{kind}.json").write_text(json.dumps(document), encoding="utf-8")

    def test_a_planted_answer_is_a_difference(self) -> None:
        for path in FOLDER.glob("*.json"):
            shutil.copy(path, self.folder)
        self.assertIn("314 of 314", self.says(0, "conformance", "--vectors", "."))
        self.planted("cli", lambda case: case["expect"].update(exit=1))
        self.planted("chains", lambda case: case["expect"]["v07"].update(valid=False))
        text = self.says(1, "conformance", "--vectors", ".")
        self.assertIn("differs: d-chains-001: current: expected false, found true\n", text)
        self.assertIn("differs: d-cli-001: exit: expected 1, found 0\n", text)
        document = json.loads(self.ran("conformance", "--vectors", ".", "--format", "json").out)
        self.assertEqual((document["cases"], len(document["differing"])), (314, 2))

    def test_what_is_no_case_is_one_error(self) -> None:
        self.says(2, "conformance", "--vectors", ".")
        self.says(2, "conformance", "--vectors", "missing")
        for change in (lambda case: case.pop("expect"), lambda case: case.pop("timeline"),
                       lambda case: case.update(rules=5)):  # fmt: skip
            self.planted("chains", change)
            self.assertEqual(self.says(2, "conformance", "--vectors", ".").count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
