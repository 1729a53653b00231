"""Every JSON document that a command writes holds to the schema that is shipped for it.

Needs jsonschema, so pytest runs it and the bare interpreter does not see it.
"""

import copy
import json
import os
import pathlib
import shutil
from unittest import mock

import pytest
from jsonschema import Draft202012Validator

from tests.cli import ways
from tests.cli.tutorial import FILES, SEALED_DIRTY, TABLE, lay_out
from tests.contracts.test_audits import CASES, arguments_of
from tests.evidence.aer1.made import receipt
from tests.stores.stored import SIGNED, UNSIGNED, made_stores
from toolreplay.findings.words import WORDS
from toolreplay.packaged import data_file

NAMES = ("schema", "show.schema", "formats.schema", "sessions.schema", "explain.schema",
         "words.schema", "version.schema", "selftest.schema", "diff.schema", "verdict.schema",
         "conformance.schema", "store.schema", "runs.schema", "facts.schema", "doctor.schema")  # fmt: skip
IMPORTER_CASES = sorted((ways.ROOT / "toolreplay" / "importers").glob("*/cases/*/session.*"))


def schema(name: str) -> dict:
    return json.loads(data_file(f"reports/json/{name}.json"))


VALIDATORS = {schema(name)["title"]: Draft202012Validator(schema(name)) for name in NAMES}


