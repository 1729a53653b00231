"""A shop as an MCP server over stdio: one process, orders and refunds in SQLite, receipts as files.

Started as `shop.py FOLDER`. It knows nothing of being recorded. Noting takes longer than the agent
of the demonstration waits: the note is made all the same, and answered late (Model Context
Protocol, 2025-06-18).
"""

import json
import os
import sqlite3
import sys
import threading
import time

__all__ = ["NOTE_SECONDS", "TOOLS", "main"]

NOTE_SECONDS = 1.2

TOOLS = {
    "get_order": {"order": "string"},
    "create_refund": {"order": "string", "amount": "string"},
    "add_note": {"order": "string", "text": "string"},
    "write_receipt": {"order": "string", "amount": "string"},
    "close_case": {"order": "string"},
}

_SCHEMA = """
create table if not exists orders (id text primary key, amount text, closed integer default 0);
create table if not exists refunds (order_id text, amount text);
create table if not exists notes (order_id text, text text);
"""


class _Shop:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._database = os.path.join(folder, "shop.db")
        self._writing = threading.Lock()
        with self._opened() as database:
            database.executescript(_SCHEMA)

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._database)

    def get_order(self, order: str) -> str:
        with self._opened() as database:
            query = "select amount from orders where id = ?"
            row = database.execute(query, (order,)).fetchone()
        if row is None:
            raise LookupError(f"no order {order}")
        return json.dumps({"order": order, "amount": row[0]})

    def create_refund(self, order: str, amount: str) -> str:
        with self._opened() as database:
            database.execute("insert into refunds values (?, ?)", (order, amount))
        return json.dumps({"refunded": amount})

    def add_note(self, order: str, text: str) -> str:
        time.sleep(NOTE_SECONDS)
        with self._opened() as database:
            database.execute("insert into notes values (?, ?)", (order, text))
        return json.dumps({"noted": True})

    def write_receipt(self, order: str, amount: str) -> str:
        name = f"receipt-{order}.txt"
        with open(os.path.join(self._folder, name), "w", encoding="utf-8") as file:
            file.write(f"order {order}\nrefunded {amount}\n")
        return json.dumps({"written": name})

    def close_case(self, order: str) -> str:
        with self._opened() as database:
            database.execute("update orders set closed = 1 where id = ?", (order,))
        return json.dumps({"closed": True})

    def call(self, request: dict[str, object]) -> None:
        """Carry out one call, and answer."""
        params = request["params"]
        assert isinstance(params, dict)
        try:
            text, is_error = getattr(self, params["name"])(**params["arguments"]), False
        except LookupError as error:
            text, is_error = str(error), True
        content = [{"type": "text", "text": text}]
        self.answer(request, {"content": content, "isError": is_error})

    def answer(self, request: dict[str, object], result: object) -> None:
        """Write one answer, a line."""
        line = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})
        with self._writing:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


def main(folder: str) -> None:
    """Answer until the input ends."""
    shop = _Shop(folder)
    calls = []
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            info = {"name": "shop", "version": "1.0"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}
            shop.answer(request, result)
        elif method == "tools/list":
            shop.answer(request, {"tools": [_definition(name) for name in TOOLS]})
        elif method == "tools/call":
            calls.append(threading.Thread(target=shop.call, args=(request,)))
            calls[-1].start()
    for call in calls:
        call.join()


def _definition(name: str) -> dict[str, object]:
    members = {member: {"type": kind} for member, kind in TOOLS[name].items()}
    schema = {"type": "object", "properties": members, "required": list(members)}
    return {"name": name, "inputSchema": schema}


if __name__ == "__main__":
    main(sys.argv[1])
