"""A run of ours for the tests: its bundle, and the receipts, timeline and close in it."""

import base64
import json
from typing import Any

from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.making import (
    ObservedCall,
    RunHead,
    call_entry,
    close_entry,
    open_entry,
    tool_of,
)
from toolreplay.evidence.profile.piece import piece_of

RUN = "0192f3a0-0000-7000-8000-000000000001"
AT = "2026-11-30T08:00:0{}.000Z"
CAPTURE = {
    "layer": "import", "args_fidelity": "parsed", "result_fidelity": "parsed", "adapter": "transcript",
    "tool_definition": "absent",
    "writer": {"uid": None, "pid": None, "same_uid_as_agent": None, "same_process": None},
}  # fmt: skip


def bundle(calls: int = 3, result: bytes = b'{"ok": true}') -> bytes:
    """The bundle of a closed run."""
    lines: list[bytes] = []
    writer, head = BundleWriter(lines.append, RUN), RunHead.of_new_run(RUN)
    opening = {
        "agent": {}, "capture": {"layer": "import", "adapter": "transcript"}, "run_by": "test",
        "started_at": AT.format(0),
    }  # fmt: skip
    entry, head = open_entry(head, opening, bytes(32))
    writer.add(entry)
    for number in range(1, calls + 1):
        args, back = (
            piece_of(b'{"n": %d}' % number, "application/json"),
            piece_of(result, "application/json"),
        )
        call = ObservedCall(
            tool_of("look_up"), {"args": args.described},
            {"result": back.described, "status": "ok", "flags": []},
            {"started_at": AT.format(number), "ended_at": AT.format(number)}, CAPTURE, {}, number,
            AT.format(number), (args, back),
        )  # fmt: skip
        entry, head = call_entry(head, call, identity(number), bytes(31) + bytes([number]))
        writer.add(entry)
    last = ObservedCall({}, {}, {}, {}, CAPTURE, {}, 1, AT.format(9))
    entry, head = close_entry(
        head, last, identity(999), bytes(31) + b"\xff", status="completed", closed_by="import"
    )
    writer.add(entry)
    writer.finish(head, AT.format(9))
    return b"".join(lines)


def identity(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def receipts(data: bytes | None = None) -> list[dict[str, Any]]:
    """The receipts of a bundle, the close receipt last."""
    lines = [json.loads(line) for line in (data or bundle()).splitlines()]
    return [
        line["payload"] for line in lines if "entry" in line and "profile" not in line["payload"]
    ]


def again(receipt: dict[str, Any], change: Any) -> dict[str, Any]:
    """A receipt whose committed bytes were changed and hashed anew."""
    import hashlib

    committed = json.loads(base64.b64decode(receipt["canonical_bytes"]))
    change(committed)
    data = json.dumps(committed, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return {
        **receipt,
        "canonical_bytes": base64.b64encode(data).decode(),
        "canonical_byte_length": len(data),
        "output_hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
    }
