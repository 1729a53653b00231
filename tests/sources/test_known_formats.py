"""Formats that are recognised by a signature and cannot be read yet."""

import io
import json
import unittest

from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.limits import DEFAULT
from toolreplay.sources.head import head_of
from toolreplay.sources.known_formats import KNOWN_FORMATS, known_format

SIGNATURES: dict[str, object] = {
    "codex": {"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}},
    "codex_stream": {"type": "thread.started", "thread_id": "x"},
    "gemini_cli": {"sessionId": "s", "projectHash": "h", "messages": []},
    "cline": [{"ts": 1, "type": "say", "say": "text"}],
    "otlp": {"resourceSpans": []},
    "phoenix": [{"context": {}, "span_kind": "TOOL", "attributes": {}}],
    "langfuse": {"trace": {}, "observations": []},
    "langsmith": [{"run_type": "tool", "dotted_order": "x"}],
    "openai_agents": {"object": "trace.span", "id": "x"},
    "inspect": {"version": 2, "status": "success", "eval": {}, "samples": []},
    "swe_agent": {"trajectory": [], "history": [], "info": {}},
    "mini_swe_agent": {"trajectory_format": "mini-swe-agent-1", "messages": []},
    "atif": {"schema_version": "ATIF-v1.4", "steps": []},
    "openhands": [{"id": 0, "action": "run", "source": "agent"}],
    "tau_bench": [{"task_id": 0, "reward": 1.0, "traj": []}],
    "tau2_bench": {"tasks": [], "simulations": []},
    "agentdojo": {"suite_name": "s", "pipeline_name": "p", "messages": []},
    "mcp_jsonrpc": {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
    "har": {"log": {"entries": []}},
    "claude_stream": {"type": "system", "subtype": "init", "session_id": "s"},
    "messages": [{"role": "user", "content": "x"}],
}


def named(data: bytes) -> str | None:
    return known_format(head_of(io.BytesIO(data), DEFAULT))


class EachIsNamed(unittest.TestCase):
    """Decided by us: the file is fine, and it is told so."""

    def test_by_its_signature_on_one_line_and_over_many(self) -> None:
        titles = dict(KNOWN_FORMATS)
        self.assertEqual(SIGNATURES.keys(), titles.keys())
        for word, value in SIGNATURES.items():
            for indent in (None, 2):
                with self.subTest(word=word, indent=indent):
                    data = json.dumps(value, indent=indent).encode()
                    self.assertEqual(named(data), titles[word])

    def test_an_archive_of_an_inspect_log(self) -> None:
        self.assertEqual(named(b"PK\x03\x04 header.json "), "an Inspect log")
        self.assertIsNone(named(b"PK\x03\x04 other.json "))

    def test_no_importer_takes_one_of_them_for_its_own(self) -> None:
        for word, value in SIGNATURES.items():
            head = head_of(io.BytesIO(json.dumps(value).encode()), DEFAULT)
            for name in extensions_of("importers"):
                with self.subTest(word=word, importer=name):
                    self.assertLess(load_extension("importers", name).sniff(head), 2)

    def test_anything_else_is_none(self) -> None:
        for data in (b"", b"x", b"1", b"[]", b"{}", b"[1]", b"null", b'{"messages": 1}', b"[[]]"):
            self.assertIsNone(named(data))
