"""The audits agree with a plain reading of their rules, and with themselves."""

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.strategies import repeating_calls, runs, transcript_of
from toolreplay.audits.engine import Declared, Options, judge
from toolreplay.records.run import STRICT, TUTORIAL_MUTATORS, Run, RunInfo
from toolreplay.records.scope import Scope
from toolreplay.records.transcript import read_transcript

many_repeats = st.lists(repeating_calls, max_size=40)


def judged(data: bytes, names: list[str], *, again: bool = False, **options: object):
    def raw(start: int, end: int) -> bytes:
        return data[start:end]

    run = Run(
        RunInfo("r", "r.jsonl", STRICT), read_transcript(io.BytesIO(data)), raw if again else None
    )
    scope = Scope("s.json", "a", frozenset({"search", "İ"}))
    chosen = Options(raw=raw if again else None, **options)  # type: ignore[arg-type]
    return judge(run, names, Declared(scope=scope), chosen)


def told(result) -> list[tuple[int | None, str, str]]:
    return [(finding.index, finding.kind, finding.detail) for finding in result.findings]


def plain_replay(calls) -> tuple[list[tuple[int, str, str]], int | None]:
    """The rules of replay, as short as they can be written."""
    found, first, previous = [], {}, None
    for index, (tool, args, response) in enumerate(calls):
        key = json.dumps({"args": args, "tool": tool}, sort_keys=True)
        answer = json.dumps(response, sort_keys=True)
        if key in first and first[key][1] != answer:
            found.append(
                (
                    index,
                    "non-determinism",
                    f"tool '{tool}' returned a different response than the identical call at index {first[key][0]}",
                )
            )
        if key == previous and tool not in TUTORIAL_MUTATORS:
            found.append(
                (
                    index,
                    "redundant-call",
                    f"tool '{tool}' repeats the identical call at index {index - 1} with no state change between them",
                )
            )
        first.setdefault(key, (index, answer))
        previous = key
    differing = [index for index, kind, _ in found if kind == "non-determinism"]
    return sorted(found), min(differing, default=None)


@given(many_repeats)
def test_replay_finds_what_a_plain_reading_of_its_rules_finds(calls) -> None:
    result = judged(transcript_of(calls), ["replay"])
    findings, divergence = plain_replay(calls)
    assert told(result) == findings
    assert result.divergence == divergence
    assert result.calls == len(calls)


@given(many_repeats)
def test_remembering_places_or_digests_gives_the_same_answer(calls) -> None:
    data = transcript_of(calls)
    for options in (
        {},
        {"state_changes": True},
        {"excuse": True},
        {"unexplained_only": True},
        {"identify": True},
    ):
        one, other = (judged(data, ["replay"], again=again, **options) for again in (False, True))
        strip = lambda result: [finding._replace(where=None) for finding in result.findings]  # noqa: E731
        assert strip(one) == strip(other)
        assert (one.calls, one.found) == (other.calls, other.found)
        assert one.divergence == other.divergence


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_members_changes_no_finding(calls, rng) -> None:
    def shuffled(value):
        if isinstance(value, dict):
            members = [(name, shuffled(item)) for name, item in value.items()]
            rng.shuffle(members)
            return dict(members)
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    names = ["replay", "scope", "loop"]
    other = [(tool, shuffled(args), shuffled(response)) for tool, args, response in calls]
    for again in (False, True):
        one, two = (
            judged(transcript_of(run), names, again=again, identify=True) for run in (calls, other)
        )
        assert told(one) == told(two)
        assert [finding.fingerprint for finding in one.findings] == [
            finding.fingerprint for finding in two.findings
        ]


@settings(max_examples=100)
@given(many_repeats)
def test_fingerprints_tell_findings_apart(calls) -> None:
    result = judged(transcript_of(calls), ["replay", "scope", "loop"], identify=True)
    marks = [finding.fingerprint for finding in result.findings]
    assert len(marks) == len(set(marks))
