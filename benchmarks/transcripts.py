"""Measure replay, seal and verify against the plain baseline, whole processes side by side.

    python3 -m benchmarks [--quick] [--cpu] [--only WORD] [--write docs/benchmarks.md]

Product and baseline run in turn on the same file, and the least time of each counts, so that a
busy machine disturbs both alike; where it is too busy for that, --cpu compares processor time,
which is not what the targets are about. Their output must be equal, byte for byte: a difference ends
the run with status 1 and names the command and the file. A missed target does not; status 2
says that something could not be run at all.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.processes import (
    PRODUCT,
    PYTHON,
    Outcome,
    digest,
    end_children_when_ended,
    folder_for_files,
    machine,
    run,
    say,
)
from benchmarks.tables import table, write_page

BASELINE = [*PYTHON, os.path.join("benchmarks", "baseline", "plain.py")]
BARE = [*PYTHON, "-c", "import argparse, json, hashlib"]
WORKLOADS = (
    "text small",
    "text medium",
    "text large",
    "rows small",
    "rows medium",
    "rows large",
    "mixed",
)
# Wall time of the product over that of the baseline, in the order of the workloads.
REPLAY_TARGETS = (0.50, 0.50, 0.60, 0.40, 0.45, 0.55, 0.50)
LINK_TARGETS = (0.65, 0.75, 1.00, 0.50, 0.55, 0.65, 0.75)
TARGETS = {"replay": REPLAY_TARGETS, "seal": LINK_TARGETS, "verify": LINK_TARGETS}
MEMORY_WORKLOADS = ("text medium", "rows medium")
MEMORY_TARGET = 0.10  # peak of the product over that of the baseline
START_TARGET = 1.5  # wall time over that of an interpreter with three imports
START_COMMANDS = {
    "version": ["version"],
    "replay of the sample": ["replay", os.path.join("samples", "session-dirty.jsonl")],
}
BYTES = 25_000_000  # a file whose time is measured
MEMORY_BYTES = 100_000_000  # a file whose peak is measured
QUICK_BYTES = 4_000_000
QUICK_MEMORY_BYTES = 16_000_000
START_REPEATS = 41  # a start takes milliseconds, so its least time needs more tries


class BenchmarkError(Exception):
    """A process did not do what it was run for."""


class DifferenceError(Exception):
    """Product and baseline printed different things."""


class Figure(NamedTuple):
    """One line of the table; product and baseline carry their unit."""

    name: str
    ratio: float
    target: float
    product: str
    baseline: str

    def cells(self) -> list[str]:
        """Lay the figure out for the table."""
        ratio, target = f"{self.ratio:.2f}", f"{self.target:.2f}"
        # Judged as shown, so that no line reads 0.50 against 0.50, missed.
        result = "met" if float(ratio) <= self.target else "missed"
        return [self.name, ratio, target, result, self.product, self.baseline]


class Pair(NamedTuple):
    """The least time and the greatest peak of both programs."""

    product: Outcome
    baseline: Outcome


class Plan(NamedTuple):
    """What was asked for: bytes of the files, pairs of runs, and a word of the figures' names."""

    size: int
    memory_size: int
    repeats: int
    only: str
    cpu: bool

    def wants(self, name: str) -> bool:
        """Say whether the figure of this name is wanted."""
        return self.only in name

    def time(self, outcome: Outcome) -> float:
        """Give the time that is compared, in seconds."""
        return outcome.worked if self.cpu else outcome.seconds


