"""The AER-1 timeline of a bundle, derived from its receipts: it is not stored, so it cannot differ."""

from collections.abc import Iterator
from typing import BinaryIO

from toolreplay.errors import InputError
from toolreplay.evidence.bundle.reading import bundle_lines
from toolreplay.evidence.bundle.receipts import read_receipt
from toolreplay.evidence.profile.entry import kind_by_profile
from toolreplay.records.call import JsonObject
from toolreplay.records.limits import Limits

__all__ = ["receipts_of", "timeline_of"]


def timeline_of(file: BinaryIO, limits: Limits) -> Iterator[JsonObject]:
    """Yield an entry a receipt, in the order of the file; nothing is judged.

    Raises InputError for a bundle that cannot be read, and for an entry that cannot be projected.
    """
    for line in bundle_lines(file, limits):
        if line.kind != "entry":
            continue
        if line.payload is None:
            raise InputError(f"line {line.number}", "was erased: the timeline has a hole here")
        payload = line.value["payload"]
        if kind_by_profile(payload) != "receipt":
            continue
        read = read_receipt(payload, None)
        if read.committed is None:
            raise InputError(f"line {line.number}", f"its receipt does not hold: {read.faults[0]}")
        binding = read.committed["binding"]
        entry = {
            "id": payload.get("id"),
            "seq": binding["seq"],
            "job_id": binding["job_id"],
            "tool": read.committed["tool"]["name"],
            "provenance_class": payload.get("provenance_class"),
            "canonical_bytes": payload.get("canonical_bytes"),
            "prev_digest": binding["prev_digest"],
            "created_at": payload.get("created_at"),
        }
        yield {**entry, "close": True} if read.is_close else entry


def receipts_of(file: BinaryIO, limits: Limits) -> Iterator[JsonObject]:
    """Yield the receipts of a bundle's calls, in the order of the file; nothing is judged.

    Raises InputError for a bundle that cannot be read.
    """
    for line in bundle_lines(file, limits):
        if line.payload is None or kind_by_profile(line.value["payload"]) != "receipt":
            continue
        receipt: JsonObject = line.value["payload"]
        if not read_receipt(receipt, None).is_close:
            yield receipt
