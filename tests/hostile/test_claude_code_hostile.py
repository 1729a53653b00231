"""What a broken or hostile session may do to the Claude Code importer: nothing but lose its lines."""

import io
import json
import random
import unittest

from tests.cli.ways import EVERY
from toolreplay.errors import InputError
from toolreplay.importers import claude_code
from toolreplay.records.account import Account
from toolreplay.records.limits import DEFAULT

ODD = (
    None, True, -0.0, 2**70, "", "\ud800", "\u2028", [], [[]], {}, {"type": {}}, [None], "x" * 9,
    {"content": [{"type": "tool_use"}]}, ["tool_use"],
)  # fmt: skip

WHOLE = (
    {
        "type": "assistant", "sessionId": "s", "uuid": "u1", "parentUuid": None, "version": "2.1.97",
        "isSidechain": True, "agentId": None, "attributionAgent": None, "timestamp": "T",
        "message": {
            "id": "m1", "role": "assistant", "model": "m-2",
            "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"a": 1}}],
        },
    },
    {
        "type": "user", "sessionId": "s", "uuid": "u2", "parentUuid": "u1", "isSidechain": True,
        "sourceToolUseID": "c1", "sourceToolAssistantUUID": "u1", "toolUseResult": {"a": 1},
        "toolDenialKind": None, "timestamp": "T",
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": False},
                {"type": "tool_result", "tool_use_id": "c2", "content": [], "is_error": True},
            ],
        },
    },
    {"type": "progress", "sessionId": "s", "data": {"message": {"message": {"content": []}}}},
    {"type": "tool_use", "sessionId": "s", "id": "c2", "name": "bash", "input": {}},
    {"type": "tool_result", "sessionId": "s", "tool_use_id": "c2", "output": "x"},
)  # fmt: skip


def import_all(data):
    """Return (number of calls, account); InputError is the only error that may come."""
    account = Account()
    calls = 0
    for run in claude_code.read(io.BytesIO(data), DEFAULT, account):
        for call in run.calls:
            assert type(call.tool) is str
            assert type(call.args) is dict
            assert type(call.response) is dict
            calls += 1
    return calls, account


def places_in(value, path=()):
    """Yield the path of every value inside a JSON value."""
    yield path
    items = (
        value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    )
    for key, item in items:
        yield from places_in(item, (*path, key))


def with_odd(value, path, odd):
    if not path:
        return odd
    changed = dict(value) if type(value) is dict else list(value)
    changed[path[0]] = with_odd(value[path[0]], path[1:], odd)
    return changed


