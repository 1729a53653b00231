"""Files of receipts for the benchmarks, the same bytes for the same options everywhere.

    python3 -m benchmarks.receipt_files lines|folder SIZE COUNT OUT
    python3 -m benchmarks.receipt_files timeline COUNT OUT
    python3 -m benchmarks.receipt_files pieces PIECES BYTES OUT
    python3 -m benchmarks.receipt_files root COUNT

`lines` and `folder` are AER-1 receipts whose JSON has about SIZE bytes, `timeline` is a chain of
small ones, and `pieces` a bundle of few calls with results of BYTES each, written as a stream.
`root` writes nothing: it takes the AER-1 workflow root of COUNT leaves.
"""

import json
import os
import random
import sys
from collections.abc import Iterator
from hashlib import sha256

from benchmarks.vocabulary import Vocabulary
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.aer1.chain import FIRST_PREV, entry_digest
from toolreplay.evidence.aer1.workflow import RootBuilder
from toolreplay.evidence.bundle.lines import PART_BYTES, line_of
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import (
    ObservedCall,
    RunHead,
    call_entry,
    close_entry,
    open_entry,
    tool_of,
)
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import aer1

SEED = 7
NOW = "2026-11-30T09:00:00.000Z"
CLASS = "LOGGED BY AGENT"
AROUND = 770  # bytes of a receipt's JSON when its result has none
SMALL = 1_000


def receipts(size: int, count: int) -> Iterator[JsonObject]:
    """Yield AER-1 receipts; a third of the texts are outside ASCII."""
    rng = random.Random(SEED)
    vocabulary = Vocabulary(rng)
    ids = Ids(rng.randbytes)
    for number in range(count):
        committed: JsonObject = {
            "tool": {"name": "read_file", "version": "1", "scope": "files"},
            "inputs": {"path": f"src/{number}.py"},
            "outputs": {"text": vocabulary.text(rng, max(1, (size - AROUND) * 3 // 4))},
            "issuer_claims": {"provenance_class": CLASS},
            "receipt_schema_version": "0.4",
        }
        data = aer1(committed)
        yield {
            "id": ids.receipt_id(),
            "receipt_schema_version": "0.4",
            "created_at": NOW,
            "tool": committed["tool"],
            "provenance_class": CLASS,
            "canonical_bytes": base64_of(data),
            "canonical_byte_length": len(data),
            "hash_algorithm": "sha256",
            "output_hash": f"sha256:{sha256(data).hexdigest()}",
            "verification_status": "verified",
        }


def timeline(count: int) -> Iterator[JsonObject]:
    """Yield the entries of one chain."""
    prev = FIRST_PREV
    for seq, receipt in enumerate(receipts(SMALL, count), 1):
        entry: JsonObject = {
            "id": receipt["id"],
            "seq": seq,
            "job_id": "benchmark",
            "tool": receipt["tool"]["name"],
            "provenance_class": CLASS,
            "canonical_bytes": receipt["canonical_bytes"],
            "prev_digest": prev,
            "close": seq == count,
        }
        prev = entry_digest(
            close=entry["close"], id=entry["id"], job_id=entry["job_id"],
            output_hash_hex=receipt["output_hash"].removeprefix("sha256:"), prev_digest=prev,
            provenance_class=CLASS, seq=seq, tool=entry["tool"],
        )  # fmt: skip
        yield entry


class _Streamed(BundleWriter):
    """A bundle whose pieces are larger than memory should hold."""

    def carry(self, digest: str, seed: int, size: int) -> None:
        """Write the lines of a piece, part by part."""
        for part, content in enumerate(_parts(seed, size)):
            last = (part + 1) * PART_BYTES >= size
            line = {"piece": digest, "part": part, "last": last, "b64": base64_of(content)}
            self._put(line_of(line))


def _parts(seed: int, size: int) -> Iterator[bytes]:
    """Yield the content of a piece; no two parts are equal."""
    block = random.Random(seed).randbytes(PART_BYTES)
    for start in range(0, size, PART_BYTES):
        turn = start // PART_BYTES % PART_BYTES
        yield (block[turn:] + block[:turn])[: size - start]


def write_pieces(pieces: int, size: int, path: str) -> None:
    """Write a bundle of few calls with large results."""
    ids = Ids(os.urandom, b"b" * 32)
    head = RunHead.of_new_run(ids.run_id(0))
    with open(path, "wb") as file:
        writer = _Streamed(file.write, head.run)
        opening = {
            "agent": {}, "capture": {"layer": "import", "adapter": "transcript"},
            "run_by": "import", "started_at": NOW, "name": "large pieces",
        }  # fmt: skip
        entry, head = open_entry(head, opening, ids.salt())
        writer.add(entry)
        for number in range(pieces):
            digest = sha256()
            for content in _parts(number, size):
                digest.update(content)
            described = {
                "media_type": "application/octet-stream", "length": size, "method": "sha256",
                "digest": digest.hexdigest(), "blob": "detached",
            }  # fmt: skip
            writer.carry(digest.hexdigest(), number, size)
            call = _call(number + 1, described)
            entry, head = call_entry(head, call, ids.receipt_id(), ids.salt())
            writer.add(entry)
        entry, head = close_entry(
            head, _call(pieces + 1, None), ids.receipt_id(), ids.salt(),
            status="closed", closed_by="import",
        )  # fmt: skip
        writer.add(entry)
        writer.finish(head, NOW)


def _call(position: int, result: JsonObject | None) -> ObservedCall:
    nobody = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))
    return ObservedCall(
        tool=tool_of("read_file"),
        inputs={"args": piece_of(b"{}", "application/json").described},
        outputs={"result": result, "status": "ok", "flags": []},
        timing={},
        capture={
            "layer": "import", "args_fidelity": "parsed", "result_fidelity": "parsed",
            "adapter": "transcript", "tool_definition": "absent", "writer": nobody,
        },
        agent={},
        position=position,
        created_at=NOW,
    )  # fmt: skip


def _write_lines(values: Iterator[JsonObject], path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, separators=(",", ":")) + "\n")


def _write_files(values: Iterator[JsonObject], folder: str) -> None:
    os.makedirs(folder)
    for number, value in enumerate(values):
        with open(os.path.join(folder, f"{number:06}.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(value, separators=(",", ":")) + "\n")


def main(arguments: list[str]) -> int:
    """Write what was asked for."""
    what, *rest = arguments
    if what == "root":
        builder = RootBuilder()
        leaf = sha256(b"leaf").digest()
        for _ in range(int(rest[0])):
            builder.add(leaf)
        print(builder.root())
    elif what == "timeline":
        _write_lines(timeline(int(rest[0])), rest[1])
    elif what == "pieces":
        write_pieces(int(rest[0]), int(rest[1]), rest[2])
    else:
        write = _write_files if what == "folder" else _write_lines
        write(receipts(int(rest[0]), int(rest[1])), rest[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
