"""What needs no fault: every vector, every lie a small tree can be told, another implementation,
and each attack of the tamper catalogue. A wrong answer is a wrong verdict."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

from tests.evidence.tlog.small_world import wrong_consistencies, wrong_inclusions
from tests.faults.outcome import HARNESS, WRONG, Outcome, Problem

_LEAVES, _FEW_LEAVES = 16, 8
_CASES, _FEW_CASES = 20_000, 1_000


class _Counting(unittest.TestResult):
    """Counts each subtest, and each test without any, as a point."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self._outcome = outcome
        self._had_subtests = False

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - its own name
        super().startTest(test)
        self._had_subtests = False

    def addSubTest(self, test: object, subtest: unittest.TestCase, err: object) -> None:  # noqa: N802 - its own name
        self._had_subtests = True
        problems = [] if err is None else [Problem(WRONG, str(err[1])[:300])]  # type: ignore[index]
        self._outcome.add(str(subtest), problems)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - its own name
        if not self._had_subtests:
            self._outcome.add(test.id(), [])

    def addFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - its own name
        self._outcome.add(test.id(), [Problem(WRONG, str(err[1])[:300])])  # type: ignore[index]

    def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - its own name
        self._outcome.add(test.id(), [Problem(HARNESS, str(err[1])[:300])])  # type: ignore[index]


def vectors(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Try every vector of the log and of its signatures."""
    for room in ("tlog", "signatures"):
        folder = os.path.join("tests", "evidence", room)
        found = unittest.defaultTestLoader.discover(folder, top_level_dir=".")
        found.run(_Counting(outcome))


def catalogue(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Do each attack of the tamper catalogue to a store, and look for it at every level."""
    name = "tests.hostile.test_catalogue"
    unittest.defaultTestLoader.loadTestsFromName(name).run(_Counting(outcome))


def world(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Tell every tree of few leaves every lie about inclusion and consistency."""
    for size in range(1, (_FEW_LEAVES if is_quick else _LEAVES) + 1):
        told = [(f"leaves {size}", wrong_inclusions(size))]
        told += [
            (f"from {old} to {size}", wrong_consistencies(old, size)) for old in range(1, size + 1)
        ]
        for point, (lies, wrong) in told:
            outcome.points += lies
            for fact in wrong:
                outcome.add(point, [Problem(WRONG, fact)])


def oracle(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Compare random cases with Go's own packages, and roots with pymerkle."""
    if importlib.util.find_spec("pytest") is None:
        outcome.skipped = "pytest is not installed (pip install '.[test]')"
        return
    cases = _FEW_CASES if is_quick else _CASES
    names = ["tests/peers/test_go_tlog.py", "tests/peers/test_pymerkle.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-s", "-q", "-rs", "-p", "no:cacheprovider", *names],
        env={**os.environ, "TLOG_CASES": str(cases), "TLOG_SEED": str(seed)},
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if "SKIPPED" in line:
            outcome.notes.append(line)
        found = re.search(r"([0-9,]+) cases", line)
        if found is not None:
            outcome.points += int(found[1].replace(",", ""))
            outcome.notes.append(line.strip())
    if done.returncode:
        outcome.add(f"seed {seed}", [Problem(WRONG, done.stdout[-2000:])])
    elif not outcome.points:
        outcome.skipped = "; ".join(outcome.notes) or "nothing was compared"
