"""Receipts made for a test, and the cases of aer1/vectors."""

import base64
import hashlib
import json
import pathlib
from typing import Any

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "toolreplay/evidence/aer1/vectors"
NOW = "2026-11-30T09:00:00Z"
ID = "8967b825-90e9-405d-a102-27b8a3cde74a"
CLASS = "EXECUTED BY TOOLREPLAY"
CONTENT: dict[str, Any] = {
    "inputs": {"q": "sécret-17"},
    "issuer_claims": {"provenance_class": CLASS},
    "outputs": {"rows": [1, 2.5, None]},
    "receipt_schema_version": "0.4",
}


def cases(kind: str) -> list[dict[str, Any]]:
    """Return the cases of one kind."""
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{kind}.json").read_bytes())["cases"]
    return found


def form(value: Any) -> bytes:
    """Return committed bytes, by the standard library's own words."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def hash_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def receipt(data: bytes | None = None, **members: Any) -> dict[str, Any]:
    """Return a receipt over bytes; a member given as `...` is left out."""
    data = form(CONTENT) if data is None else data
    made: dict[str, Any] = {
        "id": ID,
        "receipt_schema_version": "0.4",
        "created_at": "2026-05-15T21:33:32.150Z",
        "tool": {"name": "search", "version": "1.5.0", "scope": "tenant:a"},
        "provenance_class": CLASS,
        "canonical_bytes": base64.b64encode(data).decode(),
        "output_hash": hash_of(data),
        "verification_status": "verified",
        **members,
    }
    return {name: value for name, value in made.items() if value is not ...}


def legacy(data: bytes, **members: Any) -> dict[str, Any]:
    """Return a receipt of version 0.3, whose committed bytes may be any JSON."""
    return receipt(data, **{"receipt_schema_version": "0.3", **members})
