"""Measure the embedded store: appends, alone and many at once, opening, and checking its log.

    python3 -m benchmarks.stores [--quick] [--only WORD] [--others PYTHON] [--folder FOLDER]
                                 [--write docs/benchmarks-stores.md]

`--others` names an interpreter that has `cryptography`, which signs heads, and `obsigna`, whose
store is the baseline of appends; what it has not is skipped, with the reason. Appends are as
fast as the disk below FOLDER syncs, so product and baseline take turns there.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.processes import ROOT, end_children_when_ended, machine, run, say
from benchmarks.ratios import Row, ratio_table
from benchmarks.tables import write_page

BASELINE = os.path.join(ROOT, "benchmarks", "baseline", "obsigna_store.py")
APPENDS = {1: (2_000, 1_000, 3.0), 64: (19_200, 1_920, 20.0)}
"""By producers: our appends, those of the baseline, and how many times its rate is the target."""

GROWN = (100, 50_000, 400)  # entries of the small store and of the large one, appends to each
GROWTH = 1.2
OPENED, OPENED_RUNS = 1_000_000, 1_000
CHECKED, CHECKED_RUNS = 100_000, 100
CHECKED_RATE = 100_000.0
REPEATS = 5
SYNCS = 100
QUICK = 10  # how much less of everything --quick measures

Figures = dict[str, float]


class FailedError(Exception):
    """A process did not do what it was run for."""


class Plan(NamedTuple):
    """What was asked for. `share` divides all counts."""

    repeats: int
    only: str
    share: int
    others: str


class Bench:
    """Runs everything in one folder."""

    def __init__(self, folder: str, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._work = [plan.others, "-m", "benchmarks.store_work"]

    def rows(self) -> Iterator[Row]:
        """Measure everything."""
        if self._missing("cryptography"):
            yield Row("all", remark="cryptography is not installed there (--others)")
            return
        for producers in APPENDS:
            yield from self._appends("append", producers)
        for producers in APPENDS:
            yield from self._appends("made", producers)
        yield from self._grown()
        for kind in ("signed", "unsigned"):
            yield from self._opened(kind)
        for what in ("log", "contents"):
            yield from self._checked(what)

    def _appends(self, what: str, producers: int) -> Iterator[Row]:
        threads = "1 producer" if producers == 1 else f"{producers} producers"
        made = "receipts made before" if what == "append" else "intent and receipt made"
        name = f"durable appends, {made}, {threads}: times the rate of obsigna"
        if self._plan.only not in name:
            return
        if self._missing("obsigna"):
            yield Row(name, remark="obsigna is not installed there (--others)")
            return
        ours, theirs, target = APPENDS[producers]
        if what == "made":
            ours //= 4
        ratios, products, baselines = [], [], []
        for number in range(self._plan.repeats):
            say(f"{name}: {number + 1} of {self._plan.repeats}")
            command = [what, str(max(producers, ours // self._plan.share)), str(producers)]
            products.append(self._figures([*self._work, *command, self._fresh()]))
            command[1] = str(max(producers, theirs // self._plan.share))
            baselines.append(self._figures([self._plan.others, BASELINE, *command, self._fresh()]))
            ratios.append(_rate(products[-1]) / _rate(baselines[-1]))
        best = max(products, key=_rate)
        other = max(baselines, key=_rate)
        unit = "receipts" if what == "append" else "calls"
        remark = (
            f"{_rate(best):,.0f} {unit} a second, half within {best['middle'] * 1e3:.2f} ms, 99 % "
            f"within {best['slow'] * 1e3:.1f} ms; baseline {_rate(other):,.0f}, "
            f"{other['middle'] * 1e3:.2f} ms, {other['slow'] * 1e3:.1f} ms"
        )
        yield Row(name, ratios, target if what == "append" else None, at_least=True, remark=remark)

    def _grown(self) -> Iterator[Row]:
        few, many, turns = GROWN[0], GROWN[1] // self._plan.share, GROWN[2] // self._plan.share
        name = f"append after {many:,} entries over append after {few:,}"
        if self._plan.only not in name:
            return
        figures = []
        for number in range(self._plan.repeats):
            say(f"{name}: {number + 1} of {self._plan.repeats}")
            command = ["grown", str(few), str(many), str(turns), self._fresh()]
            figures.append(self._figures([*self._work, *command]))
        middle = sorted(each["many"] for each in figures)[len(figures) // 2]
        ratios = [each["many"] / each["few"] for each in figures]
        yield Row(name, ratios, GROWTH, remark=f"{middle * 1e3:.2f} ms after {many:,}")

    def _opened(self, kind: str) -> Iterator[Row]:
        count = OPENED // self._plan.share
        name = f"open a store of {count:,} entries, {kind}: seconds"
        if self._plan.only not in name:
            return
        path = self._filled(kind, count, OPENED_RUNS // self._plan.share)
        figures = [
            self._figures([*self._work, "open", kind, path]) for _ in range(self._plan.repeats)
        ]
        rest = {
            part: sorted(each[part] for each in figures)[len(figures) // 2]
            for part in ("first", "close")
        }
        remark = f"then {rest['first'] * 1e3:.1f} ms to the first entry, {rest['close'] * 1e3:.1f} ms to close"
        yield Row(name, [each["open"] for each in figures], 1.0, remark=remark)

    def _checked(self, what: str) -> Iterator[Row]:
        count = CHECKED // self._plan.share
        shown = "payloads too" if what == "contents" else "the log"
        name = f"check an unsigned store of {count:,} entries, {shown}: entries a processor second"
        if self._plan.only not in name:
            return
        path = self._filled("unsigned", count, CHECKED_RUNS // self._plan.share)
        figures = [
            self._figures([*self._work, "check", what, path]) for _ in range(self._plan.repeats)
        ]
        ratios = sorted(each["seconds"] / each["bare"] for each in figures)
        remark = f"{ratios[len(ratios) // 2]:.2f} times a loop that reads and hashes the rows"
        target = CHECKED_RATE if what == "log" else None
        yield Row(name, [_rate(each) for each in figures], target, at_least=True, remark=remark)

    # Processes and files.

    def _filled(self, kind: str, count: int, runs: int) -> str:
        path = os.path.join(self._fresh(), "filled.db")
        say(f"writing a store of {count:,} entries")
        command = [self._plan.others, "-m", "benchmarks.store_files", kind, str(count), str(runs)]
        self._run([*command, path])
        return path

    def _figures(self, command: Sequence[str]) -> Figures:
        figures: Figures = json.loads(self._run(command))
        return figures

    def _run(self, command: Sequence[str]) -> str:
        out, errors = (os.path.join(self._folder, name) for name in ("out", "errors"))
        outcome = run(command, out, errors)
        with open(errors if outcome.status else out, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if outcome.status:
            raise FailedError(f"{' '.join(command)}: exit {outcome.status}: {text[-500:].strip()}")
        return text

    def _missing(self, module: str) -> bool:
        return bool(run([self._plan.others, "-c", f"import {module}"], os.devnull).status)

    def _fresh(self) -> str:
        """Return an empty folder; what stood in the last one is gone."""
        folder = os.path.join(self._folder, "stores")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        return folder


def sync_milliseconds(folder: str) -> float:
    """Return how long the disk takes to sync two new pages: the floor of an append alone."""
    times = []
    with open(os.path.join(folder, "synced"), "wb", buffering=0) as file:
        for _ in range(SYNCS):
            file.write(bytes(8192))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[SYNCS // 2] * 1e3


def _rate(figures: Figures) -> float:
    return figures["count"] / figures["seconds"]


def page(rows: Sequence[Row], repeats: int, syncs: Sequence[float]) -> str:
    """Write the page, in Markdown."""
    return f"""# Benchmarks of the embedded store

