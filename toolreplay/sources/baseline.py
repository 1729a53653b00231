"""The baseline: JSON Lines of known findings, sorted, one fingerprint a line."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from toolreplay.errors import DeclarationError, InputError
from toolreplay.records.jsonl import LineError, line_parser, lines_of
from toolreplay.records.limits import DEFAULT, Limits

__all__ = ["baseline_lines", "read_baseline"]

_FIELDS = ("fingerprint", "kind", "detail")


def read_baseline(name: str, limits: Limits = DEFAULT) -> frozenset[str]:
    """Return the fingerprints of a baseline. Raises InputError naming the file and the line."""
    parse = line_parser(limits)
    found = set()
    number = 0
    try:
        with open(name, "rb") as file:
            for number, _, line in lines_of(file, limits):  # noqa: B007 - named by the errors
                record = parse(line)
                if type(record) is not dict or record.keys() != set(_FIELDS):
                    raise LineError(f"must have exactly {', '.join(_FIELDS)}")
                if any(type(value) is not str for value in record.values()):
                    raise LineError(f"{', '.join(_FIELDS)} must be strings")
                if not re.fullmatch("[0-9a-f]{16}", record["fingerprint"]):
                    raise LineError("fingerprint must be 16 lower-case hex digits")
                found.add(record["fingerprint"])
    except LineError as error:
        raise DeclarationError(name, f"line {number}: {error}") from None
    except InputError as error:  # a line too long: the line reader knows no name
        raise DeclarationError(name, str(error)) from None
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError:
        raise InputError(name, "is not a name a file can have") from None
    return frozenset(found)


def baseline_lines(entries: Iterable[tuple[str, str, str]]) -> Iterator[bytes]:
    """Yield the lines of a baseline from (fingerprint, kind, detail), sorted by fingerprint.

    A fingerprint may repeat; the least text of it is kept, so that the order in which findings
    came does not matter.
    """
    for _, equal in groupby(entries, key=itemgetter(0)):
        record = dict(zip(_FIELDS, min(equal), strict=True))
        yield f"{json.dumps(record)}\n".encode("ascii")
