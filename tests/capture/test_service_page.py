"""docs/recorder-protocol.md: what the page says is what the service does."""

import json
import re
from typing import Any

from tests.capture.served import ROOT, Served
from toolreplay.capture.modes import MODES
from toolreplay.capture.service import loopback, server, sessions, wire
from toolreplay.evidence.profile.members import FLAGS, LAYERS
from toolreplay.records.call import OUTCOMES

PAGE = (ROOT / "docs" / "recorder-protocol.md").read_text(encoding="utf-8")


class ThePage(Served):
    """Whoever writes an emitter by it is understood."""

    def test_its_conversations_are_held_as_they_stand(self) -> None:
        self.serve()
        blocks = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            connection = self.wire()
            for line in block.splitlines():
                if line.startswith("> "):
                    connection.send(line[2:].encode() + b"\n")
                else:
                    expected, found = json.loads(line.removeprefix("< ")), connection.answer()
                    self.assertEqual(expected, _without(found, expected), line)
            self.assertIsNone(connection.answer())

    def test_it_names_each_operation_with_its_members(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\|", PAGE, re.MULTILINE)
        found = {
            name: tuple(re.findall(r"`(\w+)`", members)) for name, members in rows if name != "op"
        }
        self.assertEqual(found, wire.MEMBERS)

    def test_it_names_every_word_that_may_be_said(self) -> None:
        words = {*LAYERS, *FLAGS, *MODES, *OUTCOMES, wire.PROTOCOL, *wire._AGENT, "labels"}
        self.assertEqual([word for word in words if f"`{word}`" not in PAGE], [])

    def test_its_numbers_are_those_of_the_code(self) -> None:
        for text in (
            f"{wire.MESSAGE_BYTES:,} bytes",
            f"{2 * server._THREADS} messages or {server._PENDING_BYTES >> 20} MiB",
            f"{sessions._MOST_OPEN_BYTES >> 20} MiB of arguments",
            f"{server.MOST_CONNECTIONS} connections",
            f"whole after {server._LINE_SECONDS:.0f} seconds",
            f"taken within {server._SEND_SECONDS}",
        ):
            self.assertIn(text, PAGE.replace("\n", " "))
        self.assertEqual(loopback._IDLE_SECONDS, 3600)
        self.assertEqual(sessions.Settings("").linger_seconds, 5)


def _without(found: Any, expected: Any) -> Any:
    """Return an answer with what differs each time left out, where the page leaves it out."""
    return {name: "…" if expected.get(name) == "…" else value for name, value in found.items()}
