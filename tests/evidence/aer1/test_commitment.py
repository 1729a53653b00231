"""The external commitment, against the vectors, and what it adds to a chain: the table of attacks."""

import unittest

from tests.evidence.aer1.documents import (
    HOSTILE,
    cases,
    commitment_to,
    digest_of,
    relinked,
    run,
)
from toolreplay.evidence.aer1.chain import (
    BROKEN,
    CONSISTENT,
    ChainChecker,
    ChainFacts,
    check_chain,
)
from toolreplay.evidence.aer1.commitment import (
    COMMITTED,
    OTHER_THAN_COMMITTED,
    CommitmentReport,
    check_commitment,
    commitment_of_facts,
    standing_of,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED


def caught_by(timeline: list, commitment: dict) -> list[str]:
    chain, kept = check_chain(timeline), check_commitment(timeline, commitment)
    return [
        name for name, holds in (("chain", chain.valid), ("commitment", kept.valid)) if not holds
    ]


def failed(report: CommitmentReport) -> list[str]:
    return [check.name for check in report.checks if check.result == FAILED]


class Vectors(unittest.TestCase):
    """Decided by AER-1: aer1/vectors/commitments.json and attacks.json."""

    def test_each_commitment(self) -> None:
        found = cases("commitments")
        self.assertEqual(len(found), 16)
        for case in found:
            expect = case["expect"]
            with self.subTest(case["id"], title=case["title"]):
                report = check_commitment(case["timeline"], case["commitment"])
                self.assertEqual(report.valid, expect["commitment"]["valid"])
                chain = check_chain(case["timeline"])
                self.assertEqual(chain.valid, expect["chain_v07"]["valid"])
                rules = {rule for check in report.checks if check.result == FAILED for rule in check.rules}  # fmt: skip
                self.assertTrue(report.valid or rules & set(case["rules"]), rules)

    def test_each_attack(self) -> None:
        found = cases("attacks")
        self.assertEqual(len(found), 22)
        for case in found:
            timeline, expect = case["timeline"], case["expect"]
            with self.subTest(case["id"], title=case["title"]):
                self.assertEqual(caught_by(timeline, case["commitment"]), expect["caught_by"])
                chain = check_chain(timeline)
                self.assertEqual(chain.valid, expect["v07"]["valid"])
                self.assertEqual(chain.historical_valid, expect["v06"]["valid"])
                count = case["commitment"]["entry_count"]
                self.assertEqual(chain.facts.count != count, expect["count_alone_would_catch"])


class TheTableOfAttacks(unittest.TestCase):
    """Decided by AER-1, ATK-0 to ATK-8: what each layer catches, and what it cannot.

    The holder of a chain may do anything to it; the commitment is out of reach.
    """

    def setUp(self) -> None:
        self.honest = run()
        self.kept = commitment_to(self.honest)
        self.other = run("job-2")

    def check(self, timeline: list, *layers: str) -> None:
        self.assertEqual(caught_by(timeline, self.kept), list(layers))

    def changed(self, position: int, member: str, value: object) -> list[dict]:
        timeline = [*self.honest]
        timeline[position] = {**timeline[position], member: value}
        return timeline

    def test_nothing_done(self) -> None:
        self.check(self.honest)

    def test_the_tail_cut_and_not_closed(self) -> None:
        for length in range(1, 6):
            self.check(self.honest[:length], "chain", "commitment")
        self.check([], "chain", "commitment")

    def test_the_tail_cut_and_the_new_last_entry_closed(self) -> None:
        """Not a single link has to be built again."""
        for length in range(1, 6):
            self.check(
                [*self.honest[: length - 1], {**self.honest[length - 1], "close": True}],
                "commitment",
            )

    def test_the_head_cut(self) -> None:
        rest = self.honest[2:]
        self.check(rest, "chain", "commitment")
        self.check([{**rest[0], "prev_digest": "0" * 64}, *rest[1:]], "chain", "commitment")
        renumbered = [{**entry, "seq": seq} for seq, entry in enumerate(rest, 1)]
        self.check(renumbered, "chain", "commitment")
        self.check(relinked(rest), "commitment")

    def test_the_middle_cut(self) -> None:
        rest = [*self.honest[:2], *self.honest[4:]]
        self.check(rest, "chain", "commitment")
        self.check(relinked(rest), "commitment")

    def test_a_middle_entry_changed(self) -> None:
        """With its links kept the chain alone sees it: the last digest is still the same."""
        for position in range(5):
            for member, value in (("tool", "x"), ("provenance_class", "LOGGED BY AGENT"),
                                  ("id", "x"), ("canonical_bytes", "eA==")):  # fmt: skip
                timeline = self.changed(position, member, value)
                with self.subTest(entry=position, member=member):
                    self.check(timeline, "chain")
                    self.check(relinked(timeline), "commitment")

    def test_the_last_entry_changed(self) -> None:
        """Nothing points at it, and a count sees nothing: only the digest does."""
        for member, value in (("tool", "x"), ("provenance_class", "LOGGED BY AGENT"), ("id", "x"),
                              ("canonical_bytes", "eA==")):  # fmt: skip
            timeline = self.changed(5, member, value)
            with self.subTest(member=member):
                self.check(timeline, "commitment")
                self.assertEqual(failed(check_commitment(timeline, self.kept)), ["digest"])

    def test_a_splice_from_another_job(self) -> None:
        spliced = [*self.honest[:3], *self.other[3:]]
        self.check(spliced, "chain", "commitment")
        self.check(relinked(spliced), "chain", "commitment")
        relabelled = [{**entry, "job_id": "job-1"} for entry in spliced]
        self.check(relinked(relabelled), "commitment")

    def test_two_entries_swapped(self) -> None:
        for first, second in ((0, 1), (1, 3), (2, 4)):
            timeline = [*self.honest]
            timeline[first], timeline[second] = timeline[second], timeline[first]
            self.check(timeline, "chain")
            self.check(relinked(timeline), "commitment")

    def test_an_entry_inserted_or_appended(self) -> None:
        made_up = {**self.honest[0], "id": "x", "tool": "x"}
        for position in range(7):
            timeline = [*self.honest[:position], made_up, *self.honest[position:]]
            self.assertIn("chain", caught_by(timeline, self.kept))
            self.check(relinked(timeline), "commitment")

    def test_another_whole_run_shown_for_the_job(self) -> None:
        self.check(self.other, "commitment")
        self.check(relinked([{**entry, "job_id": "job-1"} for entry in self.other]), "commitment")


class TheCommitment(unittest.TestCase):
    """Decided by AER-1, CMT-1 to CMT-5."""

    def setUp(self) -> None:
        self.timeline = run()
        self.kept = commitment_to(self.timeline)

    def failures(self, **members: object) -> list[str]:
        return failed(check_commitment(self.timeline, {**self.kept, **members}))

    def test_what_fits_is_valid_with_other_members_too(self) -> None:
        self.assertEqual(self.failures(merkle_root="x", note=None), [])

    def test_each_member(self) -> None:
        for member, check, values in (
            ("entry_count", "count", (5, 7, 6.0, True, "6", None, 10**5000)),
            ("final_entry_digest", "digest", ("0" * 64, digest_of(self.timeline[-1]).upper(), "", None,
                                              "sha256:" + digest_of(self.timeline[-1]),
                                              digest_of(self.timeline[-1]) + "\n")),
            ("published_at", "published", (None, "", "2026-02-30T00:00:00Z", "2026-11-30T09:00:00+00:99",
                                           "2026-11-30T09:00:00+24:00", "2026-11-30T09:00:00", 5)),
            ("job_id", "job", ("", "job-2", None, 1)),
        ):  # fmt: skip
            for value in values:
                with self.subTest(member, kind=type(value).__name__):
                    self.assertEqual(self.failures(**{member: value}), [check])
            kept = {name: value for name, value in self.kept.items() if name != member}
            self.assertEqual(failed(check_commitment(self.timeline, kept)), [check])

    def test_a_last_entry_without_digest_is_invalid(self) -> None:
        self.timeline[-1]["canonical_bytes"] = "?"
        report = check_commitment(self.timeline, self.kept)
        self.assertEqual(failed(report), ["digest"])

    def test_what_is_no_commitment_leaves_the_rest_unchecked(self) -> None:
        report = check_commitment(self.timeline, None)
        self.assertEqual([check.result for check in report.checks], [FAILED] + [NOT_CHECKED] * 4)
        self.assertFalse(report.valid)

    def test_facts_of_a_stream_are_enough(self) -> None:
        checker = ChainChecker()
        for entry in self.timeline:
            checker.take(entry)
        facts = checker.report().facts
        self.assertEqual(
            commitment_of_facts(facts, self.kept), check_commitment(self.timeline, self.kept)
        )
        self.assertFalse(commitment_of_facts(facts._replace(count=7), self.kept).valid)

    def test_one_published_before_the_last_entry_is_noted_and_no_more(self) -> None:
        facts = ChainFacts(6, self.kept["final_entry_digest"], "job-1", "2026-11-30T09:00:00.001Z")
        report = commitment_of_facts(facts, self.kept)
        self.assertEqual((report.valid, report.notes), (True, ("published before last entry",)))
        for time in ("2026-11-30T09:00:00Z", "2026-11-30T10:00:00+01:00", "nonsense", None):
            report = commitment_of_facts(facts._replace(last_created_at=time), self.kept)
            self.assertEqual(report.notes, ())


class WhatBothShow(unittest.TestCase):
    """Decided by AER-1: a chain without a commitment is never called complete."""

    def test_the_words(self) -> None:
        timeline = run()
        kept = commitment_to(timeline)
        for shown, commitment, words in (
            (timeline, None, CONSISTENT),
            (timeline, kept, COMMITTED),
            (run("job-2"), kept, OTHER_THAN_COMMITTED),
            (timeline[:3], kept, BROKEN),
            (timeline[:3], None, BROKEN),
        ):
            report = None if commitment is None else check_commitment(shown, commitment)
            self.assertEqual(standing_of(check_chain(shown), report), words)
            self.assertNotIn("complete", words)


class AnyValue(unittest.TestCase):
    """Decided by us: a check answers, whatever it is given."""

    def test_as_timeline_commitment_and_member(self) -> None:
        timeline = run(entries=2)
        kept = commitment_to(timeline)
        for value in HOSTILE:
            self.assertFalse(check_commitment(value, kept).valid)
            self.assertFalse(check_commitment(timeline, value).valid)
            self.assertFalse(check_commitment([timeline[0], value], kept).valid)
            for member in kept:
                report = check_commitment(timeline, {**kept, member: value})
                self.assertEqual(
                    report.valid, member == "entry_count" and type(value) is int and value == 2
                )
                for check in report.checks:
                    self.assertLess(len(check.reason), 150)
