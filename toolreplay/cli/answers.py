"""What comes of a piece of work, part by part, and where it is not what must come of it.

A command or an import is run in this process, in a temporary folder of its own, with its streams
kept. A defect is an answer like any other: it fails its own case, and the next one is run.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from typing import NamedTuple

from toolreplay.cli.console import KeptConsole

__all__ = [
    "ERRORS",
    "OUTPUT",
    "STATUS",
    "Answers",
    "Difference",
    "answers_of_command",
    "answers_of_work",
    "differences",
    "in_folder_of",
]

Answers = Mapping[str, bytes]
"""What came of something, or must come of it: each part by its name."""

OUTPUT = "standard output"
ERRORS = "standard error"
STATUS = "exit status"

_INTERRUPTED = 130
_ENDED_ITSELF = 99
"""A status no command has."""


class Difference(NamedTuple):
    """The first line of a part that is not what it must be; a line that is not there is None."""

    part: str
    line: int
    expected: str | None
    found: str | None


def answers_of_command(*arguments: str) -> dict[str, bytes]:
    """Run a command and return its two streams and its exit status."""
    from toolreplay.cli.main import run_command

    console = KeptConsole()
    answers = answers_of_work(lambda: run_command(list(arguments), console), console)
    return {OUTPUT: bytes(console.out), **answers}


def answers_of_work(work: Callable[[], int], console: KeptConsole) -> dict[str, bytes]:
    """Do some work as the main function would, and return what it says of errors."""
    from toolreplay.cli.failures import answered

    try:
        status = answered(work, console)
    except SystemExit as ended:  # the help of a command, which no case asks for
        status = ended.code if isinstance(ended.code, int) and ended.code else _ENDED_ITSELF
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    return {ERRORS: bytes(console.err), STATUS: str(status).encode()}


@contextmanager
def in_folder_of(files: Answers) -> Iterator[None]:
    """Work for a while in a temporary folder that holds these files."""
    from tempfile import TemporaryDirectory

    before = os.getcwd()
    with TemporaryDirectory(prefix="toolreplay-selftest-") as folder:
        for name, data in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def differences(expected: Answers, found: Answers) -> list[Difference]:
    """Return the first differing line of each part that is not what it must be."""
    wrong = []
    for part in sorted(expected.keys() | found.keys()):
        pairs = zip_longest(_lines_of(expected.get(part)), _lines_of(found.get(part)))
        for number, (one, other) in enumerate(pairs, 1):
            if one != other:
                wrong.append(Difference(part, number, one, other))
                break
    return wrong


def _lines_of(data: bytes | None) -> list[str]:
    """Return lines, after a last line ending an empty one; a part that is not there has none."""
    return [] if data is None else data.decode("utf-8", "backslashreplace").split("\n")
