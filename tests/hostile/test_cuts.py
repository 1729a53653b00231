"""A small file of every form, cut at every byte: records or one error, and nothing between."""

import gzip
import unittest

from tests.hostile.pieces import (
    COMPANION_HEAD,
    GOOD,
    GOOD_HEAD,
    GOOD_SCOPE,
    GOOD_SEALED,
    companion_line,
    line,
    record,
)
from tests.hostile.running import InAFolderOfItsOwn, offences, run_here

SMALL_SESSION = line(
    type="assistant", sessionId="s", uuid="a", message={
        "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {"p": "\u8aad"}}]
    },
) + line(
    type="user", sessionId="s", uuid="r",
    message={"content": [{"type": "tool_result", "tool_use_id": "c", "content": "\u8aad"}]},
)  # fmt: skip

TRANSCRIPT = record(0, '{"p": "caf\u00e9 \u8aad \U0001f600"}'.encode()) + record(1)
SMALL_EXPORT = b'{"loglines": [' + SMALL_SESSION.rstrip().replace(b"\n", b",") + b"]}"
SEALED = GOOD_SEALED.splitlines(keepends=True)[0]


class EveryCut(InAFolderOfItsOwn):
    """Decided by us: the cut last line of a session is counted, that of a transcript refused."""

    def setUp(self) -> None:
        super().setUp()
        for name, data in (("good.jsonl", GOOD), ("good.sealed.jsonl", GOOD_SEALED)):
            with open(name, "wb") as file:
                file.write(data)

    def cut(self, name: str, data: bytes, *commands: str) -> dict[int, int]:
        """Run the commands at every cut; return how often each status came."""
        statuses: dict[int, int] = {}
        for length in range(len(data) + 1):
            with open(name, "wb") as file:
                file.write(data[:length])
            command = commands[length % len(commands)]
            with self.subTest(name=name, length=length, command=command):
                arguments = command.split()
                ran = run_here(arguments)
                self.assertEqual(offences(ran, arguments), [])
                statuses[ran.status] = statuses.get(ran.status, 0) + 1
        return statuses

    def test_a_transcript(self) -> None:
        statuses = self.cut(
            "x", TRANSCRIPT, "replay x", "audit x --format json", "seal x", "show x"
        )
        # Whole are: nothing, one line, two, and either of these without its line ending.
        self.assertEqual(sum(statuses.values()) - statuses[2], 5)

    def test_a_sealed_transcript(self) -> None:
        self.assertEqual(self.cut("x", SEALED, "verify x")[0], 3)
        self.assertEqual(self.cut("x", SEALED, "verify x --format json --explain").keys(), {0, 2})

    def test_a_session(self) -> None:
        statuses = self.cut("x", SMALL_SESSION, "audit x", "show x --format json", "import x -o y")
        self.assertGreater(statuses[0], 50)
        self.assertLess(statuses.keys(), {0, 2, 3, 4})

    def test_a_session_as_the_web_exports_it(self) -> None:
        self.cut("x", SMALL_EXPORT, "audit x", "import x -o y", "show x --format json")

    def test_a_scope(self) -> None:
        statuses = self.cut("x", GOOD_SCOPE, "scope good.jsonl x", "audit good.jsonl --scope x")
        self.assertEqual(statuses, {0: 2, 2: len(GOOD_SCOPE) - 1})

    def test_a_companion(self) -> None:
        companion = COMPANION_HEAD + companion_line(0) + companion_line(1)
        statuses = self.cut(
            "good.jsonl.meta.jsonl", companion, "audit good.jsonl", "show good.jsonl"
        )
        self.assertEqual(statuses, {0: 2, 2: len(companion) - 1})

    def test_a_head(self) -> None:
        statuses = self.cut("x", GOOD_HEAD, "verify good.sealed.jsonl --against x")
        self.assertEqual(statuses, {0: 2, 2: len(GOOD_HEAD) - 1})

    def test_a_compressed_transcript(self) -> None:
        packed = gzip.compress(TRANSCRIPT, mtime=0)
        statuses = self.cut("x", packed, "replay x", "audit x", "seal x", "show x")
        self.assertEqual(sum(statuses.values()) - statuses[2], 2)


if __name__ == "__main__":
    unittest.main()
