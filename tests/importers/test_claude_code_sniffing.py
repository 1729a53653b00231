"""Which beginnings the Claude Code importer takes for a session."""

import unittest
from typing import NamedTuple

from toolreplay.importers.claude_code import sniff

CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "done"}


class Head(NamedTuple):
    raw: bytes = b""
    records: tuple = ()
    document: object = None


def line(kind, *blocks, **members):
    return {"type": kind, "message": {"role": kind, "content": [*blocks]}, **members}


class SniffTest(unittest.TestCase):
    def test_sessions_are_known_by_their_own_keys(self):
        for record in (
            line("user", uuid="u1", sessionId="s"),
            {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
            {"type": "permission-mode", "permissionMode": "default", "sessionId": "s"},
            {"type": "system", "isSidechain": False, "uuid": "u", "sessionId": "s"},
            {"type": "tool_use", "name": "bash", "uuid": "u", "sessionId": "s"},
            {"loglines": [line("user")]},
        ):
            with self.subTest(record):
                self.assertEqual(sniff(Head(records=(record,))), 3)
                self.assertEqual(sniff(Head(records=("x", {"a": 1}, record))), 3)

    def test_what_only_looks_like_a_session_is_none(self):
        for record in (
            {"type": "message", "role": "user", "text": "x", "timestamp": "t"},
            {"type": "sanitization_notice", "source": "Claude Code session"},
            {"type": "system", "subtype": "init", "session_id": "s"},
            {"type": "assistant", "session_id": "s", "message": {"content": [CALL]}},
            {"type": "system", "sessionId": "s", "message": {"parts": []}, "uuid": "u"},
            {"index": 0, "tool": "x", "args": {}, "response": {}},
            {"role": "user", "content": [RESULT]},
            {"loglines": [1, {"type": "x"}]},
            {"type": "user", "message": {"content": "x"}},
            {"type": "user", "sessionId": "s", "uuid": "u", "message": {}},
            {"type": "user", "sessionId": "s", "uuid": "u", "message": "content"},
            None, 7, [], {},
        ):  # fmt: skip
            with self.subTest(record):
                self.assertEqual(sniff(Head(records=(record,))), 0)

    def test_a_document_over_several_lines_is_a_session_only_as_the_web_export(self):
        record = line("user", uuid="u1", sessionId="s")
        self.assertEqual(sniff(Head(document={"loglines": [{"type": "user", "message": {}}]})), 3)
        self.assertEqual(sniff(Head(document=record)), 0)
        self.assertEqual(sniff(Head()), 0)

    def test_blocks_without_the_keys_are_the_second_best_sign(self):
        for block in (CALL, RESULT):
            self.assertEqual(sniff(Head(records=(line("assistant", block),))), 2)
        self.assertEqual(sniff(Head(records=(line("user", sessionId="s"),))), 1)

    def test_a_program_with_the_same_envelope_and_other_messages_is_none(self):
        fork = {"type": "assistant", "uuid": "u1", "sessionId": "s", "message": {"parts": []}}
        system = {"type": "system", "isSidechain": False, "uuid": "u", "sessionId": "s"}
        self.assertEqual(sniff(Head(records=(system, fork))), 0)


if __name__ == "__main__":
    unittest.main()
