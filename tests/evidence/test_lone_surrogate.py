"""A receipt whose committed bytes spell half of a surrogate pair: reported, and nothing breaks."""

import hashlib
import unittest

from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.bundle.receipts import read_receipt
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.making import ObservedCall, RunHead, call_entry, tool_of
from toolreplay.evidence.profile.members import COMMITTED, faults_in, is_exactly, unknown_in
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import aer1_text_of_parsed

NOW = "2026-11-30T09:00:00.000Z"


def made() -> tuple[JsonObject, JsonObject]:
    """Make a receipt; return it and its committed object."""
    ids = Ids(bytes, b"s" * 32)
    nobody = dict.fromkeys(("uid", "pid", "same_uid_as_agent", "same_process"))
    call = ObservedCall(
        tool=tool_of("read_file"),
        inputs={"args": piece_of(b"{}", "application/json").described},
        outputs={"result": None, "status": "ok", "flags": []},
        timing={},
        capture={
            "layer": "import", "args_fidelity": "parsed", "result_fidelity": "parsed",
            "adapter": "transcript", "tool_definition": "absent", "writer": nobody,
        },
        agent={},
        position=1,
        created_at=NOW,
    )  # fmt: skip
    entry, _ = call_entry(RunHead.of_new_run("run"), call, ids.receipt_id(), ids.salt())
    assert entry.receipt is not None
    assert entry.committed is not None
    return entry.receipt, entry.committed


class HalfAPair(unittest.TestCase):
    def test_it_is_a_receipt_that_cannot_be_used(self) -> None:
        receipt, committed = made()
        for path in (("tool", "name"), ("binding", "receipt_id"), ("binding", "job_id")):
            with self.subTest(path=path):
                text = aer1_text_of_parsed(committed)
                value = committed[path[0]][path[1]]
                data = text.replace(f'"{value}"', r'"\ud800"').encode()
                changed = {
                    **receipt,
                    "canonical_bytes": base64_of(data),
                    "canonical_byte_length": len(data),
                    "output_hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
                }
                read = read_receipt(changed, None)
                self.assertIsNone(read.committed)
                self.assertTrue(read.faults)


class OneLook(unittest.TestCase):
    def test_it_says_what_two_walks_say(self) -> None:
        _, committed = made()
        self.assertTrue(is_exactly(committed, COMMITTED))
        for name, value in list(committed.items()):
            for other in (None, 1, "x", {}, [], {**value, "new": 1} if type(value) is dict else 0):
                with self.subTest(name=name, other=other):
                    changed = {**committed, name: other}
                    found = [*faults_in(changed, COMMITTED), *unknown_in(changed, COMMITTED)]
                    self.assertEqual(is_exactly(changed, COMMITTED), not found)
            left = {key: item for key, item in committed.items() if key != name}
            self.assertFalse(is_exactly(left, COMMITTED))
