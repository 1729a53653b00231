"""Every error toolreplay raises on purpose, in one tree; all names end in Error.

    ToolReplayError
    ├── UsageError            the command line asks for something impossible
    ├── InputError            a given file is not what it claims to be (carries where and what)
    │   ├── TranscriptError       a strict or sealed transcript
    │   └── DeclarationError      a scope or another declared file
    ├── OutputError           a file or stream cannot be written (carries where and what)
    ├── CanonicalError        a value has no form of that name
    ├── StoreError            a store cannot be used (carries where and what)
    │   ├── StoreBusyError        others hold it for too long
    │   ├── StoreFailedError      it stopped recording when a write failed
    │   ├── StoreDamagedError     its bytes contradict a head that was signed
    │   ├── UnsignedError         what was recorded is kept, and its head is not signed
    │   └── RunStateError         a run is closed, or not there, or there already
    ├── RecordingError        nothing can be recorded, and calls must not go on without
    └── MissingExtraError     a part needs a package that is not installed

A finding about a run is never an exception, and an exception is never a finding: an exception
means that we could not look, and the command ends with 2.
"""

__all__ = [
    "CanonicalError",
    "DeclarationError",
    "InputError",
    "MissingExtraError",
    "OutputError",
    "RecordingError",
    "RunStateError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreFailedError",
    "ToolReplayError",
    "TranscriptError",
    "UnsignedError",
    "UsageError",
]


class ToolReplayError(Exception):
    """Whatever toolreplay could not do; its text is one line for a person."""


class UsageError(ToolReplayError):
    """The command line asks for something impossible."""


class _PlaceError(ToolReplayError):
    """`where` is a place, it may be empty; `what` is the fact."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.where = where
        self.what = what


class InputError(_PlaceError):
    """A given file is not what it claims to be.

    `where` is the place inside the input ("line 3") or the name of the input when the whole of
    it is meant; it may be empty. `what` is the fact.
    """


class OutputError(_PlaceError):
    """A file or stream cannot be written; `where` is its name, `what` the system's own words."""


class TranscriptError(InputError):
    """A line of a strict or sealed transcript breaks its format."""


class DeclarationError(InputError):
    """A scope, or another file in which something is declared, breaks its format."""


class CanonicalError(ToolReplayError):
    """A value has no canonical form of that name: it must not be hashed."""


class StoreError(_PlaceError):
    """A store cannot be used; `where` is its name."""


class StoreBusyError(StoreError):
    """Others hold the store for longer than was waited; nothing was written."""


class StoreFailedError(StoreError):
    """A write failed, so the store stopped recording; what was acknowledged before stands."""


class StoreDamagedError(StoreError):
    """What a store holds contradicts a head that was signed: the one error that ends with 1."""


class UnsignedError(StoreError):
    """What was recorded is kept, and the key that was given did not sign its head."""


class RunStateError(StoreError):
    """A run is closed, or is not there, or is there already."""


class RecordingError(ToolReplayError):
    """A call cannot be recorded, and whoever set up the recording wants none that is not."""


class MissingExtraError(ToolReplayError):
    """A part needs a package that is not installed; the text names the line that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}' (pip install '.[{extra}]')")
        self.extra = extra
