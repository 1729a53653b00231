"""What the members of a line of a bundle may be: types, ranges, and what belongs to a log.

A line that has the members of its kind and values of another sort cannot be read. Whether what it
says is true is judged elsewhere (bundle/checking.py). Format page: docs/formats/bundle.md.
"""

import re

from toolreplay.evidence.aer1.base64_text import Base64Error, bytes_of_base64
from toolreplay.evidence.bundle.lines import FORMAT, MOST_SIZE, Logged
from toolreplay.evidence.profile.piece import is_digest
from toolreplay.evidence.tlog.leaf import LEAF_BYTES
from toolreplay.evidence.tlog.note import NOTE_BYTES, is_key_name
from toolreplay.records.call import Json
from toolreplay.records.jsonl import LineError

__all__ = ["MOST_ENTRIES", "decoded", "is_origin", "logged_of", "refuse_unreadable"]

MOST_ENTRIES = 10**12

_RUN = re.compile("[A-Za-z0-9._-]{1,128}")
_ORIGIN_BYTES = 255
"""The length of an origin is one byte in what some witnesses sign (C2SP tlog-cosignature)."""

_PATH_HASHES = 63
_SEEDED_HASHES = 64
_CONSISTENCY = frozenset({"from", "path"})
_HEAD = frozenset({"origin", "size", "root"})


def refuse_unreadable(kind: str, value: Json, *, size: int | None) -> None:
    """Raise LineError where a member has a type or range that no line of that kind has.

    `size` is that of the log the first line names, None where it names none.
    """
    fault = ""
    if kind == "first":
        fault = _fault_of_first_line(value)
    elif kind == "piece":
        fault = _fault_of_piece_line(value)
    elif kind == "entry":
        fault = _fault_of_entry_line(value, in_log=size is not None)
    elif kind == "end":
        if type(value["end"]) is not int or not is_digest(value["sha256"]):
            fault = "end and sha256 must be a number and 64 lower-case hex digits"
    elif kind in ("consistency", "checkpoint", "head"):
        if size is None:
            fault = f"a line of kind {kind} needs a log, and the first line names none"
        else:
            fault = _fault_of_log_line(kind, value, size)
    elif type(value[kind]) is not dict:
        fault = f"{kind} must be an object"
    if fault:
        raise LineError(fault)


def logged_of(value: Json) -> Logged | None:
    """Return where a sound entry line says that it stands in a log. Raises LineError."""
    if value["leaf_b64"] is None:
        return None
    leaf = decoded(value["leaf_b64"], LEAF_BYTES, "leaf_b64")
    return Logged(leaf, value["index"], [bytes.fromhex(one) for one in value["path"]])


def decoded(text: Json, most: int, member: str) -> bytes:
    """Return the bytes of a member in base64, at most so many of them. Raises LineError."""
    try:
        data = bytes_of_base64(text)
    except Base64Error as error:
        raise LineError(f"{member} {error}") from None
    if len(data) > most:
        raise LineError(f"{member} has more than {most} bytes")
    return data


def is_origin(value: Json) -> bool:
    """Whether a value can name a log: printable, without blank or `+`, 1 to 255 bytes of UTF-8."""
    if type(value) is not str or not value.isprintable() or not is_key_name(value):
        return False
    return len(value.encode("utf-8", "surrogatepass")) <= _ORIGIN_BYTES


def _fault_of_first_line(value: Json) -> str:
    if value["format"] != FORMAT:
        return f"format must be {FORMAT}"
    if type(value["run"]) is not str or not _RUN.fullmatch(value["run"]):
        return "run must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"
    if (value["origin"] is None) != (value["size"] is None):
        return "origin and size must be null together"
    if value["origin"] is None:
        return ""
    if not is_origin(value["origin"]):
        return "origin must be 1 to 255 printable bytes without blank or +"
    return "" if _is_size(value["size"]) else "size must be a whole number from 1 to 2^63 - 1"


def _is_size(value: Json) -> bool:
    return type(value) is int and 0 < value <= MOST_SIZE


def _fault_of_piece_line(value: Json) -> str:
    if not is_digest(value["piece"]) or type(value["last"]) is not bool:
        return "piece and last must be 64 lower-case hex digits and true or false"
    if type(value["part"]) is not int or value["part"] < 0:
        return "part must be a whole number"
    if "key" in value and not is_digest(value["key"]):
        return "key must be 64 lower-case hex digits"
    return ""


def _fault_of_entry_line(value: Json, *, in_log: bool) -> str:
    if type(value["entry"]) is not int or not 0 <= value["entry"] < MOST_ENTRIES:
        return f"entry must be a whole number below {MOST_ENTRIES}"
    if fault := _fault_of_log_members(value, in_log=in_log):
        return fault
    if (value["payload"] is None) != (value["salt"] is None):
        return "payload and salt must be null together"
    if value["payload"] is None:
        return "" if is_digest(value.get("commit")) else "an erased entry must carry its commit"
    if "commit" in value:
        return "only an erased entry carries its commit"
    if type(value["payload"]) is not dict:
        return "payload must be an object"
    return "" if is_digest(value["salt"]) else "salt must be 64 lower-case hex digits"


def _fault_of_log_members(value: Json, *, in_log: bool) -> str:
    index, leaf, path = value["index"], value["leaf_b64"], value["path"]
    if not in_log:
        if index is leaf is path is None:
            return ""
        return "index, leaf_b64 and path belong to a log, and the first line names none"
    if index is None or leaf is None or path is None:
        return "index, leaf_b64 and path must be there: the first line names a log"
    if type(index) is not int or not 0 <= index <= MOST_SIZE:
        return "index must be a whole number from 0 to 2^63 - 1"
    return _fault_of_path(path, _PATH_HASHES)


def _fault_of_path(path: Json, most: int) -> str:
    if type(path) is not list or len(path) > most or not all(map(is_digest, path)):
        return f"path must be a list of at most {most} hashes (64 lower-case hex digits)"
    return ""


def _fault_of_log_line(kind: str, value: Json, size: int) -> str:
    """Judge a line that only a log gives; what stands in a checkpoint is read when it is judged."""
    if kind == "checkpoint":
        decoded(value["checkpoint_b64"], NOTE_BYTES, "checkpoint_b64")
        return ""
    inner = value[kind]
    if kind == "consistency":
        if type(inner) is not dict or inner.keys() != _CONSISTENCY:
            return "consistency must be an object of from and path"
        if type(inner["from"]) is not int or not 0 < inner["from"] < size:
            return f"from must be a whole number above 0 and below the size of the log ({size})"
        return _fault_of_path(inner["path"], _SEEDED_HASHES)
    if type(inner) is not dict or inner.keys() != _HEAD:
        return "head must be an object of origin, size and root"
    if not is_origin(inner["origin"]) or not _is_size(inner["size"]):
        return "origin and size of a head must be those of a log"
    return "" if is_digest(inner["root"]) else "root must be 64 lower-case hex digits"
