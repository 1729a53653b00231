"""kill: SIGKILL at each boundary of the scenario, a process each."""

import tempfile

from tests.faults import scenario
from tests.faults.golden import IN_MEMORY, Golden, Told, golden_of
from tests.faults.judging import judged
from tests.faults.outcome import HARNESS, Outcome, Problem
from tests.faults.scenario import Plan
from tests.faults.tracing import CALLS, Point, points_of, traced, why_not
from tests.faults.workers import in_two

QUICK = {"pwrite64": 12, "fcntl": 24, "openat": 4, "close": 12}
"""With --quick of these calls only each so many-th boundary is tried, of all others each."""

_TRACED = ("-e", "trace=" + ",".join(f"?{call}" for call in CALLS))


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Kill the scenario in three plans (the first alone when quick) at each boundary."""
    outcome.skipped = why_not()
    if outcome.skipped:
        return
    plans = {
        "signed": Plan(),
        "unsigned": Plan(is_signed=False),
        "durable": Plan(durable_intents=True, log_pages=16, erases_early=True),
    }
    for name, plan in plans.items():
        if is_quick and name != "signed":
            continue
        golden = golden_of(plan)
        traces = [calls_of(plan) for _ in range(2)]
        if traces[0] != traces[1]:
            outcome.add(name, [Problem(HARNESS, "two runs without a fault make different calls")])
            continue
        points = points_of(traces[0])
        if is_quick:
            points = [point for point in points if not (point.k - 1) % QUICK.get(point.call, 1)]
        points = [point for point in points if outcome.wants(f"{name} {point}")]
        found = in_two(points, lambda point, golden=golden: killed(golden, point))
        for point, problems in zip(points, found, strict=True):
            outcome.add(f"{name} {point}", problems)


def calls_of(plan: Plan) -> list[str]:
    """Return the calls of the scenario without a fault."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        ended = traced(lambda: scenario.main(folder, plan), _TRACED)
    if ended.status:
        raise RuntimeError(f"the scenario ended with {ended.status}")
    return ended.calls()


def killed(golden: Golden, point: Point) -> list[Problem]:
    """Kill the scenario before a call, and judge what is left."""
    options = (
        "-e", f"trace={point.call}", "-e", f"inject={point.call}:signal=KILL:when={point.k}",
    )  # fmt: skip
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        ended = traced(lambda: scenario.main(folder, golden.plan), options)
        if ended.status != -9:
            return [Problem(HARNESS, f"the run was not killed, it ended with {ended.status}")]
        told = Told.of_folder(folder, golden.plan)
        return judged(folder, golden, told, len(told.entries))
