"""Record for others: a service on a Unix socket, which alone writes the store.

Commands that record are pointed at it with --recorder SOCKET, and whatever else speaks its protocol
(docs/recorder-protocol.md) may tell it of calls. Run it as a user of its own, and the agent can neither
change the store nor read the key that signs it; --group lets the agent's user connect.

Who tells is what the kernel says of the other end, when it happened is what the clock of the service
says. A run closes five seconds after the last that fed it has gone. SIGTERM or an interrupt ends the
service: its runs are closed, and it exits with 0.
"""

import argparse
import os
import signal
from contextlib import ExitStack, suppress

from toolreplay.capture.clock import now
from toolreplay.capture.modes import MODES
from toolreplay.capture.service.server import SocketServer, listening_at
from toolreplay.capture.service.sessions import Service, Settings
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import default_store
from toolreplay.cli.recording import key_source
from toolreplay.errors import StoreError, ToolReplayError, UsageError
from toolreplay.findings.gate import CLEAN
from toolreplay.recording import redactor_here, sink_signed_by
from toolreplay.reports.lines import escaped
from toolreplay.stores.sqlite.store import SqliteStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `recorder run`."""
    group = parser.add_argument_group("where it listens")
    group.add_argument(
        "--socket",
        required=True,
        metavar="SOCKET",
        help="the Unix socket, this user's alone (0600)",
    )
    group.add_argument(
        "--group", metavar="GROUP", help="a group, by name or number, that may connect too (0660)"
    )
    group.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help="listen for HTTP on 127.0.0.1 too, on this port (0: any)",
    )
    group.add_argument(
        "--http-token",
        metavar="FILE",
        help="the file that is made with the token of HTTP (default: SOCKET.token)",
    )
    group = parser.add_argument_group("the record")
    group.add_argument(
        "--store",
        metavar="STORE",
        help="the store, made if it is not there (default: $XDG_DATA_HOME/toolreplay/store.db)",
    )
    group.add_argument(
        "--redact",
        choices=MODES,
        default="redacted",
        help="the most that is kept, whatever who records asks for: full, redacted (default), or "
        "hash-only",
    )
    group.add_argument(
        "--durable-intent", action="store_true", help="sync what is written before a call leaves"
    )
    group.add_argument("--key", metavar="FILE", help="the private key that signs the store's heads")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Serve until a signal ends it."""
    store = default_store(arguments)
    if store is None:
        raise UsageError("no store is known (--store STORE)")
    if arguments.http_token is not None and arguments.http is None:
        raise UsageError("--http-token goes with --http PORT")
    store, group = os.path.abspath(store), _group_of(arguments.group)
    source = key_source(arguments)
    key = None if source is None else source()
    service = Service(
        lambda: _opened(store, key, durable_intents=arguments.durable_intent),
        Settings(store, arguments.redact),
        redactor_here(),
        now,
    )
    with ExitStack() as ending:
        ended = _signalled(ending)
        listener, lock = listening_at(arguments.socket, group)
        ending.callback(os.close, lock)
        ending.callback(_unlink, arguments.socket)
        ending.callback(listener.close)
        service.start()
        ending.callback(service.stop)
        where = [f"{arguments.socket} ({'0600' if group is None else '0660'})"]
        if arguments.http is not None:
            where.append(_serve_http(arguments, group, service, ending))
        server = SocketServer(listener, service)
        server.start()
        ending.callback(server.stop)
        signed = "unsigned" if key is None else f"signed by {key.signer.name}"
        console.write_lines([escaped(f"listening at {', '.join(where)}; into {store}, {signed}")])
        console.flush()
        os.read(ended, 1)
    return CLEAN


def _opened(path: str, key: "SigningKey | None", *, durable_intents: bool) -> SqliteStore:
    try:
        return sink_signed_by(path, key, durable_intents=durable_intents)
    except StoreError:
        raise
    except ToolReplayError as error:
        raise StoreError(path, str(error)) from None


def _serve_http(
    arguments: argparse.Namespace, group: int | None, service: Service, ending: ExitStack
) -> str:
    from toolreplay.capture.service.loopback import LoopbackServer, write_token

    path = arguments.http_token or f"{arguments.socket}.token"
    server = LoopbackServer(arguments.http, write_token(path, group), service)
    ending.callback(_unlink, path)
    server.start()
    ending.callback(server.stop)
    return f"http://127.0.0.1:{server.server_port} (token in {path})"


def _group_of(name: str | None) -> int | None:
    if name is None:
        return None
    if name.isascii() and name.isdigit() and len(name) < 10:
        return int(name)
    import grp

    try:
        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise UsageError(f"--group: there is no group '{name}'") from None


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _signalled(ending: ExitStack) -> int:
    """Return a descriptor that can be read when a signal came that ends the service."""
    reading, writing = os.pipe()
    ending.callback(os.close, reading)
    ending.callback(os.close, writing)
    os.set_blocking(writing, False)

    # A signal may reach any thread, and would not wake this one from a read; the interpreter's own
    # handler writes there at once, whichever thread it is in.
    ending.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writing, warn_on_full_buffer=False))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        ending.callback(signal.signal, number, signal.signal(number, lambda *_: None))
    return reading
