"""What `replay`, `scope` and `seal` share: one strict transcript in, and findings spooled.

They take exactly one strict transcript; everything else is for `audit` and `verify`.
"""

import os

from toolreplay.cli.console import Console
from toolreplay.findings.finding import Finding
from toolreplay.records.limits import Limits
from toolreplay.records.run import STRICT, Run, RunInfo
from toolreplay.records.transcript import read_transcript
from toolreplay.reports.text.tutorial import finding_line
from toolreplay.sources.opening import open_stream, plain_name

__all__ = ["FindingSpool", "note_meta_beside", "open_strict"]


def open_strict(name: str, limits: Limits) -> Run:
    """Open a strict transcript as a run that is read as a stream."""
    opened = open_stream(name, limits)
    info = RunInfo(plain_name(name), name, STRICT)
    return Run(info, read_transcript(opened.file, limits), opened.raw)


def note_meta_beside(name: str, console: Console) -> None:
    """Point at `audit` where an import left its companion file: it says what a line cannot."""
    if name != "-" and os.path.exists(f"{name}.meta.jsonl"):
        console.note(
            f"note: {name}.meta.jsonl is beside it: toolreplay audit also knows outcomes and "
            "state changes"
        )


class FindingSpool:
    """Lines of findings, kept until their number is known.

    The first thousands are kept in memory, the rest in an unnamed temporary file, so that a run
    with more findings than memory can be judged.
    """

    _KEPT_BYTES = 4 * 1024 * 1024

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._file = None

    def add(self, finding: Finding) -> None:
        """Keep the line of a finding."""
        line = finding_line(finding) + "\n"
        self._lines.append(line)
        self._size += len(line)
        if self._size > self._KEPT_BYTES:
            self._spill()

    def write_to(self, console: Console) -> None:
        """Print all lines in the order they came."""
        if self._file is not None:
            self._file.seek(0)
            while piece := self._file.read(1 << 20):
                console.write_bytes(piece)
        console.write("".join(self._lines))

    def _spill(self) -> None:
        if self._file is None:
            from tempfile import TemporaryFile

            self._file = TemporaryFile("w+b")  # noqa: SIM115 - lives as long as the spool
        self._file.write("".join(self._lines).encode("utf-8"))
        self._lines.clear()
        self._size = 0
