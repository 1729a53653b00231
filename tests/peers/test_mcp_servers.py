"""Real MCP servers and the official client: direct against wrapped, byte for byte.

What both sides send is kept by processes of their own, before and behind the wrapper. Fetched from
the registries of npm and PyPI, so slow; where they cannot be reached the test is skipped and says so.
MCP_PEERS names a folder that keeps what was fetched.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.capture.recorded import receipts, runs
from tests.capture.wrapped import command

pytestmark = pytest.mark.slow

NPM = ("server-everything", "server-filesystem", "server-memory")
PYPI = {
    "modern": ("mcp>=2", "mcp-server-time", "mcp-server-git"),
    "legacy": ("mcp<2", "mcp-server-sqlite"),
}
HERE = Path(__file__).parent
TEE = [sys.executable, "-I", "-S", os.fspath(HERE / "mcp_tee.py")]

TEXT = 'line\u2028separator, \U0001f600, \u0000 and "quotes"'
MANY = [["echo", {"message": f"number {number}"}] for number in range(50)]
CALLS = {
    "everything": [
        ["echo", {"message": TEXT}],
        ["echo", {"message": "x" * 3_000_000}],
        ["get-sum", {"a": 1, "b": 2.5}],
        ["get-tiny-image", {}],
        ["get-structured-content", {"location": "New York"}],
        ["echo", {"wrong": 1}],
        ["no-such-tool", {}],
        MANY,
    ],
    "filesystem": [
        ["write_file", {"path": "{folder}/a.txt", "content": TEXT}],
        ["read_text_file", {"path": "{folder}/a.txt"}],
        ["list_directory", {"path": "{folder}"}],
        ["read_text_file", {"path": "{folder}/missing"}],
        ["read_text_file", {"path": "/etc/passwd"}],
    ],
    "memory": [
        [
            "create_entities",
            {"entities": [{"name": "a", "entityType": "t", "observations": [TEXT]}]},
        ],
        ["read_graph", {}],
        ["open_nodes", {"names": ["a", "b"]}],
    ],
    "time": [
        [
            "convert_time",
            {"source_timezone": "Asia/Tokyo", "time": "12:30", "target_timezone": "UTC"},
        ],
        ["get_current_time", {"timezone": "No/Where"}],
    ],
    "git": [
        ["git_status", {"repo_path": "{folder}/repo"}],
        ["git_log", {"repo_path": "{folder}/repo", "max_count": 3}],
        ["git_status", {"repo_path": "{folder}"}],
    ],
    "sqlite": [
        ["create_table", {"query": "CREATE TABLE t (x TEXT)"}],
        ["write_query", {"query": "INSERT INTO t VALUES ('é')"}],
        ["read_query", {"query": "SELECT * FROM t"}],
        ["read_query", {"query": "SELECT nonsense"}],
    ],
}
"""What is asked of each server; `{folder}` is its own."""


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the servers and the client."""
    kept = os.environ.get("MCP_PEERS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("peers")
    if not (folder / "node_modules").exists():
        names = [f"@modelcontextprotocol/{name}" for name in NPM]
        _fetch(["npm", "install", "--no-audit", "--no-fund", "--prefix", os.fspath(folder), *names])
    for era, names in PYPI.items():
        if not (folder / era).exists():
            subprocess.run([sys.executable, "-m", "venv", folder / era], check=True)
            _fetch([os.fspath(folder / era / "bin" / "pip"), "install", "-q", *names])
    return folder


def _fetch(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if ran.returncode:
        lines = ran.stderr.strip().splitlines() or [f"status {ran.returncode}"]
        pytest.skip(f"{Path(command[0]).name} cannot fetch: {lines[-1]}")


def _server(name: str, peers: Path, folder: Path) -> list[str]:
    """Return the command of a server, its folder made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    node, modern, legacy = (
        peers / each for each in ("node_modules/.bin", "modern/bin", "legacy/bin")
    )
    if name == "git":
        for words in (
            ["init", "-q", "repo"],
            ["-C", "repo", "-c", "user.name=n", "-c", "user.email=e@example.invalid", "commit", "-q",
             "--allow-empty", "-m", "é", "--date", "2026-01-01T00:00:00Z"],
        ):  # fmt: skip
            fixed = {**os.environ, "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
            subprocess.run(["git", *words], cwd=folder, check=True, env=fixed)
    commands = {
        "everything": [node / "mcp-server-everything"],
        "filesystem": [node / "mcp-server-filesystem", folder],
        "memory": ["env", f"MEMORY_FILE_PATH={folder}/memory.jsonl", node / "mcp-server-memory"],
        "time": [modern / "mcp-server-time"],
        "git": [modern / "mcp-server-git"],
        "sqlite": [legacy / "mcp-server-sqlite", "--db-path", folder / "db.sqlite"],
    }
    return [os.fspath(word) for word in commands[name]]


def _session(peers: Path, mode: str, calls: object, words: list[str]) -> object:
    client = [os.fspath(peers / "modern/bin/python"), os.fspath(HERE / "mcp_client.py")]
    ran = subprocess.run(
        [*client, mode, *words], input=json.dumps(calls), capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("name", [*CALLS])
def test_direct_against_wrapped(peers: Path, tmp_path: Path, name: str, mode: str) -> None:
    """Both directions, before the wrapper and behind it; and what the client makes of it."""
    folder, store = tmp_path / "world", tmp_path / "store.db"
    calls = json.loads(json.dumps(CALLS[name]).replace("{folder}", os.fspath(folder)))
    kept = {
        each: os.fspath(tmp_path / each)
        for each in ("d.in", "d.out", "a.in", "a.out", "b.in", "b.out")
    }
    server = _server(name, peers, folder)
    direct = _session(peers, mode, calls, [*TEE, kept["d.in"], kept["d.out"], *server])
    server = _server(name, peers, folder)
    inner = [*TEE, kept["b.in"], kept["b.out"], *server]
    outer = [*TEE, kept["a.in"], kept["a.out"], *command(store, inner)]
    wrapped = _session(peers, mode, calls, outer)
    read = {each: Path(path).read_bytes() for each, path in kept.items()}
    assert read["a.in"] == read["b.in"]
    assert read["a.out"] == read["b.out"]
    assert wrapped == direct
    asked = sum(len(call) if isinstance(call[0], list) else 1 for call in calls)
    assert read["a.in"].count(b'"tools/call"') == read["d.in"].count(b'"tools/call"') >= asked
    if name != "everything":  # which sends notifications of its own, and answers many at once
        assert (read["a.in"], read["a.out"]) == (read["d.in"], read["d.out"])
    (run,) = runs(store)
    found = receipts(store, run)
    assert len(found) == asked
    assert all(
        each["outputs"]["status"] in ("ok", "tool_error", "protocol_error") for each in found
    )
    assert all(each["tool"]["scope"] != "mcp:unknown" for each in found)
