"""An MCP session as a dialogue: which lines begin a call, which end one, and as what."""

import json
import unittest

from toolreplay.capture.mcp_stdio.session import Begin, Call, End, Event, Gap, Session
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.limits import DEFAULT

ABSENT = object()


def call(request_id: object, tool: object = "t", args: object = ABSENT, **more: object) -> bytes:
    """Return the line of a call."""
    params = {"name": tool, **more} | ({} if args is ABSENT else {"arguments": args})
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def answer(request_id: object, **member: object) -> bytes:
    """Return the line of an answer."""
    return json.dumps({"jsonrpc": "2.0", "id": request_id, **member}).encode() + b"\n"


def cancel(request_id: object) -> bytes:
    """Return the line that cancels a call."""
    params = {"requestId": request_id, "reason": "no more"}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(message).encode() + b"\n"


class Playbook(unittest.TestCase):
    """Plays lines of both sides, and numbers calls as a recording would."""

    def setUp(self) -> None:
        self.session = Session()
        self.calls: list[Call] = []

    def client(self, *lines: bytes) -> list[Event]:
        """Play lines of the client."""
        events = [event for line in lines for event in self.session.from_client(line)]
        for event in events:
            if isinstance(event, Begin):
                self.calls.append(event.call)
                event.call.number = len(self.calls)
        return events

    def server(self, *lines: bytes) -> list[tuple[int | None, str, bytes | None]]:
        """Play lines of the server: number, status and result of each call that ended."""
        return self.ends([event for line in lines for event in self.session.from_server(line)])

    def ends(self, events: list[Event]) -> list[tuple[int | None, str, bytes | None]]:
        """Return number, status and result of each call that ended."""
        return [
            (event.call.number, event.outcome.status, event.outcome.result)
            for event in events
            if isinstance(event, End)
        ]


