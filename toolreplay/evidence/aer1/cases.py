"""Cases of AER-1: documents with the answers that other programs gave, and whether ours agree.

A file of cases is one kind of input, format `toolreplay-aer1-vectors/1`. Where a case says `ours`
we mean to differ, and say why; everywhere else the answer is that of the program that was asked.
"""

import json
from collections.abc import Callable
from hashlib import sha256

from toolreplay.errors import CanonicalError, InputError
from toolreplay.evidence.aer1.anchor import anchor_report
from toolreplay.evidence.aer1.base64_text import base64_of
from toolreplay.evidence.aer1.chain import check_chain
from toolreplay.evidence.aer1.commitment import check_commitment
from toolreplay.evidence.aer1.document import Document, read_document
from toolreplay.evidence.aer1.identity import NOT_SUPPLIED, unwrapped
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.aer1.workflow import check_close, is_close_document
from toolreplay.findings.check import PASSED
from toolreplay.packaged import data_file
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.canonical import aer1, text_of_parsed
from toolreplay.records.limits import DEFAULT

__all__ = ["FORMAT", "KINDS", "NOW", "cases_of", "differences_of", "shipped_cases"]

FORMAT = "toolreplay-aer1-vectors/1"

NOW = "2026-11-30T09:00:00Z"
"""The moment as of which cases that depend on the day are judged."""

_LIMITS = DEFAULT._replace(depth=5000)
"""A case may hold a document that is nested as deep as its program could not follow."""

_SHAPE_NOTES = {"legacy", "bare_tool", "timestamp_field"}
"""The notes that the program we follow has too; the others are ours alone."""


def shipped_cases(kind: str) -> list[JsonObject]:
    """Return the cases of one kind that the package carries."""
    return cases_of(data_file(f"evidence/aer1/vectors/{kind}.json"), kind, f"{kind}.json")


def cases_of(data: bytes, kind: str, where: str) -> list[JsonObject]:
    """Return the cases in a file. Raises InputError where it is no file of that kind."""
    read: Document = read_document(data, where, _LIMITS)
    document = read.value
    if type(document) is not dict or document.get("format") != FORMAT:
        raise InputError(where, f"is not of the format {FORMAT}")
    cases = document.get("cases")
    if document.get("kind") != kind or type(cases) is not list:
        raise InputError(where, f"has no cases of the kind {kind}")
    for number, case in enumerate(cases, 1):
        rules = case.get("rules") if type(case) is dict else None
        has_rules = type(rules) is list and all(type(rule) is str for rule in rules)
        if not has_rules or type(case.get("id")) is not str:
            raise InputError(where, f"case {number} has no id, or no list of rules")
    return cases


def differences_of(kind: str, case: JsonObject) -> list[str]:
    """Return where our answers to a case differ from those it expects, each in a few words.

    Raises KeyError and its like where a case lacks what its kind must have.
    """
    wanted, found = KINDS[kind](case)
    return [
        f"{name}: expected {_shown(value)}, found {_shown(found[name])}"
        for name, value in wanted.items()
        if found[name] != value or type(found[name]) is not type(value)
    ]


_Answers = tuple[dict[str, Json], dict[str, Json]]


def _receipts(case: JsonObject) -> _Answers:
    expect = case["expect"]
    report = check_receipt(case["doc"], now=NOW)
    reader = expect["aer1_verify"]
    wanted = {
        "verdict": expect.get("ours", reader)["verdict"],
        "core": expect["kit"]["accept"],
        "producer profile": expect["producer_profile"].get("accept", False),
        "strict": expect["strict"]["accept"],
        "current shape": expect["current_shape"],
    }
    found: dict[str, Json] = {
        "verdict": _verdict(report.passed),
        "core": report.core_passed,
        "producer profile": report.producer_profile.result == PASSED,
        "strict": report.strict_passed,
        "current shape": report.is_current_shape,
    }
    if "ours" not in expect:
        wanted |= {"notes": sorted(reader["notes"]), "legacy": reader["legacy_shape"]}
        names = {note.partition(": ")[0] for note in report.notes}
        found |= {"notes": sorted(names & _SHAPE_NOTES), "legacy": report.legacy}
    return wanted, found


