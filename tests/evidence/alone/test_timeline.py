"""Timelines: links, ending, the older rule, a commitment, our own profile in the entries."""

import io
import json
import unittest
from typing import Any

from tests.evidence.aer1.documents import cases, relinked, run, sha
from tests.evidence.alone import own_run
from toolreplay.evidence.aer1.chain import HISTORICAL, check_chain
from toolreplay.evidence.alone.projected import timeline_of
from toolreplay.evidence.alone.timeline import TimelineChecker
from toolreplay.evidence.record import Asked, Fault
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.limits import DEFAULT

AT = "2026-11-30T09:00:00Z"


class Judged:
    """A timeline, read to its end."""

    def __init__(self, timeline: Any, commitment: Any = None, level: str = "default") -> None:
        self.checker = TimelineChecker(io.BytesIO(json.dumps(timeline).encode()), DEFAULT)
        self.checker.begin(Asked(commitment=commitment, level=level))
        self.faults: list[Fault] = []
        self.calls = []
        for call in self.checker.calls():
            self.calls.append(call)
            self.faults += self.checker.take()
        self.faults += self.checker.take()
        self.checks = {check.line: check for check in self.checker.checks()}
        self.notes = list(self.checker.notes())

    @property
    def kinds(self) -> list[str]:
        return [fault.kind for fault in self.faults]

    def result(self, line: str) -> str:
        return self.checks[line].result


def kept(timeline: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    facts = check_chain(timeline).facts
    return {
        "job_id": facts.job_id, "entry_count": facts.count, "published_at": AT,
        "final_entry_digest": facts.final_entry_digest, **members,
    }  # fmt: skip


def historical(timeline: list[dict[str, Any]]) -> list[dict[str, Any]]:
    import base64

    made, prev = [], "0" * 64
    for entry in timeline:
        made.append({**entry, "prev_digest": prev})
        prev = sha(base64.b64decode(entry["canonical_bytes"]))
    return made


class Chains(unittest.TestCase):
    """Decided by AER-1, CHN-1 to CHN-10, and by us for the words."""

    def test_an_honest_chain_is_never_called_complete(self) -> None:
        judged = Judged(run())
        self.assertEqual(judged.faults, [])
        self.assertEqual(
            [judged.result(line) for line in ("contents", "links", "ending")], [PASSED] * 3
        )
        self.assertEqual(
            judged.checks["ending"].count,
            "closed; deletion and rewriting by the holder not excluded",
        )
        self.assertEqual((len(judged.calls), judged.checker.name), (6, "job-1"))
        self.assertEqual(judged.calls[0].tool, "tool_1")

    def test_a_changed_entry_breaks_the_link_behind_it(self) -> None:
        timeline = run()
        timeline[2] = {**timeline[2], "tool": "other"}
        judged = Judged(timeline)
        self.assertEqual([(f.kind, f.index) for f in judged.faults], [("broken-link", 3)])
        self.assertEqual(judged.result("links"), FAILED)
        self.assertEqual(judged.result("ending"), NOT_CHECKED)

    def test_a_chain_of_the_older_rule_is_one_finding(self) -> None:
        judged = Judged(historical(run()))
        self.assertEqual([f.detail for f in judged.faults], [f"links: {HISTORICAL}"])
        self.assertEqual(judged.checks["links"][1:3], (FAILED, HISTORICAL))

    def test_a_broken_chain_of_the_older_rule_is_none(self) -> None:
        timeline = historical(run())
        timeline[4] = {**timeline[4], "prev_digest": "1" * 64}
        judged = Judged(timeline)
        self.assertIn("(and 2 more)", judged.faults[0].detail)
        self.assertNotIn(HISTORICAL, [f.detail for f in judged.faults])

    def test_a_tail_that_was_cut_is_not_closed(self) -> None:
        judged = Judged(run()[:-1])
        self.assertEqual(judged.kinds, ["unclosed-run"])
        self.assertEqual(judged.result("ending"), FAILED)

    def test_an_entry_behind_the_close(self) -> None:
        timeline = run()
        timeline[3] = {**timeline[3], "close": True}
        self.assertIn("call-after-close", Judged(timeline).kinds)

    def test_an_id_twice_and_another_job(self) -> None:
        timeline = run()
        timeline[1] = {**timeline[1], "id": timeline[0]["id"]}
        self.assertIn("duplicate-receipt", Judged(relinked(timeline)).kinds)
        timeline[1] = {**timeline[1], "job_id": "job-2"}
        self.assertIn("broken-link", Judged(timeline).kinds)

    def test_no_entry_never_passes(self) -> None:
        judged = Judged([])
        self.assertEqual(judged.result("contents"), FAILED)

    def test_every_case_has_the_verdict_of_its_chain(self) -> None:
        for case in cases("chains"):
            if isinstance(case["timeline"], list):
                with self.subTest(case["id"]):
                    judged = Judged(case["timeline"])
                    valid = case["expect"]["v07"]["valid"]
                    twice = "duplicate-receipt" in judged.kinds
                    self.assertEqual(not judged.faults and judged.calls != [], valid and not twice)

    def test_strict_fails_what_is_noted(self) -> None:
        found = [case["timeline"] for case in cases("chains")
                 if check_chain(case["timeline"]).valid and check_chain(case["timeline"]).notes]  # fmt: skip
        self.assertTrue(found)
        for timeline in found:
            self.assertEqual(Judged(timeline).faults, [])
            self.assertTrue(Judged(timeline, level="strict").faults)


class Commitments(unittest.TestCase):
    """Decided by AER-1, CMT-1 to CMT-5."""

    def test_what_fits(self) -> None:
        judged = Judged(run(), kept(run()))
        self.assertEqual(judged.faults, [])
        self.assertEqual(judged.checks["ending"].count, "closed, and as the commitment given says")

    def test_a_tail_cut_and_closed_again(self) -> None:
        judged = Judged(relinked(run()[:-2]), kept(run()))
        self.assertEqual(judged.kinds, ["truncated-run", "commitment-mismatch"])
        self.assertEqual(judged.result("ending"), FAILED)

    def test_a_changed_end_another_job_and_more_entries(self) -> None:
        for members in (
            {"final_entry_digest": "0" * 64}, {"job_id": "x"}, {"entry_count": 2},
        ):  # fmt: skip
            judged = Judged(run(), kept(run(), **members))
            self.assertEqual(judged.kinds, ["commitment-mismatch"], members)


class Ours(unittest.TestCase):
    """Decided by us: entries of our profile are full calls, held against their bytes."""

    def setUp(self) -> None:
        self.timeline = list(timeline_of(io.BytesIO(own_run.bundle()), DEFAULT))

    def test_they_are_calls_and_the_close_is_none(self) -> None:
        judged = Judged(self.timeline)
        self.assertEqual(judged.faults, [])
        self.assertEqual([call.args for call in judged.calls], [{"n": 1}, {"n": 2}, {"n": 3}])
        self.assertEqual(judged.checker.provenance, "LOGGED BY AGENT")

    def test_an_entry_that_says_other_than_its_bytes(self) -> None:
        changed = [dict(entry) for entry in self.timeline]
        changed[1]["tool"] = "other"
        judged = Judged(relinked(changed))
        self.assertIn("tool is not what the committed bytes say", [f.detail for f in judged.faults])
