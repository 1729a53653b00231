"""Run a command on hostile input, in this process or in one of its own, and hold it to the rules.

The rules, whatever the input:
* status 2 means nothing on standard output and exactly one line on standard error;
* no traceback, and no `unexpected …`: what may come is expected;
* both streams are UTF-8, without a control, direction or invisible character;
* lines that people read have a bound, and JSON output is JSON.
"""

import contextlib
import gc
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from toolreplay.cli.main import main

ROOT = Path(__file__).resolve().parents[2]

LONGEST_LINE = 20_200
"""Characters of a line for people: twice what a quoted name may take (1,000 characters, each of
which may print as ten), or an error of 2,000 characters."""

FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0010fffe\U0010ffff]"
)
"""What no terminal may be sent; written down here once more, so that it is not the program's own
table that judges the program."""


IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class InAFolderOfItsOwn(unittest.TestCase):
    """Runs each test in an empty folder, in memory where the system has that."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.addCleanup(folder.cleanup)
        self.addCleanup(gc.enable)  # a command in this process leaves it off
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


"""Where temporary folders are made: what a command writes is synced, which a disk is slow at."""


class Ran(NamedTuple):
    """What came of one command."""

    status: int
    out: bytes
    err: bytes


SECONDS = 60
"""A command in this process that takes longer hangs, and raises HangsError."""


def run_here(arguments: Sequence[str], stdin: str = os.devnull, seconds: float = SECONDS) -> Ran:
    """Run a command in this process with captured streams.

    It switches the garbage collector off, which is the caller's to know.
    """
    out, err = io.BytesIO(), io.BytesIO()
    streams = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")
    kept = sys.stdout, sys.stderr
    # A command leaves its files to the end of its process.
    warnings.simplefilter("ignore", ResourceWarning)
    sys.stdout, sys.stderr = streams
    try:
        with standard_input(stdin), no_longer_than(seconds):
            status = main(arguments)
    except SystemExit as error:  # argparse's own --help
        status = int(error.code or 0)
    finally:
        sys.stdout, sys.stderr = kept
        for stream in streams:
            stream.detach()
    return Ran(status, out.getvalue(), err.getvalue())


def run_apart(arguments: Sequence[str], stdin: str = os.devnull, stdout: str | None = None) -> Ran:
    """Run a command in a process of its own, with a bare interpreter."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(open(stdin, "rb"))
        target = stack.enter_context(open(stdout, "wb")) if stdout else subprocess.PIPE
        done = subprocess.run(
            [sys.executable, "-S", "-B", "-m", "toolreplay", *arguments],
            env={"PATH": os.defpath, "PYTHONPATH": str(ROOT)},
            stdin=source,
            stdout=target,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    return Ran(done.returncode, done.stdout or b"", done.stderr)


class HangsError(BaseException):
    """Raised inside a command that takes too long; no command may catch it."""


@contextlib.contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """Raise HangsError in what takes longer."""

    def ring(*_: object) -> None:
        raise HangsError(f"longer than {seconds} seconds")

    kept = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)


@contextlib.contextmanager
def standard_input(name: str) -> Iterator[None]:
    """Make a file the standard input of this process."""
    kept = os.dup(0)
    source = os.open(name, os.O_RDONLY)
    os.dup2(source, 0)
    os.close(source)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def offences(ran: Ran, arguments: Sequence[str]) -> list[str]:
    """Return what of the rules a command has broken, in words."""
    found = []
    texts = {}
    for name, data in (("standard output", ran.out), ("standard error", ran.err)):
        try:
            texts[name] = data.decode("utf-8")
        except UnicodeDecodeError as error:
            found.append(f"{name} is not UTF-8: {error}")
            texts[name] = data.decode("utf-8", "replace")
        character = FORBIDDEN.search(texts[name])
        if character:
            found.append(f"{name} holds U+{ord(character[0]):04X} raw")
        if texts[name] and not texts[name].endswith("\n"):
            found.append(f"{name} ends within a line")
    out, err = texts["standard output"], texts["standard error"]
    if "Traceback" in err or "error: unexpected " in err:
        found.append(f"a defect shows: {err[-300:]!r}")
    if ran.status not in (0, 1, 2, 3):
        found.append(f"no status of ours: {ran.status}")
    lines = err.split("\n")[:-1]
    if ran.status == 2 and not prints_before_it_fails(arguments):
        if ran.out:
            found.append(f"status 2, and standard output has {ran.out[:100]!r}")
        if len(lines) != 1:
            found.append(f"status 2, and standard error has {len(lines)} lines: {err[:300]!r}")
    if not is_data(arguments):
        lines += out.split("\n")
    longest = max(map(len, lines), default=0)
    if longest > LONGEST_LINE:
        found.append(f"a line of {longest} characters")
    if ran.status != 2 and is_json(arguments):
        try:
            json.loads(out)
        except ValueError as error:
            found.append(f"standard output is not JSON: {error}")
    return found


def is_data(arguments: Sequence[str]) -> bool:
    """Whether standard output is for programs, or whole on request: its lines have no bound."""
    return is_json(arguments) or "--full" in arguments or arguments[0] in ("seal", "import")


def is_json(arguments: Sequence[str]) -> bool:
    """Whether standard output is one JSON document."""
    return ("--format", "json") in pairwise(arguments)


def prints_before_it_fails(arguments: Sequence[str]) -> bool:
    """Whether one of several inputs may fail while others are reported on."""
    words = iter(arguments[1:])
    inputs = []
    for word in words:
        if word.startswith("--"):
            if word not in ("--verbose", "--full") and "=" not in word:
                next(words, None)
        else:
            inputs.append(word)
    return arguments[:1] in (["audit"], ["show"]) and (
        len(inputs) > 1 or any(map(os.path.isdir, inputs))
    )
