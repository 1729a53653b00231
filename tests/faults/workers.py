"""Try points in two processes at once; each forks its own, so neither may have threads."""

import os
import pickle
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from tests.faults.golden import IN_MEMORY

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def forked(work: Callable[[], object]) -> int:
    """Do work in a process of its own, which ends with 0, or with 1 and a traceback; return its id."""
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 - nobody else will print it
            traceback.print_exc()
        finally:
            os._exit(status)
    return child


def in_two(items: Sequence[_Item], work: Callable[[_Item], _Result]) -> list[_Result]:
    """Return the result of each item in order: a forked process works on every second one.

    Raises RuntimeError where that process ends before it is done.
    """
    with tempfile.TemporaryFile() as file:  # a pipe would be full long before it is read

        def write_results() -> None:
            for item in items[1::2]:
                pickle.dump(work(item), file)
                file.flush()

        child = forked(write_results)
        mine = [work(item) for item in items[::2]]
        os.waitpid(child, 0)
        file.seek(0)
        theirs = []
        while file.peek(1):
            theirs.append(pickle.load(file))
    if len(theirs) != len(items) // 2:
        raise RuntimeError(f"a worker ended at its item {len(theirs)}: {items[1::2][len(theirs)]}")
    merged: list[_Result] = []
    for number, result in enumerate(mine):
        merged.append(result)
        merged += theirs[number : number + 1]
    return merged


class Folders:
    """A folder for this process and another for the one it forks: ask which when it works."""

    def __init__(self, mine: str, theirs: str) -> None:
        self._me = os.getpid()
        self.all = (mine, theirs)

    def __call__(self) -> str:
        return self.all[os.getpid() != self._me]


@contextmanager
def folders() -> Iterator[Folders]:
    """Make two folders and remove them."""
    with (
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as mine,
        tempfile.TemporaryDirectory(dir=IN_MEMORY) as theirs,
    ):
        yield Folders(mine, theirs)
