"""Running the quick commands in a process of their own, for the promises about processes.

A program is a folder that holds a package `toolreplay` with `cli/main.py` in it, so that the same
checks run over the real one and over a planted one.
"""

import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
DIRTY = str(SAMPLES / "session-dirty.jsonl")
CLEAN = str(SAMPLES / "session-clean.jsonl")
SCOPE = str(SAMPLES / "scope.json")

MAIN = "import sys; from toolreplay.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Ran(NamedTuple):
    """What came of one process."""

    status: int
    out: bytes
    err: bytes


def quick_commands(sealed: str) -> dict[str, list[str]]:
    """Return the arguments of the five quick commands by name, over the samples."""
    return {
        "version": ["version"],
        "replay": ["replay", DIRTY],
        "scope": ["scope", DIRTY, SCOPE],
        "seal": ["seal", DIRTY],
        "verify": ["verify", sealed],
    }


def run_code(
    program: pathlib.Path,
    code: str,
    arguments: list[str],
    environment: dict[str, str] | None = None,
    folder: str | None = None,
) -> Ran:
    """Run code in a bare interpreter that finds `toolreplay` in the program's folder.

    The environment holds nothing but what is given: what a test does not name cannot help it.
    """
    # -S leaves site-packages out; -E is not given, so that PYTHONHASHSEED and the like count.
    code = f"import sys; sys.path[0] = {str(program)!r}\n{code}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        env={"PATH": os.defpath, **(environment or {})},
        cwd=folder or str(program),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def run_command(program: pathlib.Path, arguments: list[str], **how: object) -> Ran:
    """Run one command of a program."""
    return run_code(program, MAIN, arguments, **how)  # type: ignore[arg-type]


def seal_sample(program: pathlib.Path, folder: str) -> str:
    """Seal the dirty sample into a folder with the program's own command; return the path."""
    path = os.path.join(folder, "sealed.jsonl")
    with open(path, "wb") as file:
        file.write(run_command(program, ["seal", DIRTY]).out)
    return path
