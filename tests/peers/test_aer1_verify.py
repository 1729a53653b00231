"""Random changes of receipts and closes, against the reader whose verdicts are followed.

Needs aer1-verify, so pytest runs it and the bare interpreter does not see it. Whatever differs
must be one of the named differences below; the list is closed.
"""

import base64
import copy
import datetime
import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from toolreplay.evidence.aer1.cases import shipped_cases
from toolreplay.evidence.aer1.drafts import READER
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.aer1.workflow import check_close, is_close_document

reader = pytest.importorskip("aer1_verify")

ROUNDS = 4_000
VALUES = (
    None, True, False, 0, 1, 2, -1, 1.0, 0.4, 10**25, "", "x", "0.2", "0.3", "0.4", "0.5", "sha256",
    "EXECUTED BY X", "LOGGED BY AGENT", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00+00:99",
    "2024-02-29T23:59:59.123456789-00:00", "00000000-0000-0000-0000-000000000000", "\u007f\u2028é",
    [], {}, [1], {"name": "t", "version": "1", "scope": "s"}, "2026-01-01T00:00:00Z\n", "A" * 64, "0" * 64,
)  # fmt: skip


def crashes(_: Any, answer: Any) -> bool:
    """The reader ends with an exception; ours answers."""
    return isinstance(answer, Exception)


def spells_arrays(document: Any, _: Any) -> bool:
    """The reader takes an array or object as a version by the text that Python prints of it."""
    receipt = document.get("receipt") if isinstance(document.get("receipt"), dict) else document
    versions = [receipt.get("receipt_schema_version")]
    try:
        committed = json.loads(base64.b64decode(receipt.get("canonical_bytes")))
        versions.append(committed.get("receipt_schema_version"))
    except (TypeError, ValueError, AttributeError):
        pass
    return any(isinstance(version, list | dict) for version in versions)


def has_an_id_twice(document: Any, _: Any) -> bool:
    """A receipt id stands twice in a close; under receipt-id-v0 that can keep the root."""
    ids = [json.dumps(one.get("receipt_id", one.get("id"))) for one in _steps(document)]
    return len(set(ids)) < len(ids)


def has_a_boolean_seq(document: Any, _: Any) -> bool:
    """A `seq` or `step_index` is true or false, which the reader counts as 1 and 0."""
    return any(
        isinstance(one.get(name), bool)
        for one in _steps(document)
        for name in ("seq", "step_index")
    )


RECEIPTS = (crashes, spells_arrays)
CLOSES = (crashes, has_an_id_twice, has_a_boolean_seq)
"""Every deliberate difference."""


def _steps(document: Any) -> list[dict[str, Any]]:
    for name in ("receipts", "steps"):
        if isinstance(document.get(name), list):
            return [one for one in document[name] if isinstance(one, dict)]
    return []


def _changed(document: Any, dice: random.Random) -> Any:
    """A document with one to three changes, deep inside or in the committed bytes."""
    document = copy.deepcopy(document)
    for _ in range(dice.randint(1, 3)):
        places = list(_places(document))
        holder, name = dice.choice(places) if places else (None, None)
        kind = dice.randrange(6)
        if holder is None:
            return dice.choice(VALUES)
        if kind == 0 and isinstance(holder, dict):
            del holder[name]
        elif kind == 1 and isinstance(holder[name], str) and holder[name]:
            at = dice.randrange(len(holder[name]))
            letter = dice.choice("AaZz09+/=- \n\x7fé:")
            holder[name] = holder[name][:at] + letter + holder[name][at + dice.randint(0, 1) :]
        elif kind in (2, 3) and isinstance(document, dict):
            _commit_anew(document, dice)
        elif kind == 4 and isinstance(document, dict):
            names = ("timestamp", "hash_algorithm", "canonical_byte_length", "metadata_hash", "x")
            document[dice.choice(names)] = dice.choice(VALUES)
        else:
            holder[name] = dice.choice(VALUES)
    return document


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield value, name
            yield from _places(item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield value, index
            yield from _places(item)


def _commit_anew(document: dict[str, Any], dice: random.Random) -> None:
    """Change what is committed, and mostly hash it anew."""
    try:
        committed = json.loads(base64.b64decode(document["canonical_bytes"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return
    places = list(_places(committed))
    if places and dice.random() < 0.8:
        holder, name = dice.choice(places)
        holder[name] = dice.choice(VALUES)
    how = dice.choice(
        [{}, {"ensure_ascii": True}, {"sort_keys": False}, {"separators": (", ", ": ")}]
    )
    words = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": False, **how}
    data = json.dumps(committed, **words).encode("utf-8", "replace")
    document["canonical_bytes"] = base64.b64encode(data).decode()
    if dice.random() < 0.9:
        document["output_hash"] = "sha256:" + hashlib.sha256(data).hexdigest()
    if "canonical_byte_length" in document and dice.random() < 0.5:
        document["canonical_byte_length"] = len(data)


def _asked(work: Any, *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
        return error


def test_it_is_the_reader_that_is_followed():
    assert f"aer1-verify {reader.VERSION}" == READER


def test_receipts():
    dice = random.Random(7)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    documents = [case["doc"] for case in shipped_cases("receipts") if not case.get("large")]
    documents += [case["doc"] for case in shipped_cases("anchors")]
    seen = {"PASS": 0, "FAIL": 0}
    for _ in range(ROUNDS):
        document = _changed(dice.choice(documents), dice)
        expected = dice.choice(
            [None, None, "x", document.get("id") if isinstance(document, dict) else 5]
        )
        if not isinstance(expected, str):
            expected = None
        theirs = _asked(reader.verify, copy.deepcopy(document), expected)
        report = check_receipt(document, now=now, expected_id=expected)
        if isinstance(theirs, Exception):
            continue  # the difference `crashes`: ours has answered
        passed, checks, state, verdict = theirs
        seen["PASS" if passed else "FAIL"] += 1
        ours = (report.passed, report.id_state, report.id_verdict)
        if ours != (bool(passed), state, verdict):
            names = [
                one.__name__
                for one in RECEIPTS
                if isinstance(document, dict) and one(document, theirs)
            ]
            failed = [check["check"] for check in checks if not check["ok"]]
            assert names, (json.dumps(document)[:2000], ours, (passed, state, verdict), failed)
    assert min(seen.values()) > 100, seen


def test_closes():
    dice = random.Random(11)
    documents = [case["doc"] for case in shipped_cases("workflows")]
    seen = {"PASS": 0, "FAIL": 0}
    for _ in range(ROUNDS):
        document = _changed(dice.choice(documents), dice)
        is_close = _asked(reader.is_workflow_doc, document)
        if not isinstance(is_close, Exception):
            assert is_close_document(document) == bool(is_close), json.dumps(document)[:2000]
        if not is_close or isinstance(is_close, Exception):
            continue
        theirs = _asked(reader.verify_workflow, copy.deepcopy(document))
        report = check_close(document)
        if isinstance(theirs, Exception):
            continue  # the difference `crashes`: ours has answered
        passed, checks, _, _ = theirs
        seen["PASS" if passed else "FAIL"] += 1
        if report.passed != bool(passed):
            names = [one.__name__ for one in CLOSES if one(document, theirs)]
            failed = [check["check"] for check in checks if not check["ok"]]
            assert names, (json.dumps(document)[:2000], report.checks, passed, failed)
    assert min(seen.values()) > 100, seen
