"""The grammar of what is committed: one table for those who make it and who read it."""

import json
import unittest
from collections.abc import Iterator
from typing import Any

from tests.evidence.bundle import made
from toolreplay.errors import CanonicalError
from toolreplay.evidence.profile.members import (
    CLOSE,
    COMMITTED,
    ERASE,
    FLAGS,
    GAP,
    LAYERS,
    OBSERVATION,
    OPEN,
    START,
    Grammar,
    faults_in,
    is_exactly,
    provenance_of,
    refuse_faults,
    spelt,
    unknown_in,
)

GRAMMARS: dict[str, Grammar] = {
    "open": OPEN, "start": START, "gap": GAP, "observe": OBSERVATION, "erase": ERASE,
    "call": COMMITTED, "close": CLOSE,
}  # fmt: skip


def examples() -> dict[str, Any]:
    """Return a sound value of each kind."""
    maker = made.on_the_wire().erase(["ab" * 32])
    values = made.apart(maker.bundle())
    return {
        kind: made.committed_of(entry) if kind in ("call", "close") else entry["payload"]
        for kind in GRAMMARS
        for entry in made.of_kind(values, kind)[:1]
    }


def members_of(grammar: Grammar, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of each member of a grammar, as it spells it."""
    for name, judge in grammar.items():
        yield (*path, name)
        if isinstance(judge, dict):
            yield from members_of(judge, (*path, name))


def put(value: Any, path: tuple[str, ...], new: Any) -> Any:
    """Return a copy with one member replaced, or left out where `new` is `...`."""
    value = json.loads(json.dumps(value))
    inner = value
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    if new is ...:
        inner.pop(path[-1], None)
    else:
        inner[path[-1]] = new
    return value


class EachMember(unittest.TestCase):
    """Decided by us: the members are these, and each has one type."""

    def test_what_is_made_has_no_fault(self) -> None:
        found = examples()
        self.assertEqual(found.keys(), GRAMMARS.keys())
        for kind, value in found.items():
            with self.subTest(kind):
                self.assertEqual(list(faults_in(value, GRAMMARS[kind])), [])
                self.assertEqual(list(unknown_in(value, GRAMMARS[kind])), [])
                refuse_faults(value, GRAMMARS[kind])

    def test_missing_or_of_another_type_it_is_named_with_its_place(self) -> None:
        anything = {"effect", "found", "view", "request_id"}
        for kind, value in examples().items():
            for spelling in members_of(GRAMMARS[kind]):
                path = tuple(name.removesuffix("?") for name in spelling)
                place = ".".join(path)
                with self.subTest(kind=kind, place=place):
                    if not spelling[-1].endswith("?"):
                        gone = list(faults_in(put(value, path, ...), GRAMMARS[kind]))
                        self.assertEqual(gone, [f"{place} is missing"])
                    if path[-1] not in anything:
                        (fault,) = faults_in(put(value, path, 1.5), GRAMMARS[kind])
                        self.assertTrue(fault.startswith(f"{place} "), fault)
                        with self.assertRaises(CanonicalError):
                            refuse_faults(put(value, path, 1.5), GRAMMARS[kind])

    def test_an_unknown_one_is_refused_from_who_makes_and_told_to_who_reads(self) -> None:
        for kind, value in examples().items():
            new = put(value, ("later",), 1)
            self.assertEqual(list(faults_in(new, GRAMMARS[kind])), [])
            self.assertEqual(list(unknown_in(new, GRAMMARS[kind])), ["later"])
            with self.assertRaises(CanonicalError):
                refuse_faults(new, GRAMMARS[kind])
        inner = put(examples()["call"], ("capture", "writer", "gid"), 1)
        self.assertEqual(list(unknown_in(inner, COMMITTED)), ["capture.writer.gid"])

    def test_what_is_no_object_at_all(self) -> None:
        self.assertEqual(list(faults_in([], OPEN)), ["the object is not an object"])
        self.assertEqual(list(unknown_in(None, OPEN)), [])


class Values(unittest.TestCase):
    """Decided by us: one spelling a value, so that equal things are equal bytes."""

    def refused(self, kind: str, path: str, *wrong: Any) -> None:
        value = examples()[kind]
        for new in wrong:
            with self.subTest(path=path, value=new):
                self.assertTrue(
                    list(faults_in(put(value, tuple(path.split(".")), new), GRAMMARS[kind]))
                )

    def test_times_are_utc_with_milliseconds(self) -> None:
        self.refused(
            "open", "started_at", "2026-11-30T09:00:00Z", "2026-11-30T09:00:00.000+00:00",
            "2026-11-30T09:00:00.0000Z", "2026-02-30T09:00:00.000Z", "", None,
        )  # fmt: skip

    def test_counts_places_and_flags(self) -> None:
        self.refused("call", "binding.seq", 0, -1, True, "1", None)
        self.refused("call", "binding.position", 0, True, "1")
        self.refused("close", "close.count", -1, True, None)
        self.refused("close", "close.unfinished", [2, 1], [1, 1], [0], "1", None)
        self.refused("close", "close.by_status", {"gone": 1}, {"ok": 0}, [])
        self.refused("call", "outputs.flags", ["late", "late"], ["truncated", "late"], ["new"], "")
        self.refused("call", "outputs.status", "done", None)

    def test_texts_and_lists(self) -> None:
        self.refused("open", "run", "")
        self.refused("open", "agent.labels", {"a": 1}, [])
        self.refused("call", "inputs.redactions", [{"path": "/a"}], [{"path": 1, "rule": "r"}], {})
        self.refused("call", "inputs.rounds", {}, [None])
        self.refused("call", "capture.tool_definition", "missing", "")
        self.refused("erase", "digests", ["x"], "ab" * 32)
        self.refused("close", "close.merkle_version", "receipt-id-v0")


class Words(unittest.TestCase):
    """Decided by AER-1, REC-10, what a class claims; by us which layer may claim it."""

    def test_who_ran_the_tool_who_saw_it_and_who_was_told(self) -> None:
        classes = {LAYERS[layer] for layer in LAYERS}
        self.assertEqual(
            classes, {"OBSERVED VIA GATEWAY", "EXECUTED BY TOOLREPLAY", "LOGGED BY AGENT"}
        )
        self.assertEqual(provenance_of("import"), "LOGGED BY AGENT")
        self.assertEqual(provenance_of("mcp-wire"), "OBSERVED VIA GATEWAY")
        self.assertIsNone(provenance_of("gossip"))

    def test_flags_are_sorted(self) -> None:
        self.assertEqual(list(FLAGS), sorted(FLAGS))

    def test_a_lone_surrogate_has_one_fixed_spelling(self) -> None:
        self.assertEqual(spelt("a\ud800b\udfffé\U0001f600"), "a\\u{d800}b\\u{dfff}é\U0001f600")
        self.assertEqual(spelt("plain"), "plain")


class OneLook(unittest.TestCase):
    """Decided by us: the quick look says what the two walks say."""

    def test_of_every_changed_member(self) -> None:
        line = made.of_kind(made.apart(made.imported(1).bundle()), "call")[0]
        committed = made.committed_of(line)
        self.assertTrue(is_exactly(committed, COMMITTED))
        for name, value in list(committed.items()):
            for other in (None, 1, "x", {}, [], {**value, "new": 1} if type(value) is dict else 0):
                with self.subTest(name=name, other=other):
                    changed = {**committed, name: other}
                    found = [*faults_in(changed, COMMITTED), *unknown_in(changed, COMMITTED)]
                    self.assertEqual(is_exactly(changed, COMMITTED), not found)
            left = {key: item for key, item in committed.items() if key != name}
            self.assertFalse(is_exactly(left, COMMITTED))


if __name__ == "__main__":
    unittest.main()
