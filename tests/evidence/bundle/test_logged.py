"""toolreplay.evidence.bundle.logged"""

import io
import json
import unittest
from base64 import b64decode
from collections.abc import Iterable

from toolreplay.errors import CanonicalError
from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.bundle.logged import Making, in_order_of_ends, write_logged_run
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.record import Asked, Fault
from toolreplay.records.call import CallMeta, Json, JsonObject, Place, ToolCall
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import STRICT, RunInfo

NOW = "2026-11-30T10:00:00.000Z"


def at(second: float | None) -> str | None:
    return None if second is None else f"2026-11-30T09:00:{second:06.3f}Z"


def call(
    index: int,
    began: float | None = None,
    ended: float | None = None,
    *,
    tool: str = "read",
    args: JsonObject | None = None,
    response: JsonObject | None = None,
    outcome: str | None = "ok",
    model: str | None = None,
    notes: tuple[str, ...] = (),
) -> ToolCall:
    meta = CallMeta(f"c{index}", at(began), at(ended), model, notes=notes)
    result = {"content": "r", "is_error": False} if response is None else response
    given = {"n": index} if args is None else args
    return ToolCall(index, tool, given, result, Place(index + 1, 0, 1), outcome, meta=meta)


def made(calls: Iterable[ToolCall], info: RunInfo | None = None, **how: Json) -> bytes:
    out = io.BytesIO()
    given = Making(NOW, Ids(bytes, b"s" * 32), **how)
    write_logged_run(info or RunInfo("r", "r.jsonl", STRICT), calls, out.write, given)
    return out.getvalue()


def checked(data: bytes) -> tuple[list[ToolCall], list[Fault], BundleChecker]:
    checker = BundleChecker(io.BytesIO(data), DEFAULT, lambda start, end: data[start:end])
    checker.begin(Asked())
    calls = list(checker.calls())
    return calls, list(checker.take()), checker


def committed_of(data: bytes) -> list[JsonObject]:
    payloads = [json.loads(line).get("payload", {}) for line in data.splitlines()]
    return [
        json.loads(b64decode(payload["canonical_bytes"]))
        for payload in payloads
        if "canonical_bytes" in payload
    ]


class TheOrderOfEnds(unittest.TestCase):
    """Decided by us: receipts stand in the order in which calls were finished."""

    def order(self, *times: tuple[float | None, float | None]) -> list[int]:
        calls = [call(index, *both) for index, both in enumerate(times)]
        return [ended.call.index for ended in in_order_of_ends(calls)]

    def test_without_overlap_it_is_the_order_of_the_calls(self) -> None:
        self.assertEqual(self.order((0, 1), (1, 2), (2, 3)), [0, 1, 2])

    def test_a_call_that_began_first_and_ended_last_comes_last(self) -> None:
        self.assertEqual(self.order((0, 9), (1, 3), (2, 4)), [1, 2, 0])
        self.assertEqual(self.order((0, 9), (1, 3), (9, 10), (10, 11)), [1, 0, 2, 3])

    def test_calls_that_end_together_stay_as_they_began(self) -> None:
        self.assertEqual(self.order((0, 5), (1, 5), (2, 5)), [0, 1, 2])

    def test_without_times_they_stay_as_they_are(self) -> None:
        self.assertEqual(self.order((None, None), (None, None)), [0, 1])

    def test_a_call_without_an_end_ended_when_it_began(self) -> None:
        self.assertEqual(self.order((0, 9), (1, None), (2, 3)), [1, 2, 0])

    def test_only_calls_under_way_together_are_held(self) -> None:
        taken = 0

        def calls() -> Iterable[ToolCall]:
            nonlocal taken
            for index in range(50):
                taken += 1
                yield call(index, index, index + 1)

        for ended in in_order_of_ends(calls()):
            self.assertLessEqual(taken - ended.call.index, 2)


