"""toolreplay audits what AI agents did with their tools.

The public names are listed in `__all__` and loaded when first used, so that a command which needs
none of them starts without them. What counts as stable: docs/stability.md.
"""

from toolreplay.version import __version__

_HOMES = {
    "CanonicalError": "errors",
    "DeclarationError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "ToolReplayError": "errors",
    "TranscriptError": "errors",
    "UsageError": "errors",
    "ToolCall": "records.call",
    "Limits": "records.limits",
    "TranscriptWriter": "records.transcript",
    "read_sealed": "records.transcript",
    "read_transcript": "records.transcript",
}

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'toolreplay' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"toolreplay.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
