"""Audit folders of many sessions: how do time and memory grow?

    python3 -m benchmarks.sessions [--write docs/benchmarks-sessions.md]

A thousand and ten thousand transcripts of fifty calls each, with repeats and differences among
them; `audit` reads the folder, and writes each report. The aim is a growth of at most 10.5 in time
and 1.2 in peak memory.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence

from benchmarks.processes import (
    PRODUCT,
    end_children_when_ended,
    folder_for_files,
    machine,
    run,
    say,
)
from benchmarks.tables import table, write_page

FEW, MANY = 1_000, 10_000
CALLS = 50
AROUND = 5
TIME_GROWTH, MEMORY_GROWTH = 10.5, 1.2
FORMATS = ["text", "json", "sarif", "junit", "markdown"]


def write_sessions(folder: str, count: int) -> None:
    """Write transcripts of fifty calls, a hundred in a folder."""
    for number in range(count):
        chosen = random.Random(number)
        place = os.path.join(folder, f"{number // 100:03}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{number:05}.jsonl"), "w", encoding="ascii") as file:
            for index in range(CALLS):
                path = f"src/{chosen.randrange(200)}.py"
                text = "x" * chosen.randrange(400) if chosen.random() < 0.05 else path * 5
                record = {
                    "index": index,
                    "tool": chosen.choice(("read_file", "search", "list_dir")),
                    "args": {"path": path},
                    "response": {"text": text},
                }
                file.write(json.dumps(record) + "\n")


def page(rows: Sequence[Sequence[str]]) -> str:
    """Write the page, in Markdown."""
    head = ["report", "few, s", "many, s", "growth", "few, MB", "many, MB", "growth ", "result"]
    return f"""# Many sessions

`toolreplay audit FOLDER` over {FEW:,} and over {MANY:,} transcripts of {CALLS} calls: wall time and
peak memory of the whole process (of the few the mean of ten), and how they grow. The aim is at most {TIME_GROWTH} in time and
{MEMORY_GROWTH} in memory.

Measured on {machine()}.
To measure again: `python3 -m benchmarks.sessions --write docs/benchmarks-sessions.md`.

{table(head, rows, right=" rrrrrr ")}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the page."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.sessions")
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    options = parser.parse_args(arguments)
    end_children_when_ended()
    rows = []
    with folder_for_files() as folder:
        few, many, out = (os.path.join(folder, name) for name in ("few", "many", "out"))
        for place, count in ((few, FEW), (many, MANY)):
            say(f"writing {count:,} sessions")
            write_sessions(place, count)
        for form in FORMATS:
            say(f"audit, {form}")
            command = [*PRODUCT, "audit", "--format", form, "--config", "none"]
            # Ten of the small around one of the large: both then have the same share of whatever
            # else the machine does. The first reading of a folder also pays for the disk.
            run([*command, many], out)
            smalls = [run([*command, few], out) for _ in range(AROUND)]
            large = run([*command, many], out)
            smalls += [run([*command, few], out) for _ in range(AROUND)]
            seconds = sum(each.seconds for each in smalls) / len(smalls)
            small = smalls[0]._replace(seconds=seconds)
            if {small.status, large.status} != {1}:
                print(f"error: audit ended with {small.status} and {large.status}", file=sys.stderr)
                return 2
            time, memory = large.seconds / small.seconds, large.peak / small.peak
            met = "met" if time <= TIME_GROWTH and memory <= MEMORY_GROWTH else "missed"
            rows.append(
                [
                    form,
                    f"{small.seconds:.2f}",
                    f"{large.seconds:.2f}",
                    f"{time:.2f}",
                    f"{small.peak / 1e6:.1f}",
                    f"{large.peak / 1e6:.1f}",
                    f"{memory:.2f}",
                    met,
                ]
            )
    text = page(rows)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