class Bench:
    """Runs the pairs in one folder of generated files."""

    def __init__(self, folder: str, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan

    def speed(self) -> Iterator[Figure]:
        """Measure the wall time of each command on each workload."""
        for number, workload in enumerate(WORKLOADS):
            names = {command: f"{command}, {workload}" for command in TARGETS}
            wanted = [each for each in TARGETS if self._plan.wants(names[each])]
            for command, path in self._inputs(wanted, workload, self._plan.size):
                pair = self._pair(command, path, names[command], self._plan.repeats)
                product, baseline = map(self._plan.time, pair)
                target = TARGETS[command][number]
                ratio = product / baseline
                yield Figure(names[command], ratio, target, _seconds(product), _seconds(baseline))

    def memory(self) -> Iterator[Figure]:
        """Measure the peak memory of each command on a large file."""
        for workload in MEMORY_WORKLOADS:
            names = {command: f"peak, {command}, {workload}" for command in TARGETS}
            wanted = [each for each in TARGETS if self._plan.wants(names[each])]
            for command, path in self._inputs(wanted, workload, self._plan.memory_size):
                pair = self._pair(command, path, names[command], 1)
                product, baseline = pair.product.peak, pair.baseline.peak
                ratio = product / baseline
                yield Figure(
                    names[command], ratio, MEMORY_TARGET, _megabytes(product), _megabytes(baseline)
                )

    def start(self) -> Iterator[Figure]:
        """Measure the start of the product against an interpreter with three imports."""
        for what, arguments in START_COMMANDS.items():
            name = f"start, {what}"
            if not self._plan.wants(name):
                continue
            say(name)
            product, baseline = [], []
            for _ in range(START_REPEATS):
                product.append(self._plan.time(self._run([*PRODUCT, *arguments], "product")))
                baseline.append(self._plan.time(self._run(BARE, "baseline")))
            ratio = min(product) / min(baseline)
            yield Figure(name, ratio, START_TARGET, _milliseconds(product), _milliseconds(baseline))

    def _inputs(
        self, commands: Sequence[str], workload: str, size: int
    ) -> Iterator[tuple[str, str]]:
        """Pair each command with its file; the files are made when needed and removed after."""
        if not commands:
            return
        transcript, sealed = self._path("transcript"), self._path("sealed")
        self._generate(workload, size, transcript)
        for command in commands:
            if command == "verify":
                self._run([*BASELINE, "seal", transcript], "sealed")
            yield command, sealed if command == "verify" else transcript
        for path in (transcript, sealed):
            if os.path.exists(path):
                os.remove(path)

    def _generate(self, workload: str, size: int, path: str) -> None:
        say(f"generate {workload}")
        shape, _, length = workload.partition(" ")
        options = ["--shape", shape, "--bytes", str(size)]
        if length:
            options += ["--size", length]
        self._run([*PYTHON, "-m", "benchmarks.generate", *options, path], "generated")

    def _pair(self, command: str, path: str, name: str, repeats: int) -> Pair:
        products, baselines = [], []
        for number in range(repeats):
            say(f"{name}: {number + 1} of {repeats}")
            products.append(self._run([*PRODUCT, command, path], "product"))
            baselines.append(self._run([*BASELINE, command, path], "baseline"))
            if number == 0:
                self._compare(name, products[0], baselines[0])
        return Pair(_best(products), _best(baselines))

    def _compare(self, name: str, product: Outcome, baseline: Outcome) -> None:
        if product.status != baseline.status:
            raise DifferenceError(
                f"{name}: exit {product.status} where the baseline has {baseline.status}"
            )
        ours, theirs = self._path("product"), self._path("baseline")
        if digest(ours) != digest(theirs):
            raise DifferenceError(f"{name}: output differs: {_first_difference(ours, theirs)}")

    def _run(self, command: Sequence[str], output: str) -> Outcome:
        errors = self._path("errors")
        outcome = run(command, self._path(output), errors)
        if outcome.status not in (0, 1) or os.path.getsize(errors):
            with open(errors, encoding="utf-8", errors="replace") as lines:
                said = lines.read(500).strip()
            raise BenchmarkError(f"{' '.join(command[2:])}: exit {outcome.status}: {said}")
        return outcome

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _best(outcomes: Sequence[Outcome]) -> Outcome:
    return Outcome(
        outcomes[0].status,
        min(each.seconds for each in outcomes),
        min(each.worked for each in outcomes),
        max(each.peak for each in outcomes),
    )


def _first_difference(ours: str, theirs: str) -> str:
    """Show the first line that differs, cut to 200 bytes."""
    with open(ours, "rb") as left, open(theirs, "rb") as right:
        number = 0
        while True:
            number += 1
            one, other = left.readline(), right.readline()
            if one != other:
                return f"line {number}: {one[:200]!r} where the baseline has {other[:200]!r}"
            if not one:
                return "not any more when read again"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _milliseconds(values: Sequence[float]) -> str:
    return f"{min(values) * 1_000:.1f} ms"


def _megabytes(value: int) -> str:
    return f"{value / 1_000_000:.0f} MB"


def page(figures: Sequence[Figure], plan: Plan) -> str:
    """Write the page of figures, in Markdown."""
    times = "processor times" if plan.cpu else "wall times"
    head = ["figure", "ratio", "target", "result", "product", "baseline"]
    lines = table(head, [each.cells() for each in figures], right=" rr rr")
    return f"""# Benchmarks of transcripts

Whole processes of toolreplay against a plain program of the standard library
(`benchmarks/baseline/plain.py`) on the same generated files, in turn. Times
are {times}, the least of {plan.repeats} runs; ratios are product over baseline. Reports
and sealed bytes of both were equal. Files have {plan.size / 1e6:.0f} MB, those for
memory {plan.memory_size / 1e6:.0f} MB. The baseline of a start is
`python3 -S -c "import argparse, json, hashlib"`.

Measured on {machine()}.
To measure again: `python3 -m benchmarks --write docs/benchmarks.md`.

{lines}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print the table."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="small files, rough figures")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs a figure")
    parser.add_argument("--cpu", action="store_true", help="compare processor time")
    parser.add_argument("--only", default="", metavar="WORD", help="figures with this in the name")
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    options = parser.parse_args(arguments)
    end_children_when_ended()
    sizes = (QUICK_BYTES, QUICK_MEMORY_BYTES) if options.quick else (BYTES, MEMORY_BYTES)
    plan = Plan(*sizes, options.repeats, options.only, options.cpu)
    try:
        with folder_for_files() as folder:
            bench = Bench(folder, plan)
            figures = [*bench.speed(), *bench.memory(), *bench.start()]
    except DifferenceError as difference:
        print(f"different: {difference}", file=sys.stderr)
        return 1
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = page(figures, plan)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0
