"""What `replay`, `scope` and `seal` share: exactly one strict transcript in.

Everything else is for `audit` and `verify`.
"""

import os

from toolreplay.cli.console import Console
from toolreplay.records.limits import Limits
from toolreplay.records.run import STRICT, Run, RunInfo
from toolreplay.records.transcript import read_transcript
from toolreplay.sources.opening import open_stream, plain_name

__all__ = ["note_meta_beside", "open_strict"]


def open_strict(name: str, limits: Limits) -> Run:
    """Open a strict transcript as a run that is read as a stream."""
    opened = open_stream(name, limits)
    info = RunInfo(plain_name(name), name, STRICT)
    return Run(info, read_transcript(opened.file, limits), opened.raw)


def note_meta_beside(name: str, console: Console) -> None:
    """Point at `audit` where an import left its companion file: it says what a line cannot."""
    from toolreplay.records.meta import meta_name

    if name != "-" and os.path.exists(meta_name(name)):
        console.note(
            f"note: {meta_name(name)} is beside it: toolreplay audit also knows outcomes and "
            "state changes"
        )
