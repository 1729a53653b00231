"""Bundles of any runs: our checker, a reader written from AER-1 alone, and two other programs."""

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.bundle import made
from tests.properties.strategies import free_calls, identical
from toolreplay.evidence.profile.members import spelt
from toolreplay.evidence.profile.piece import piece_of

LAYERS = ("import", "mcp-wire", "decorator")

results = st.one_of(
    st.none(),
    st.binary(max_size=20).map(lambda data: b"\xff" + data),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(lambda text: f"t:{text}"),
    st.integers(4096, 9000).map(lambda size: b"\xff" * size),
)


class Early(made.Maker):
    """A run of last year: another program compares its times with the clock."""

    def now(self) -> str:
        return super().now().replace("2026-11-30", "2025-01-01")


@st.composite
def runs(draw, fewest=0):
    """Return a bundle, and its calls as (tool, args, response) in the order they began."""
    calls = draw(st.lists(st.tuples(free_calls, results), min_size=fewest, max_size=9))
    layer = draw(st.sampled_from(LAYERS))
    ends = draw(st.permutations(range(len(calls))))
    inline_bytes = draw(st.sampled_from([0, 4096]))
    maker = Early(layer).open(name=draw(st.sampled_from(["r", "é\U0001f600"])))
    pieces = []
    for (_, args, response), result in calls:
        content = result
        if result is None:
            content = json.dumps(response)
        if isinstance(content, str):
            content = content.encode("utf-8")
        kinds = [json.dumps(args).encode(), content]
        pieces.append([piece_of(data, "application/octet-stream", inline_bytes) for data in kinds])
    if layer != "import":
        for number, ((tool, _, _), _) in enumerate(calls):
            maker.start(number + 1, tool, pieces[number][0])
    for number in ends:
        maker.call(number + 1, calls[number][0][0], *pieces[number])
    wanted = []
    for (tool, args, response), result in calls:
        shown = response
        if isinstance(result, str):
            shown = {"content": result, "is_error": False}
        elif isinstance(result, bytes):
            digest = hashlib.sha256(result).hexdigest()
            shown = {"_piece": {"digest": digest, "length": len(result)}}
        wanted.append((spelt(tool), args, shown))
    return maker.close(draw(results) or b"").bundle(), wanted


@given(runs())
def test_the_checker_passes_and_the_calls_come_back(run):
    data, wanted = run
    result = made.judged(data)
    assert result.faults == []
    assert {result.checks[line].result for line in ("contents", "links", "ending")} == {"passed"}
    found = [(call.tool, call.args, call.response) for call in result.calls]
    assert identical([list(call) for call in found], [list(call) for call in wanted])
    assert made.joined(made.apart(data)) == data


# A second reader, from the text of AER-1 alone.


def escaped(text):
    """Spell a string in ASCII; U+007F too, and what lies above U+FFFF as a pair."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}  # fmt: skip
    spelled = ""
    for letter in text:
        code = ord(letter)
        if letter in short:
            spelled += short[letter]
        elif 0x20 <= code < 0x7F:
            spelled += letter
        elif code <= 0xFFFF:
            spelled += f"\\u{code:04x}"
        else:
            code -= 0x10000
            spelled += f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f'"{spelled}"'


def entry_digest(close, receipt, committed):
    output = hashlib.sha256(base64.b64decode(receipt["canonical_bytes"])).hexdigest()
    binding = committed["binding"]
    text = (
        f'{{"close":{"true" if close else "false"},"id":{escaped(receipt["id"])},'
        f'"job_id":{escaped(binding["job_id"])},"output_hash":"{output}",'
        f'"prev_digest":"{binding["prev_digest"]}",'
        f'"provenance_class":{escaped(receipt["provenance_class"])},"seq":{binding["seq"]},'
        f'"tool":{escaped(receipt["tool"]["name"])}}}'
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def root_of(leaves):
    """Fold neighbours; the odd last one of a level is its own neighbour."""
    while len(leaves) > 1:
        leaves = leaves + leaves[-1:] * (len(leaves) % 2)
        leaves = [
            hashlib.sha256(leaves[at] + leaves[at + 1]).digest() for at in range(0, len(leaves), 2)
        ]
    return leaves[0].hex()


def receipts_of(data):
    values = [json.loads(line) for line in data.splitlines()]
    found = [
        value["payload"]
        for value in values
        if "entry" in value and "canonical_bytes" in value["payload"]
    ]
    lines = {}
    for value in values:
        for kind in ("workflow", "commitment"):
            if kind in value:
                lines[kind] = value[kind]
    return found, [value["step"] for value in values if "step" in value], lines


@given(runs())
def test_a_second_reader_agrees(run):
    receipts, steps, lines = receipts_of(run[0])
    previous = "0" * 64
    for seq, receipt in enumerate(receipts, 1):
        committed = json.loads(base64.b64decode(receipt["canonical_bytes"]))
        assert committed["binding"]["prev_digest"] == previous
        assert committed["binding"]["seq"] == seq
        previous = entry_digest(seq == len(receipts), receipt, committed)
    assert lines["commitment"]["final_entry_digest"] == previous
    assert lines["commitment"]["entry_count"] == len(receipts)
    *calls, close = receipts
    said = json.loads(base64.b64decode(close["canonical_bytes"]))["close"]
    if not calls:
        assert "workflow" not in lines
        assert (said["merkle_root"], said["receipt_id_root"], steps) == (None, None, [])
        return
    outputs = [
        hashlib.sha256(base64.b64decode(one["canonical_bytes"])).hexdigest() for one in calls
    ]
    leaves = [
        hashlib.sha256(f"{seq}:{out}".encode()).digest() for seq, out in enumerate(outputs, 1)
    ]
    ids = [hashlib.sha256(one["id"].encode()).digest() for one in calls]
    for place in (lines["workflow"], said):
        assert place["merkle_root"] == root_of(leaves)
        assert place["receipt_id_root"] == root_of(ids)
    assert [(step["receipt_id"], step["output_hash"]) for step in steps] == [
        (one["id"], output) for one, output in zip(calls, outputs, strict=True)
    ]


@given(runs(fewest=1))
def test_the_newest_public_verifier_passes_receipts_and_close(run):
    theirs = pytest.importorskip("aer1_verify")
    assert theirs.VERSION == "0.2.19"
    receipts, steps, lines = receipts_of(run[0])
    for receipt in receipts:
        passed, checks, *_ = theirs.verify(receipt, expected_id=receipt["id"])
        assert passed, checks
        assert not [check for check in checks if not check["ok"] or "legacy" in check["check"]]
    close = {**lines["workflow"], "steps": steps}
    passed, checks, workflow_id, version = theirs.verify_workflow(close, expected_id=made.RUN)
    assert passed, checks
    assert (workflow_id, version) == (made.RUN, "seq-output-v1")


@given(runs(fewest=1))
def test_the_public_emitter_finds_nothing_but_its_older_root(run):
    theirs = pytest.importorskip("aer1kit")
    _, steps, lines = receipts_of(run[0])
    close = {**lines["workflow"], "steps": steps}
    assert theirs.verify_receipt(close) == [
        "merkle_root does not match the recomputed Section 8.1 root"
    ]
    assert theirs.merkle_root([step["receipt_id"] for step in steps]) == close["receipt_id_root"]
    older = {**close, "merkle_root": close["receipt_id_root"]}
    assert theirs.verify_receipt(older) == []
