"""A file that is written to while it is read: one line, or what stood there; never a mix-up."""

import os
import random
import unittest
from collections.abc import Callable
from unittest import mock

from tests.cli.ways import EVERY
from tests.hostile.pieces import GOOD_SEALED, answered, asked, record, session
from tests.hostile.running import InAFolderOfItsOwn, Ran, offences, run_here
from toolreplay.audits.replay import ReplayAudit
from toolreplay.cli import verify
from toolreplay.evidence.seal import LinkChecker
from toolreplay.importers.claude_code.survey import Survey
from toolreplay.sources import source

Change = Callable[[bytes], bytes]

REPEATS = b"".join(record(at, b'{"path": "a.md"}', b'{"n": %d}' % (at // 2)) for at in range(6))
SESSION = session(
    asked(1), answered(1), asked(2, input={"n": 1}), answered(2, content="other"),
    asked(3, content=[asked(3)["message"]["content"][0], asked(4)["message"]["content"][0]]),
    answered(3), answered(4), answered(3),
)  # fmt: skip

CHANGES: dict[str, Change] = {
    "emptied": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut at its first line": lambda data: data[: data.index(b"\n") + 1],
    "grown": lambda data: data + data,
    "blanked": lambda data: b" " * len(data),
    "zeroed": lambda data: bytes(len(data)),
    "lists": lambda data: _lines(data, b"[]"),
    "nulls": lambda data: _lines(data, b"null"),
    "numbers": lambda data: _lines(data, b"7"),
    "objects": lambda data: _lines(data, b"{}"),
    "index of another type": lambda data: data.replace(b'"index": ', b'"index":"').replace(b', "to', b'","to'),
    "index of 4,000 digits": lambda data: data.replace(b'"index": 0', b'"index": %b' % (b"9" * 4000)),
    "response of another type": lambda data: data.replace(b'{"n": ', b'["n", ').replace(b"}}", b"]}"),
    "no names": lambda data: data.replace(b'"name"', b'"nane"'),
    "odd names": lambda data: data.replace(b'"Read"', b"[true]"),
    "empty names": lambda data: data.replace(b'"Read"', b'""    '),
    "no content": lambda data: data.replace(b'"content"', b'"contend"'),
    "content of another type": lambda data: data.replace(b'"content": [', b'"content":{"').replace(b"]}", b"}}"),
    "fewer blocks": lambda data: data.replace(b"}, {", b"      "),
    "blocks that are none": lambda data: data.replace(b'[{"type"', b'[7,{"typ"'),
    "no message": lambda data: data.replace(b'"message"', b'"massage"'),
    "message of another type": lambda data: data.replace(b'"message": {', b'"message": 7, "x": {'),
}  # fmt: skip


def _lines(data: bytes, text: bytes) -> bytes:
    return b"".join(text.ljust(len(line) - 1) + b"\n" for line in data.splitlines(keepends=True))


def flipped(seed: int) -> Change:
    """Return a change of a few bytes, which leaves every line where it stood."""

    def change(data: bytes) -> bytes:
        chance = random.Random(seed)
        changed = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            if changed[at] != 0x0A:
                changed[at] = chance.choice(b'{}[]",:7n\x00\xff ')
        return bytes(changed)

    return change


class FilesThatChange(InAFolderOfItsOwn):
    """Decided by us: what no longer is what it was is an error that says so, if it is seen."""

    def change_at(
        self, owner: object, name: str, data: bytes, commands: tuple[str, ...]
    ) -> list[Ran]:
        """Run the commands while calling `name` for the first time changes the file."""
        ended = []
        changes = {**CHANGES, **{f"flip {seed}": flipped(seed) for seed in range(0, 60, EVERY)}}
        for number, (word, change) in enumerate(changes.items()):
            with open("x.jsonl", "wb") as file:
                file.write(data)
            original = getattr(owner, name)
            left = [change]

            def hooked(*arguments: object, original=original, left=left) -> object:
                result = original(*arguments) if name in AFTER else None
                if left:
                    with open("x.jsonl", "r+b") as file:
                        changed = left.pop()(data)
                        file.write(changed)
                        file.truncate()
                return result if name in AFTER else original(*arguments)

            command = commands[number % len(commands)]
            with self.subTest(change=word, command=command), mock.patch.object(owner, name, hooked):
                arguments = command.split()
                ran = run_here(arguments)
                self.assertEqual(offences(ran, arguments), [])
                self.assertFalse(left, "nothing changed")
                ended.append(ran)
        return ended

    def test_between_the_two_readings_of_a_session(self) -> None:
        ended = self.change_at(
            Survey, "threads", SESSION,
            ("audit x.jsonl", "show x.jsonl", "import x.jsonl -o y", "import x.jsonl",
             "audit x.jsonl --format json"),
        )  # fmt: skip
        said = {ran.err.split(b"line ")[-1][3:] for ran in ended if ran.status == 2}
        self.assertEqual(said, {b"the file changed while it was read\n"})
        self.assertGreater(sum(ran.status == 2 for ran in ended), 20)

    def test_before_a_call_is_read_again_to_be_compared(self) -> None:
        ended = self.change_at(
            ReplayAudit, "_differs_from", REPEATS,
            ("replay x.jsonl", "audit x.jsonl", "replay x.jsonl --format json"),
        )  # fmt: skip
        self.assertIn(b"the file changed while it was read", {ran.err[7:-1] for ran in ended})

    def test_after_it_was_recognised(self) -> None:
        for data in (REPEATS, SESSION):
            self.change_at(
                source, "recognise", data, ("audit x.jsonl", "show x.jsonl", "audit x.jsonl --format json")
            )  # fmt: skip

    def test_after_its_first_record_was_seen(self) -> None:
        commands = ("verify x.jsonl", "verify x.jsonl --format json", "verify x.jsonl --explain")
        for data in (GOOD_SEALED, SESSION):
            self.change_at(verify, "_first_record", data, commands)

    def test_while_links_are_checked(self) -> None:
        commands = ("verify x.jsonl --explain", "audit x.jsonl --format json")
        self.change_at(LinkChecker, "check", GOOD_SEALED.replace(b"true", b"null"), commands)

    def test_that_a_folder_lists_and_is_gone(self) -> None:
        os.mkdir("folder")
        for name in ("a.jsonl", "b.jsonl"):
            with open(f"folder/{name}", "wb") as file:
                file.write(REPEATS)
        original = source.recognise

        def hooked(*arguments: object) -> object:
            if os.path.exists("folder/b.jsonl"):
                os.remove("folder/b.jsonl")
            return original(*arguments)

        with mock.patch.object(source, "recognise", hooked):
            ran = run_here(["audit", "folder"])
        self.assertEqual(ran.err, b"error: folder/b.jsonl: No such file or directory\n")
        self.assertIn(b"files: 2 (1 read, 0 not recognised, 1 unreadable)", ran.out)


AFTER = {"threads", "recognise", "_first_record"}
"""Functions after which the file changes; at the others it does so before."""


if __name__ == "__main__":
    unittest.main()
