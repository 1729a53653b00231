"""`verify --by-hand N`: the shell line that recomputes one digest, for whoever trusts no program."""

import argparse
import json
import re
import shlex

from toolreplay.cli.arguments import positive
from toolreplay.cli.asked import has_asked
from toolreplay.cli.console import Console
from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.aer1.base64_text import loosely_read
from toolreplay.evidence.aer1.document import read_document
from toolreplay.evidence.digest import hex_of
from toolreplay.records.call import Json
from toolreplay.records.limits import Limits
from toolreplay.records.run import BUNDLE, RECEIPTS, Run
from toolreplay.reports.lines import escaped
from toolreplay.sources.source import FileSource

__all__ = ["show_by_hand"]

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOUND = re.compile(rb'"canonical_bytes" *: *"([^"]*)"')
_PATTERN = '"canonical_bytes" *: *"[^"]*"'


def show_by_hand(arguments: argparse.Namespace, limits: Limits, console: Console) -> int:
    """Print the line for call N of a bundle or of receipts, and the digest it must print."""
    text = arguments.by_hand
    if text != "0":
        try:
            positive(text)
        except argparse.ArgumentTypeError:
            raise UsageError("--by-hand takes the index of a call, from 0") from None
    if has_asked(arguments) or arguments.format != "text" or arguments.report:
        raise UsageError("--by-hand prints a shell line and judges nothing: no other option fits")
    name = arguments.input
    if name == "-":
        raise UsageError("--by-hand is about a file that can be read again, not standard input")
    source = FileSource(name, limits, arguments.form)
    if source.form not in (BUNDLE, RECEIPTS):
        source.close()
        raise UsageError(f"--by-hand is for: bundle, receipts; this is of the form {source.form}")
    (run,) = source.runs()
    lines = _lines_of(run, int(text), name)
    source.close()
    console.write_lines(lines)
    return 0


def _lines_of(run: Run, index: int, name: str) -> list[str]:
    raw = run.raw
    assert raw is not None
    call = next((one for one in run.calls if one.index == index), None)
    if call is None:
        raise UsageError(f"--by-hand {index}: there is no call of this index")
    place = call.place
    data = raw(place.start, place.end)
    wanted, digest = _receipt_of(data, call.meta.receipt if call.meta else None)
    matches = [
        found[1].replace(b"\\", b"")
        for line in data.split(b"\n")
        for found in _FOUND.finditer(line)
    ]
    if wanted is None:
        raise InputError(name, f"index {index} has no receipt: an intent is all there is of it")
    if wanted.encode() not in matches:
        raise InputError(name, f"canonical_bytes of index {index} stand in no spelling for a shell")
    number = matches.index(wanted.encode()) + 1
    is_whole = b"\n" in data.rstrip(b"\n") or place.line == 1
    steps = [_reading(name, None if is_whole else place.line)]
    steps += [
        f"grep -o {shlex.quote(_PATTERN)}",
        f"sed -n {number}p",
        "cut -d '\"' -f 4",
        r"sed 's,\\,,g'",
        "base64 -d",
        "sha256sum",
    ]
    return [
        f"index {index}: {escaped(call.tool)}",
        "",
        " | ".join(steps),
        "",
        f"It must print {escaped(digest)}",
    ]


def _reading(name: str, line: int | None) -> str:
    quoted = shlex.quote(f"./{name}" if name.startswith("-") else name)
    if escaped(quoted) != quoted:
        raise InputError(name, "has a name that cannot be printed for a shell")
    with open(name, "rb") as file:
        start = file.read(4)
    script = "p" if line is None else f"{line}p"
    if start.startswith(_GZIP):
        return f"gzip -dc {quoted} | sed -n {script}"
    if start.startswith(_ZSTANDARD):
        return f"zstd -dc {quoted} | sed -n {script}"
    return f"sed -n {script} {quoted}"


def _receipt_of(data: bytes, facts: Json) -> tuple[str | None, str]:
    """Return the committed bytes and the claimed digest of the receipt with the facts of a call."""
    waiting: list[Json] = [read_document(data, "").value]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            own, claimed = value.get("canonical_bytes"), value.get("output_hash")
            if isinstance(own, str) and (facts is None or _hashes_to(own, facts.output_hash)):
                text = claimed if isinstance(claimed, str) else json.dumps(claimed)
                return own, text.removeprefix("sha256:")
            waiting += value.values()
    return None, ""


def _hashes_to(canonical_bytes: str, digest: str) -> bool:
    """Whether these are the bytes of a call; one without readable bytes has no digest."""
    data = loosely_read(canonical_bytes)
    return (hex_of(data) if data is not None else "") == digest
