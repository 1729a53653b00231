"""A client, the wrapper and a server of our own: what stands in the record afterwards."""

import json
import threading
import unittest
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.capture import mcp_server
from tests.capture.recorded import payloads, receipts, runs
from tests.capture.wrapped import SERVER, wrapped
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import toolreplay_1

if TYPE_CHECKING:
    import subprocess


def shown(piece: JsonObject) -> bytes:
    """Return the bytes of an inline piece."""
    return b64decode(piece["b64"])


class Client:
    """A client of the wrapper: sends requests, keeps answers by id."""

    def __init__(self, ran: "subprocess.Popen[bytes]") -> None:
        self.ran = ran
        self.answers: dict[object, JsonObject] = {}
        self._next = 100
        self._came = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, *lines: object) -> None:
        """Send messages, each as a line."""
        assert self.ran.stdin is not None
        for line in lines:
            self.ran.stdin.write(json.dumps(line).encode() + b"\n")
        self.ran.stdin.flush()

    def ask(self, method: str, params: object = None, request_id: object = None) -> object:
        """Send a request and return its id."""
        self._next += 1
        known = self._next if request_id is None else request_id
        self.send({"jsonrpc": "2.0", "id": known, "method": method, "params": params or {}})
        return known

    def call(self, tool: str, request_id: object = None, **args: object) -> object:
        """Send a call and return its id."""
        return self.ask("tools/call", {"name": tool, "arguments": args}, request_id)

    def answer(self, request_id: object) -> JsonObject:
        """Wait for the answer to a request."""
        with self._came:
            self._came.wait_for(lambda: request_id in self.answers, timeout=20)
            return self.answers[request_id]

    def close(self) -> int:
        """Close the connection and return the exit status."""
        assert self.ran.stdin is not None and self.ran.stdout is not None
        self.ran.stdin.close()
        status = self.ran.wait(timeout=30)
        self._reader.join(10)
        self.ran.stdout.close()
        return status

    def _read(self) -> None:
        assert self.ran.stdout is not None
        for line in self.ran.stdout:
            value = json.loads(line)
            for message in value if type(value) is list else [value]:
                with self._came:
                    if "method" not in message:
                        self.answers[message.get("id")] = message
                    self._came.notify_all()


class WithAServer(unittest.TestCase):
    """Each test is one session, and one run."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")

    def client(self, *options: str) -> Client:
        """Start the server behind the wrapper."""
        ran = wrapped(self.store, SERVER, *options)
        self.addCleanup(_end, ran)
        return Client(ran)

    def recorded(self) -> tuple[list[str], list[JsonObject]]:
        """Return the kinds of the one run's entries, and its receipts."""
        (run,) = runs(self.store)
        return [kind for kind, _ in payloads(self.store, run)], receipts(self.store, run)


