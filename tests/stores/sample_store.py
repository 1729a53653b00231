"""Make samples/store.db: `python3 -m tests.stores.sample_store FOLDER`.

Two runs that never happened, in a log whose key protects nothing: its seed is 32 zero bytes. The
bytes depend on the version of SQLite that wrote them, so the file is kept as it was made once.
"""

import os
import sqlite3
import sys
import tempfile
from typing import Any

from tests.stores.recording import Place, Recorded
from toolreplay.evidence.profile.piece import piece_of

ORIGIN = "toolreplay.invalid/samples"
AT = 1_796_029_200_000_000  # 2026-11-30T09:00:00Z
AGENT = {"name": "support-bot", "model": "m-2"}

LETTER = (
    b"Dear Sir or Madam, my order A-17 came with a broken lamp. Please send the money back to "
    b"account 4711. Yours, J. Example\n"
)
"""What the page about stores erases."""


def make(folder: str) -> None:
    """Write store.db."""
    with tempfile.TemporaryDirectory() as own:
        there = Place(own, is_signed=True, origin=ORIGIN)
        there.ticks = AT
        with there.open() as store:
            run = Recorded(store, "01a22bae-b680-76a8-ba7c-e542dbcacce8", layer="mcp-wire")
            _opened(run, "refund-42")
            _called(run, 1, "get_order", {"id": "A-17"}, {"id": "A-17", "total": "164.00"})
            _called(run, 2, "create_refund", {"order": "A-17", "amount": "146.00"}, {"refund": 1})
            _called(
                run, 3, "send_mail", {"to": "j@example.com"}, {"error": "no route"}, "tool_error"
            )
            run.close(goal="refund order A-17", status="completed")
            run = Recorded(store, "01a22baf-0a10-7c3e-9d55-3f0a6f2b91c4", layer="mcp-wire")
            _opened(run, "read-mail")
            _called(run, 1, "read_mail", {"n": 1}, piece_of(LETTER, "text/plain", 16))
            _called(run, 2, "list_mail", {}, {"unread": 0})
            run.close(goal="read the mail", status="completed")
        connection = sqlite3.connect(there.path, isolation_level=None)
        connection.execute("pragma journal_mode=delete")
        connection.execute("pragma page_size=512")
        connection.execute("vacuum")
        connection.close()
        os.replace(there.path, os.path.join(folder, "store.db"))


def _opened(run: Recorded, name: str) -> None:
    capture = {"layer": "mcp-wire", "adapter": "mcp", "cwd": "/home/support"}
    run.open(name=name, agent=AGENT, capture=capture, run_by="support")


def _called(run: Recorded, at: int, tool: str, args: Any, result: Any, status: str = "ok") -> None:
    run.both(at, tool, args, result, status=status, agent=AGENT, adapter="mcp")


if __name__ == "__main__":
    make(sys.argv[1])