class Calls(Playbook):
    """MCP, Tools; JSON-RPC 2.0."""

    def test_a_call_is_its_exact_bytes(self) -> None:
        """Blanks, escapes and the order of members are those of the wire."""
        line = b' {"method":"tools\\/call", "id":7,"params":{"arguments":{ "b" : 1.0,"a":1}, "name":"x"}}'
        (event,) = self.client(line + b"\r\n")
        assert isinstance(event, Begin)
        self.assertEqual(event.call.intent.tool, "x")
        self.assertEqual(event.call.intent.args, b'{ "b" : 1.0,"a":1}')
        self.assertEqual(event.call.intent.request_id, 7)
        found = self.server(b'{"id":7 ,"result": {"x" : [1,2] } }\n')
        self.assertEqual(found, [(1, "ok", b'{"x" : [1,2] }')])

    def test_the_four_ways_to_end(self) -> None:
        """A flag that is not exactly true is none."""
        for member, status in (
            ({"result": {"content": []}}, "ok"),
            ({"result": {"isError": False}}, "ok"),
            ({"result": {"isError": "true"}}, "ok"),
            ({"result": None}, "ok"),
            ({"result": {"isError": True}}, "tool_error"),
            ({"error": {"code": -32602, "message": "?"}}, "protocol_error"),
            ({"error": None}, "protocol_error"),
            ({"error": {}, "result": {}}, "ok"),
        ):
            with self.subTest(member):
                self.setUp()
                self.client(call(1))
                ((_, found, result),) = self.server(answer(1, **member))
                self.assertEqual(found, status)
                self.assertEqual(result, json.dumps([*member.values()][-1]).encode())

    def test_what_is_no_call_passes_without_a_word(self) -> None:
        """Also requests of the server, and a `tools/call` that the server sends."""
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        note = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        for line in (
            ping,
            note,
            b"\n",
            b" \t\r\n",
            b"5\n",
            b'"x"\n',
            b"[]\n",
            b"[[1]]\n",
            b"null\n",
        ):
            self.assertEqual(self.client(line), [])
            self.assertEqual(self.server(line), [])
        self.assertEqual(self.server(call(1), answer(1, result={})), [])

    def test_both_sides_may_use_one_id_at_once(self) -> None:
        """The client's answer to the server ends no call of the client."""
        self.client(call(1))
        self.assertEqual(self.server(b'{"id":1,"method":"roots/list"}'), [])
        self.assertEqual(self.client(answer(1, result={"roots": []})), [])
        self.assertEqual(self.server(answer(1, result={})), [(1, "ok", b"{}")])

    def test_ids_are_known_by_type_and_value(self) -> None:
        """Each gets its own answer, whatever the order."""
        ids = [b"1", b'"1"', b"1.0", b"null", b"true", b"9007199254740993", b"9007199254740992",
               b"-0.5", b'{"a":1}', b"[1]", b'""']  # fmt: skip
        for each in ids:
            self.client(b'{"id":%b,"method":"tools/call","params":{"name":"t"}}' % each)
        self.assertEqual(len(self.calls), len(ids))
        for number, each in reversed([*enumerate(ids, 1)]):
            found = self.server(b'{"id":%b,"result":%d}' % (each, number))
            self.assertEqual(found, [(number, "ok", b"%d" % number)], each)

    def test_a_number_that_the_server_spells_otherwise_is_the_same(self) -> None:
        """1.0 is read as 1 by many."""
        self.client(call(1.0))
        self.assertEqual(self.server(b'{"id":true,"result":{}}', b'{"id":"1","result":{}}'), [])
        self.assertEqual(self.server(b'{"id":1,"result":{}}'), [(1, "ok", b"{}")])

    def test_an_id_that_is_used_twice_answers_the_oldest_first(self) -> None:
        """Nothing tells which is meant."""
        self.client(call(1, "a"), call(1, "b"))
        answers = answer(1, result=1) + b"", answer(1, result=2), answer(1, result=3)
        self.assertEqual(self.server(*answers), [(1, "ok", b"1"), (2, "ok", b"2")])

    def test_an_answer_before_its_call_left_is_none(self) -> None:
        """A server that guesses an id ends nothing."""
        events = self.session.from_client(call(1))
        self.assertEqual(self.server(answer(1, result=0)), [])
        assert isinstance(events[0], Begin)
        events[0].call.number = 5
        self.assertEqual(self.server(answer(1, result=1)), [(5, "ok", b"1")])

    def test_of_members_that_stand_twice_the_last_counts(self) -> None:
        """At every level, as both official clients and servers read them."""
        self.client(
            b'{"id":1,"id":2,"method":"ping","method":"tools/call","params":{"name":"no"},'
            b'"params":{"name":"a","arguments":1,"name":"b","arguments":{"x":1,"x":2}}}'
        )
        intent = self.calls[0].intent
        self.assertEqual((intent.tool, intent.args), ("b", b'{"x":1,"x":2}'))
        self.assertEqual(self.server(answer(1, result={})), [])
        self.assertEqual(self.server(b'{"id":2,"result":1,"result":2}'), [(1, "ok", b"2")])

    def test_bytes_that_are_no_utf8_are_kept(self) -> None:
        """A server may take them; the record has what was sent."""
        self.client(b'{"id":1,"method":"tools/call","params":{"name":"t","arguments":"\xff\xc3"}}')
        self.assertEqual(self.calls[0].intent.args, b'"\xff\xc3"')
        found = self.server(b'{"id":1,"result":"\x80"}')
        self.assertEqual(found, [(1, "ok", b'"\x80"')])

    def test_a_batch_is_a_call_for_each_member(self) -> None:
        """MCP 2025-03-26; the places of the answers are those in the line."""
        batch = b'[{"id":1,"method":"tools/call","params":{"name":"a"}}, 5 ,{"method":"x"},\n'
        batch = batch.strip() + b'{"id":2,"method":"tools/call","params":{"name":"b"}}]\n'
        self.assertEqual([event.call.intent.tool for event in self.client(batch)], ["a", "b"])
        line = b' [{"id":2,"result":2} , {"id":1,"error":1}]\n'
        events = self.session.from_server(line)
        self.assertEqual(self.ends(events), [(2, "ok", b"2"), (1, "protocol_error", b"1")])
        places = [line[event.start : event.end] for event in events if isinstance(event, End)]
        self.assertEqual(places, [b'{"id":2,"result":2}', b'{"id":1,"error":1}'])

    def test_what_is_malformed_is_recorded_all_the_same(self) -> None:
        """Decided by us: what cannot be spelt must be no way to call unrecorded."""
        for params, tool, args in (
            (b'{"name":5}', "5", b"null"),
            (b'{"name":{"a" :1},"arguments":[]}', '{"a" :1}', b"[]"),
            (b'{"name":""}', '""', b"null"),
            (b'{"arguments":{}}', "unknown", b"{}"),
            (b"[1]", "unknown", b"null"),
            (b"null", "unknown", b"null"),
        ):
            with self.subTest(params):
                self.setUp()
                self.client(b'{"id":1,"method":"tools/call","params":%b}' % params)
                intent = self.calls[0].intent
                self.assertEqual((intent.tool, intent.args), (tool, args))
                (event,) = self.session.from_server(answer(1, result={}))
                assert isinstance(event, End)
                self.assertEqual(event.outcome.flags, ("name_escaped",))
        self.client(b'{"method":"tools/call"}', b'{"id":2,"method":"tools/call"}')
        self.assertEqual(len(self.calls), 3)

    def test_a_lone_surrogate_in_a_name_is_said(self) -> None:
        """It has a spelling of ours in the receipt."""
        self.client(b'{"id":1,"method":"tools/call","params":{"name":"a\\ud800"}}')
        (event,) = self.session.from_server(answer(1, result={}))
        assert isinstance(event, End)
        self.assertEqual(event.outcome.flags, ("name_escaped",))

    def test_a_line_that_cannot_be_parsed_is_a_gap(self) -> None:
        """No JSON, or beyond a limit."""
        deep = b"[" * (DEFAULT.depth + 1) + b"]" * (DEFAULT.depth + 1)
        wide = b"[" + b"0," * DEFAULT.line_values + b"0]"
        for line in (b"hello", b"{", b"\xef\xbb\xbf{}", b"{} {}", b"1" * 5000, deep, wide):
            with self.subTest(line[:20]):
                self.assertEqual(self.client(line), [Gap("unparsed line")])

    def test_words_that_a_server_prints_are_no_gap(self) -> None:
        """Servers log to standard output; only what looks like a message may have been one."""
        self.assertEqual(self.session.from_server(b"Server started on stdio\n"), [])
        self.assertEqual(
            self.session.from_server(b'{"id":1\n'), [Gap("unparsed line of the server")]
        )