class ALoggedRun(unittest.TestCase):
    """Decided by us: a bundle of a transcript is judged as the transcript is."""

    def test_calls_come_back_as_they_were(self) -> None:
        long = {"content": "x" * 9000, "is_error": False}
        calls = [
            call(0, 0, 9, tool="näme\ud800", args={"é": ["\ud800", 1.5, 10**30]}),
            call(1, 1, 3, response=long, outcome="tool_error"),
            call(2, 4, None, response={"outcome": "denied"}, outcome="denied", model="m-2"),
            call(3, 10, 11, outcome=None, notes=("truncated",)),
        ]
        back, faults, checker = checked(made(calls))
        self.assertEqual(faults, [])
        self.assertEqual([item.args for item in back], [item.args for item in calls])
        self.assertEqual([item.response for item in back], [item.response for item in calls])
        self.assertEqual([item.outcome for item in back], [item.outcome for item in calls])
        self.assertEqual(back[0].tool, "näme\\u{d800}")
        self.assertEqual([item.index for item in back], [0, 1, 2, 3])
        facts = [item.meta.receipt for item in back if item.meta and item.meta.receipt]
        self.assertEqual([receipt.seq for receipt in facts], [3, 1, 2, 4])
        self.assertEqual(checker.opened["capture"], {"layer": "import", "adapter": "transcript"})

    def test_flags_say_what_the_source_did_not(self) -> None:
        calls = [call(0, outcome=None, tool="\udfff"), call(1, notes=("truncated",))]
        flags = [item["outputs"]["flags"] for item in committed_of(made(calls))]
        self.assertEqual(flags, [["name_escaped", "outcome_unknown"], ["truncated"], []])

    def test_without_times_the_moment_of_making_stands_and_the_report_says_so(self) -> None:
        data = made([call(0)])
        first = committed_of(data)[0]
        self.assertEqual((first["timing"], first["binding"]["created_at"]), ({}, NOW))
        _, _, checker = checked(data)
        self.assertEqual(list(checker.notes())[-1], "times: of the import, not of the calls")
        self.assertIsNone(checker.seconds())

    def test_times_are_spelt_in_utc_with_milliseconds(self) -> None:
        times = CallMeta("c", "2026-11-30T10:00:00+01:00", "2026-11-30T09:00:01.23456Z")
        first = committed_of(made([call(0)._replace(meta=times)]))[0]
        self.assertEqual(
            first["timing"],
            {"started_at": "2026-11-30T09:00:00.000Z", "ended_at": "2026-11-30T09:00:01.234Z"},
        )

    def test_goal_and_answer_are_in_the_close(self) -> None:
        close = committed_of(made([call(0)], goal="do it", answer="döne".encode()))[-1]
        self.assertEqual(close["close"]["goal"], "do it")
        self.assertTrue(close["close"]["answer_recorded"])
        self.assertEqual(b64decode(close["outputs"]["result"]["b64"]).decode(), "döne")
        close = committed_of(made([call(0)]))[-1]["close"]
        self.assertEqual((close["goal"], close["answer_recorded"]), ("not recorded", False))

    def test_a_run_without_calls_has_an_opening_and_a_close(self) -> None:
        data = made([])
        calls, faults, _ = checked(data)
        self.assertEqual((calls, faults), ([], []))
        self.assertNotIn(b'"workflow"', data)
        self.assertEqual(committed_of(data)[0]["close"]["merkle_root"], None)

    def test_the_same_seed_and_moment_give_the_same_bytes(self) -> None:
        self.assertEqual(made([call(0, 1, 2)]), made([call(0, 1, 2)]))

    def test_the_host_that_it_came_through_is_kept(self) -> None:
        info = RunInfo("r", "r.jsonl", STRICT, agent="bot", model="m", importer="claude_code")
        _, _, checker = checked(made([call(0)], info))
        self.assertEqual(checker.opened["capture"]["adapter"], "claude_code")
        self.assertEqual(checker.opened["agent"], {"name": "bot", "model": "m"})

    def test_what_has_no_form_is_refused_before_anything_is_committed_to(self) -> None:
        with self.assertRaises(CanonicalError):
            made([call(0, args={"n": float("nan")})])
