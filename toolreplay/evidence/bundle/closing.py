"""What the end of a bundle must say: recomputed from the receipts, compared member by member."""

from hashlib import sha256

from toolreplay.evidence.aer1.chain import entry_digest
from toolreplay.records.call import Json, JsonObject

__all__ = ["VERIFY_URL", "commitment_of", "differences", "digest_in_chain", "workflow_of"]

VERIFY_URL = "https://toolreplay.invalid/"
"""A member AER-1 wants; nothing is ever fetched from it."""

_EMPTY = sha256(b"").hexdigest()


def workflow_of(close_receipt_id: str, committed: JsonObject) -> JsonObject:
    """Return the workflow close without its steps (AER-1, table 2), as a close receipt commits it.

    `committed` is the object in the bytes of the close receipt.
    """
    close, run = committed["close"], committed["binding"]["job_id"]
    result = committed["outputs"]["result"]
    return {
        "type": "verifiable-workflow-receipt",
        "version": "1",
        "workflow_id": run,
        "receipt_id": close_receipt_id,
        "session_id": run,
        "goal": close["goal"],
        "status": close["status"],
        "count": close["count"],
        "merkle_version": close["merkle_version"],
        "merkle_root": close["merkle_root"],
        "receipt_id_root": close["receipt_id_root"],
        "output_hash": _EMPTY if result is None else result["digest"],
        "verify_url": VERIFY_URL,
    }


def commitment_of(
    run: str, final_entry_digest: str, entry_count: int, published_at: str
) -> JsonObject:
    """Return the commitment over a closed chain (AER-1, external commitment)."""
    return {
        "job_id": run,
        "final_entry_digest": final_entry_digest,
        "entry_count": entry_count,
        "published_at": published_at,
    }


def digest_in_chain(run: str, output_hash_hex: str, committed: JsonObject) -> str:
    """Return the digest that the receipt behind this one carries as its `prev_digest`."""
    return entry_digest(
        close="close" in committed,
        id=committed["binding"]["receipt_id"],
        job_id=run,
        output_hash_hex=output_hash_hex,
        prev_digest=committed["binding"]["prev_digest"],
        provenance_class=committed["issuer_claims"]["provenance_class"],
        seq=committed["binding"]["seq"],
        tool=committed["tool"]["name"],
    )


def differences(found: Json, wanted: JsonObject) -> list[str]:
    """Return the names of members that are missing, unknown or other than they must be."""
    if type(found) is not dict:
        return ["the object itself"]
    names = sorted(found.keys() | wanted.keys())
    return [
        name
        for name in names
        if name not in found
        or name not in wanted
        or type(found[name]) is not type(wanted[name])
        or found[name] != wanted[name]
    ]