class Cancelled(Playbook):
    """MCP, Cancellation."""

    def test_a_cancellation_only_marks(self) -> None:
        """The late answer is the result."""
        self.client(call(1), call(2))
        self.assertEqual(self.client(cancel(1)), [])
        (event,) = self.session.from_server(answer(1, result={"late": 1}))
        assert isinstance(event, End)
        self.assertEqual(event.outcome.status, "cancelled")
        self.assertEqual(event.outcome.result, b'{"late": 1}')
        self.assertEqual(event.outcome.flags, ("late",))
        self.assertEqual(self.server(answer(2, result=2)), [(2, "ok", b"2")])
        self.assertEqual(self.session.finish(), [])

    def test_without_an_answer_it_ends_with_the_session(self) -> None:
        """Calls that nobody cancelled stay unfinished."""
        self.client(call(1), call("1"), cancel("1"), cancel(99), cancel(None))
        self.assertEqual(self.ends(self.session.finish()), [(2, "cancelled", None)])

    def test_the_id_stays_taken_until_then(self) -> None:
        """A late answer is not that of a call that uses the id again."""
        self.client(call(1, "a"), cancel(1), call(1, "b"))
        found = self.server(answer(1, result="late"), answer(1, result="in time"))
        self.assertEqual(found, [(1, "cancelled", b'"late"'), (2, "ok", b'"in time"')])

    def test_a_server_cancels_only_what_it_asked_itself(self) -> None:
        """And a cancellation without an id is none."""
        self.client(call(1), b'{"method":"notifications/cancelled"}')
        self.server(cancel(1))
        self.assertEqual(self.server(answer(1, result=1)), [(1, "ok", b"1")])


