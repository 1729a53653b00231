"""Who tells is what the kernel says, and an agent of another user can neither write nor sign."""

import json
import os
import socket
import subprocess
import sys
import unittest
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.capture.recorded import payloads, receipts, runs
from tests.capture.served import ROOT, Served
from toolreplay.capture.observed import Intent, Outcome
from toolreplay.capture.service.peers import NOBODY, peer_of

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY_UID = 65534


class WhoTells(Served):
    """The member `writer` of the receipts is of the kernel."""

    def test_it_is_the_process_that_connected(self) -> None:
        service = self.serve()
        one = self.client(run=None)
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        one.finish()
        self.end(service)
        (receipt,) = receipts(self.store, runs(self.store)[0])
        self.assertEqual(
            receipt["capture"]["writer"],
            {
                "uid": os.getuid(),
                "pid": os.getpid(),
                "same_uid_as_agent": True,
                "same_process": False,
            },
        )

    def test_one_who_says_otherwise_is_refused(self) -> None:
        self.serve()
        wire = self.wire()
        answer = wire.hello(writer={"uid": 12345})
        self.assertEqual(answer["error"], "hello has no member writer")  # type: ignore[index]

    def test_of_a_socket_without_credentials_nothing_is_said(self) -> None:
        with socket.socket(socket.AF_INET) as other:
            peer = peer_of(other)
        self.assertIn(peer.uid, (None, NOBODY_UID, 2**32 - 1))
        self.assertEqual(NOBODY.writer()["same_uid_as_agent"], None)


def as_nobody(work: "Callable[[], str]") -> str:
    """Do some work in the child of a process of another user, as a wrapper is an agent's child.

    Nothing is executed: the interpreter may lie where that user cannot go.
    """
    reading, writing = os.pipe()
    agent = os.fork()
    if not agent:
        try:
            os.setgroups([])
            os.setgid(NOBODY_UID)
            os.setuid(NOBODY_UID)
            child = os.fork()
            if not child:
                os.write(writing, work().encode() or b"-")
            else:
                os.waitpid(child, 0)
        except BaseException as error:  # noqa: BLE001 - the child must not go on as the tests
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(agent, 0)
    return said.removeprefix("-") if said else "nothing was said"


@unittest.skipUnless(os.getuid() == 0, "only root can start an agent of another user")
class AnAgentOfAnotherUser(Served):
    """Decided by us: the recorder as its own user is what keeps the agent from its own record."""

    def test_it_is_recorded_and_can_neither_write_the_store_nor_read_the_key(self) -> None:
        try:
            import cryptography  # noqa: F401
        except ImportError:
            self.skipTest("signing needs the package cryptography")
        key = self.folder / "key"
        self.toolreplay("key", "new", "--name", "example.org/log", "-o", str(key))
        service = self.serve("--key", str(key), "--group", str(NOBODY_UID))
        self.assertIn("signed by example.org/log", self.line)
        os.chmod(self.folder, 0o755)
        files = [self.store, Path(f"{self.store}-wal"), Path(f"{self.store}-state"), key]
        found = as_nobody(lambda: self.told_and_tried(files, service.pid))
        self.assertEqual(found, "")
        self.assertEqual(self.end(service), 0)
        (run,) = runs(self.store)
        (receipt,) = receipts(self.store, run)
        writer = receipt["capture"]["writer"]
        self.assertEqual((writer["uid"], writer["same_uid_as_agent"]), (NOBODY_UID, False))
        self.assertEqual(payloads(self.store, run)[-1][0], "close")
        vkey = self.toolreplay("key", "show", str(key)).strip()
        self.toolreplay("store", "status", str(self.store), "--key", vkey)
        self.toolreplay("verify", f"{self.store}#{run}", "--key", vkey, "--seen", "none")

    def told_and_tried(self, files: list[Path], pid: int) -> str:
        """Record one call as the agent, try all that it must not be able to, say what it could."""
        one = self.client(run=None)
        one.end(one.begin(Intent("a", b"{}")), Outcome("ok", b"1"))
        one.finish()
        tries: list[Callable[[], object]] = [
            lambda: os.kill(pid, 9),
            lambda: os.unlink(self.store),
            lambda: os.unlink(self.socket),
            lambda: (self.folder / "new").write_text(""),
        ]
        for name in files:
            tries += [lambda name=name: os.open(name, os.O_RDONLY)]  # type: ignore[misc]
            tries += [lambda name=name: os.open(name, os.O_WRONLY)]  # type: ignore[misc]
        could = []
        for number, act in enumerate(tries):
            try:
                act()
            except PermissionError:
                continue
            could.append(f"could do {number}")
        return " ".join(filter(None, [one.failure, *could]))

    def toolreplay(self, *arguments: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "toolreplay", *arguments],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "HOME": str(self.folder)},
        )  # fmt: skip
        self.assertEqual(ran.returncode, 0, f"{ran.stdout}{ran.stderr}")
        return ran.stdout


