"""The service over HTTP on 127.0.0.1, for hooks that can post and nothing else: POST /v1/OPERATION.

Whoever has the token may tell; the file with it is the service's user's alone. A request from a web
page is refused: `Host` must be ours, which a rebound name is not, and `Origin` must be absent.
"""

import hmac
import os
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from toolreplay.capture.service.peers import peer_of_port
from toolreplay.capture.service.sessions import Service, Session
from toolreplay.capture.service.wire import (
    MEMBERS,
    MESSAGE_BYTES,
    WireError,
    line_of,
    message_parser,
)
from toolreplay.errors import StoreError
from toolreplay.records.call import JsonObject

__all__ = ["LoopbackServer", "write_token"]

_MOST_REQUESTS = 64
_MOST_SESSIONS = 256
_IDLE_SECONDS = 3600.0
"""A session that was not heard of for so long has ended: no connection tells."""

_REQUEST_SECONDS = 30


def write_token(path: str, group: int | None) -> str:
    """Write a new token into a file of 0600 (0640 with a group), and return it. Raises StoreError."""
    token = os.urandom(32).hex()
    partial = f"{path}.{os.urandom(8).hex()}"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, f"{token}\n".encode())
            if group is not None:
                os.fchown(descriptor, -1, group)
                os.fchmod(descriptor, 0o640)
        finally:
            os.close(descriptor)
        os.replace(partial, path)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            os.unlink(partial)
        raise StoreError(path, getattr(error, "strerror", None) or str(error)) from None
    return token


class LoopbackServer(ThreadingHTTPServer):
    """Serves posts on a port of 127.0.0.1, 0 for any that is free. Raises StoreError."""

    daemon_threads = True

    def __init__(self, port: int, token: str, service: Service) -> None:
        self.service = service
        self._token = f"Bearer {token}".encode()
        self._sessions: dict[str, tuple[Session, float]] = {}
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_MOST_REQUESTS)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            what = getattr(error, "strerror", None) or str(error)
            raise StoreError(f"127.0.0.1:{port}", what) from None
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more, and end all sessions."""
        self.shutdown()
        self.server_close()
        with self._lock:
            sessions, self._sessions = self._sessions, {}
        for session, _ in sessions.values():
            session.leave(None)

    def is_known(self, authorization: str) -> bool:
        """Whether a request brings the token."""
        return hmac.compare_digest(authorization.encode("utf-8", "replace"), self._token)

    def answered(self, message: JsonObject, port: int) -> JsonObject:
        """Do what a message says, and return the answer. Raises WireError."""
        operation, number = message["op"], message.get("session")
        if operation == "status":
            return self.service.status()
        if operation == "hello":
            return self._hello(message, port)
        with self._lock:
            if type(number) is not str or number not in self._sessions:
                raise WireError("session is none that a hello was answered with")
            session, _ = self._sessions[number]
            self._sessions[number] = session, time.monotonic()
            if operation == "finish":
                del self._sessions[number]
        return session.answer(message)

    def _hello(self, message: JsonObject, port: int) -> JsonObject:
        now = time.monotonic()
        with self._lock:
            idle = [name for name, (_, at) in self._sessions.items() if now - at > _IDLE_SECONDS]
            ended = [self._sessions.pop(name)[0] for name in idle]
            is_full = len(self._sessions) >= _MOST_SESSIONS
        for each in ended:
            each.leave(None)
        if is_full:
            raise WireError(f"{_MOST_SESSIONS} sessions are open already")
        session = self.service.session(message, peer_of_port(port, self.server_port))
        name = os.urandom(16).hex()
        with self._lock:
            self._sessions[name] = session, now
        return {"ok": True, "session": name, "mode": session.mode}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, as long as there are not too many."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve it, and make its place free."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: whoever asked has gone away."""


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    server: LoopbackServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "toolreplay", ""
    timeout = _REQUEST_SECONDS
    wbufsize = -1  # head and body in one packet: two would wait for each other
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer one operation."""
        operation = self.path.removeprefix("/v1/")
        refused = self._refused(operation)
        if refused is not None:
            self.close_connection = True  # what it sent was not read
            self._reply(*refused)
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            message = message_parser(operation)(body)
            answer = self.server.answered(message, self.client_address[1])
        except WireError as error:
            self._reply(400, {"error": str(error)})
            return
        self._reply(503 if "error" in answer else 200, answer)

    def _refused(self, operation: str) -> tuple[int, JsonObject] | None:
        """Return the status and answer of a request that is not looked at any further."""
        port, headers = self.server.server_port, self.headers
        hosts = headers.get_all("Host", [])
        if hosts not in ([f"127.0.0.1:{port}"], [f"localhost:{port}"]) or "Origin" in headers:
            return 403, {"error": f"Host is not 127.0.0.1:{port}, or there is an Origin"}
        if not self.server.is_known(headers.get("Authorization", "")):
            return 401, {"error": "Authorization is not Bearer and the token of the token file"}
        if self.path != f"/v1/{operation}" or operation not in MEMBERS:
            return 404, {"error": f"POST /v1/OPERATION, one of {', '.join(MEMBERS)}"}
        length = headers.get("Content-Length", "")
        if "Transfer-Encoding" in headers or not (length.isascii() and length.isdigit()):
            return 411, {"error": "Content-Length says how long the body is"}
        if len(length) > 12 or int(length) > MESSAGE_BYTES:
            return 413, {"error": f"a message is longer than {MESSAGE_BYTES} bytes"}
        return None

    def _reply(self, status: int, answer: JsonObject) -> None:
        body = line_of(answer)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