class Rounds(Playbook):
    """MCP 2026-07-28, multi round-trip requests: one call, however often it is asked."""

    def asks(self, request_id: object, **more: object) -> bytes:
        """Return the line by which a server asks for more."""
        result = {"resultType": "input_required", "inputRequests": {"q": {}}, **more}
        return answer(request_id, result=result)

    def test_a_round_is_part_of_the_call(self) -> None:
        """One intent, one receipt, the caller's answers as they were sent."""
        self.client(call(1, "t", {"a": 1}))
        self.assertEqual(self.server(self.asks(1, requestState="s1")), [])
        again = call(2, "t", {"a": 1}, requestState="s1", inputResponses={"q": "yes"})
        self.assertEqual(self.client(again), [])
        self.assertEqual(self.server(self.asks(2, requestState="s2")), [])
        self.assertEqual(self.client(call(3, "t", {"a": 1}, requestState="s2")), [])
        (event,) = self.session.from_server(answer(3, result={"resultType": "complete"}))
        assert isinstance(event, End)
        self.assertEqual(event.call.number, 1)
        self.assertEqual(event.outcome.status, "ok")
        self.assertEqual(event.outcome.rounds, (b'{"q": "yes"}',))
        self.assertEqual(self.calls[0].intent.request_id, 1)

    def test_what_does_not_go_on_is_a_call_of_its_own(self) -> None:
        """Another tool, other arguments, another state."""
        self.client(call(1, "t", {"a": 1}))
        self.server(self.asks(1, requestState="s"))
        for number, other in enumerate(
            (
                call(2, "u", {"a": 1}, requestState="s", inputResponses=1),
                call(3, "t", {"a": 2}, requestState="s", inputResponses=1),
                call(4, "t", {"a": 1}, requestState="S", inputResponses=1),
                call(5, "t", {"a": 1}, inputResponses=1),
                call(6, "t", {"a": 1}),
            ),
            2,
        ):
            self.assertEqual(len(self.client(other)), 1)
            (event,) = self.session.from_server(answer(number, result={}))
            assert isinstance(event, End)
            self.assertEqual(event.outcome.rounds, (b"1",) if number < 6 else ())
        self.assertEqual(self.session.finish(), [])

    def test_rounds_without_a_state_go_on_by_tool_and_arguments(self) -> None:
        """The state is optional; arguments spelt otherwise are the same."""
        self.client(call(1, "t", {"a": 1, "b": 2}))
        self.server(self.asks(1))
        again = b'{"id":2,"method":"tools/call","params":{"inputResponses":{},"name":"t",'
        self.assertEqual(self.client(again + b'"arguments":{"b":2,"a":1}}}'), [])
        self.assertEqual(self.server(answer(2, result=1)), [(1, "ok", b"1")])

    def test_a_call_that_is_asked_and_cancelled(self) -> None:
        """A question that comes late is its answer."""
        self.client(call(1), cancel(1))
        ((_, status, _),) = self.server(self.asks(1))
        self.assertEqual(status, "cancelled")


