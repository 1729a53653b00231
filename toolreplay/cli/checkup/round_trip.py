"""One call on its whole way: through the program that records, to a server, and into a store.

Client and server are ours, and the store is a temporary one: nothing of anybody's is touched.
"""

import json
import os
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from tempfile import TemporaryDirectory

from toolreplay.errors import ToolReplayError
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.findings.check import FAILED, PASSED, Check
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.reading import LogTables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolreplay.records.call import JsonObject

__all__ = ["LINE", "round_trip"]

LINE = "round trip"

_SECONDS = 60
_TOOL = "toolreplay_doctor"

_SERVER = """
import json, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {},
                  "serverInfo": {"name": "doctor", "version": "1"}}
    else:
        text = asked["params"]["arguments"]["word"]
        result = {"content": [{"type": "text", "text": text}]}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
"""A server with one tool, which answers with the word it was called with."""


def round_trip(program: Sequence[str], environment: Mapping[str, str]) -> Check:
    """Make one call through `program … record mcp`, and look for its receipt."""
    try:
        with TemporaryDirectory(prefix="toolreplay-doctor-") as folder:
            store, began = os.path.join(folder, "store.db"), time.monotonic()
            words = [*program, "record", "mcp", "--server", "doctor", "--store", store]
            words += ["--", sys.executable, "-I", "-S", "-c", _SERVER]
            word = os.urandom(4).hex()
            what = _answered(words, environment, folder, word) or _recorded(store, word)
            took = time.monotonic() - began
    except OSError as error:
        what = f"{error.filename or program[0]}: {error.strerror or error}"
    if what:
        return Check(LINE, FAILED, what)
    return Check(LINE, PASSED, f"a call and its receipt in {took:.1f} s")


def _answered(words: Sequence[str], environment: Mapping[str, str], folder: str, word: str) -> str:
    """Speak with the server; return what is wrong with its answers, or nothing."""
    opening = {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "toolreplay doctor", "version": "1"}}  # fmt: skip
    asked: list[JsonObject] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": _TOOL, "arguments": {"word": word}}},
    ]  # fmt: skip
    told = "".join(f"{json.dumps(message)}\n" for message in asked).encode()
    try:
        done = subprocess.run(  # noqa: S603 - this very program, as a client would start it
            words, input=told, capture_output=True, cwd=folder, env=dict(environment),
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer within {_SECONDS} s"
    if done.returncode or done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return said[0] if said else f"it ended with {done.returncode}"
    if _result_of(done.stdout) is None or word.encode() not in done.stdout:
        return "the server's answer did not come through"
    return ""


def _result_of(out: bytes) -> bytes | None:
    """Return the bytes of the call's result as the server wrote them."""
    lines = out.splitlines()
    start = b'{"jsonrpc": "2.0", "id": 2, "result": '
    if len(lines) != 2 or not lines[1].startswith(start):
        return None
    return lines[1][len(start) : -1]


def _recorded(path: str, word: str) -> str:
    """Look for the receipt of the call; return what is wrong with the record, or nothing."""
    kinds, receipts = [], []
    try:
        with reading_of_store(path) as (connection, _):
            tables = LogTables(connection, path)
            for run in tables.runs():
                for entry in tables.entries(run.run):
                    leaf = parse_leaf(entry.leaf)
                    kinds.append(leaf.kind)
                    kept = tables.payload(leaf.commit)
                    if leaf.kind == "call" and kept is not None:
                        receipts.append(
                            json.loads(b64decode(json.loads(kept[0])["canonical_bytes"]))
                        )
    except ToolReplayError as error:
        return f"the call was answered, and not recorded: {error.args[0]}"
    if kinds != ["open", "start", "call", "close"]:
        return f"the call was answered, and recorded as: {', '.join(kinds) or 'nothing'}"
    expected = sha256(json.dumps({"word": word}).encode()).hexdigest()
    if len(receipts) != 1 or receipts[0]["inputs"]["args"]["digest"] != expected:
        return "the receipt is not that of the call"
    return ""
