"""Runs anywhere in any log: our checker, and a reader written from RFC 6962 and the page alone."""

import base64
import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.bundle import made
from tests.evidence.bundle.in_a_log import Kept, Log, sign, trusting

CALLS = st.integers(0, 4)


@st.composite
def logs(draw):
    """Return a log, the run in it that is looked at, and older sizes of the log."""
    makers = [
        made.imported(draw(CALLS), seed=f"s{number}", run=f"run-{number}")
        for number in range(draw(st.integers(1, 3)))
    ]
    log = Log().filled(draw(st.integers(0, 40)))
    log.take(*makers).filled(draw(st.integers(0, 40)))
    sizes = draw(st.sets(st.integers(1, log.size - 1), max_size=5)) if log.size > 1 else set()
    return log, makers[0], sorted(sizes)


@given(logs())
def test_the_checker_passes_at_every_size_that_was_seen(drawn):
    log, maker, sizes = drawn
    data = log.bundle(maker, sign, since=sizes)
    for older in (None, *sizes, log.size):
        memory = Kept(None if older is None else sign(log.head(older)))
        result = made.judged(data, trusting(memory))
        assert result.faults == []
        wanted = "not checked" if older is None else "passed"
        assert result.checks["log"].result == wanted
        assert result.checks["signer"].result == "passed"


@given(logs(), st.data())
def test_a_log_of_another_past_is_caught_by_what_was_seen(drawn, data):
    log, maker, sizes = drawn
    other = Log()
    at = data.draw(st.integers(0, log.size - 1))
    for number, leaf in enumerate(log.leaves):
        other.append(b"another leaf\n" if number == at else leaf)
    older = data.draw(st.sampled_from([*sizes, log.size]))
    result = made.judged(
        log.bundle(maker, sign, since=sizes), trusting(Kept(sign(other.head(older))))
    )
    if older <= at:
        assert result.faults == []
    else:
        assert result.kinds == ["forked-log"]
        assert result.checks["log"].result == "failed"


@given(logs(), st.data())
def test_a_leaf_a_hash_or_an_index_that_is_another_is_found(drawn, data):
    log, maker, sizes = drawn
    values = made.apart(log.bundle(maker, sign, since=sizes))
    line = data.draw(st.sampled_from(made.entries_of(values)))
    members = ["leaf_b64", "index", *(["path"] if line["path"] else [])]
    member = data.draw(st.sampled_from(members))
    if member == "leaf_b64":
        leaf = bytearray(base64.b64decode(line["leaf_b64"]))
        leaf[data.draw(st.integers(0, len(leaf) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        line["leaf_b64"] = base64.b64encode(leaf).decode()
    elif member == "index":
        index = data.draw(st.integers(0, log.size).filter(lambda number: number != line["index"]))
        line["index"] = index
    else:
        place = data.draw(st.integers(0, len(line["path"]) - 1))
        line["path"][place] = hashlib.sha256(line["path"][place].encode()).hexdigest()
    assert made.judged(made.joined(values), trusting(Kept(sign(log.head())))).faults


# A second reader.


def hash_of(first, *rest):
    return hashlib.sha256(bytes([first]) + b"".join(rest)).digest()


def root_by_rfc(leaf, index, size, path):
    """Fold a path from the top: the leaf is in the left part, or in the right (RFC 6962, 2.1.1)."""
    if size == 1:
        assert path == []
        return leaf
    left = 1
    while left * 2 < size:
        left *= 2
    if index < left:
        return hash_of(1, root_by_rfc(leaf, index, left, path[:-1]), path[-1])
    return hash_of(1, path[-1], root_by_rfc(leaf, index - left, size - left, path[:-1]))


@given(logs())
def test_a_second_reader_agrees(drawn):
    log, maker, _ = drawn
    values = [json.loads(line) for line in log.bundle(maker).splitlines()]
    first, head = values[0], next(value["head"] for value in values if "head" in value)
    assert (first["origin"], first["size"]) == (head["origin"], head["size"])
    prev = "0" * 64
    for seq, line in enumerate(value for value in values if "entry" in value):
        data = base64.b64decode(line["leaf_b64"])
        title, text, end = data.split(b"\n")
        leaf = json.loads(text)
        payload = made.form(line["payload"])
        commit = hashlib.sha256(
            b"toolreplay/commit/v1\n" + bytes.fromhex(line["salt"]) + payload
        ).hexdigest()
        assert (title, end) == (b"toolreplay/entry/v1", b"")
        assert leaf == {
            "v": 1, "log": first["origin"], "run": first["run"], "seq": seq, "prev": prev,
            "commit": commit, "size": len(payload), "kind": leaf["kind"], "at": leaf["at"],
        }  # fmt: skip
        hashed = hash_of(0, data)
        prev = hashed.hex()
        path = [bytes.fromhex(one) for one in line["path"]]
        assert root_by_rfc(hashed, line["index"], first["size"], path).hex() == head["root"]
