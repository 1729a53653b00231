"""Measure the Merkle tree: its root against bare hashes, appending and proofs against `pymerkle`.

    python3 -m benchmarks.merkle [--quick] [--others PYTHON] [--write docs/benchmarks-merkle.md]

`--others` names an interpreter that has `pymerkle`; without it those rows are skipped, with the
reason. Product and baseline take turns in one process.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence

from benchmarks.processes import (
    ROOT,
    end_children_when_ended,
    folder_for_files,
    machine,
    run,
    say,
)
from benchmarks.ratios import Row, ratio_table
from benchmarks.tables import write_page

LEAVES, SOME = 1_000_000, 50_000
TURNS = 9
QUICK = 10  # how much less of everything --quick measures


class FailedError(Exception):
    """A process did not do what it was run for."""


def rows(others: str, share: int) -> Iterator[Row]:
    """Measure everything."""
    leaves, some = LEAVES // share, SOME // share
    work = [others, "-m", "benchmarks.merkle_work"]
    with folder_for_files() as folder:

        def turns(what: str, count: int) -> list[list[float]]:
            say(f"{what}, {count:,} leaves")
            out, errors = os.path.join(folder, "out"), os.path.join(folder, "errors")
            outcome = run([*work, what, str(count), str(TURNS)], out, errors, folder=ROOT)
            with open(errors if outcome.status else out, encoding="utf-8") as file:
                text = file.read()
            if outcome.status:
                raise FailedError(f"{what}: exit {outcome.status}: {text[-500:].strip()}")
            times: list[list[float]] = json.loads(text)
            return times

        times = turns("root", leaves)
        name = f"root of {leaves:,} leaf hashes: processor time over that of as many bare hashes"
        remark = f"{min(ours for ours, _ in times) / leaves * 1e6:.2f} us a leaf"
        yield Row(name, [ours / theirs for ours, theirs in times], 1.5, remark=remark)
        missing = run([others, "-c", "import pymerkle"], os.devnull).status
        for what, name, target in (
            ("grow", f"append {some:,} leaves one by one, root at any time", 8.0),
            ("append", f"append {some:,} leaves, 256 together, all subtrees kept", 8.0),
            ("proofs", f"proofs of inclusion in a tree of {some:,} leaves", 5.0),
        ):
            if missing:
                yield Row(name, remark="pymerkle is not installed there (--others)")
                continue
            times = turns(what, some)
            yield Row(
                f"{name}: times the speed of pymerkle",
                [theirs / ours for ours, theirs in times],
                target,
                at_least=True,
            )


def page(measured: Sequence[Row]) -> str:
    """Write the page, in Markdown."""
    return f"""# Benchmarks of the Merkle tree

The tree of RFC 6962 in pure Python. Product and baseline take turns in one process, {TURNS} times;
the figures are ratios of processor time. The baseline of the root is a loop that makes as many
SHA-256 digests and nothing else: no tree can be faster. The others: `pymerkle`, in memory.

Measured on {machine()}.
To measure again: `python3 -m benchmarks.merkle --write docs/benchmarks-merkle.md`.

{ratio_table(measured)}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the page."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.merkle")
    parser.add_argument("--quick", action="store_true", help="small trees, rough figures")
    parser.add_argument("--others", default=sys.executable, metavar="PYTHON", help="has pymerkle")
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    options = parser.parse_args(arguments)
    end_children_when_ended()
    others = shutil.which(options.others) or options.others
    try:
        text = page(list(rows(others, QUICK if options.quick else 1)))
    except FailedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
