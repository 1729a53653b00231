"""lost-writes: power fails at a seeded moment, and takes a seeded part of what was not synced."""

import os
import tempfile
from random import Random

from tests.faults import scenario
from tests.faults.disk import TRACED, Operation, operations_of, rebuilt
from tests.faults.golden import IN_MEMORY, Golden, Told, golden_of
from tests.faults.judging import judged, scrubbed
from tests.faults.outcome import Outcome, Problem
from tests.faults.scenario import Plan
from tests.faults.tracing import traced, why_not
from tests.faults.workers import in_two

SEEDS, QUICK_SEEDS = 2000, 80

_PLANS = (
    Plan(log_pages=16),
    Plan(),
    Plan(durable_intents=True, erases_early=True),
    Plan(is_signed=False, log_pages=16),
)
"""A seed takes one of them, by its rest modulo four."""


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Try seeds from `seed` on."""
    outcome.skipped = why_not()
    if outcome.skipped:
        return
    recorded = [(golden_of(plan), recorded_operations(plan)) for plan in _PLANS]
    seeds = [
        at
        for at in range(seed, seed + (QUICK_SEEDS if is_quick else SEEDS))
        if outcome.wants(f"seed {at}")
    ]
    for at, problems in zip(seeds, in_two(seeds, lambda one: lost(recorded, one)), strict=True):
        outcome.add(f"seed {at}", problems)
    kinds = [sum(one.what == what for one in recorded[0][1]) for what in ("write", "sync", "names")]
    outcome.notes.append(
        f"the signed scenario: {kinds[0]} writes, {kinds[1]} syncs, {kinds[2]} changes of names"
    )


def recorded_operations(plan: Plan) -> list[Operation]:
    """Play the scenario under strace and return what it did to its folder."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        ended = traced(lambda: scenario.main(folder, plan), TRACED)
        if ended.status:
            raise RuntimeError(f"the scenario ended with {ended.status}")
        return operations_of(ended.trace, folder, scenario.TOLD)


def lost(recorded: list[tuple[Golden, list[Operation]]], seed: int) -> list[Problem]:
    """Let power fail as a seed says, and judge what the disk has."""
    golden, operations = recorded[seed % len(recorded)]
    random = Random(seed)
    done = operations[: random.randint(0, len(operations))]
    text = b"".join(one.data for one in done if one.what == "told").decode()
    told = Told.read(text, golden.plan)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        for name, content in rebuilt(done, random).items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        return scrubbed(folder, told) or judged(folder, golden, told, told.durable)
