"""full-disk: the disk is full, or a write or a sync fails: nothing is acknowledged from there on.

The next process says since when and why nothing was recorded, and begins with a gap.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.faults import scenario
from tests.faults.golden import IN_MEMORY, Golden, Told, golden_of
from tests.faults.judging import judged
from tests.faults.kill import calls_of
from tests.faults.outcome import HARNESS, LOST, WRONG, Outcome, Problem
from tests.faults.scenario import ENDED_BY_FAILURE, STORE, Plan
from tests.faults.tracing import Point, points_of, traced, why_not
from tests.faults.workers import in_two
from toolreplay.errors import StoreError
from toolreplay.stores.sqlite.state import failure_of

SIZES = 40

_FAILING = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "link")
_ERRORS = ("EIO", "ENOSPC")
_QUICK = 24
_STEP = 20 * 1024
_LARGE = "size=64m"


class Failing(NamedTuple):
    """A call that fails: once, or from there on always."""

    point: Point
    error: str
    is_lasting: bool = False

    def __str__(self) -> str:
        return f"{self.error} at {self.point}{'+' if self.is_lasting else ''}"


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Play the scenario on small disks, and with each write and sync failing once."""
    plan = Plan()
    golden = golden_of(plan)
    reason = why_not_mounted()
    if reason:
        outcome.notes.append(f"sizes of a disk: skipped: {reason}")
    else:
        # Steps of whole pages: from a disk that cannot hold an empty store to one for all of it.
        sizes = [_STEP * number + seed % 5 * 4096 for number in range(1, SIZES + 1)]
        sizes = sizes[::5] if is_quick else sizes
        sizes = [size for size in sizes if outcome.wants(f"a disk of {size} bytes")]
        failed = [0, 0]
        for size in sizes:
            problems, has_failed = filled(golden, size)
            failed[has_failed] += 1
            outcome.add(f"a disk of {size} bytes", problems)
        outcome.notes.append(f"disks: {len(sizes)}, full while it was recorded: {failed[1]}")
    reason = why_not()
    if reason:
        outcome.notes.append(f"failing calls: skipped: {reason}")
        return
    cases = [case for case in _cases(plan, is_quick=is_quick) if outcome.wants(str(case))]
    for case, problems in zip(cases, in_two(cases, lambda one: failing(golden, one)), strict=True):
        outcome.add(str(case), problems)


def _cases(plan: Plan, *, is_quick: bool) -> list[Failing]:
    points = [point for point in points_of(calls_of(plan)) if point.call in _FAILING]
    cases = [Failing(point, error) for point in points for error in _ERRORS]
    cases += [Failing(point, "EIO", is_lasting=True) for point in points]
    return cases[::_QUICK] if is_quick else cases


def failing(golden: Golden, case: Failing) -> list[Problem]:
    """Have a call fail, and judge what the process said and left."""
    call, when = case.point.call, f"{case.point.k}{'+' if case.is_lasting else ''}"
    options = ("-e", f"trace={call}", "-e", f"inject={call}:error={case.error}:when={when}")
    with (
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder,
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as told_in,
    ):
        ended = traced(lambda: scenario.main(folder, golden.plan, told_in), options)
        if "(INJECTED)" not in ended.trace:
            return [Problem(HARNESS, "the call did not fail")]
        # Where every later write fails too, that it failed cannot be written down either.
        can_be_noted = not (case.is_lasting and call in ("pwrite64", "fsync"))
        return _judged(folder, golden, told_in, ended.status, can_be_noted=can_be_noted)


def _judged(
    folder: str, golden: Golden, told_in: str, status: int, *, can_be_noted: bool
) -> list[Problem]:
    told = Told.of_folder(told_in, golden.plan)
    if status not in (0, ENDED_BY_FAILURE):
        return [Problem(WRONG, f"the process ended with {status}")]
    if told.after_failure:
        return [Problem(LOST, f"{told.after_failure} entries were acknowledged after a failure")]
    if status == 0 and not told.is_ended:
        return [Problem(WRONG, "the process says nothing of an ending before the end")]
    path = os.path.join(folder, STORE)
    try:
        if told.has_failed and can_be_noted and failure_of(path) is None:
            return [Problem(WRONG, "recording failed, and nobody can know")]
    except StoreError as error:
        return [Problem(WRONG, str(error))]
    return judged(folder, golden, told, len(told.entries), may_have_failed=told.has_failed)


def filled(golden: Golden, size: int) -> tuple[list[Problem], bool]:
    """Play the scenario on a disk of a size, give it space, and judge; say whether it was full."""
    with (
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder,
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as told_in,
        mounted(folder, f"size={size}"),
    ):
        child = os.fork()
        if not child:
            os._exit(scenario.main(folder, golden.plan, told_in))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _mount("-o", f"remount,{_LARGE}", folder)
        problems = _judged(folder, golden, told_in, status, can_be_noted=True)
        return problems, Told.of_folder(told_in, golden.plan).has_failed


def why_not_mounted() -> str:
    """Return why no small disk can be made here, or nothing."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        try:
            with mounted(folder, _LARGE):
                return ""
        except (OSError, subprocess.CalledProcessError):
            return "mounting needs root"


@contextmanager
def mounted(folder: str, options: str) -> Iterator[None]:
    """Have a disk in memory at a folder."""
    _mount("-t", "tmpfs", "-o", options, "faults", folder)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True, capture_output=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)