def checked(out: bytes) -> dict:
    """Validate a document by the schema of its own format; return it."""
    document = json.loads(out)
    VALIDATORS[document["format"]].validate(document)
    return document


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("files")
    lay_out(path)
    (path / "receipt.json").write_text(json.dumps(receipt()), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_valid_one_of_its_draft(name):
    document = schema(name)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"https://toolreplay.invalid/schemas/{name}.json"
    Draft202012Validator.check_schema(document)


@pytest.mark.parametrize(("audit", "case"), CASES, ids=lambda value: getattr(value, "name", value))
def test_the_report_of_each_case(audit, case):
    ran = ways.in_process(*arguments_of(audit, case), "--format", "json", folder=case)
    assert checked(ran.out)["exit"] == ran.status


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_the_tutorials_commands(command, folder):
    validated = 0
    for golden in TABLE:
        if golden.arguments[0] == command and golden.status < 2:
            ran = ways.in_process(
                *golden.arguments, "--format", "json", folder=folder, stdin=golden.stdin
            )
            assert checked(ran.out)["exit"] == golden.status == ran.status, golden.name
            validated += 1
    assert validated > 10


def test_scope(folder):
    for transcript in ("samples/session-dirty.jsonl", "samples/session-clean.jsonl", "empty.jsonl"):
        ran = ways.in_process(
            "scope", transcript, "samples/scope.json", "--format", "json", folder=folder
        )
        assert checked(ran.out)["exit"] == ran.status


def test_an_audit_of_everything_at_once(folder):
    """Every kind of input: read, not recognised, unreadable, empty."""
    ran = ways.in_process("audit", ".", "--format", "json", folder=folder)
    document = checked(ran.out)
    assert {item["status"] for item in document["inputs"]} == {
        "read",
        "not recognised",
        "unreadable",
    }
    assert len(document["inputs"]) == document["totals"]["files"] == len(FILES) + 1


@pytest.mark.parametrize("path", IMPORTER_CASES, ids=lambda path: path.parent.name)
def test_a_session_as_report_and_as_timeline(path):
    checked(ways.in_process("audit", str(path), "--format", "json").out)
    checked(ways.in_process("show", str(path), "--format", "json").out)


def test_show(folder):
    for arguments in (["samples"], ["empty.jsonl"], ["samples/session-dirty.jsonl", "--tool", "x"]):
        ran = ways.in_process("show", *arguments, "--format", "json", folder=folder)
        assert ran.status == 0
        checked(ran.out)


def test_diff(folder):
    (folder / "sealed.jsonl").write_text(SEALED_DIRTY)
    (folder / "cut.jsonl").write_text(SEALED_DIRTY[: SEALED_DIRTY.index("\n") + 1])
    clean, dirty = "samples/session-clean.jsonl", "samples/session-dirty.jsonl"
    session = "samples/claude-session.jsonl"
    for a, b in (
        (clean, dirty), (dirty, clean), (dirty, dirty), ("empty.jsonl", session), (session, dirty),
        (session, session), ("sealed.jsonl", "cut.jsonl"), ("sealed.jsonl", dirty),
    ):  # fmt: skip
        ran = ways.in_process("diff", a, b, "--format", "json", folder=folder)
        document = checked(ran.out)
        assert (
            ran.status
            == int(document["differ"])
            == int(a != b and (a, b) != ("sealed.jsonl", dirty))
        )
        assert (
            len(document["differences"])
            == sum(document["counts"].values()) - document["counts"]["same"]
        )


def test_formats_version_and_words():
    for arguments in (["formats"], ["version"], ["version", "--verbose"], ["explain"]):
        checked(ways.in_process(*arguments, "--format", "json").out)


def test_selftest():
    document = checked(ways.in_process("selftest", "--format", "json").out)
    assert document["failed"] == 0
    assert document["passed"] == sum(len(group["tests"]) for group in document["groups"])


def test_a_selftest_that_failed():
    """One that found a line, one that found none, and text that no file can hold as it is."""
    wrong = {"expected.txt": b"\xff" * 2000 + b"\n", "standard error": b"", "exit status": b"0"}
    with mock.patch("toolreplay.cli.selftest.expected_of", return_value=wrong):
        ran = ways.in_process("selftest", "--only", "loop", "--format", "json")
    assert ran.status == 1
    assert checked(ran.out)["failed"] == 10


def test_explain():
    for word in [*WORDS, "redundant-call", "claude_code"]:
        checked(ways.in_process("explain", word, "--format", "json").out)


def test_sessions(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    checked(ways.in_process("sessions", "--format", "json").out)
    path = tmp_path / ".claude" / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((ways.SAMPLES / "claude-session.jsonl").read_bytes())
    os.utime(path, (0, 0))
    for arguments in ([], ["--count"]):
        document = checked(ways.in_process("sessions", *arguments, "--format", "json").out)
        assert len(document["sessions"]) == 1


def test_doctor(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    servers = {"a": {"command": "x"}, "b": {"url": "https://example.com"}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (tmp_path / "none.json").write_text("{")
    for arguments in ([], ["none.json"]):
        ran = ways.in_process("doctor", *arguments, "--format", "json", folder=tmp_path)
        document = checked(ran.out)
        assert document["exit"] == ran.status == 3
        assert len(document["configurations"]) == 1 + len(arguments)


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> pathlib.Path:
    """A signed and an unsigned store with runs in them."""
    return pathlib.Path(shutil.copytree(made_stores(), tmp_path_factory.mktemp("stores") / "here"))


def test_a_store_and_its_runs(stores):
    assert ways.in_process("store", "init", "empty.db", folder=stores).status == 0
    for name, runs in ((SIGNED, 3), (UNSIGNED, 3), ("empty.db", 0)):
        ran = ways.in_process("store", "status", name, "--format", "json", folder=stores)
        assert checked(ran.out)["runs"] == runs
        ran = ways.in_process("runs", "list", "--store", name, "--format", "json", folder=stores)
        assert len(checked(ran.out)["runs"]) == runs
        for run in checked(ran.out)["runs"]:
            asked = ["runs", "show", f"{name}#{run['run']}", "--format", "json"]
            shown = checked(ways.in_process(*asked, folder=stores).out)
            assert (shown["entries"], shown["unanswered"]) == (run["entries"], run["open_calls"])


@pytest.mark.parametrize(
    "arguments", [["store", "status", SIGNED], ["runs", "list", "--store", SIGNED]], ids=" ".join
)
def test_a_member_of_a_store_too_many_or_too_few(arguments, stores):
    document = checked(ways.in_process(*arguments, "--format", "json", folder=stores).out)
    validator = VALIDATORS[document["format"]]
    for path in _objects(document):
        changed = copy.deepcopy(document)
        _at(changed, path)["extra"] = "no number"
        assert not validator.is_valid(changed), path
        for name in _at(document, path):
            changed = copy.deepcopy(document)
            del _at(changed, path)[name]
            assert not validator.is_valid(changed), (path, name)


def _objects(value: object, path: tuple = ()):
    """Yield the path of every object in a document."""
    if isinstance(value, dict):
        yield path
        for name, item in value.items():
            yield from _objects(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _objects(item, (*path, number))


def _at(document: object, path: tuple) -> dict:
    for step in path:
        document = document[step]
    return document


def _may_be_left_out(path: tuple, name: str) -> bool:
    if name in (
        "state_changes_between",
        "remedy",
        "account",
        "seconds",
        "id",
        "notes",
        "unbound",
    ) or path[-1:] == ("skipped",):
        return True
    return name == "count" and "checks" in path


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "samples", "refused-0.jsonl", "--scope", "samples/scope.json"],
        ["replay", "samples/session-dirty.jsonl"],
        ["show", "samples/claude-session.jsonl"],
        ["formats"],
        ["version"],
        ["diff", "samples/session-clean.jsonl", "samples/session-dirty.jsonl"],
        ["selftest", "--only", "scope"],
        ["conformance"],
        ["receipt", "verify", "receipt.json"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_member_too_many_or_too_few_is_refused(arguments, folder):
    """A schema that takes anything would prove nothing."""
    document = checked(ways.in_process(*arguments, "--format", "json", folder=folder).out)
    validator = VALIDATORS[document["format"]]
    tried = 0
    for path in _objects(document):
        if any(step in ("args", "response") for step in path):
            continue
        changed = copy.deepcopy(document)
        _at(changed, path)["extra"] = "no number"
        assert not validator.is_valid(changed), path
        for name in _at(document, path):
            if _may_be_left_out(path, name):
                continue
            changed = copy.deepcopy(document)
            del _at(changed, path)[name]
            assert not validator.is_valid(changed), (path, name)
            tried += 1
    assert tried
