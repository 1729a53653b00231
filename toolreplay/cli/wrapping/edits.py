"""Put words before a server's command inside a text, and take them away again.

Nothing is kept elsewhere: the server's own command moves, byte for byte, in front of its arguments,
and everything else that is written is inserted. So it can be undone in a file that was changed
since; where it was not, the bytes are those from before.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Edit", "Spot", "edited", "quoted", "unwrapping", "wrapping"]

_LINE_STARTS = b"\r\n\t"


class Edit(NamedTuple):
    """The bytes [start, end) become `new`."""

    start: int
    end: int
    new: bytes


class Spot(NamedTuple):
    """Where a server's command and arguments stand in a text.

    `command` are the bytes of its value. `opening` is the place behind the `[` of the arguments,
    `closing` that of their `]`, `elements` the bytes of each; all None or empty where there are no
    arguments. Then `absent_at` is where they can be put, behind the bytes `absent_before`.
    """

    command: tuple[int, int]
    opening: int | None
    closing: int | None
    elements: tuple[tuple[int, int], ...]
    absent_at: int
    absent_before: bytes


def quoted(text: str) -> bytes:
    """Return a string as JSON (RFC 8259, section 7) and TOML (v1.0.0, String) both take it.

    Raises UnicodeEncodeError for a text that is no Unicode.
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f").encode()


def wrapping(data: bytes, spot: Spot, words: Sequence[str]) -> list[Edit]:
    """Return the edits that start `words` with the server's command behind them."""
    start, end = spot.command
    first, *rest = map(quoted, words)
    inserted = b", ".join([*rest, data[start:end]])
    edits = [Edit(start, end, first)]
    if spot.opening is None:
        # The blank behind the bracket says that there were none before.
        edits.append(Edit(spot.absent_at, spot.absent_at, spot.absent_before + inserted + b"]"))
    else:
        if spot.elements:
            inserted += b"," if data[spot.opening] in _LINE_STARTS else b", "
        edits.append(Edit(spot.opening, spot.opening, inserted))
    return edits


def unwrapping(data: bytes, spot: Spot, args: Sequence[str], at: int) -> list[Edit]:
    """Return the edits that bring back the command that is argument number `at`."""
    assert spot.opening is not None
    assert spot.closing is not None
    first, own = spot.elements[0][0], spot.elements[at]
    edits = [Edit(*spot.command, data[own[0] : own[1]])]
    written = b"".join(quoted(word) + b", " for word in args[:at])
    is_as_written = data[first : own[0]] == written
    is_alone = len(spot.elements) == at + 1
    absent = data[spot.absent_at : spot.absent_at + len(spot.absent_before)]
    were_absent = absent == spot.absent_before and (
        first == spot.absent_at + len(spot.absent_before)
    )
    if is_as_written and is_alone and were_absent and spot.closing == own[1]:
        edits.append(Edit(spot.absent_at, own[1] + 1, b""))
    elif is_as_written and first == spot.opening:
        end = own[1]
        if not is_alone:
            end += 1 if data[end + 1] in _LINE_STARTS else 2
        edits.append(Edit(first, end, b""))
    elif is_alone:
        edits.append(Edit(spot.opening, spot.closing, b""))
    else:  # laid out anew by somebody: what stood before the first stays before it
        edits.append(Edit(first, spot.elements[at + 1][0], b""))
    return edits


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the text with all edits made; they must not overlap."""
    parts, last = [], 0
    for edit in sorted(edits):
        parts += [data[last : edit.start], edit.new]
        last = edit.end
    return b"".join([*parts, data[last:]])