Each figure is taken {repeats} times, product and baseline in turn where there is one; the middle one
is held against the target. An append is acknowledged when it is on the disk; heads are signed as
they fall due, after 256 entries or a second. A receipt has 2.5 KB here, one of `obsigna`, whose
store is the baseline, 1.3 KB. Producers are threads of one process, each with a run of its own.
The stores that are opened and checked have small entries, a thousand in a run.

Measured on {machine()}. A sync behind 8 KB took {syncs[0]:.2f} ms
before this run and {syncs[1]:.2f} ms behind it.
To measure again: `python3 -m benchmarks.stores --write docs/benchmarks-stores.md`.

{ratio_table(rows)}"""


def options_of(module: str, repeats: int, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the options that benchmarks of recording and of the store both have."""
    parser = argparse.ArgumentParser(prog=f"python3 -m {module}")
    parser.add_argument("--quick", action="store_true", help="little of everything, rough figures")
    parser.add_argument("--repeats", type=int, default=repeats, help="how often a figure is taken")
    parser.add_argument("--only", default="", metavar="WORD", help="figures with this in the name")
    parser.add_argument(
        "--others", default=sys.executable, metavar="PYTHON", help="has the other programs"
    )
    parser.add_argument("--folder", metavar="FOLDER", help="whose disk is measured")
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print the page."""
    options = options_of("benchmarks.stores", REPEATS, arguments)
    end_children_when_ended()
    # A program is started by its path.
    others = shutil.which(options.others) or options.others
    plan = Plan(options.repeats, options.only, QUICK if options.quick else 1, others)
    try:
        with tempfile.TemporaryDirectory(
            prefix="toolreplay-benchmarks-", dir=options.folder
        ) as folder:
            before = sync_milliseconds(folder)
            rows = list(Bench(folder, plan).rows())
            syncs = before, sync_milliseconds(folder)
    except FailedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = page(rows, options.repeats, syncs)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