class Recorded(WithAServer):
    """The record of a session."""

    def test_a_legacy_session(self) -> None:
        """Handshake, a list in pages, a call of each kind."""
        client = self.client("--agent", "bot")
        client.answer(client.ask("server/discover"))
        introduced = client.answer(client.ask("initialize"))
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.send({"jsonrpc": "2.0", "id": 1, "result": {"roots": []}})
        for cursor in ("0", "4"):
            client.answer(client.ask("tools/list", {"cursor": cursor}))
        for tool in ("echo", "fail", "no-such-tool"):
            client.answer(client.call(tool, a=[1, "é"]))
        self.assertEqual(client.close(), 0)
        kinds, found = self.recorded()
        self.assertEqual(kinds, ["open", *["start", "call"] * 3, "close"])
        tools = [each["tool"] for each in found]
        names = [tool["name"] for tool in tools]
        self.assertEqual(names, ["echo", "fail", "no-such-tool"])
        for tool in tools:
            self.assertEqual((tool["scope"], tool["version"]), ("mcp:little", "3.1"))
        statuses = [each["outputs"]["status"] for each in found]
        self.assertEqual(statuses, ["ok", "tool_error", "protocol_error"])
        capture = found[0]["capture"]
        self.assertEqual((capture["layer"], capture["adapter"]), ("mcp-wire", "mcp_stdio"))
        self.assertEqual(capture["args_fidelity"], "wire-bytes")
        definition = toolreplay_1(mcp_server.TOOLS[0])
        self.assertEqual(capture["tool_definition"], sha256(definition).hexdigest())
        self.assertEqual(capture["annotations"], {"readOnlyHint": True})
        self.assertEqual(found[2]["capture"]["tool_definition"], "absent")
        exact = json.dumps(introduced["result"]).encode()
        self.assertEqual(capture["server"], sha256(exact).hexdigest())
        self.assertEqual(shown(found[0]["inputs"]["args"]), json.dumps({"a": [1, "é"]}).encode())
        self.assertEqual(found[0]["agent"]["name"], "bot")

    def test_a_modern_session_with_a_round(self) -> None:
        """No handshake; what the tool asks for is part of its call."""
        client = self.client("--server", "shop")
        client.answer(client.ask("server/discover"))
        first = client.answer(client.call("ask", a=1))["result"]
        self.assertEqual(first["resultType"], "input_required")
        params = {"name": "ask", "arguments": {"a": 1}, "requestState": first["requestState"]}
        client.answer(client.ask("tools/call", {**params, "inputResponses": {"q": "yes"}}))
        client.close()
        kinds, (receipt,) = self.recorded()
        self.assertEqual(kinds, ["open", "start", "call", "close"])
        self.assertEqual(receipt["tool"]["scope"], "mcp:shop")
        self.assertEqual([shown(each) for each in receipt["inputs"]["rounds"]], [b'{"q": "yes"}'])
        self.assertEqual(receipt["outputs"]["status"], "ok")

    def test_cancelled_calls(self) -> None:
        """One is answered late, one never; one that nobody cancelled stays unfinished."""
        client = self.client()
        late, never = client.call("wait", n=300), client.call("never")
        for each in (late, never):
            cancelled = {"requestId": each}
            client.send({"method": "notifications/cancelled", "params": cancelled})
        client.call("never")
        client.answer(late)
        client.close()
        (run,) = runs(self.store)
        found = receipts(self.store, run)
        outputs = [each["outputs"] for each in found]
        self.assertEqual([each["status"] for each in outputs], ["cancelled"] * 2)
        self.assertEqual([each["flags"] for each in outputs], [["late"], []])
        self.assertIsNone(outputs[1]["result"])
        self.assertEqual(payloads(self.store, run)[-1][1]["close"]["unfinished"], [3])

    def test_a_batch_and_odd_ids(self) -> None:
        """One line, several receipts."""
        client = self.client()
        batch = [
            {"id": each, "method": "tools/call", "params": {"name": "echo", "arguments": {"n": n}}}
            for n, each in enumerate((1, "1", 1.0, 2**53 + 1, True))
        ]
        client.send(batch)
        client.answer("1")
        client.answer(2**53 + 1)
        client.close()
        _, found = self.recorded()
        self.assertEqual(len(found), 5)
        for each in found:
            args = json.loads(shown(each["inputs"]["args"]))
            result = json.loads(shown(each["outputs"]["result"]))
            self.assertEqual(json.loads(result["content"][0]["text"]), args)
        named = [json.dumps(each["capture"]["request_id"]) for each in found]
        self.assertEqual(named, ["1", '"1"', "1.0", str(2**53 + 1), "true"])

    def test_300_overlapping_calls(self) -> None:
        """Each intent has one outcome, and it is its own."""
        client = self.client()
        asked = [client.call("wait", n=number % 40, i=number) for number in range(200)]
        asked += [client.call("echo", i=number) for number in range(100)]
        for each in asked:
            client.answer(each)
        client.close()
        kinds, found = self.recorded()
        self.assertEqual((kinds.count("start"), kinds.count("call")), (300, 300))
        self.assertEqual([each["binding"]["seq"] for each in found], [*range(1, 301)])
        self.assertEqual({each["binding"]["position"] for each in found}, {*range(1, 301)})
        self.assertEqual({each["capture"]["request_id"] for each in found}, set(asked))

    def test_the_intent_survives_our_death_before_the_answer(self) -> None:
        """It is written before the call leaves."""
        client = self.client()
        client.answer(client.call("echo"))
        client.call("never")
        client.answer(client.call("echo"))
        client.ran.kill()
        client.ran.wait(timeout=20)
        kinds, _ = self.recorded()
        self.assertEqual(kinds, ["open", "start", "call", "start", "start", "call"])

    def test_a_session_without_calls_makes_no_store(self) -> None:
        """Nothing is opened for it."""
        client = self.client()
        client.answer(client.ask("initialize"))
        self.assertEqual(client.close(), 0)
        self.assertFalse(self.store.exists())

    def test_two_servers_of_one_client_are_one_run(self) -> None:
        """By the process that started them."""
        clients = [self.client(), self.client("--server", "other")]
        for client in clients:
            client.answer(client.call("echo"))
        for client in clients:
            client.close()
        kinds, found = self.recorded()
        self.assertEqual(kinds, ["open", *["start", "call"] * 2, "close"])
        self.assertEqual({each["tool"]["scope"] for each in found}, {"mcp:unknown", "mcp:other"})


