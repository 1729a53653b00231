"""What the end of a bundle must say."""

import hashlib
import unittest

from tests.evidence.bundle import made
from toolreplay.evidence.aer1.workflow import check_close
from toolreplay.evidence.bundle.closing import (
    VERIFY_URL,
    commitment_of,
    differences,
    workflow_of,
)


class TheWorkflowClose(unittest.TestCase):
    """Decided by AER-1, table 2; the values by the close receipt."""

    def test_with_its_steps_it_passes_and_its_tables_are_complete(self) -> None:
        for maker in (made.imported(1), made.imported(3), made.on_the_wire()):
            values = made.apart(maker.bundle())
            steps = [value["step"] for value in values if "step" in value]
            (workflow,) = [value["workflow"] for value in values if "workflow" in value]
            report = check_close({**workflow, "steps": steps}, made.RUN)
            self.assertTrue(report.passed and report.tables_pass and report.strict_passed)
            self.assertEqual(workflow["verify_url"], VERIFY_URL)

    def test_its_output_is_that_of_the_answer(self) -> None:
        close = made.of_kind(made.apart(made.imported(1).bundle()), "close")[0]
        workflow = workflow_of("id-1", made.committed_of(close))
        self.assertEqual(workflow["output_hash"], hashlib.sha256(b"done").hexdigest())
        self.assertEqual((workflow["receipt_id"], workflow["workflow_id"]), ("id-1", made.RUN))
        committed = made.committed_of(close)
        committed["outputs"]["result"] = None
        nothing = hashlib.sha256(b"").hexdigest()
        self.assertEqual(workflow_of("id-1", committed)["output_hash"], nothing)


class Compared(unittest.TestCase):
    """Decided by us: member by member, and a value of another type is another value."""

    def test_differences(self) -> None:
        wanted = {"a": 1, "b": None}
        self.assertEqual(differences({"a": 1, "b": None}, wanted), [])
        self.assertEqual(differences({"a": 1.0, "b": None}, wanted), ["a"])
        self.assertEqual(differences({"a": True, "c": 1}, wanted), ["a", "b", "c"])
        self.assertEqual(differences([], wanted), ["the object itself"])

    def test_a_commitment(self) -> None:
        self.assertEqual(
            commitment_of("r", "ab" * 32, 3, made.PUBLISHED),
            {"job_id": "r", "final_entry_digest": "ab" * 32, "entry_count": 3,
             "published_at": made.PUBLISHED},
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