class OverHttp(Served):
    """The same messages by POST, with a token."""

    def setUp(self) -> None:
        super().setUp()
        self.service = self.serve("--http", "0")
        self.port = int(self.line.partition("http://127.0.0.1:")[2].partition(" ")[0])
        self.token = Path(f"{self.socket}.token").read_text().strip()

    def post(
        self,
        operation: str,
        headers: dict[str, str] | None = None,
        body: Any = None,
        **message: Any,
    ) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        data = json.dumps(message) if body is None else body
        try:
            connection.request("POST", f"/v1/{operation}", data, sent)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def hello(self, **changes: Any) -> str:
        status, answer = self.post(
            "hello", **{"protocol": "toolreplay-recorder/1", "layer": "hook", "adapter": "test",
                        "run": "r", **changes},
        )  # fmt: skip
        self.assertEqual(status, 200)
        session: str = answer["session"]
        return session

    def test_a_call_is_recorded(self) -> None:
        session = self.hello()
        status, answer = self.post("begin", session=session, tool="a", args="e30=")
        self.assertEqual(status, 200)
        status, _ = self.post("end", session=session, call=answer["call"], status="ok", result=None)
        self.assertEqual(status, 200)
        self.assertEqual(self.post("gap", session=session, reason="x", count=2)[0], 200)
        self.assertEqual(self.post("finish", session=session)[0], 200)
        self.assertEqual(self.post("finish", session=session)[0], 400)
        self.end(self.service)
        (run,) = runs(self.store)
        kinds = [kind for kind, _ in payloads(self.store, run)]
        self.assertEqual(kinds, ["open", "start", "call", "gap", "close"])
        writer = receipts(self.store, run)[0]["capture"]["writer"]
        uid = os.getuid() if sys.platform == "linux" else None
        self.assertEqual((writer["uid"], writer["pid"]), (uid, None))

    def test_who_has_no_token_or_comes_from_a_page_is_refused(self) -> None:
        here = f"127.0.0.1:{self.port}"
        for headers, expected in (
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": ""}, 401),
            ({"Authorization": "Bearer \u00e9"}, 401),
            ({"Host": "example.org"}, 403),
            ({"Host": f"example.org:{self.port}"}, 403),
            ({"Host": here, "Origin": f"http://{here}"}, 403),
            ({"Host": here}, 200),
            ({"Host": f"localhost:{self.port}"}, 200),
        ):
            with self.subTest(headers=headers):
                self.assertEqual(self.post("status", headers)[0], expected)

    def test_what_breaks_the_protocol_is_answered(self) -> None:
        for operation, body, expected in (
            ("steal", "{}", 404),
            ("status", "", 400),
            ("status", "[]", 400),
            ("status", '{"op":"begin"}', 400),
            ("begin", '{"tool":"a"}', 400),
            ("begin", '{"session":[],"tool":"a"}', 400),
            ("hello", "{}", 400),
        ):
            with self.subTest(operation=operation, body=body):
                status, answer = self.post(operation, body=body)
                self.assertEqual((status, "error" in answer), (expected, True))
        length = {"Content-Length": str(2**40)}
        self.assertEqual(self.post("status", length, body="")[0], 413)

    def test_the_token_is_its_users_alone_and_goes_with_the_service(self) -> None:
        path = Path(f"{self.socket}.token")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual(self.end(self.service), 0)
        self.assertFalse(path.exists())
