"""The Unix socket of the service: a thread for each connection, and a few more for calls that overlap.

A connection is one session. What breaks the protocol is answered with one line, and ends that
connection only; one that is silent, or does not take its answers, holds up nobody else.
"""

import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from toolreplay.capture.service.peers import peer_of
from toolreplay.capture.service.sessions import Service, Session
from toolreplay.capture.service.wire import (
    MESSAGE_BYTES,
    WireError,
    line_of,
    message_parser,
)
from toolreplay.errors import StoreError
from toolreplay.records.call import JsonObject

__all__ = ["MOST_CONNECTIONS", "SocketServer", "listening_at"]

MOST_CONNECTIONS = 256
_THREADS = 16
"""Calls of one connection that are recorded at once; more of them wait."""

_PENDING_BYTES = 64 * 1024 * 1024
"""Bytes of one connection's messages that are not answered yet; it is read on when there are fewer."""

_SEND_SECONDS = 10
_LINE_SECONDS = 60.0
"""How long a message may take from its first byte to its last: no one holds memory by waiting."""

_CHUNK = 256 * 1024


def listening_at(path: str, group: int | None) -> tuple[socket.socket, int]:
    """Return a socket that listens, and the lock that says so (a descriptor to be kept open).

    A socket that a dead service left is replaced, that of a living one never. It is its user's
    alone (0600), or with a group also the group's (0660). Raises StoreError.
    """
    import fcntl

    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise StoreError(path, "a recorder listens there already") from None
        _remove_stale(path)
        return _bound(path, group), lock
    except (OSError, ValueError) as error:
        raise StoreError(path, getattr(error, "strerror", None) or str(error)) from None


def _remove_stale(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise StoreError(path, "is there already, and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise StoreError(path, "somebody listens there already")


def _bound(path: str, group: int | None) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        if group is not None:
            os.chown(path, -1, group)
            os.chmod(path, 0o660)
        listener.listen(MOST_CONNECTIONS)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener


class SocketServer:
    """Serves whoever connects, until it is stopped."""

    def __init__(self, listener: socket.socket, service: Service) -> None:
        self._listener = listener
        self._service = service
        self._lock = threading.Lock()
        self._connections: dict[_Connection, threading.Thread] = {}
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def start(self) -> None:
        """Begin to accept connections."""
        self._thread.start()

    def stop(self, seconds: float = 10.0) -> None:
        """Accept and read no more, and wait for what is under way."""
        self._ending.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept
        self._listener.close()
        self._thread.join(seconds)
        with self._lock:
            connections = list(self._connections.items())
        for connection, _ in connections:
            connection.hang_up()
        until = time.monotonic() + seconds
        for _, thread in connections:
            thread.join(max(0.0, until - time.monotonic()))

    def _accept(self) -> None:
        while not self._ending.is_set():
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                if self._ending.is_set():
                    return
                time.sleep(0.1)  # no descriptor is left: some will be let go
                continue
            with self._lock:
                is_full = len(self._connections) >= MOST_CONNECTIONS
                connection = _Connection(accepted, self._service, self._gone)
                thread = threading.Thread(target=connection.serve, daemon=True)
                if not is_full:
                    self._connections[connection] = thread
            if is_full:
                connection.refuse(f"{MOST_CONNECTIONS} connections are open already")
            else:
                thread.start()

    def _gone(self, connection: "_Connection") -> None:
        with self._lock:
            self._connections.pop(connection, None)


class _Connection:
    """One connection: reads in the thread that serves it, answers in those that record."""

    def __init__(
        self,
        connection: socket.socket,
        service: Service,
        gone: "Callable[[_Connection], None]",
    ) -> None:
        self._socket = connection
        self._service = service
        self._gone = gone
        self._session: Session | None = None
        self._sending = threading.Lock()
        self._answered = threading.Condition()
        self._pending = self._pending_bytes = 0
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            # Of the kernel: a timeout of Python's would be one for reading and writing together.
            connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", _SEND_SECONDS, 0))

    def refuse(self, why: str) -> None:
        """Say why not, and close."""
        self._send({"id": None, "error": why})
        self._socket.close()

    def hang_up(self) -> None:
        """Read no more; what was read is answered yet."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)

    def serve(self) -> None:
        """Serve the connection until it ends."""
        workers = ThreadPoolExecutor(_THREADS)
        message: JsonObject = {}
        try:
            parse = message_parser()
            for line in self._lines():
                message = {}
                message = parse(line)
                if not self._take(message, len(line), workers):
                    break
        except WireError as error:
            self._wait_for(0, 0)
            self._send({"id": message.get("id"), "error": str(error)})
        finally:
            workers.shutdown()
            if self._session is not None:
                self._session.leave(None)
            self._socket.close()
            self._gone(self)

    def _take(self, message: JsonObject, size: int, workers: ThreadPoolExecutor) -> bool:
        """Have a message answered; whether more may come. Raises WireError."""
        operation, number = message["op"], message.get("id")
        if operation == "status":
            self._send({"id": number, **self._service.status()})
        elif self._session is None:
            if operation != "hello":
                raise WireError("the first message is a hello")
            self._session = self._service.session(message, peer_of(self._socket))
            self._send({"id": number, "ok": True, "mode": self._session.mode})
        elif operation in ("hello", "finish"):
            self._wait_for(0, 0)
            self._send({"id": number, **self._session.answer(message)})
            return False
        else:
            self._wait_for(2 * _THREADS, _PENDING_BYTES)
            with self._answered:
                self._pending += 1
                self._pending_bytes += size
            done = workers.submit(self._answer, self._session, message, size)
            done.add_done_callback(_print_defect)
        return True

    def _answer(self, session: Session, message: JsonObject, size: int) -> None:
        answer: JsonObject = {
            "error": "not recorded: the service failed (a defect; see its errors)"
        }
        goes_on = False
        try:
            answer = session.answer(message)
            goes_on = True
        except WireError as error:
            answer = {"error": str(error)}
        finally:  # whoever asked must hear of it, whatever happened
            with self._answered:
                self._pending -= 1
                self._pending_bytes -= size
                self._answered.notify_all()
            if not goes_on:
                self.hang_up()
            self._send({"id": message.get("id"), **answer})

    def _wait_for(self, count: int, size: int) -> None:
        """Wait until no more than so many messages of so many bytes are under way."""
        with self._answered:
            self._answered.wait_for(lambda: self._pending <= count and self._pending_bytes <= size)

    def _send(self, answer: JsonObject) -> None:
        try:
            with self._sending:
                self._socket.sendall(line_of(answer))
        except OSError:  # it is gone, or takes nothing: nobody is left to be told
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _lines(self) -> Iterator[bytes]:
        """Yield each line that comes whole, without its LF. Raises WireError."""
        held = bytearray()
        seen = 0
        began = time.monotonic()
        while True:
            end = held.find(b"\n", seen)
            if end >= 0:
                line = bytes(held[:end])
                del held[: end + 1]
                seen, began = 0, time.monotonic()
                yield line
                continue
            seen = len(held)
            if seen > MESSAGE_BYTES:
                raise WireError(f"a message is longer than {MESSAGE_BYTES} bytes")
            if seen and time.monotonic() - began > _LINE_SECONDS:
                raise WireError(f"a message was not whole after {_LINE_SECONDS:.0f} seconds")
            try:
                piece = self._socket.recv(_CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                return
            if not piece:
                return
            if not held:
                began = time.monotonic()
            held += piece


def _print_defect(done: Future[None]) -> None:
    error = done.exception()
    if error is not None:
        from traceback import print_exception

        print_exception(error)