def _id_binding(case: JsonObject) -> _Answers:
    record = case.get("resolved_record", NOT_SUPPLIED)
    report = check_receipt(
        case["doc"], now=NOW, expected_id=case.get("expected_id"), resolved_record=record
    )
    reader = case["expect"]["aer1_verify"]
    return {name: reader[name] for name in ("verdict", "id_state", "id_verdict")}, {
        "verdict": _verdict(report.passed),
        "id_state": report.id_state,
        "id_verdict": report.id_verdict,
    }


def _anchors(case: JsonObject) -> _Answers:
    evaluate = case["evaluate"]
    expect = case["expect"]
    anchor = anchor_report(unwrapped(case["doc"]), evaluate=evaluate)
    report = check_receipt(case["doc"], now=NOW, with_anchor=evaluate)
    wanted = {name: expect["anchor"][name] for name in ("present", "evaluated", "outcome")}
    return {**wanted, "verdict": expect["verdict"]}, {
        "present": anchor.present,
        "evaluated": anchor.evaluated,
        "outcome": anchor.outcome,
        "verdict": _verdict(report.passed),
    }


def _chains(case: JsonObject) -> _Answers:
    expect, report = case["expect"], check_chain(case["timeline"])
    wanted = {"current": expect["v07"]["valid"], "historical": expect["v06"]["valid"]}
    if "final_entry_digest" in expect:
        wanted["final digest"] = expect["final_entry_digest"]
    return wanted, {
        "current": report.valid,
        "historical": report.historical_valid,
        "final digest": report.final_entry_digest,
    }


def _commitments(case: JsonObject) -> _Answers:
    expect = case["expect"]
    return {
        "commitment": expect["commitment"]["valid"],
        "chain": expect["chain_v07"]["valid"],
    }, {
        "commitment": check_commitment(case["timeline"], case["commitment"]).valid,
        "chain": check_chain(case["timeline"]).valid,
    }


def _attacks(case: JsonObject) -> _Answers:
    expect, timeline = case["expect"], case["timeline"]
    chain = check_chain(timeline)
    layers = {
        "chain": chain.valid,
        "commitment": check_commitment(timeline, case["commitment"]).valid,
    }
    return {
        "caught by": expect["caught_by"],
        "count alone": expect["count_alone_would_catch"],
    }, {
        "caught by": [name for name, holds in layers.items() if not holds],
        "count alone": chain.facts.count != case["commitment"]["entry_count"],
    }


def _workflows(case: JsonObject) -> _Answers:
    expect, report = case["expect"], check_close(case["doc"], case.get("expected_id"))
    reader = expect["aer1_verify"]
    wanted = {
        "verdict": expect.get("ours", reader)["verdict"],
        "is a close": expect["is_workflow_doc"],
    }
    found: dict[str, Json] = {
        "verdict": _verdict(report.passed),
        "is a close": is_close_document(case["doc"]),
    }
    if "crash" not in reader:
        wanted["root rule"] = reader["merkle_version"]
        found["root rule"] = report.merkle_version
    return wanted, found


def _canonical(case: JsonObject) -> _Answers:
    expect, value = case["expect"], case["value"]
    found: dict[str, Json] = {}
    try:
        data = aer1(value)
        found = {
            "committed_bytes_b64": base64_of(data),
            "committed_sha256": sha256(data).hexdigest(),
        }
    except CanonicalError:
        found = {"committed_bytes_b64": None, "committed_sha256": None}
    ascii_form = text_of_parsed(value)
    found["digest_form_ascii"] = ascii_form
    found["digest_sha256"] = sha256(ascii_form.encode("ascii")).hexdigest()
    return {name: expect.get(name) for name in found}, found


KINDS: dict[str, Callable[[JsonObject], _Answers]] = {
    "receipts": _receipts,
    "id_binding": _id_binding,
    "anchors": _anchors,
    "chains": _chains,
    "commitments": _commitments,
    "attacks": _attacks,
    "workflows": _workflows,
    "canonical": _canonical,
}
"""The kinds that are documents alone; `cli` is a command line, and is run where commands are."""


def _verdict(passed: bool) -> str:  # noqa: FBT001
    return "PASS" if passed else "FAIL"


def _shown(value: Json) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