class WhatTheServerTellsOfItself(Playbook):
    """Each call says which definition and which server it had."""

    TOOL = {"name": "t", "description": "é", "annotations": {"readOnlyHint": True}}  # noqa: RUF012

    def listed(self, request_id: int, *tools: object) -> None:
        """Play a list of tools."""
        self.client(b'{"id":%d,"method":"tools/list"}' % request_id)
        self.server(answer(request_id, result={"tools": tools}))

    def test_a_definition_is_the_whole_tool_as_last_seen(self) -> None:
        """Pages are one list; a call before the list has none."""
        self.client(call(1))
        self.listed(2, self.TOOL, {"name": "u"}, 5, {"name": 6})
        self.listed(3, {"name": "v"})
        self.client(call(4), call(5, "v"), call(6, "u"))
        self.listed(7, {"name": "t", "description": "other"})
        self.client(call(8))
        found = [each.intent.definition for each in self.calls]
        other = toolreplay_1({"name": "t", "description": "other"})
        names = [toolreplay_1({"name": name}) for name in "vu"]
        self.assertEqual(found, [None, toolreplay_1(self.TOOL), *names, other])
        annotations = [each.intent.annotations for each in self.calls]
        self.assertEqual(annotations, [None, {"readOnlyHint": True}, None, None, None])

    def test_a_list_that_nobody_asked_for_is_none(self) -> None:
        """Only an answer to `tools/list` is one."""
        self.server(answer(1, result={"tools": [self.TOOL]}))
        self.client(call(1))
        self.assertIsNone(self.calls[0].intent.definition)

    def test_server_and_version_are_its_own_words(self) -> None:
        """Both eras; the exact bytes are kept."""
        info = {"name": "shop", "version": "1.2"}
        meta = {"io.modelcontextprotocol/serverInfo": info}
        for method, result in (
            ("initialize", {"serverInfo": info}),
            ("server/discover", {"serverInfo": info}),
            ("server/discover", {"_meta": meta}),
        ):
            with self.subTest(method):
                self.setUp()
                self.client(b'{"id":0,"method":"%b"}' % method.encode())
                self.server(answer(0, result=result))
                self.client(call(1))
                intent = self.calls[0].intent
                self.assertEqual((intent.scope, intent.version), ("mcp:shop", "1.2"))
                self.assertEqual(intent.server, json.dumps(result).encode())

    def test_a_refused_introduction_says_nothing(self) -> None:
        """A legacy server answers `server/discover` with an error, and is then asked otherwise."""
        self.client(b'{"id":0,"method":"server/discover"}')
        self.server(answer(0, error={"code": -32601}))
        self.client(call(1))
        intent = self.calls[0].intent
        self.assertEqual(
            (intent.scope, intent.version, intent.server), ("mcp:unknown", "unknown", None)
        )

    def test_a_name_that_was_given_wins(self) -> None:
        """It is that of the client's configuration."""
        self.session = Session("orders")
        self.client(b'{"id":0,"method":"initialize"}')
        self.server(answer(0, result={"serverInfo": {"name": "x", "version": 5}}))
        self.client(call(1))
        intent = self.calls[0].intent
        self.assertEqual((intent.scope, intent.version), ("mcp:orders", "unknown"))


class Hostile(Playbook):
    """Nothing of either side ends the session."""

    def test_odd_shapes_in_every_place(self) -> None:
        """Each known member with each kind of value, from both sides."""
        values = [b"null", b"true", b"1.5", b"-0", b"1e999", b"NaN", b'"x"', b"[]", b"{}", b"[{}]"]
        for method in (b"tools/call", b"tools/list", b"initialize", b"notifications/cancelled"):
            for value in values:
                for line in (
                    b'{"id":%b,"method":"%b","params":%b}' % (value, method, value),
                    b'{"id":1,"method":"%b","params":{"name":%b,"arguments":%b,"requestId":%b,'
                    b'"requestState":%b,"inputResponses":%b}}' % (method, *[value] * 5),
                    b'{"id":%b,"method":%b}' % (value, value),
                ):
                    self.client(line)
                for line in (
                    b'{"id":%b,"result":%b}' % (value, value),
                    b'{"id":1,"result":{"tools":%b,"serverInfo":%b,"_meta":%b,"resultType":%b,'
                    b'"isError":%b}}' % (*[value] * 5,),
                    b'{"id":1,"result":{"tools":[{"name":"t","x":%b}],"serverInfo":{"name":%b}}}'
                    % (value, value),
                    b'{"id":1,"error":%b}' % value,
                ):
                    self.server(line)
        self.session.finish()


if __name__ == "__main__":
    unittest.main()
