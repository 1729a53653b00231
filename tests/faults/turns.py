"""turns: one process records for long; others open the store, do something, and go, in turn.

Whoever closes a file lets go of the locks its process has on it, and the last to close a database
takes its write-ahead log away: with a lock that was let go, from under whoever still records. So
each visitor is followed by entries of the one that stays, and in the end that one is killed.
"""

import os
import signal
import subprocess
import sys
from random import Random

from tests.faults.crowd import diarist, judged_crowd, played, told_in
from tests.faults.outcome import WRONG, Outcome, Problem
from tests.faults.scenario import STORE
from tests.faults.workers import forked
from tests.faults.writer import ORIGIN, RunWriter, key_in
from toolreplay.stores.sqlite.opening import create_store, open_store

_ROUNDS, _QUICK_ROUNDS = 40, 3
_VISITS = 8
_COMMANDS = (
    "store status {}", "store check {}", "store repair {}", "store erase {} --finish",
    "runs list --store {}", "verify {}", "audit {} --only recompute", "show {}",
)  # fmt: skip


def run(outcome: Outcome, seed: int, *, is_quick: bool) -> None:
    """Play rounds, a seed each, from `seed` on."""
    kept = played(outcome, range(seed, seed + (_QUICK_ROUNDS if is_quick else _ROUNDS)), _round)
    outcome.notes.append(f"{kept:,} entries acknowledged, {_VISITS} visits a round")


def _round(folder: str, random: Random) -> tuple[list[Problem], int]:
    path, key = os.path.join(folder, STORE), key_in(folder)
    create_store(path, ORIGIN, key.signer.key)
    stays = _Staying(folder)
    stays.append()
    problems = []
    for visit in range(1, _VISITS + 1):
        kind = random.randrange(3)
        if kind == 2:
            problems += _commanded(random.choice(_COMMANDS), path, folder)
        else:
            child = forked(lambda at=visit, dies=bool(kind): _visit(folder, at, dies=dies))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status not in (0, -signal.SIGKILL):
                problems.append(Problem(WRONG, f"visitor {visit} ended with {status}"))
        stays.append()
    problems += stays.end(is_killed=random.random() < 0.7)
    told = told_in(folder, _VISITS + 1)
    return problems + judged_crowd(folder, told), len(told)


def _commanded(words: str, path: str, folder: str) -> list[Problem]:
    """Run a command on the store as somebody would meanwhile; it may find, but not fail."""
    line = [word.format(path) for word in words.split()]
    done = subprocess.run(
        [sys.executable, "-S", "-m", "toolreplay", *line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "HOME": folder, "XDG_STATE_HOME": folder},
        check=False,
    )
    if done.returncode in (0, 3):
        return []
    said = (done.stderr or done.stdout)[-200:].decode("utf-8", "replace")
    return [Problem(WRONG, f"{words} ends with {done.returncode}: {said}")]


class _Staying:
    """The process that records for long: it appends whenever it is told to."""

    def __init__(self, folder: str) -> None:
        self._asked, asking = os.pipe()
        answering, self._answers = os.pipe()
        self._child = forked(lambda: self._record(folder, asking, answering))
        os.close(self._asked)
        os.close(self._answers)
        self._asking, self._answering = asking, answering

    def _record(self, folder: str, asking: int, answering: int) -> None:
        os.close(asking)
        os.close(answering)
        with open_store(os.path.join(folder, STORE), key_in(folder)) as store:
            writer = RunWriter(store, "stays", diarist(folder, 0)).open()
            while os.read(self._asked, 1):
                writer.both("tool")
                store.publish()
                os.write(self._answers, b".")
            writer.close()

    def append(self) -> None:
        """Have it append, and wait until it did or ended."""
        os.write(self._asking, b".")
        os.read(self._answering, 1)

    def end(self, *, is_killed: bool) -> list[Problem]:
        """Kill it, or let it close its run."""
        if is_killed:
            os.kill(self._child, signal.SIGKILL)
        os.close(self._asking)
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        os.close(self._answering)
        if status == (-signal.SIGKILL if is_killed else 0):
            return []
        return [Problem(WRONG, f"the process that stays ended with {status}")]


def _visit(folder: str, number: int, *, dies: bool) -> None:
    with open_store(os.path.join(folder, STORE), key_in(folder)) as store:
        writer = RunWriter(store, f"visit {number}", diarist(folder, number)).open().both("tool")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        writer.close()
