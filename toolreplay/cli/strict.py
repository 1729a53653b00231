"""What `replay`, `scope` and `seal` share: exactly one strict transcript in.

Everything else is for `audit` and `verify`.
"""

import os
from collections.abc import Iterator

from toolreplay.cli.console import Console
from toolreplay.errors import TranscriptError
from toolreplay.records.call import ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.run import SEALED, STRICT, Run, RunInfo
from toolreplay.records.transcript import read_transcript
from toolreplay.sources.opening import Opened, open_stream, plain_name, shown_name

__all__ = ["note_meta_beside", "open_strict"]


def open_strict(name: str, limits: Limits) -> Run:
    """Open a strict transcript as a run that is read as a stream."""
    opened = open_stream(name, limits)
    shown = shown_name(name)
    info = RunInfo(plain_name(shown), shown, STRICT)
    return Run(info, _calls(opened, limits), opened.raw)


def _calls(opened: Opened, limits: Limits) -> Iterator[ToolCall]:
    """Yield the calls; what is no line of JSON may be a session, and then that is said."""
    try:
        yield from read_transcript(opened.file, limits)
    except TranscriptError as error:
        if error.where != "line 1" or not error.what.startswith("not valid JSON"):
            raise
        word = _form_of(opened, limits)
        if word is None:
            raise
        raise TranscriptError(
            error.where, f"{error.what}: {word} is not a transcript (see: toolreplay audit)"
        ) from None


def _form_of(opened: Opened, limits: Limits) -> str | None:
    """Return what a file is instead of a transcript, where it can be read again."""
    if opened.raw is None:
        return None
    from toolreplay.sources.head import head_of
    from toolreplay.sources.recognise import NotRecognisedError, recognise

    opened.file.seek(0)
    try:
        found = recognise(head_of(opened.file, limits), opened.name, None)
    except NotRecognisedError:
        return None
    return None if found.form in (STRICT, SEALED) else found.form


def note_meta_beside(name: str, console: Console) -> None:
    """Point at `audit` where an import left its companion file: it says what a line cannot."""
    from toolreplay.records.meta import meta_name

    if name != "-" and os.path.exists(meta_name(name)):
        console.note(
            f"note: {meta_name(name)} is beside it: toolreplay audit also knows outcomes and "
            "state changes"
        )
