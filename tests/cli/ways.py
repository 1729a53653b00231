"""The ways of starting toolreplay, each as a function from arguments to what came of it.

In this process (fast, for most tests), as a command of its own, and as the zipapp. Nothing here
knows what the answer should be.
"""

import contextlib
import functools
import gc
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

__all__ = [
    "EVERY",
    "ROOT",
    "SAMPLES",
    "Ran",
    "as_module",
    "build_zipapp",
    "fresh_zipapp",
    "in_process",
    "inside",
    "run",
    "side_by_side",
]

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"

EVERY = 1 if "pytest" in sys.modules else 3
"""Of a long table, or of cases made at random, the bare run takes every third, to stay quick; pytest
takes them all."""

# A name that is no file must not be looked for in a store of whoever runs the tests.
os.environ["XDG_DATA_HOME"] = "/nonexistent"

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_PIPE_BYTES = 60_000
"""What any pipe holds without a reader (64 KiB on Linux)."""


class Ran(NamedTuple):
    """What came of one command."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Standard output as text; it is UTF-8 whatever the locale."""
        return self.out.decode("utf-8")

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.text.splitlines()

    @property
    def error(self) -> str:
        """Standard error as text."""
        return self.err.decode("utf-8")


@contextlib.contextmanager
def inside(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Make a folder the working folder for a while."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def in_process(
    *arguments: str, folder: str | os.PathLike[str] | None = None, stdin: bytes = b""
) -> Ran:
    """Run a command line in this process. Standard input is a pipe, as a shell would give it."""
    from toolreplay.cli.main import main

    streams = sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), "ascii") for _ in streams)
    sys.stdout, sys.stderr = out, err
    try:
        with inside(folder or os.getcwd()), _standard_input(stdin), warnings.catch_warnings():
            # A command that fails leaves closing its files to the end of its process.
            warnings.simplefilter("ignore", ResourceWarning)
            try:
                status = main(arguments)
            except SystemExit as error:  # argparse leaves so after --help
                status = int(error.code or 0)
    finally:
        sys.stdout, sys.stderr = streams
        gc.enable()
    return Ran(status, *(stream.buffer.getvalue() for stream in (out, err)))  # type: ignore[attr-defined]


def as_module(*options: str) -> list[str]:
    """Return the command that starts a checkout: an interpreter without site-packages."""
    return [sys.executable, "-S", *options, "-m", "toolreplay"]


def run(
    command: Sequence[str],
    *arguments: str,
    folder: str | os.PathLike[str] | None = None,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
) -> Ran:
    """Run a command as a process of its own; its environment is bare but for what is given."""
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), **(environment or {})},
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def side_by_side(start: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    """Call a function that waits for a process with each item, as many at once as there are cores.

    Never for what runs in this process: it would share streams and working folder.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(start, items))


def build_zipapp(folder: str | os.PathLike[str]) -> list[str]:
    """Build the zipapp into a folder; return the command that starts it, shut off from the rest."""
    out = os.path.join(folder, "toolreplay.pyz")
    with open(out, "wb") as file:
        file.write(_zipapp())
    return [sys.executable, "-I", "-S", out]


@functools.cache
def _zipapp() -> bytes:
    """Build it once for all tests; that two builds are equal has a test of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return fresh_zipapp(folder)


def fresh_zipapp(folder: str | os.PathLike[str]) -> bytes:
    """Build the zipapp anew, into a folder; return its bytes."""
    out = os.path.join(folder, "built.pyz")
    subprocess.run(
        [sys.executable, "-S", str(ROOT / ".ci" / "build-pyz"), out],
        check=True,
        capture_output=True,
        timeout=60,
    )
    with open(out, "rb") as file:
        return file.read()


@contextlib.contextmanager
def _standard_input(data: bytes) -> Iterator[None]:
    """Let file descriptor 0 read these bytes, through a pipe."""
    before = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    writer = None
    if len(data) > _PIPE_BYTES:
        writer = threading.Thread(target=_write_and_close, args=(writing, data))
        writer.start()
    else:
        _write_and_close(writing, data)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        if writer is not None:
            writer.join()


def _write_and_close(descriptor: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "wb") as file:
        file.write(data)
