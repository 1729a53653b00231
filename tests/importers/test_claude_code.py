"""The Claude Code importer, rule by rule; whole sessions are in test_claude_code_cases."""

import io
import json
import unittest

from toolreplay.errors import InputError
from toolreplay.importers import claude_code
from toolreplay.records.account import Account
from toolreplay.records.limits import DEFAULT

SESSION = "5e550000-0000-4000-8000-000000000001"


def line(kind, *blocks, uuid=None, **members):
    record = {"type": kind, "sessionId": SESSION, "message": {"role": kind, "content": [*blocks]}}
    if uuid:
        record["uuid"] = uuid
    message = members.pop("message", {})
    record["message"].update(message)
    record.update(members)
    return record


def call(call_id="c1", name="Bash", args=None, **members):
    block = {"type": "tool_use", "id": call_id, "name": name, "input": args or {}}
    block.update(members)
    return {key: value for key, value in block.items() if value is not ...}


def result(call_id="c1", content="done", **members):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **members}
    return {key: value for key, value in block.items() if value is not ...}


def session_of(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read(data, limits=DEFAULT):
    """Return (the runs with their calls as lists, the account)."""
    account = Account()
    runs = [
        run._replace(calls=list(run.calls))
        for run in claude_code.read(io.BytesIO(data), limits, account)
    ]
    return runs, account


def calls_in(*records):
    """Return the calls of the only run of these lines."""
    (run,) = read(session_of(*records))[0]
    return run.calls


class OutcomeTest(unittest.TestCase):
    def outcome(self, block, **members):
        records = line("assistant", call()), line("user", block, **members)
        return calls_in(*records)[0].outcome

    def test_a_notice_of_the_host_decides_only_where_the_result_is_an_error(self):
        for text, outcome in (
            ("Cancelled: parallel tool call Bash(x) errored", "cancelled"),
            ("InputValidationError: no", "not_executed"),
            ("File has not been read yet.", "not_executed"),
            ("No such tool available: X", "not_executed"),
            ("User rejected tool use", "denied"),
            ("[Request interrupted by user]", "interrupted"),
            ("Exit code 1", "tool_error"),
            ("it said: User rejected tool use", "tool_error"),
        ):
            for spelt in (text, f"Error:{text}", f"Error: \t{text}"):
                with self.subTest(spelt):
                    failed = self.outcome(result(is_error=True), toolUseResult=spelt)
                    self.assertEqual(failed, outcome)
                    self.assertEqual(self.outcome(result(), toolUseResult=spelt), "ok")

    def test_only_one_leading_error_word_is_taken_off(self):
        outcome = self.outcome(
            result(is_error=True), toolUseResult="Error: Error: User rejected tool use"
        )
        self.assertEqual(outcome, "tool_error")

    def test_the_text_of_the_tool_is_no_notice(self):
        block = result(content="User rejected tool use", is_error=True)
        self.assertEqual(self.outcome(block), "tool_error")
        self.assertEqual(self.outcome(block, toolUseResult={"content": "x"}), "tool_error")

    def test_a_denial_kind_wins_over_text_and_error(self):
        for kind, outcome in (
            ("user-rejected", "denied"),
            ("some-later-word", "denied"),
            ("interrupted", "interrupted"),
            ("cancelled", "cancelled"),
        ):
            with self.subTest(kind):
                members = {"toolDenialKind": kind, "toolUseResult": "InputValidationError: x"}
                self.assertEqual(self.outcome(result(is_error=True), **members), outcome)
                self.assertEqual(self.outcome(result(), **members), outcome)

    def test_words_of_the_wrong_type_decide_nothing(self):
        self.assertEqual(self.outcome(result(is_error="true"), toolDenialKind=True), "ok")
        self.assertEqual(self.outcome(result(is_error=1), toolDenialKind=""), "ok")
        self.assertEqual(self.outcome(result(), toolUseResult={"interrupted": "yes"}), "ok")

    def test_a_call_without_a_result_has_its_outcome_alone(self):
        (missing,) = calls_in(line("assistant", call()))
        self.assertEqual(missing.response, {"outcome": "missing"})
        denied = calls_in(
            line("assistant", call()),
            line("user", result(content="a notice", is_error=True), toolDenialKind="x"),
        )[0]
        self.assertEqual(denied.response, {"outcome": "denied"})
        self.assertFalse(denied.has_result)
        self.assertEqual(denied.meta.result_place.line, 2)


class ResponseTest(unittest.TestCase):
    def test_content_is_exported_as_it_stands(self):
        for content in ("text", "", None, 7, ["x"], {"a": [1.0, 1]}, [{"type": "image"}]):
            with self.subTest(repr(content)):
                (answered,) = calls_in(
                    line("assistant", call()), line("user", result("c1", content))
                )
                self.assertEqual(answered.response, {"content": content, "is_error": False})
                self.assertIs(type(answered.response["content"]), type(content))

    def test_a_result_without_content_has_null(self):
        (answered,) = calls_in(line("assistant", call()), line("user", result(content=...)))
        self.assertEqual(answered.response, {"content": None, "is_error": False})

    def test_arguments_that_are_no_object_are_kept_as_text(self):
        for given, text in (
            ("{cut", "{cut"),
            ([1], "[1]"),
            (None, "null"),
            (..., ""),
            (1e3, "1000.0"),
        ):
            with self.subTest(repr(given)):
                (made,) = calls_in(line("assistant", call(input=given)))
                self.assertEqual(made.args, {"_raw": text})

    def test_what_the_host_wrote_beside_a_call_is_kept_beside_it(self):
        (made,) = calls_in(
            line("assistant", call(), timestamp="T1", message={"model": "model-m-2"}),
            line("user", result(), timestamp="T2", toolUseResult={"stdout": "more"}),
        )
        meta = made.meta
        self.assertEqual(
            (meta.call_id, meta.at, meta.ended_at, meta.model, meta.richer_result, meta.notes),
            ("c1", "T1", "T2", "model-m-2", {"stdout": "more"}, ()),
        )

    def test_times_and_models_of_the_wrong_type_are_left_out(self):
        (made,) = calls_in(
            line("assistant", call(), timestamp=17, message={"model": ["x"]}),
            line("user", result(), timestamp=None),
        )
        self.assertEqual((made.meta.at, made.meta.ended_at, made.meta.model), (None, None, None))


class PlaceTest(unittest.TestCase):
    def test_the_bytes_of_a_call_are_its_line_once_more(self):
        data = session_of(line("user"), line("assistant", call()), line("user", result()))
        (run,) = read(data)[0]
        place = run.calls[0].place
        self.assertEqual(place.line, 2)
        self.assertEqual(run.raw(place.start, place.end), data.split(b"\n")[1] + b"\n")

    def test_the_bytes_of_a_call_of_the_web_export_are_its_element(self):
        element = line("assistant", call(args={"path": "ü"}))
        text = json.dumps({"loglines": [line("user"), element]}, ensure_ascii=False, indent=2)
        (run,) = read(text.encode())[0]
        place = run.calls[0].place
        self.assertEqual(place.line, 2)
        self.assertEqual(json.loads(run.raw(place.start, place.end)), element)

    def test_many_results_on_a_line_are_read_by_their_own_bytes(self):
        ids = [f"é{number}" for number in range(50)]
        made = line("assistant", *(call(call_id) for call_id in ids))
        answers = [result(call_id, call_id) for call_id in reversed(ids)]
        answered = line("user", *answers, {"type": "text"}, timestamp="T2", toolUseResult="x")
        for ascii_only in (True, False):
            data = session_of(made) + json.dumps(answered, ensure_ascii=ascii_only).encode()
            (run,) = read(data)[0]
            self.assertEqual([each.response["content"] for each in run.calls], ids)
            beside = {(each.meta.ended_at, each.meta.richer_result) for each in run.calls}
            self.assertEqual(beside, {("T2", None)})

    def test_a_file_that_changes_while_it_is_read_is_refused_with_the_place(self):
        data = session_of(line("user"), line("assistant", call()))
        file = io.BytesIO(data)
        (run,) = claude_code.read(file, DEFAULT, Account())
        file.seek(0)
        file.truncate()
        with self.assertRaises(InputError) as caught:
            list(run.calls)
        self.assertEqual(str(caught.exception), "line 2: the file changed while it was read")


class PairingTest(unittest.TestCase):
    def answers(self, *records):
        return [made.response.get("content") for made in calls_in(*records)]

    def test_a_result_may_stand_before_its_call(self):
        self.assertEqual(self.answers(line("user", result()), line("assistant", call())), ["done"])

    def test_a_result_goes_to_the_nearest_earlier_call_without_one(self):
        answers = self.answers(
            line("assistant", call(args={"n": 1})),
            line("assistant", call(args={"n": 2})),
            line("user", result(content="second")),
            line("user", result(content="first")),
        )
        self.assertEqual(answers, ["first", "second"])

    def test_without_an_earlier_one_it_goes_to_the_nearest_later_call(self):
        answers = self.answers(
            line("user", result(content="first")),
            line("user", result(content="second")),
            line("assistant", call(args={"n": 1})),
            line("assistant", call(args={"n": 2})),
            line("assistant", call(args={"n": 3})),
        )
        self.assertEqual(answers, ["first", "second", None])

    def test_results_of_one_agent_never_answer_another_or_another_session(self):
        aside = {"isSidechain": True, "agentId": "a1"}
        runs, account = read(
            session_of(
                line("assistant", call()),
                line("user", result(), **aside),
                line("user", result(), sessionId="another"),
            )
        )
        self.assertEqual([len(run.calls) for run in runs], [1, 0, 0])
        self.assertEqual((account.calls, account.results, account.orphaned), (1, 0, 2))

    def test_the_tool_use_id_comes_before_the_source_id_and_that_before_the_line(self):
        answers = self.answers(
            line("assistant", call("a"), uuid="la"),
            line("assistant", call("b"), uuid="lb"),
            line("assistant", call("c"), uuid="lc"),
            line("user", result("a", "by id"), sourceToolUseID="b", sourceToolAssistantUUID="lc"),
            line(
                "user", result(..., "by source"), sourceToolUseID="b", sourceToolAssistantUUID="lc"
            ),
            line("user", result(..., "by line"), sourceToolAssistantUUID="lc"),
        )
        self.assertEqual(answers, ["by id", "by source", "by line"])

    def test_a_call_that_is_answered_takes_no_second_result(self):
        for second in (
            line("user", result("a", "again")),
            line("user", result(..., "again"), sourceToolUseID="a"),
            line("user", result(..., "again"), sourceToolAssistantUUID="la"),
        ):
            with self.subTest(second):
                first = line("assistant", call("a"), uuid="la"), line("user", result("a"))
                (run,), account = read(session_of(*first, second))
                self.assertEqual(run.calls[0].response["content"], "done")
                orphan = second["message"]["content"][0].get("tool_use_id", "without an id")
                self.assertEqual(account.losses, [f"line 3: orphaned result {orphan}"])

    def test_a_line_with_two_calls_names_neither(self):
        runs, account = read(
            session_of(
                line("assistant", call(...), call(...), uuid="la"),
                line("user", result(...), sourceToolAssistantUUID="la"),
            )
        )
        self.assertEqual([made.outcome for made in runs[0].calls], ["missing", "missing"])
        self.assertEqual(account.orphaned, 1)

    def test_ids_that_are_no_strings_pair_nothing(self):
        for odd in (7, None, True, ["c1"], {"a": 1}, ""):
            with self.subTest(repr(odd)):
                runs, account = read(
                    session_of(line("assistant", call(odd)), line("user", result(odd)))
                )
                self.assertEqual(runs[0].calls[0].outcome, "missing")
                self.assertEqual(account.orphaned, 1)


class CopiesTest(unittest.TestCase):
    def test_a_line_is_a_copy_when_uuid_and_content_are_equal(self):
        first = line("assistant", call("c1"), uuid="u1")
        for second, kept in (
            (line("assistant", call("c1"), uuid="u1", timestamp="later"), 1),
            (line("assistant", call("c1"), uuid="u2"), 2),
            (line("assistant", call("c1", args={"n": 1}), uuid="u1"), 2),
            (line("assistant", call("c2"), uuid="u1"), 2),
        ):
            with self.subTest(second["message"]["content"], uuid=second["uuid"]):
                runs, account = read(session_of(first, second))
                self.assertEqual(len(runs[0].calls), kept)
                self.assertEqual(account.duplicate, 2 - kept)

    def test_one_and_one_point_nought_are_different_content(self):
        records = [line("assistant", call(args={"n": n}), uuid="u1") for n in (1, 1.0, True, 1)]
        runs, account = read(session_of(*records))
        self.assertEqual(len(runs[0].calls), 3)
        self.assertEqual((account.duplicate, account.notes["id reused"]), (1, 4))

    def test_a_call_is_a_copy_when_message_block_name_and_input_are_equal(self):
        message = {"message": {"id": "m1"}}
        for second, kept in (
            (line("assistant", call(), uuid="u2", **message), 1),
            (line("assistant", call(args={"n": 1}), uuid="u2", **message), 2),
            (line("assistant", call(name="Read"), uuid="u2", **message), 2),
            (line("assistant", call(), uuid="u2", message={"id": "m2"}), 2),
            (line("assistant", call(), uuid="u2"), 2),
        ):
            with self.subTest(second["message"]):
                runs, account = read(
                    session_of(line("assistant", call(), uuid="u1", **message), second)
                )
                self.assertEqual(len(runs[0].calls), kept)
                self.assertEqual(account.duplicate, 2 - kept)

    def test_calls_without_ids_are_never_copies_of_each_other(self):
        bare = call(...)
        runs, _ = read(session_of(line("assistant", bare, bare, message={"id": "m1"})))
        self.assertEqual(len(runs[0].calls), 2)

    def test_a_copied_line_counts_each_of_its_blocks_and_makes_no_run(self):
        one = line("assistant", call("a"), {"type": "text"}, call("b"), uuid="u1")
        runs, account = read(session_of(one, {**one, "sessionId": "resumed"}))
        self.assertEqual([run.info.name for run in runs], [SESSION])
        self.assertEqual((account.calls, account.duplicate, account.seen), (2, 2, 4))


class RunsTest(unittest.TestCase):
    def names(self, *records):
        return [(run.info.name, run.info.agent) for run in read(session_of(*records))[0]]

    def test_runs_come_in_order_of_first_appearance_one_for_each_agent_of_each_session(self):
        self.assertEqual(
            self.names(
                line("user", sessionId="s2"),
                line("user", sessionId="s1"),
                line("user", sessionId="s1", isSidechain=True, agentId="x"),
                line("user", sessionId="s2", agentId="x", attributionAgent="y"),
                line("user", sessionId="s1", isSidechain=True, attributionAgent="y"),
                line("user", sessionId="s1", attributionAgent="y"),
                line("user", sessionId="s2"),
            ),
            [
                ("s2", None),
                ("s1", None),
                ("s1.agent-x", "x"),
                ("s2.agent-x", "x"),
                ("s1.agent-y", "y"),
            ],
        )

    def test_a_line_without_a_session_goes_on_with_the_one_before_it(self):
        bare = [line("assistant", call(f"c{n}"), sessionId=None) for n in range(4)]
        runs, _ = read(
            session_of(
                bare[0],
                line("user", sessionId="s1"),
                bare[1],
                {"type": "mode", "sessionId": "s2"},
                bare[2],
            )
        )
        self.assertEqual([(run.info.name, len(run.calls)) for run in runs], [("s1", 2), ("s2", 1)])

    def test_a_session_without_an_id_has_no_name(self):
        self.assertEqual(self.names(line("user", sessionId=None)), [("", None)])
        aside = line("user", sessionId=None, agentId="x")
        self.assertEqual(self.names(aside), [(".agent-x", "x")])

    def test_a_file_without_a_conversation_is_one_run_without_calls(self):
        self.assertEqual(self.names({"type": "mode", "sessionId": "s1"}), [("s1", None)])
        self.assertEqual(self.names(), [("", None)])

    def test_nameless_side_chains_are_told_apart_by_their_parents(self):
        aside = {"isSidechain": True}
        self.assertEqual(
            self.names(
                line("user", uuid="p1", parentUuid=None, **aside),
                line("user", uuid="q1", parentUuid=None, **aside),
                line("user", uuid="p2", parentUuid="p1", **aside),
                line("user", uuid="z", parentUuid="trimmed", **aside),
                line("user", uuid="s1", parentUuid="p1", sessionId="s", **aside),
            ),
            [
                (f"{SESSION}.agent-sidechain", "sidechain"),
                (f"{SESSION}.agent-sidechain.2", "sidechain.2"),
                ("s.agent-sidechain", "sidechain"),
            ],
        )

    def test_the_info_says_what_was_read_and_by_whom_it_was_logged(self):
        (run,) = read(session_of(line("user"), line("user", version="2.1.97")))[0]
        self.assertEqual((run.info.form, run.info.file), ("claude_code", ""))
        self.assertEqual(run.info.provenance, "LOGGED BY AGENT")
        self.assertEqual(run.info.host_version, "2.1.97")
        may_change = run.info.effects.may_change
        self.assertTrue(may_change("Bash") and may_change("mcp__notes__get"))
        self.assertFalse(may_change("Read") or may_change("TodoWrite"))

    def test_a_run_has_a_model_only_where_all_its_answers_have_the_same(self):
        for models, model in (
            (("m-2", "m-2", "<synthetic>"), "m-2"),
            (("m-2", "m-3"), None),
            (("<synthetic>", 7), None),
        ):
            with self.subTest(models):
                records = [line("assistant", message={"model": model}) for model in models]
                (run,) = read(session_of(*records))[0]
                self.assertEqual(run.info.model, model)


class AccountTest(unittest.TestCase):
    def skipped(self, *records):
        return read(session_of(*records))[1].skipped

    def test_a_line_without_blocks_counts_by_what_it_holds(self):
        for content, word in (
            ("a text", "text"),
            ([], "text"),
            ([{"type": "thinking"}, {"type": "text"}], "text"),
            ([{"type": "thinking"}], "thinking"),
            ([{"type": "redacted_thinking"}], "redacted_thinking"),
            ([{"type": "image"}], "image"),
        ):
            with self.subTest(content):
                record = line("user", message={"content": content})
                self.assertEqual(self.skipped(record), {word: 1})

    def test_what_is_not_known_is_a_loss_with_its_place(self):
        for record, word in (
            ("text", "not an object"),
            ({"type": ["user"]}, "no type"),
            ({"type": "later-type"}, "later-type"),
            ({"type": "user", "message": "text"}, "no message content"),
            ({"type": "user"}, "no message content"),
            (line("user", message={"content": 7}), "no message content"),
            (line("user", 7), "not a block"),
            (line("user", {"type": "later_block"}), "later_block"),
            (line("assistant", call(name="")), "call without a tool name"),
            (line("assistant", call(name=7)), "call without a tool name"),
            (line("system", call()), "misplaced block"),
        ):
            with self.subTest(record):
                _, account = read(session_of(line("user"), record))
                self.assertEqual(account.unknown, {word: 1})
                self.assertEqual(account.skipped, {"text": 1, word: 1})
                self.assertEqual(account.lost, 1)
                self.assertEqual(account.losses, [f"line 2: unknown: {word}"])

    def test_a_line_that_cannot_be_read_is_counted_and_the_rest_is_read(self):
        broken = b'{"a":1,"a":2}\n\n{"type":"user"\n\xff\n'
        data = broken + session_of(line("assistant", call()))
        runs, account = read(data)
        self.assertEqual(len(runs[0].calls), 1)
        self.assertEqual((account.unreadable, account.truncated, account.seen), (3, 0, 4))
        self.assertEqual(
            [loss.partition(": ")[0] for loss in account.losses], ["line 1", "line 3", "line 4"]
        )

    def test_a_last_line_that_was_cut_off_is_truncated(self):
        whole = session_of(line("assistant", call()))
        for end in range(1, len(whole) - 1):
            _, account = read(whole + whole[:end])
            self.assertEqual(account.truncated + account.unreadable, 1, whole[:end])
        self.assertEqual(read(whole + whole[:40])[1].truncated, 1)

    def test_tools_of_neither_list_are_named(self):
        names = ("Bash", "mcp__notes__get", "Read", "Sing", "Sing")
        _, account = read(session_of(line("assistant", *(call(..., name) for name in names))))
        self.assertEqual(account.unknown_tools, {"mcp__notes__get": 1, "Sing": 2})

    def test_words_and_losses_of_a_hostile_file_stay_few_and_short(self):
        records = [{"type": f"{number}-{'x' * 500}"} for number in range(300)]
        _, account = read(session_of(*records))
        self.assertEqual((account.lost, account.seen), (300, 300))
        self.assertEqual(len(account.losses), 20)
        self.assertEqual(account.skipped["others"], 200)
        self.assertEqual(len(account.skipped), 101)
        words = [*account.skipped, *account.losses]
        self.assertLess(max(map(len, words)), 250)


if __name__ == "__main__":
    unittest.main()
