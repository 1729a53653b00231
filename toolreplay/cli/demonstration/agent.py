"""A scripted agent: it works in the shop through whatever it is given, and tells its own story.

No model is asked: what it does and says is written here, and the amounts follow from the order. It
refunds with two digits swapped, gives up on a note that is made all the same, and never closes the
case, but says that it did.
"""

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from typing import NamedTuple

from toolreplay.errors import UsageError
from toolreplay.records.call import Json, JsonObject

__all__ = ["Statement", "mistaken", "work"]

_PATIENCE_SECONDS = 0.5
_ANSWER_SECONDS = 20.0


class Statement(NamedTuple):
    """What the agent says that it did: a tool, the arguments it says it used, and whether it worked."""

    text: str
    tool: str
    args: JsonObject
    worked: bool = True


def mistaken(amount: str) -> str:
    """Return an amount with the last two neighbouring digits that differ swapped: of 164.00, 146.00."""
    digits = list(amount)
    for place in range(len(digits) - 2, -1, -1):
        one, two = digits[place], digits[place + 1]
        if one != two and one.isdigit() and two.isdigit() and not (place == 0 and two == "0"):
            digits[place], digits[place + 1] = two, one
            return "".join(digits)
    raise UsageError(f"--amount {amount}: no two of its digits can be swapped")


def work(command: Sequence[str], environment: dict[str, str], order: str) -> list[Statement]:
    """Work through one order with the server that a command starts, and return the story told."""
    with _Client(command, environment) as shop:
        shop.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        shop.tell("notifications/initialized", {})
        shop.ask("tools/list", {})
        text = shop.call("get_order", {"order": order})["content"][0]["text"]
        amount = json.loads(text)["amount"]
        shop.call("create_refund", {"order": order, "amount": mistaken(amount)})
        note = {"order": order, "text": f"refunded {amount}"}
        shop.call("add_note", note, patience=_PATIENCE_SECONDS)
        shop.call("write_receipt", {"order": order, "amount": amount})
    return [
        Statement(f"I looked up order {order}: {amount}", "get_order", {"order": order}),
        Statement(f"I refunded {amount}", "create_refund", {"order": order, "amount": amount}),
        Statement("the note timed out: not made", "add_note", note, worked=False),
        Statement(
            f"I wrote the receipt over {amount}",
            "write_receipt",
            {"order": order, "amount": amount},
        ),
        Statement("I closed the case", "close_case", {"order": order}),
    ]


class _Client:
    """A client of a server over stdio: one process, one line a message."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(  # noqa: S603 - words of the demonstration alone
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._answers: queue.Queue[JsonObject | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._last = 0

    def _read(self) -> None:
        assert self._server.stdout is not None
        for line in self._server.stdout:
            self._answers.put(json.loads(line))
        self._answers.put(None)

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: JsonObject, patience: float = _ANSWER_SECONDS) -> Json:
        """Send a request and return its result; without one in time, cancel it and return None."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            try:
                answer = self._answers.get(timeout=patience)
            except queue.Empty:
                self.tell("notifications/cancelled", {"requestId": self._last})
                return None
            if answer is None:
                raise UsageError(f"the demonstration failed: the server ended at {method}")
            if answer.get("id") == self._last:
                return answer["result"]

    def call(self, tool: str, args: JsonObject, patience: float = _ANSWER_SECONDS) -> Json:
        """Call a tool."""
        return self.ask("tools/call", {"name": tool, "arguments": args}, patience)

    def _send(self, message: JsonObject) -> None:
        assert self._server.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(line + b"\n")
        self._server.stdin.flush()

    def __enter__(self) -> "_Client":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._reader.join(_ANSWER_SECONDS)
        self._server.wait(_ANSWER_SECONDS)
