"""toolreplay audits what AI agents did with their tools.

The public names are listed in `__all__` and loaded when first used, so that a command which needs
none of them starts without them. What counts as stable: docs/stability.md. Kept in syntax that
older interpreters can read, so that they reach the line in __main__.py that says what is needed.
"""

from toolreplay.version import __version__

TYPE_CHECKING = False  # type checkers take it as true; importing typing would cost start-up
if TYPE_CHECKING:
    from toolreplay.errors import (
        CanonicalError,
        DeclarationError,
        InputError,
        MissingExtraError,
        OutputError,
        RecordingError,
        RunStateError,
        StoreBusyError,
        StoreDamagedError,
        StoreError,
        StoreFailedError,
        ToolReplayError,
        TranscriptError,
        UnsignedError,
        UsageError,
    )
    from toolreplay.recording import record
    from toolreplay.records.call import ToolCall
    from toolreplay.records.limits import Limits
    from toolreplay.records.transcript import TranscriptWriter, read_sealed, read_transcript

__all__ = [
    "CanonicalError",
    "DeclarationError",
    "InputError",
    "Limits",
    "MissingExtraError",
    "OutputError",
    "RecordingError",
    "RunStateError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreFailedError",
    "ToolCall",
    "ToolReplayError",
    "TranscriptError",
    "TranscriptWriter",
    "UnsignedError",
    "UsageError",
    "__version__",
    "read_sealed",
    "read_transcript",
    "record",
]

_HOMES = {
    "Limits": "records.limits",
    "ToolCall": "records.call",
    "TranscriptWriter": "records.transcript",
    "read_sealed": "records.transcript",
    "read_transcript": "records.transcript",
    "record": "recording",
}
"""Where a name is at home; all others are errors."""


def __getattr__(name):  # type: (str) -> object
    if name not in __all__:
        raise AttributeError("module 'toolreplay' has no attribute '%s'" % name)  # noqa: UP031
    from importlib import import_module

    home = "toolreplay." + _HOMES.get(name, "errors")
    return getattr(import_module(home), name)


def __dir__():  # type: () -> list[str]
    return __all__
