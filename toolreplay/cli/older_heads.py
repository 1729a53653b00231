"""The older size that `--since` means: a number, or the file of a head that was kept."""

from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.note import parse_note
from toolreplay.sources.declared import read_small
from toolreplay.stores.sqlite.reading import LogTables

__all__ = ["older_size"]


def older_size(text: str, tables: LogTables) -> int:
    """Return the size that a store shall be shown to have grown out of.

    Of a head in a file only size, origin and root are looked at: its signature is for whoever
    checks the proof. Raises InputError where the store did not grow out of it.
    """
    size = tables.size()
    if text.isascii() and text.isdigit():
        if not 0 < int(text[:20]) <= size:
            raise UsageError(f"--since {text[:40]}: the store has {size:,} entries")
        return int(text)
    head = parse_checkpoint(parse_note(read_small(text), text).text, text)
    if head.origin != tables.origin:
        raise InputError(text, f"is the head of {head.origin}, and the store is {tables.origin}")
    if head.size > size:
        raise InputError(
            text, f"is a head of {head.size:,} entries, and the store has {size:,}: it was cut"
        )
    if head.size and tables.root(head.size) != head.root:
        raise InputError(
            text,
            f"is a head with another root than the store's first {head.size:,} entries have: keep "
            "it, these are two histories",
        )
    if not head.size:
        raise InputError(text, "is the head of an empty log: whatever follows has grown out of it")
    return head.size
