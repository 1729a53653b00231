"""Run whole processes and say what they cost: wall time, exit status, peak memory.

Needs POSIX: the peak comes from wait4.
"""

import hashlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = [sys.executable, "-S"]
LAUNCHER = [sys.executable, "-I", "-S", os.path.join(ROOT, "benchmarks", "launcher.py")]
PRODUCT = [*PYTHON, "-m", "toolreplay"]
# Settings of whoever measures must not change the figures; without compiled modules, say
# (PYTHONDONTWRITEBYTECODE), every start would compile the product anew.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
PEAK_UNIT = 1 if sys.platform == "darwin" else 1_024  # bytes; Linux counts in KiB


class Outcome(NamedTuple):
    """What one process did."""

    status: int  # exit status, or minus the number of the signal that ended it
    seconds: float  # wall time from before its start to after its end
    worked: float  # processor time, in seconds, of the program and the system for it
    peak: int  # bytes of memory held at most


def run(
    command: Sequence[str],
    stdout: str,
    stderr: str = os.devnull,
    *,
    folder: str = ROOT,
    environment: Mapping[str, str] = ENVIRONMENT,
    seconds: float | None = None,
    memory: int = 0,
) -> Outcome:
    """Run one process to its end, its output in the named files and its input empty.

    `seconds` of wall time end it early, and then nothing else is known; `memory` bytes of
    address space are all it gets. `None` and 0 are no limit. The program is named by its path.
    """
    reading, writing = os.pipe()
    with (
        open(reading, "rb") as report,
        open(writing, "wb") as pipe,
        open(stdout, "wb") as out,
        open(stderr, "wb") as err,
    ):
        started = time.perf_counter()
        launcher = subprocess.Popen(
            [*LAUNCHER, str(pipe.fileno()), str(memory), *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=environment,
            pass_fds=[pipe.fileno()],
            start_new_session=True,
        )
        pipe.close()
        try:
            launcher.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(launcher.pid, signal.SIGKILL)
            launcher.wait()
            return Outcome(-signal.SIGKILL, time.perf_counter() - started, 0.0, 0)
        except BaseException:
            os.killpg(launcher.pid, signal.SIGKILL)
            raise
        status, taken, worked, peak = report.read().split()
    return Outcome(int(status), float(taken), float(worked), int(peak) * PEAK_UNIT)


def digest(path: str) -> str:
    """Hash a file of any size, in hex SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_for_files() -> tempfile.TemporaryDirectory[str]:
    """Make the folder that the generated files live in; it is removed at the end."""
    return tempfile.TemporaryDirectory(prefix="toolreplay-benchmarks-")


def end_children_when_ended() -> None:
    """Let an end by signal take the measured process along and remove the files."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def machine() -> str:
    """Describe the machine in one line, without its name."""
    cores = os.cpu_count() or 1
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} core{'' if cores == 1 else 's'}, {python}, {platform.system()}"


def say(text: str) -> None:
    """Tell a person at a terminal what is being done; files and pipes get nothing."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
