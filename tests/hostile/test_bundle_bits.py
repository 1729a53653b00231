"""One flipped bit anywhere in a bundle is seen, or stands under what nothing commits to."""

import hashlib
import io
import random
import sys
import unittest
from typing import Any

from tests.evidence.bundle import made
from tests.evidence.bundle.in_a_log import Kept, Log, other_run, sign, trusting
from tests.evidence.bundle.made import Maker
from toolreplay.errors import InputError
from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.record import Asked
from toolreplay.records.limits import DEFAULT

EVERY = 1 if "pytest" in sys.modules else 7
"""The bare run takes every seventh byte, to stay quick; pytest takes them all."""

UNBOUND = {"salt of the close entry", "erase", "commitment.published_at", "declared", "link"}
"""All that nothing commits to. The list only gets shorter."""


def bundle() -> bytes:
    """Return a small run that has a line and an entry of every kind that needs no log."""
    maker = Maker("mcp-wire").open()
    maker.both(1, "read", made.detached(b"args"), made.detached(b"result"))
    maker.start(2, "lost", made.detached(b"intended")).gap().observe(b"seen", 0)
    maker.close(made.detached(b"answer"), [2]).erase(["ab" * 32])
    values = made.apart(maker.bundle(declared={"job": "j"}))
    return made.joined([*values, {"link": {"host": "h"}}])


def outcome(data: bytes, asked: Asked | None = None) -> tuple[str, dict[str, Any]]:
    """Return the first fault, "refused", or nothing with what is bound by nothing."""
    try:
        checker = BundleChecker(io.BytesIO(data), DEFAULT, lambda start, end: data[start:end])
        checker.begin(asked or Asked())
        for _ in checker.calls():
            for fault in checker.take():
                return fault.kind, {}
        for fault in checker.take():
            return fault.kind, {}
    except InputError as error:
        assert error.where.startswith("line "), error
        return "refused", {}
    return "", dict(checker.unbound())


class EachByte(unittest.TestCase):
    """Decided by us: a proof that a flipped bit does not break is none."""

    def setUp(self) -> None:
        self.data = bundle()
        self.end = self.data[:-1].rindex(b"\n") + 1
        self.before = outcome(self.data)
        self.chance = random.Random(20261130)

    def flipped(self, at: int) -> bytearray:
        data = bytearray(self.data)
        data[at] ^= 1 << self.chance.randrange(8)
        return data

    def test_the_bundle_is_sound_and_has_everything(self) -> None:
        self.assertEqual(self.before[0], "")
        self.assertEqual(self.before[1].keys(), UNBOUND)
        kinds = {made.kind_of(value) for value in made.entries_of(made.apart(self.data))}
        self.assertEqual(kinds, {"open", "start", "call", "gap", "observe", "close", "erase"})

    def test_as_it_is_the_end_line_shows_each(self) -> None:
        for at in range(3, len(self.data), EVERY):
            with self.subTest(at):
                self.assertNotEqual(outcome(bytes(self.flipped(at)))[0], "")

    def test_with_the_end_line_recomputed_only_what_is_named_may_change(self) -> None:
        changed = set()
        for at in range(0, self.end, EVERY):
            body = bytes(self.flipped(at)[: self.end])
            end = {"end": body.count(b"\n"), "sha256": hashlib.sha256(body).hexdigest()}
            kind, unbound = outcome(body + made.form(end) + b"\n")
            if kind:
                continue
            names = {name for name in UNBOUND if unbound.get(name) != self.before[1][name]}
            with self.subTest(at):
                self.assertTrue(names)
            changed |= names
        self.assertEqual(changed, UNBOUND)


class EachByteInALog(unittest.TestCase):
    """Decided by us: in a log, with its key and its head, less may change unseen."""

    UNBOUND = UNBOUND - {"salt of the close entry", "erase"}

    def setUp(self) -> None:
        maker = Maker("mcp-wire").open()
        maker.both(1, "read", made.detached(b"args"), made.detached(b"result"))
        maker.start(2, "lost", made.detached(b"intended")).gap()
        maker.close(made.detached(b"answer"), [2]).erase(["ab" * 32])
        log = Log().filled(2).take(maker, other_run(1)).filled(1)
        values = made.apart(log.bundle(maker, sign, since=[1, 5]))
        at = next(number for number, value in enumerate(values) if "consistency" in value)
        data = made.joined(
            [*values[:at], {"declared": {"job": "j"}}, {"link": {"host": "h"}}, *values[at:]]
        )
        self.data, self.end = data, data[:-1].rindex(b"\n") + 1
        self.note = sign(log.head())
        self.chance = random.Random(20261130)

    def asked(self) -> Asked:
        return trusting(Kept(self.note))

    def test_only_what_is_named_may_change(self) -> None:
        before = outcome(self.data, self.asked())
        self.assertEqual((before[0], before[1].keys()), ("", self.UNBOUND))
        changed = set()
        for at in range(0, self.end, 3 * EVERY):
            data = bytearray(self.data[: self.end])
            data[at] ^= 1 << self.chance.randrange(8)
            end = {"end": data.count(b"\n"), "sha256": hashlib.sha256(data).hexdigest()}
            kind, unbound = outcome(bytes(data) + made.form(end) + b"\n", self.asked())
            if kind:
                continue
            names = {name for name in self.UNBOUND if unbound.get(name) != before[1][name]}
            with self.subTest(at):
                self.assertTrue(names, data[at - 40 : at + 10])
            changed |= names
        self.assertEqual(changed, self.UNBOUND)


if __name__ == "__main__":
    unittest.main()
