"""The chained timeline, against the vectors and an independent recomputation."""

import base64
import copy
import tracemalloc
import unittest

from tests.evidence.aer1.documents import HOSTILE, cases, digest_of, relinked, run, sha
from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.chain import (
    BROKEN,
    CONSISTENT,
    FIRST_PREV,
    HISTORICAL,
    ChainChecker,
    ChainFacts,
    ChainReport,
    check_chain,
    entry_digest,
    historical_digest,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED


def streamed(timeline: list) -> tuple[ChainReport, list[str]]:
    checker = ChainChecker()
    reasons = [reason for entry in timeline for reason in checker.take(entry)]
    return checker.report(), reasons + checker.finish()


def results(report: ChainReport) -> dict[str, str]:
    return {check.name: check.result for check in report.checks}


def failed(report: ChainReport) -> list[str]:
    return [check.name for check in report.checks if check.result == FAILED]


def reason(report: ChainReport, name: str) -> str:
    return next(check.reason for check in report.checks if check.name == name)


def historical(timeline: list[dict]) -> list[dict]:
    """The same entries linked by the rule of -06."""
    made, prev = [], FIRST_PREV
    for entry in timeline:
        made.append({**entry, "prev_digest": prev})
        prev = sha(base64.b64decode(entry["canonical_bytes"]))
    return made


class Vectors(unittest.TestCase):
    """Decided by AER-1: aer1/vectors/chains.json."""

    def test_each_case_comes_out_under_both_rules(self) -> None:
        found = cases("chains")
        self.assertEqual(len(found), 49)
        for case in found:
            expect, report = case["expect"], check_chain(case["timeline"])
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(report.valid, expect["v07"]["valid"])
                self.assertEqual(report.historical_valid, expect["v06"]["valid"])
                if "final_entry_digest" in expect:
                    self.assertEqual(report.final_entry_digest, expect["final_entry_digest"])

    def test_one_of_the_rules_a_case_is_about_is_the_one_that_fails(self) -> None:
        # A literal 1.0 in the digest shows as a link, and a changed -06 chain as no -07 one.
        others = {"d-chains-016", "d-chains-049"}
        for case in cases("chains"):
            failures = [check for check in check_chain(case["timeline"]).checks if check.result == FAILED]  # fmt: skip
            if failures and case["id"] not in others:
                with self.subTest(case["id"], title=case["title"]):
                    rules = {rule for check in failures for rule in check.rules}
                    self.assertTrue(rules & set(case["rules"]), rules)


class EntryDigest(unittest.TestCase):
    """Decided by AER-1, CHN-6."""

    def test_it_covers_the_eight_members_in_ascii(self) -> None:
        form = (
            '{"close":true,"id":"i\\u007f","job_id":"\\u00e9","output_hash":"00","prev_digest":"p",'
            '"provenance_class":"c","seq":7,"tool":"\\ud83d\\ude00\\u2028"}'
        )
        found = entry_digest(
            close=True, id="i\x7f", job_id="é", output_hash_hex="00", prev_digest="p",
            provenance_class="c", seq=7, tool="\U0001f600\u2028",
        )  # fmt: skip
        self.assertEqual(found, sha(form.encode("ascii")))

    def test_a_lone_surrogate_has_its_escape(self) -> None:
        entry = {**run()[0], "tool": "\ud800", "close": True}
        self.assertEqual(check_chain([entry]).final_entry_digest, digest_of(entry))

    def test_a_number_that_cannot_be_written_is_refused(self) -> None:
        with self.assertRaises(CanonicalError):
            entry_digest(
                close=False, id="", job_id="", output_hash_hex="", prev_digest="",
                provenance_class="", seq=10**5000, tool="",
            )  # fmt: skip

    def test_the_historical_one_is_that_of_the_bytes(self) -> None:
        self.assertEqual(historical_digest(b"abc"), sha(b"abc"))


class AnIntactChain(unittest.TestCase):
    """Decided by AER-1, CHN-1 to CHN-10."""

    def test_it_passes_and_is_called_no_more_than_consistent(self) -> None:
        timeline = run()
        report = check_chain(timeline)
        self.assertEqual(set(results(report).values()), {PASSED})
        self.assertTrue(report.valid and report.strict_valid)
        self.assertFalse(report.historical_valid)
        self.assertEqual(report.standing, CONSISTENT)
        self.assertEqual(report.facts, ChainFacts(6, digest_of(timeline[-1]), "job-1", None))

    def test_the_stream_says_the_same_as_the_list(self) -> None:
        for case in cases("chains"):
            if type(case["timeline"]) is list:
                report, reasons = streamed(case["timeline"])
                whole = check_chain(case["timeline"])
                with self.subTest(case["id"]):
                    self.assertEqual(report.valid, not reasons)
                    self.assertEqual((report.valid, report.facts), (whole.valid, whole.facts))

    def test_what_is_known_so_far_can_be_asked_at_any_time(self) -> None:
        checker = ChainChecker()
        timeline = run()
        for position, entry in enumerate(timeline, 1):
            self.assertEqual(checker.take(entry), [])
            self.assertEqual(checker.count, position)
            self.assertEqual(checker.last_seq, position)
            self.assertEqual(checker.job_id, "job-1")
            self.assertEqual(checker.final_entry_digest, digest_of(entry))
            self.assertEqual(checker.valid, position == len(timeline))
        self.assertEqual(checker.finish(), [])

    def test_memory_does_not_grow_with_the_timeline(self) -> None:
        """Decided by us: neither with good entries nor with what is wrong with bad ones."""
        checker = ChainChecker()
        template = {**run()[1], "canonical_bytes": "YR=="}
        for position in range(200):
            checker.take({**template, "seq": position})
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for position in range(2_000):
            checker.take({**template, "seq": -position})
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        self.assertLess(grown, 10_000)

    def test_the_time_of_the_last_entry_is_handed_on(self) -> None:
        timeline = run()
        timeline[-1]["created_at"] = "2026-11-30T09:00:00Z"
        self.assertEqual(check_chain(timeline).facts.last_created_at, "2026-11-30T09:00:00Z")
        timeline[-1]["created_at"] = 5
        self.assertIsNone(check_chain(timeline).facts.last_created_at)


class ABrokenChain(unittest.TestCase):
    """Decided by AER-1: the rule that is broken is the check that fails."""

    def test_every_covered_member_of_every_entry_but_the_last(self) -> None:
        honest = run()
        for position in range(len(honest) - 1):
            for member, value in (
                ("id", "x"), ("tool", "x"), ("provenance_class", "x"), ("canonical_bytes", "eA=="),
                ("close", True), ("seq", 99), ("job_id", "x"),
            ):  # fmt: skip
                timeline = copy.deepcopy(honest)
                timeline[position][member] = value
                with self.subTest(entry=position, member=member):
                    self.assertIn("links", failed(check_chain(timeline)))

    def test_positions_count_from_one(self) -> None:
        timeline = run()
        timeline[1]["tool"] = "x"
        self.assertEqual(
            streamed(timeline)[1], ["entry 3 prev_digest is not the digest of entry 2"]
        )

    def test_each_flipped_digit_of_a_link(self) -> None:
        honest = run(entries=3)
        for position, entry in enumerate(honest):
            for place in range(64):
                digit = "1" if entry["prev_digest"][place] == "0" else "0"
                prev = entry["prev_digest"][:place] + digit + entry["prev_digest"][place + 1 :]
                timeline = [*honest]
                timeline[position] = {**entry, "prev_digest": prev}
                self.assertFalse(check_chain(timeline).valid)

    def test_a_link_to_what_has_no_digest_was_not_checked(self) -> None:
        timeline = run()
        timeline[2]["tool"] = ""
        report = check_chain(timeline)
        self.assertEqual(failed(report), ["members"])
        self.assertEqual(results(report)["links"], NOT_CHECKED)
        self.assertEqual(reason(report, "links"), "what entry 4 should link to has no digest")

    def test_sequence_numbers(self) -> None:
        """CHN-10: 1.0 counts as 1, in the digest too."""
        timeline = run()
        for entry in timeline:
            entry["seq"] = float(entry["seq"])
        self.assertTrue(check_chain(timeline).valid)
        for value in (True, "2", 1.5, None, -2, 0, 3, 10**5000, float("nan"), float("inf")):
            timeline = run(entries=2)
            timeline[1]["seq"] = value
            self.assertEqual(failed(check_chain(timeline)), ["sequence"])

    def test_the_close(self) -> None:
        """CHN-4: a boolean, true on the last entry and on no other."""
        timeline = run()
        del timeline[-1]["close"]
        self.assertEqual(failed(check_chain(timeline)), ["close"])
        for value in (None, 1, 0, "true", [], 1.0):
            timeline = run()
            timeline[-1]["close"] = value
            self.assertEqual(failed(check_chain(timeline)), ["close"])
        timeline = run()
        timeline[2]["close"] = False
        self.assertTrue(check_chain(timeline).valid)

    def test_unused_bits_are_noted_and_fail_strictly(self) -> None:
        """CHN-7."""
        timeline = run(entries=2)
        timeline[0]["canonical_bytes"] = "YQ=="
        timeline = relinked(timeline)
        timeline[0]["canonical_bytes"] = "YR=="
        report = check_chain(timeline)
        self.assertEqual((report.valid, report.strict_valid), (True, False))
        self.assertEqual(
            report.notes, ("entry 1 canonical_bytes has unused bits that are not zero",)
        )

    def test_one_job(self) -> None:
        timeline = run()
        timeline[3]["job_id"] = "job-2"
        report = check_chain(relinked(timeline))
        self.assertEqual(failed(report), ["job"])
        self.assertIsNone(report.facts.job_id)


class TheHistoricalRule(unittest.TestCase):
    """Decided by AER-1, CHN-9: recognised, named, never passed."""

    def test_a_chain_of_06_is_named(self) -> None:
        report = check_chain(historical(run()))
        self.assertTrue(report.historical_valid)
        self.assertFalse(report.valid or report.strict_valid)
        self.assertEqual(report.standing, HISTORICAL)
        self.assertEqual(reason(report, "rule"), HISTORICAL)
        self.assertEqual(results(report)["rule"], FAILED)

    def test_a_broken_one_is_only_broken(self) -> None:
        timeline = historical(run())
        timeline[2]["canonical_bytes"] = "eA=="
        report = check_chain(timeline)
        self.assertEqual(report.standing, BROKEN)
        self.assertEqual(results(report)["rule"], NOT_CHECKED)

    def test_once_lost_it_does_not_come_back(self) -> None:
        timeline = historical(run())
        timeline[1] = None  # type: ignore[call-overload]
        timeline[2]["prev_digest"] = None
        self.assertFalse(check_chain(timeline).historical_valid)

    def test_one_entry_is_a_chain_of_both_and_current(self) -> None:
        report = check_chain(run(entries=1))
        self.assertTrue(report.valid and report.historical_valid)
        self.assertEqual(report.standing, CONSISTENT)


class AnyValue(unittest.TestCase):
    """Decided by us: a check answers, whatever it is given."""

    def test_as_a_timeline(self) -> None:
        for value in HOSTILE:
            report = check_chain(value)
            self.assertFalse(report.valid or report.historical_valid)
            self.assertIn(results(report)["timeline"], (FAILED, PASSED))
        self.assertEqual(reason(check_chain([]), "timeline"), "the timeline has no entry")
        self.assertEqual(reason(check_chain({}), "timeline"), "the timeline is not a list")

    def test_as_an_entry_and_as_a_member(self) -> None:
        honest = run(entries=3)
        for position in range(3):
            for value in HOSTILE:
                timeline = copy.deepcopy(honest)
                timeline[position] = value
                self.assertFalse(check_chain(timeline).valid)
                for member in (*honest[2], "created_at"):
                    timeline = copy.deepcopy(honest)
                    timeline[position][member] = value
                    report = check_chain(timeline)
                    for check in report.checks:
                        self.assertLess(len(check.reason), 150)
