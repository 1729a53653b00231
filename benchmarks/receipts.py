"""Measure receipts: read alone, in files, as a chain, as a bundle, and how memory grows.

    python3 -m benchmarks.receipts [--quick] [--cpu] [--only WORD] [--others PYTHON]
                                   [--write docs/benchmarks-receipts.md]

Whole processes, product and baseline in turn, the least time of each. `--others` names an
interpreter that has `aer1-verify` and `obsigna`; a row whose baseline it has not is skipped, with
the reason. Memory takes a gigabyte of disk twice, one after the other.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.processes import (
    ENVIRONMENT,
    PRODUCT,
    PYTHON,
    ROOT,
    Outcome,
    end_children_when_ended,
    folder_for_files,
    machine,
    run,
    say,
)
from benchmarks.tables import table, write_page

FILES = [*PYTHON, "-m", "benchmarks.receipt_files"]
BASELINE = os.path.join(ROOT, "benchmarks", "baseline")
PLAIN = [*PYTHON, os.path.join(BASELINE, "plain_bundle.py")]

SIZES = {"1.0 KB": (1_000, 20_000, 0.70), "3.3 KB": (3_300, 8_000, 0.70), "59 KB": (59_000, 800, 0.80)}  # fmt: skip
"""Bytes of a receipt, how many, and the target: product over `aer1_verify.verify` in a loop."""

FEWER_IN_FILES = 4
IN_FILES, OF_THEM = 1_000, 20
IN_FILES_TARGET = 0.01
CHAIN, CHAIN_TARGET = 5_000, 0.15
LEAVES = 1_000_000
CALL_BYTES = 2_100  # of a line of the transcript that bundles are made of
FEW, SOME, MANY = 1_500, 15_000, 150_000  # calls
PIECES, PIECE_BYTES = 4, 256 << 20
QUICK = 10  # how much less of everything --quick measures


class FailedError(Exception):
    """A process did not do what it was run for."""


class Plan(NamedTuple):
    """What was asked for. `share` divides all counts."""

    repeats: int
    only: str
    cpu: bool
    share: int
    others: str

    def time(self, outcome: Outcome) -> float:
        """Give the time that is compared, in seconds."""
        return outcome.worked if self.cpu else outcome.seconds


class Row(NamedTuple):
    """A line of the table of times; a skipped one has its reason in place of figures."""

    name: str
    product: float = 0.0
    baseline: float = 0.0
    target: float | None = None
    detail: str = ""
    skipped: bool = False

    def cells(self) -> list[str]:
        """Lay the row out for the table."""
        if self.skipped:
            return [self.name, "", "", "skipped", "", "", self.detail]
        digits = 4 if self.target and self.target < 0.1 else 2
        ratio = f"{self.product / self.baseline:.{digits}f}"
        target, result = "", ""
        if self.target is not None:
            target = f"{self.target:.2f}"
            result = "met" if float(ratio) <= self.target else "missed"
        return [
            self.name, ratio, target, result, f"{self.product:.2f} s", f"{self.baseline:.2f} s",
            self.detail,
        ]  # fmt: skip


class Peak(NamedTuple):
    """A line of the table of memory."""

    name: str
    size: int
    peak: int
    growth: float | None

    def cells(self) -> list[str]:
        """Lay the row out for the table."""
        growth = "" if self.growth is None else f"{self.growth:.2f}"
        return [self.name, f"{self.size / 1e6:,.0f} MB", f"{self.peak / 1e6:.1f} MB", growth]


class Bench:
    """Runs everything in one folder of generated files."""

    def __init__(self, folder: str, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._others = [plan.others]

    def rows(self) -> Iterator[Row]:
        """Measure times."""
        yield from self._receipts("lines")
        yield from self._receipts("folder")
        yield from self._one_by_one()
        yield from self._chain()
        yield from self._root()
        yield from self._bundle()

    # Receipts alone.

    def _receipts(self, form: str) -> Iterator[Row]:
        where = "in JSONL" if form == "lines" else "in a folder"
        for label, (size, number, target) in SIZES.items():
            count = number // self._plan.share // (1 if form == "lines" else FEWER_IN_FILES)
            name = f"verify {count:,} receipts of {label} {where}"
            if not self._wants(name):
                continue
            if reason := self._missing("aer1_verify", "aer1-verify"):
                yield Row(name, detail=reason, skipped=True)
                continue
            path = self._path("receipts")
            self._need([*FILES, form, str(size), str(count), path])
            loop = [*self._others, os.path.join(BASELINE, "aer1_loop.py"), path]
            product, baseline = self._pair(name, [*PRODUCT, "verify", path], loop)
            yield Row(name, product, baseline, target, _rate(count, product))
            self._remove(path)

    def _one_by_one(self) -> Iterator[Row]:
        count = IN_FILES // self._plan.share
        name = f"verify {count:,} receipts of 1.0 KB in files, against a process each"
        if not self._wants(name):
            return
        if reason := self._missing("aer1_verify", "aer1-verify"):
            yield Row(name, detail=reason, skipped=True)
            return
        path = self._path("receipts")
        self._need([*FILES, "folder", "1000", str(count), path])
        product = min(
            self._time([*PRODUCT, "verify", path], name) for _ in range(self._plan.repeats)
        )
        each = [
            self._time([*self._others, "-m", "aer1_verify", os.path.join(path, file)], name)
            for file in sorted(os.listdir(path))[:OF_THEM]
        ]
        detail = f"baseline: mean of {len(each)} processes, times {count:,}"
        yield Row(name, product, sum(each) / len(each) * count, IN_FILES_TARGET, detail)
        self._remove(path)

    def _chain(self) -> Iterator[Row]:
        count = CHAIN // self._plan.share
        name = f"verify a chain of {count:,} receipts, no signature"
        if not self._wants(name):
            return
        if reason := self._missing("obsigna", "obsigna"):
            yield Row(name, detail=reason, skipped=True)
            return
        ours, theirs = self._path("timeline"), self._path("chain")
        program = os.path.join(BASELINE, "obsigna_chain.py")
        self._need([*FILES, "timeline", str(count), ours])
        self._need([*self._others, program, "make", str(count), theirs])
        product, baseline = self._pair(
            name, [*PRODUCT, "verify", ours], [*self._others, program, "verify", theirs]
        )
        detail = "the baseline checks a signature a receipt; ours will be on the head"
        yield Row(name, product, baseline, CHAIN_TARGET, detail)
        self._remove(ours, theirs)

    def _root(self) -> Iterator[Row]:
        count = LEAVES // self._plan.share
        name = f"AER-1 workflow root of {count:,} leaves, against as many hashes"
        if self._wants(name):
            hashes = [*PYTHON, os.path.join(BASELINE, "bare_hashes.py"), str(count)]
            product, baseline = self._pair(name, [*FILES, "root", str(count)], hashes)
            yield Row(name, product, baseline, None, "the target 1.50 is for the RFC 6962 tree")

    # Bundles.

    def _bundle(self) -> Iterator[Row]:
        count = SOME // self._plan.share
        make, verify = f"receipt make, {count:,} calls", f"verify a bundle of {count:,} calls"
        if not self._wants(make) and not self._wants(verify):
            return
        calls, bundle, out = self._path("calls.jsonl"), self._path("run"), self._path("plain")
        self._transcript(count, calls)
        command = [*PRODUCT, "receipt", "make", calls, "-o", bundle]
        self._need(command)
        if self._wants(make):
            pair = self._pair(make, command, [*PLAIN, "make", calls, out], bundle)
            yield Row(make, *pair, None, _rate(count, pair[0]))
        if self._wants(verify):
            pair = self._pair(verify, [*PRODUCT, "verify", bundle], [*PLAIN, "verify", bundle])
            yield Row(verify, *pair, None, _rate(count, pair[0]))
        self._remove(calls, bundle, out)

    def peaks(self) -> Iterator[Peak]:
        """Measure the peak memory of making and verifying bundles that grow."""
        if not self._wants("peak"):
            return
        first: dict[str, int] = {}
        for number in (FEW, SOME, MANY):
            count = number // self._plan.share
            calls, bundle = self._path("calls.jsonl"), self._path("run")
            self._transcript(count, calls)
            for command, read in (
                (["receipt", "make", calls, "-o", bundle], calls),
                (["verify", bundle], bundle),
            ):
                what = "receipt make" if len(command) > 2 else "verify"
                say(f"peak: {what}, {count:,} calls")
                peak = self._run([*PRODUCT, *command], what).peak
                least = first.setdefault(what, peak)
                yield Peak(f"{what}, {count:,} calls", os.path.getsize(read), peak, peak / least)
            self._remove(calls, bundle)
        size = PIECE_BYTES // self._plan.share
        path = self._path("run")
        say("peak: verify, large pieces")
        self._need([*FILES, "pieces", str(PIECES), str(size), path])
        peak = self._run([*PRODUCT, "verify", path], "verify").peak
        name = f"verify, {PIECES} pieces of {size >> 20} MiB"
        yield Peak(name, os.path.getsize(path), peak, peak / first["verify"])
        self._remove(path)

    # Processes and files.

    def _transcript(self, count: int, path: str) -> None:
        size = str(count * CALL_BYTES)
        options = ["--shape", "text", "--size", "medium", "--bytes", size]
        self._need([*PYTHON, "-m", "benchmarks.generate", *options, path])

    def _pair(
        self, name: str, product: Sequence[str], baseline: Sequence[str], *written: str
    ) -> tuple[float, float]:
        """Time both by turns; `written` is what the product makes and does not replace."""
        products, baselines = [], []
        for number in range(self._plan.repeats):
            say(f"{name}: {number + 1} of {self._plan.repeats}")
            self._remove(*written)
            products.append(self._time(product, name))
            baselines.append(self._time(baseline, name))
        return min(products), min(baselines)

    def _time(self, command: Sequence[str], name: str) -> float:
        return self._plan.time(self._run(command, name))

    def _need(self, command: Sequence[str]) -> None:
        self._run(command, "make")

    def _run(self, command: Sequence[str], name: str) -> Outcome:
        out, errors = self._path("out"), self._path("errors")
        outcome = run(command, out, errors)
        if outcome.status:
            with open(errors, encoding="utf-8", errors="replace") as lines:
                said = lines.read()[-500:].strip()
            raise FailedError(f"{name}: {' '.join(command)}: exit {outcome.status}: {said}")
        return outcome

    def _missing(self, module: str, package: str) -> str:
        """Say why a baseline cannot be run, or nothing."""
        found = run([*self._others, "-c", f"import {module}"], os.devnull, environment=ENVIRONMENT)
        return f"{package} is not installed there (--others)" if found.status else ""

    def _wants(self, name: str) -> bool:
        return self._plan.only in name

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _remove(self, *paths: str) -> None:
        for path in paths:
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f} receipts a second"


def page(rows: Sequence[Row], peaks: Sequence[Peak], plan: Plan) -> str:
    """Write the page, in Markdown."""
    times = "processor times" if plan.cpu else "wall times"
    head = ["figure", "ratio", "target", "result", "product", "baseline", "remark"]
    figures = table(head, [row.cells() for row in rows], right=" rr rr") if rows else ""
    memory = ["peak memory of", "file", "peak", "against the first"]
    grown = table(memory, [peak.cells() for peak in peaks], right=" rrr") if peaks else ""
    return f"""# Benchmarks of receipts

