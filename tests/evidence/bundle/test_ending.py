"""The end of a bundle, recomputed from the receipts that came before."""

import json
import unittest
from typing import Any

from tests.evidence.bundle import made
from toolreplay.evidence.bundle.ending import Ending
from toolreplay.evidence.bundle.lines import BundleLine
from toolreplay.evidence.bundle.receipts import read_receipt
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED


class AnEnding(unittest.TestCase):
    def setUp(self) -> None:
        self.maker = made.imported(3)
        self.values = made.apart(self.maker.bundle())
        self.digest = self.maker.head.prev_digest

    def fed(self, *, left_out: int | None = None) -> Ending:
        """Return an ending that took the entries, one of them perhaps left out."""
        ending = Ending(made.RUN)
        for number, entry in enumerate(self.maker.entries):
            if number == left_out:
                continue
            if entry.kind == "close":
                ending.note_close(read_receipt(json.loads(entry.payload), None), entry.salt.hex())
                continue
            ending.add_commit(bytes.fromhex(made.commit_of(entry)))
            if entry.kind == "call":
                ending.add_receipt(read_receipt(json.loads(entry.payload), None))
        return ending

    def take(self, ending: Ending, values: list[dict[str, Any]]) -> Ending:
        for value in values:
            for kind in ("step", "workflow", "commitment", "declared", "link"):
                if kind in value:
                    raw = made.form(value) + b"\n"
                    ending.take_line(BundleLine(0, 0, 0, kind, value, raw))
        end = {"end": 9, "sha256": "ab" * 32}
        ending.take_line(BundleLine(10, 0, 0, "end", end, b"", None, "ab" * 32))
        return ending

    def told(self, faults: list[Fault]) -> list[tuple[str, object]]:
        return [(fault.kind, fault.subject) for fault in faults]


class TheClose(AnEnding):
    """Decided by us: it says what came before it, entries, calls and roots."""

    def test_as_it_is(self) -> None:
        self.assertEqual(list(self.fed().close_faults(across=True)), [])

    def test_an_entry_too_few_or_too_many(self) -> None:
        faults = self.fed(left_out=0).close_faults(across=True)
        self.assertEqual(self.told(list(faults)), [("missing-entry", "entries")])
        ending = self.fed()
        ending.add_commit(bytes(32))
        faults = ending.close_faults(across=True)
        self.assertEqual(self.told(list(faults)), [("broken-commitment", "entries")])

    def test_a_call_less(self) -> None:
        ending = self.fed(left_out=3)
        kinds = self.told(list(ending.close_faults(across=True)))
        self.assertEqual(
            kinds,
            [("missing-entry", "entries"), ("broken-commitment", "count"),
             ("root-mismatch", "merkle_root"), ("root-mismatch", "receipt_id_root")],
        )  # fmt: skip
        kinds = self.told(list(ending.close_faults(across=False)))
        self.assertEqual(kinds, [("missing-entry", "entries")])


class InALog(AnEnding):
    """Decided by us: a leaf commits to an entry with its salt, wherever it stands."""

    def test_less_is_bound_by_nothing(self) -> None:
        for in_log, names in ((False, ["salt of the close entry", "erase"]), (True, [])):
            ending = Ending(made.RUN, in_log=in_log)
            ending.note_close(read_receipt(json.loads(self.maker.entries[-1].payload), None), "ab")
            ending.note_erasure({"digests": []}, "cd")
            self.assertEqual([name for name, _ in ending.unbound()], names)

    def test_a_tail_is_missing_without_a_close_or_an_end_line(self) -> None:
        ending = self.fed()
        self.assertTrue(ending.is_cut)
        self.assertFalse(self.take(ending, []).is_cut)
        self.assertTrue(self.take(Ending(made.RUN), []).is_cut)

    def test_what_else_is_excluded_stands_in_the_line(self) -> None:
        check = self.fed().check(Asked(), failed=False, doubt="", excluded="closed, in a log")
        self.assertEqual((check.result, check.count), (PASSED, "closed, in a log"))


class WithoutStepsOfErasedReceipts(AnEnding):
    """Decided by us: a store that erased a receipt has no step of it, and need not make one up."""

    def told_of(self, *left_out: int) -> list[tuple[str, object]]:
        ending = Ending(made.RUN)
        for number, entry in enumerate(self.maker.entries):
            commit = bytes.fromhex(made.commit_of(entry))
            if entry.kind == "close":
                ending.note_close(read_receipt(json.loads(entry.payload), None), entry.salt.hex())
                continue
            ending.add_commit(commit)
            if number == 2:
                ending.note_erased()
            elif entry.kind == "call":
                ending.add_receipt(read_receipt(json.loads(entry.payload), None))
        rest = [
            value for value in self.values
            if "step" not in value or value["step"]["seq"] not in left_out
        ]  # fmt: skip
        return self.told(list(self.take(ending, rest).faults(self.digest, sound=True)))

    def test_only_those_may_be_missing(self) -> None:
        self.assertEqual(self.told_of(), [])
        self.assertEqual(self.told_of(2), [])
        self.assertEqual(self.told_of(1), [("workflow-mismatch", "steps")])
        self.assertEqual(self.told_of(2, 3), [("workflow-mismatch", "steps")])
        self.values += [value for value in self.values if value.get("step", {}).get("seq") == 1]
        self.assertEqual(self.told_of(2, 3), [("workflow-mismatch", 2)])


