"""The cases that are shipped: all agree, and a changed one is said to differ."""

import copy
import json
import unittest

from toolreplay.errors import InputError
from toolreplay.evidence.aer1.cases import (
    FORMAT,
    KINDS,
    cases_of,
    differences_of,
    shipped_cases,
)
from toolreplay.evidence.aer1.rules import RULES


class TheShippedCases(unittest.TestCase):
    """Decided by AER-1: the answers are those of other programs."""

    def test_each_agrees_and_was_generated(self) -> None:
        counts = {}
        for kind in KINDS:
            for case in shipped_cases(kind):
                counts[kind] = counts.get(kind, 0) + 1
                self.assertEqual(case["source"], "generated")
                self.assertEqual(differences_of(kind, case), [], case["id"])
        self.assertEqual(
            counts,
            {"receipts": 102, "id_binding": 19, "anchors": 22, "chains": 49, "commitments": 16,
             "attacks": 22, "workflows": 53, "canonical": 10},
        )  # fmt: skip

    def test_each_is_about_rules_that_are_known(self) -> None:
        for kind in (*KINDS, "cli"):
            for case in shipped_cases(kind):
                self.assertLessEqual(set(case["rules"]), RULES.keys(), case["id"])

    def test_another_answer_is_a_difference(self) -> None:
        for kind in KINDS:
            case = copy.deepcopy(shipped_cases(kind)[0])
            _turn(case["expect"])
            self.assertTrue(differences_of(kind, case), kind)

    def test_what_is_no_file_of_cases_is_refused(self) -> None:
        good = {"format": FORMAT, "kind": "chains", "cases": []}
        self.assertEqual(cases_of(json.dumps(good).encode(), "chains", "x"), [])
        for document in (
            [], {}, {**good, "format": "x"}, {**good, "kind": "anchors"}, {**good, "cases": {}},
            {**good, "cases": [1]}, {**good, "cases": [{"id": "a"}]}, {**good, "cases": [{"rules": []}]},
            {**good, "cases": [{"id": "a", "rules": [1]}]},
        ):  # fmt: skip
            with self.assertRaises(InputError):
                cases_of(json.dumps(document).encode(), "chains", "x")


def _turn(expect: dict) -> None:
    """Make an expectation another one, whatever its shape."""
    for name, value in expect.items():
        if isinstance(value, dict):
            _turn(value)
        elif isinstance(value, bool):
            expect[name] = not value
        elif isinstance(value, str):
            expect[name] = f"{value}?"
        elif isinstance(value, list) and name == "caught_by":
            expect[name] = [*value, "nobody"]