class NothingCanBeWritten(WithAServer):
    """Decided by us: calls go on and we say so, or with --strict none is made."""

    def setUp(self) -> None:
        super().setUp()
        self.store.write_bytes(b"this is no store")

    def test_calls_go_on_and_one_line_says_it(self) -> None:
        """Standard output has not one byte of ours."""
        client = self.client()
        self.assertEqual(
            client.answer(client.call("echo", a=1))["result"]["content"][0]["text"], '{"a": 1}'
        )
        client.answer(client.call("echo"))
        self.assertEqual(client.close(), 0)
        assert client.ran.stderr is not None
        lines = client.ran.stderr.read().splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, rb"\Atoolreplay: .*recorded")

    def test_strict_answers_in_place_of_the_server(self) -> None:
        """The call is not made; what is no call passes."""
        client = self.client("--strict")
        refused = client.answer(client.call("echo", a=1))
        self.assertEqual(refused["error"]["code"], -32603)
        self.assertIn("not forwarded", refused["error"]["message"])
        self.assertEqual(
            client.answer(client.ask("initialize"))["result"]["serverInfo"]["name"], "little"
        )
        calls = [{"id": n, "method": "tools/call", "params": {"name": "echo"}} for n in (1, "x")]
        client.send([*calls, {"id": 3, "method": "tools/list"}])
        for each in (1, "x", 3):
            self.assertEqual(client.answer(each)["error"]["code"], -32603)
        self.assertEqual(client.close(), 0)

    def test_strict_lets_no_line_pass_that_cannot_be_parsed(self) -> None:
        """Answered with the id null: which it had cannot be told."""
        client = self.client("--strict")
        assert client.ran.stdin is not None
        client.ran.stdin.write(b"this would kill the server\n")
        client.ran.stdin.flush()
        self.assertEqual(client.answer(None)["error"]["code"], -32600)
        del client.answers[None]
        client.ran.stdin.write(b'{"x":"' + b"y" * 17_000_000 + b'"}\n')
        client.ran.stdin.flush()
        self.assertEqual(client.answer(None)["error"]["code"], -32600)
        self.assertIn("result", client.answer(client.ask("initialize")))
        self.assertEqual(client.close(), 0)


def _end(ran: "subprocess.Popen[bytes]") -> None:
    if ran.poll() is None:
        ran.kill()
    for stream in (ran.stdin, ran.stdout, ran.stderr):
        if stream is not None and not stream.closed:
            stream.close()
    ran.wait()


if __name__ == "__main__":
    unittest.main()
