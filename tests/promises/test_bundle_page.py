"""The page of the bundle names everything that the code writes and reads."""

import json
import pathlib
import re
import unittest
from collections.abc import Iterator
from typing import Any

from toolreplay.audits.recompute import RULES
from toolreplay.evidence.bundle.closing import commitment_of, workflow_of
from toolreplay.evidence.bundle.ending import Ending
from toolreplay.evidence.bundle.lines import (
    FORMAT,
    STAGES,
    BundleLine,
    entry_line,
    kind_of_line,
    step_of,
)
from toolreplay.evidence.bundle.receipts import OUTER
from toolreplay.evidence.profile.entry import KINDS, kind_by_profile
from toolreplay.evidence.profile.members import (
    CLOSE,
    ERASE,
    FLAGS,
    GAP,
    LAYERS,
    OBSERVATION,
    OPEN,
    START,
    Grammar,
    faults_in,
    unknown_in,
)
from toolreplay.records.call import OUTCOMES
from toolreplay.records.canonical import aer1

PAGE = (pathlib.Path(__file__).parents[2] / "docs/formats/bundle.md").read_text(encoding="utf-8")

PAYLOADS = {"open": OPEN, "start": START, "gap": GAP, "observe": OBSERVATION, "erase": ERASE}

_DIGEST = "ab" * 32
COMMITTED: dict[str, Any] = {
    "tool": {"name": "t"}, "timing": {}, "outputs": {"result": None, "status": "ok"},
    "binding": {"created_at": "", "receipt_id": "", "job_id": ""},
    "close": dict.fromkeys(
        ("goal", "status", "count", "merkle_version", "merkle_root", "receipt_id_root")
    ),
}  # fmt: skip
"""As much of a committed object as what is derived from one looks at."""


def words_of(page: str) -> set[str]:
    """Return what stands in backticks, without the `?` of members that may be absent."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL)))


def members_of(grammar: Grammar) -> Iterator[str]:
    """Yield the name of each member, and of those below it."""
    for name, judge in grammar.items():
        yield name.removesuffix("?")
        if isinstance(judge, dict):
            yield from members_of(judge)


def section(title: str) -> str:
    """Return the text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


class ThePageNamesWhatTheCodeHas(unittest.TestCase):
    """Decided by us: a format page that leaves a member out is no format page."""

    def test_every_member_that_is_committed_to(self) -> None:
        for name, grammar in {"close": CLOSE, **PAYLOADS}.items():
            with self.subTest(name):
                self.assertEqual(set(members_of(grammar)) - words_of(PAGE), set())

    def test_every_member_of_a_payload_in_its_row(self) -> None:
        rows = dict(
            re.findall(r"^\| `(\w+)` \| (`profile`.*) \|$", section("Entries"), re.MULTILINE)
        )
        self.assertEqual(rows.keys(), PAYLOADS.keys())
        for name, grammar in PAYLOADS.items():
            with self.subTest(name):
                below = set(members_of(OPEN)) - set(OPEN) if name == "open" else set()
                optional = {"model_version", "workflow", "labels", "model", "harness"}  # of `agent`
                named = set(re.findall(r"`(\w+)`", rows[name]))
                wanted = {member.removesuffix("?") for member in grammar} | (below - optional)
                self.assertEqual(named, wanted - {"name?"})

    def test_every_kind_of_line_in_its_order(self) -> None:
        rows = re.findall(r"^\| (\w+) \| `", section("Lines"), re.MULTILINE)
        self.assertEqual(rows, list(STAGES))
        self.assertEqual(list(STAGES.values()), sorted(STAGES.values()))
        self.assertIn(f"`{FORMAT}`", section("Lines"))

    def test_the_members_of_a_line_are_those_of_its_row(self) -> None:
        for kind, cell in re.findall(r"^\| (\w+) \| (`.*) \|.*\|$", section("Lines"), re.MULTILINE):
            named = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", cell))
            with self.subTest(kind):
                self.assertEqual(kind_of_line(dict.fromkeys(named)), kind)

    def test_every_member_that_a_log_gives_an_entry(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| [^|]* \|$", section("The log"), re.MULTILINE)
        line = json.loads(entry_line(0, b"{}", bytes(32)))
        self.assertEqual(set(rows), {name for name, value in line.items() if value is None})

    def test_every_kind_of_entry(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| [^|]* \| [^|]* \|$", section("Entries"), re.MULTILINE)
        self.assertEqual(rows, list(KINDS))

    def test_every_layer_outcome_flag_and_outer_member(self) -> None:
        for names in (LAYERS, OUTCOMES, FLAGS, OUTER):
            self.assertEqual(set(names) - words_of(section("The receipt")), set())

    def test_every_member_of_what_is_derived(self) -> None:
        derived = [
            workflow_of("", COMMITTED), commitment_of("", _DIGEST, 1, ""),
            step_of(1, _DIGEST, COMMITTED),
        ]  # fmt: skip
        for value in derived:
            self.assertEqual(value.keys() - words_of(section("The end of a run")), set())

    def test_what_nothing_binds_is_all_that_a_report_can_name(self) -> None:
        ending = Ending("r")
        ending.close = {}
        ending.note_erasure({}, "")
        ending._unseen_steps.append(1)
        for name, value in {"commitment": {"published_at": ""}, "declared": {}, "link": {}}.items():
            ending.take_line(BundleLine(1, 0, 0, name, {name: value}, b""))
        rows = re.findall(r"^\| `([^`]+)` \|", section("What nothing binds"), re.MULTILINE)
        self.assertEqual(rows, [name for name, _ in ending.unbound()])

    def test_every_kind_of_finding(self) -> None:
        named = re.findall(r"\| `([a-z-]+)` \|$", section("What is checked"), re.MULTILINE)
        of_stores = {"derived-table", "rolled-back-log"}
        self.assertEqual(set(named), {rule.kind for rule in RULES} - of_stores)


class TheExamplesAreReal(unittest.TestCase):
    """Decided by us: an example that the reader would refuse teaches the wrong format."""

    def test_each_payload_is_one_without_faults(self) -> None:
        lines = [line for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]  # fmt: skip
        kinds = []
        for line in lines:
            payload = json.loads(line)
            kind = kind_by_profile(payload)
            assert kind is not None
            with self.subTest(kind):
                self.assertEqual(list(faults_in(payload, PAYLOADS[kind])), [])
                self.assertEqual(list(unknown_in(payload, PAYLOADS[kind])), [])
                self.assertEqual(aer1(payload).decode("utf-8"), line)
            kinds.append(kind)
        self.assertEqual(kinds, ["start", "gap", "observe", "erase"])