def lines_of(records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


class HostileTest(unittest.TestCase):
    def test_an_odd_value_anywhere_is_counted_and_stops_nothing(self):
        tried = 0
        for at, record in enumerate(WHOLE):
            for path in places_in(record):
                for odd in ODD:
                    records = list(WHOLE)
                    records[at] = with_odd(record, path, odd)
                    with self.subTest(line=at + 1, path=path, odd=odd):
                        calls, account = import_all(lines_of(records))
                        self.assertEqual(calls, account.calls)
                        self.assertGreaterEqual(account.seen, len(records))
                        self.assertGreaterEqual(account.calls, account.results)
                    tried += 1
        self.assertGreater(tried, 500)

    def test_bytes_changed_at_random_give_calls_or_an_input_error(self):
        chance = random.Random(7)
        export = json.dumps({"loglines": WHOLE}, indent=1).encode()
        ended = {"read": 0, "refused": 0}
        for whole in (lines_of(WHOLE), export):
            for _ in range(1500 // EVERY):
                data = bytearray(whole)
                for _ in range(chance.randint(1, 4)):
                    at, length = chance.randrange(len(data)), chance.choice((0, 1, 1, 1, 40))
                    data[at : at + length] = chance.choice(
                        (b"", b"\n", b'"', b"{", b"]", b",", b"\xff", b"\x00", b"9", b'"type":')
                    )
                try:
                    calls, account = import_all(bytes(data))
                except InputError:
                    ended["refused"] += 1
                    continue
                self.assertEqual(calls, account.calls)
                ended["read"] += 1
        self.assertGreater(min(ended.values()), 100, ended)

    def test_thousands_of_results_and_calls_of_one_id_find_each_other(self):
        many = 4000
        call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": "c", "content": 1}
        results = [{"type": "user", "message": {"content": [answer]}}] * many
        calls = [{"type": "assistant", "message": {"content": [call] * many}}]
        for records in (results + calls, calls + results, results + calls + results):
            made, account = import_all(lines_of(records))
            self.assertEqual((made, account.results), (many, many))
            self.assertEqual(account.orphaned, (len(records) - 1) - many)

    def test_thousands_of_agents_are_thousands_of_runs(self):
        call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {}}
        records = [
            {"type": "assistant", "agentId": f"a{number}", "message": {"content": [call]}}
            for number in range(3000)
        ]
        runs = list(claude_code.read(io.BytesIO(lines_of(records * 2)), DEFAULT, Account()))
        self.assertEqual(len(runs), 3000)
        self.assertEqual({len(list(run.calls)) for run in runs}, {2})

    def test_nesting_deeper_than_the_stack_is_one_unreadable_line(self):
        for opening in (b"[", b'{"a":', b'{"loglines":'):
            with self.subTest(opening):
                _, account = import_all(opening * 30_000 + b"\n" + lines_of(WHOLE))
                self.assertEqual(account.unreadable, 1)
                self.assertEqual(account.calls, 2)

    def test_texts_with_line_separators_and_halves_of_pairs_are_kept(self):
        text = "a\u2028b\x85c\ud83d\x1b[0m"
        block = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"x": text}}
        record = {"type": "assistant", "message": {"content": [block]}}
        for data in (
            lines_of([record]),
            json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        ):
            account = Account()
            (run,) = claude_code.read(io.BytesIO(data), DEFAULT, account)
            calls = [call.args["x"] for call in run.calls]
            # A lone surrogate has an escape but no bytes in UTF-8: as bytes it is no JSON text.
            self.assertEqual((calls, account.unreadable), (([text], 0), ([], 1))[b"\xed" in data])


class LimitsTest(unittest.TestCase):
    def refusal(self, data, line_bytes=DEFAULT.line_bytes):
        limits = DEFAULT._replace(line_bytes=line_bytes)
        with self.assertRaises(InputError) as caught:
            list(claude_code.read(io.BytesIO(data), limits, Account()))
        return str(caught.exception)

    def test_a_line_over_the_limit_refuses_the_file_and_names_the_flag(self):
        data = lines_of([*WHOLE[:1], "x" * 999])
        self.assertEqual(
            self.refusal(data, 500),
            "line 2: longer than 500 bytes (--max-line-bytes raises the limit)",
        )

    def test_a_web_export_is_bounded_as_a_line_is(self):
        data = json.dumps({"loglines": WHOLE}, indent=1).encode()
        self.assertEqual(
            self.refusal(data, 500),
            "loglines: longer than 500 bytes (--max-line-bytes raises the limit)",
        )
        self.assertEqual(import_all(data)[0], 2)

    def test_a_web_export_that_is_no_json_is_refused(self):
        whole = json.dumps({"loglines": WHOLE}, indent=1).encode()
        for broken in (whole[:-5], whole + b"x", whole.replace(b'"2.1.97"', b"NaN")):
            with self.subTest(broken[-9:]):
                self.assertRegex(self.refusal(broken), "^loglines: ")

    def test_a_line_over_the_other_limits_is_unreadable(self):
        account = Account()
        data = lines_of([json.loads("[" * 60 + "]" * 60), *WHOLE])
        list(claude_code.read(io.BytesIO(data), DEFAULT._replace(depth=40), account))
        self.assertEqual((account.unreadable, account.calls), (1, 2))
        self.assertIn("--max-depth", account.losses[0])


if __name__ == "__main__":
    unittest.main()