class TheLines(AnEnding):
    """Decided by us: steps, workflow close and commitment are computed and compared."""

    def faults(self, values: list[dict[str, Any]], *, sound: bool = True) -> list[tuple[str, object]]:  # fmt: skip
        ending = self.take(self.fed(), values)
        return self.told(list(ending.faults(self.digest, sound=sound)))

    def test_as_they_are(self) -> None:
        self.assertEqual(self.faults(self.values), [])

    def test_each_member_of_the_workflow_and_the_commitment(self) -> None:
        for kind in ("workflow", "commitment"):
            (place,) = [number for number, value in enumerate(self.values) if kind in value]
            for name in self.values[place][kind]:
                for new in (..., 7.5):
                    values = made.apart(self.maker.bundle())
                    values[place][kind][name] = new
                    if new is ...:
                        del values[place][kind][name]
                    wanted = "root-mismatch" if name.endswith("_root") else f"{kind}-mismatch"
                    with self.subTest(name):
                        self.assertEqual(self.faults(values), [(wanted, name)])

    def test_steps_are_named_or_counted(self) -> None:
        steps = [value for value in self.values if "step" in value]
        rest = [value for value in self.values if "step" not in value]
        self.assertEqual(self.faults([*steps[:2], *rest]), [("workflow-mismatch", "steps")])
        self.assertEqual(self.faults([*steps, steps[0], *rest]), [("workflow-mismatch", "steps")])
        self.assertEqual(self.faults([steps[1], steps[0], steps[2], *rest]), [("workflow-mismatch", 1)])  # fmt: skip

    def test_where_receipts_do_not_hold_nothing_is_compared(self) -> None:
        self.assertEqual(self.faults([], sound=False), [])

    def test_without_an_end_line_nothing_else_is_said(self) -> None:
        self.assertEqual(
            self.told(list(self.fed().faults(self.digest, sound=True))), [("truncated-run", "end")]
        )

    def test_a_run_without_calls(self) -> None:
        self.maker = made.Maker().open().close()
        self.digest = self.maker.head.prev_digest
        values = made.apart(self.maker.bundle())
        self.assertEqual(self.faults(values), [])
        workflow = next(value for value in self.values if "workflow" in value)
        self.assertEqual(self.faults([workflow, *values]), [("workflow-mismatch", "workflow")])


class FromOutside(AnEnding):
    """Decided by us: what was kept elsewhere is compared whatever was found before."""

    def told_of(self, asked: Asked, *, across: bool = True) -> list[tuple[str, object]]:
        return self.told(list(self.fed().outside_faults(asked, self.digest, across=across)))

    def test_a_commitment(self) -> None:
        given = {"job_id": made.RUN, "entry_count": 4, "final_entry_digest": self.digest}
        self.assertEqual(self.told_of(Asked(commitment=given)), [])
        table = {
            "job_id": "commitment-mismatch", "final_entry_digest": "commitment-mismatch",
        }  # fmt: skip
        for name, kind in table.items():
            wrong = {**given, name: "other"}
            self.assertEqual(self.told_of(Asked(commitment=wrong)), [(kind, "given")])
        for count, kind in ((5, "truncated-run"), (3, "commitment-mismatch")):
            wrong = {**given, "entry_count": count}
            self.assertEqual(self.told_of(Asked(commitment=wrong)), [(kind, "given")])

    def test_roots(self) -> None:
        root = next(
            value["workflow"]["merkle_root"] for value in self.values if "workflow" in value
        )
        self.assertEqual(self.told_of(Asked(roots=(root,))), [])
        self.assertEqual(self.told_of(Asked(roots=(root, "ab" * 32))), [("root-mismatch", "given")])


class TheLineOfTheReport(AnEnding):
    """Decided by us: passed says what is not excluded; unsound is not checked."""

    def test_each_answer(self) -> None:
        ending = self.fed()
        self.assertEqual(ending.check(Asked(), failed=True, doubt="x").result, FAILED)
        check = ending.check(Asked(), failed=False, doubt="entries were erased")
        self.assertEqual((check.result, check.reason), (NOT_CHECKED, "entries were erased"))
        check = ending.check(Asked(), failed=False, doubt="")
        self.assertEqual((check.result, check.count), (PASSED, "closed; cutting and rewriting by the holder not excluded"))  # fmt: skip

    def test_what_nothing_commits_to_is_named(self) -> None:
        ending = self.fed()
        ending.note_erasure({"reason": "r"}, "ab" * 32)
        self.take(ending, [*self.values, {"declared": {"job": "j"}}, {"link": {"id": "x"}}])
        self.assertEqual(
            [name for name, _ in ending.unbound()],
            ["salt of the close entry", "erase", "commitment.published_at", "declared", "link"],
        )

    def test_an_erasure_before_the_close_is_bound(self) -> None:
        ending = Ending(made.RUN)
        ending.note_erasure({}, "ab" * 32)
        self.assertEqual(list(ending.unbound()), [])


if __name__ == "__main__":
    unittest.main()