Whole processes of toolreplay against other programs, in turn. Times are {times}, the least of
{plan.repeats} runs; ratios are product over baseline. Receipts alone and in files: a loop over
`aer1_verify.verify` in one process, and a process of `aer1-verify` each. The chain: `obsigna`.
Bundles: a plain program of the standard library (`benchmarks/baseline/plain_bundle.py`) that
parses each line, decodes, hashes and encodes again once, and checks nothing else. Calls have
{CALL_BYTES / 1000:.1f} KB.

Measured on {machine()}.
To measure again: `python3 -m benchmarks.receipts --write docs/benchmarks-receipts.md`.

{figures}
{grown}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print the page."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.receipts")
    parser.add_argument("--quick", action="store_true", help="small files, rough figures")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs a figure")
    parser.add_argument("--cpu", action="store_true", help="compare processor time")
    parser.add_argument("--only", default="", metavar="WORD", help="figures with this in the name")
    parser.add_argument(
        "--others", default=sys.executable, metavar="PYTHON", help="has the other programs"
    )
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    options = parser.parse_args(arguments)
    end_children_when_ended()
    share = QUICK if options.quick else 1
    # A program is started by its path.
    others = shutil.which(options.others) or options.others
    plan = Plan(options.repeats, options.only, options.cpu, share, others)
    try:
        with folder_for_files() as folder:
            bench = Bench(folder, plan)
            rows, peaks = list(bench.rows()), list(bench.peaks())
    except FailedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = page(rows, peaks, plan)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
