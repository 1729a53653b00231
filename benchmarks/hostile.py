"""Run toolreplay on hostile files and report exit status, message, time and memory.

    python3 -m benchmarks.hostile [--huge] [--only WORD] [--write docs/hostile.md]

Nothing is asserted: the table is for reading. The aim is 2 s and 256 MB for files of up to
64 MB; the ten million tiny records of --huge have no limit of time, only flat memory.

The last column names what no file should ever cause: a traceback, a raw control character on
either output, any standard output at exit 2, more or less than one line of error there, or an
end by a signal.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.hazards import HAZARDS, HUGE_HAZARDS, Hazard
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

COMMANDS = ["replay", "seal", "verify"]
LATER_COMMANDS = ["audit"]  # run where this toolreplay has them
SECONDS = 2.0  # wall time that a file of up to 64 MB may take
MEMORY = 256_000_000  # bytes that a process may hold
# What ends a process early, so that one bad file stops neither the run nor the machine.
PATIENCE = 240.0  # seconds
HUGE_PATIENCE = 3_600.0  # seconds
ADDRESS_SPACE = 4_000_000_000  # bytes
CHUNK = 1_000_000  # bytes of output looked at together
MESSAGE = 60  # characters of the first line of error that are shown
# C0 without the newline, DEL, and C1 as UTF-8; a lead byte at the end of a chunk is looked at
# with the next one.
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


class Report(NamedTuple):
    """What one command did with one file."""

    name: str
    size: int
    command: str
    outcome: Outcome
    message: str
    odd: str

    @property
    def within(self) -> bool:
        """Say whether the process kept the aims of time and memory."""
        return self.outcome.seconds <= SECONDS and self.outcome.peak <= MEMORY

    def cells(self) -> list[str]:
        """Lay the report out for the table."""
        return [
            self.name,
            f"{self.size:,}",
            self.command,
            str(self.outcome.status),
            f"{self.outcome.seconds:.2f}",
            f"{self.outcome.peak / 1_000_000:.0f}" if self.outcome.status >= 0 else "?",
            "yes" if self.within else "no",
            f"`{self.message}`" if self.message else "",
            self.odd,
        ]


def reports(folder: str, hazards: Sequence[Hazard], patience: float) -> Iterator[Report]:
    """Make each file in turn and run every command on it."""
    commands = available(folder)
    for hazard in hazards:
        say(f"{hazard.name}: make")
        name = hazard.name if hazard.name.endswith(".gz") else f"{hazard.name}.jsonl"
        path = os.path.join(folder, name)
        maker = [*PYTHON, "-m", "benchmarks.hazards", hazard.name, path]
        if run(maker, os.devnull).status:
            raise OSError(f"{hazard.name} could not be made")
        for command in commands:
            say(f"{hazard.name}: {command}")
            yield look(folder, name, command, patience)
        os.remove(path)


def available(folder: str) -> list[str]:
    """Name the commands that can be run."""
    out = os.path.join(folder, "out")
    later = [each for each in LATER_COMMANDS if run([*PRODUCT, each, "--help"], out).status == 0]
    return COMMANDS + later


def look(folder: str, name: str, command: str, patience: float) -> Report:
    """Run one command on one file of the folder."""
    out, err = os.path.join(folder, "out"), os.path.join(folder, "err")
    outcome = run(
        [*PRODUCT, command, name],
        out,
        err,
        # Inside the folder, so that messages name the file alone.
        folder=folder,
        environment={**ENVIRONMENT, "PYTHONPATH": ROOT},
        seconds=patience,
        memory=ADDRESS_SPACE,
    )
    size = os.path.getsize(os.path.join(folder, name))
    odd = ", ".join(oddities(outcome, out, err))
    return Report(name, size, command, outcome, first_line(err), odd)


def oddities(outcome: Outcome, out: str, err: str) -> Iterator[str]:
    """Name what no file should ever cause."""
    if outcome.status < 0:
        yield f"signal {-outcome.status}"
    if outcome.status == 2 and os.path.getsize(out):
        yield "output at exit 2"
    if outcome.status == 2 and (count := lines_of(err)) != 1:
        yield f"{count} lines of error"
    for path in (out, err):
        if found(path, CONTROL):
            yield f"control character on std{os.path.basename(path)}"
    if found(err, re.compile(b"Traceback")):
        yield "traceback"
    if os.path.getsize(err) > 1_000:
        yield f"{os.path.getsize(err):,} bytes of error"


def lines_of(path: str) -> int:
    """Count the lines of a file."""
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def found(path: str, pattern: re.Pattern[bytes]) -> bool:
    """Say whether a pattern of at most 10 bytes is in a file of any size."""
    kept = b""
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            if pattern.search(kept + chunk):
                return True
            kept = chunk[-10:]
    return False


def first_line(path: str) -> str:
    """Show the first line of a file, escaped and cut, fit for a table's cell."""
    with open(path, "rb") as file:
        raw = file.read(1_000).split(b"\n", 1)[0]
    text = raw.decode("utf-8", "backslashreplace")
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    shown = shown.replace("`", "'").replace("|", "/")
    return shown if len(shown) <= MESSAGE else shown[: MESSAGE - 1] + "…"


def page(found_out: Sequence[Report]) -> str:
    """Write the page, in Markdown."""
    head = ["file", "bytes", "command", "exit", "s", "MB", "within", "first line of error", "odd"]
    rows = [each.cells() for each in found_out]
    over = sum(not each.within for each in found_out)
    odd = sum(bool(each.odd) for each in found_out)
    return f"""# Hostile files

What each command does with files that are made to hurt a reader: exit status, wall
time in seconds, peak memory in MB, and the first line of standard error, escaped and cut.
The aim is {SECONDS:.0f} s and {MEMORY / 1e6:.0f} MB for files of up to 64 MB; `within` says
whether it was kept.

Measured on {machine()}.
To measure again: `python3 -m benchmarks.hostile --write docs/hostile.md`.

processes: {len(found_out)} · over the aim: {over} · odd: {odd}

{table(head, rows, right=" r rrr")}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the hostile files that were asked for and print the table."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.hostile")
    parser.add_argument("--huge", action="store_true", help="ten million records; takes minutes")
    parser.add_argument("--only", default="", metavar="WORD", help="files with this in the name")
    parser.add_argument("--write", metavar="FILE", help="write the page there as well")
    options = parser.parse_args(arguments)
    end_children_when_ended()
    hazards = [each for each in HAZARDS if options.only in each.name]
    huge = [each for each in HUGE_HAZARDS if options.huge and options.only in each.name]
    with folder_for_files() as folder:
        found_out = [
            *reports(folder, hazards, PATIENCE),
            *reports(folder, huge, HUGE_PATIENCE),
        ]
    text = page(found_out)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
