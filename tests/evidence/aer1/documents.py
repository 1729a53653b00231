"""Chains and closes for the tests, linked by an implementation of their own, and the vectors."""

import base64
import hashlib
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "toolreplay/evidence/aer1/vectors"

NESTED: list = []
for _ in range(100_000):
    NESTED = [NESTED]

HOSTILE = (
    None, True, False, 0, -1, 1, 2, 1.0, 1.5, -0.0, float("nan"), float("inf"), float("-inf"), 1e308,
    10**30, 10**5000, -(10**5000), "", "x", "\ud800", "\ud83d\ude00", "\x00\x7f", "A" * 70, [], [None], [{}],
    {}, {"a": {}}, {"\udfff": 1}, NESTED,
)  # fmt: skip
"""Values of every type, for every place of a document."""


def cases(kind: str) -> list[dict]:
    """The cases of one file of the vectors."""
    document = json.loads((FOLDER / f"{kind}.json").read_bytes())
    assert document["kind"] == kind
    return document["cases"]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(entry: dict) -> str:
    """The digest of an entry by the rule of -07, made with Python's own JSON."""
    members = {name: entry[name] for name in ("id", "job_id", "prev_digest", "provenance_class", "seq", "tool")}  # fmt: skip
    members["close"] = entry.get("close", False)
    members["output_hash"] = sha(base64.b64decode(entry["canonical_bytes"]))
    text = json.dumps(members, sort_keys=True, separators=(",", ":")).replace("\x7f", "\\u007f")
    return sha(text.encode("ascii"))


def run(job: str = "job-1", entries: int = 6) -> list[dict]:
    """An honest chain, closed."""
    timeline = [
        {
            "id": f"{position:08x}-0000-4000-8000-{int(sha(job.encode())[:12], 16):012x}",
            "job_id": job,
            "tool": f"tool_{position}",
            "provenance_class": "EXECUTED BY TOOLREPLAY",
            "canonical_bytes": base64.b64encode(f"{job} {position}".encode()).decode(),
        }
        for position in range(1, entries + 1)
    ]
    return relinked(timeline)


def relinked(timeline: list[dict]) -> list[dict]:
    """What a holder who writes everything anew makes of entries: numbered, linked and closed."""
    made, prev = [], "0" * 64
    for position, entry in enumerate(timeline, 1):
        entry = {**entry, "seq": position, "prev_digest": prev}  # noqa: PLW2901
        entry.pop("close", None)
        if position == len(timeline):
            entry["close"] = True
        made.append(entry)
        prev = digest_of(entry)
    return made


def commitment_to(timeline: list[dict]) -> dict:
    return {
        "job_id": timeline[-1]["job_id"],
        "entry_count": len(timeline),
        "final_entry_digest": digest_of(timeline[-1]),
        "published_at": "2026-11-30T09:00:00Z",
    }
