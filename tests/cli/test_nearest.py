"""A mistyped word is answered with the nearest one, wherever words are typed."""

import time
import unittest

from tests.cli import ways
from tests.hostile.running import FORBIDDEN
from toolreplay.cli.main import COMMANDS
from toolreplay.cli.nearest import did_you_mean, nearest
from toolreplay.findings.check import LINES

NAMES = [name for group in COMMANDS.values() for name in group]
SEE = "(see: toolreplay audit --help)"


class TheNearestWord(unittest.TestCase):
    """Decided by us."""

    def test_slips_of_the_keys_are_known(self) -> None:
        for typed, meant in (
            ("adit", "audit"),
            ("replya", "replay"),
            ("sesions", "sessions"),
            ("VERIFY", "verify"),
            ("expalin", "explain"),
            ("formts", "formats"),
        ):
            self.assertEqual(nearest(typed, NAMES), [meant])

    def test_another_word_is_near_to_none(self) -> None:
        for typed in ("frobnicate", "x", "-", "--verbose", "\x1b[31m", "再実行"):
            self.assertEqual(nearest(typed, [*NAMES, "--version", "--help"]), [])

    def test_several_are_named_where_several_are_wanted(self) -> None:
        self.assertEqual(
            did_you_mean("erro", ["error", "tool_error", "errors"], 2),
            "; did you mean 'error' or 'errors'?",
        )

    def test_nothing_near_says_nothing(self) -> None:
        self.assertEqual(did_you_mean("xml", ["text", "json"]), "")
        self.assertEqual(did_you_mean("json", []), "")

    def test_the_same_words_in_any_order_give_the_same(self) -> None:
        self.assertEqual(nearest("sea", ["seal", "seas"], 2), nearest("sea", ["seas", "seal"], 2))


class EveryPlaceWhereAWordIsTyped(unittest.TestCase):
    """Decided by us: what was typed, what there is, and what may have been meant."""

    maxDiff = None

    def test_each_place(self) -> None:
        lines = ", ".join(LINES)
        table = (
            ("adit", "no command 'adit'; did you mean 'audit'? (see: toolreplay --help)"),
            ("--versoin", "no command '--versoin'; did you mean '--version'? (see: toolreplay --help)"),
            ("audit x --formt json", f"unrecognized arguments: --formt json; did you mean '--format'? {SEE}"),
            ("audit x --onyl=loop", f"unrecognized arguments: --onyl=loop; did you mean '--only'? {SEE}"),
            ("audit x --require replay,lop", f"no report line 'lop' (there are: {lines}); did you mean 'loop'?"),
            ("audit x --require nnoe", f"no report line 'nnoe' (there are: {lines}); did you mean 'none'?"),
            ("explain redundent-call", "no word 'redundent-call'; did you mean 'redundant-call'? (see: toolreplay explain)"),
            ("explain not chekced", "no word 'not chekced'; did you mean 'not checked'? (see: toolreplay explain)"),
            ("explain --requir", "no word '--requir'; did you mean '--require' or 'required'? (see: toolreplay explain)"),
        )  # fmt: skip
        for line, message in table:
            with self.subTest(line):
                ran = ways.in_process(*line.split())
                self.assertEqual((ran.status, ran.out, ran.error), (2, b"", f"error: {message}\n"))

    def test_each_place_with_choices(self) -> None:
        """The list of choices is argparse's or the room's own, and may grow."""
        table = (
            ("replay x --format jsno", "json"),
            ("audit x --format tetx", "text"),
            ("audit x --report jsn=out.json", "json"),
            ("audit x --from claude-code", "claude_code"),
            ("show x --from seald", "sealed"),
            ("import x --from claud_code", "claude_code"),
            ("audit x --only recomput", "recompute"),
        )
        for line, meant in table:
            with self.subTest(line):
                ran = ways.in_process(*line.split())
                self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
                end = (
                    rf"\); did you mean '{meant}'\? \(see: toolreplay {line.split()[0]} --help\)\n"
                )
                self.assertRegex(ran.error, end)

    def test_a_word_that_is_near_to_none_leaves_the_line_as_it_was(self) -> None:
        for line in ("audit x --format xml", "audit x --only tests", "audit x y --zzz", "zzz"):
            self.assertNotIn("did you mean", ways.in_process(*line.split()).error)


class WhateverIsTyped(unittest.TestCase):
    """Decided by us: a mistake of any size is one short line, at once."""

    def test_long_words_and_many_of_them_are_not_slow(self) -> None:
        long = "replay\x1b" * 15_000
        table = (
            [long], ["audit", "x", "--" + long], ["audit", "x", "--format", long],
            ["audit", "x", "--report", long + "=f"], ["audit", "x", "--from", long],
            ["audit", "x", "--only", long], ["audit", "x", "--require", long], ["explain", long],
            ["audit", "x", "--require", ",".join(["lop"] * 20_000)],
            ["audit", "x", *["--formt"] * 5_000], ["explain", *["lop"] * 20_000],
        )  # fmt: skip
        for arguments in table:
            with self.subTest(arguments[0][:10], last=arguments[-1][:10]):
                start = time.perf_counter()
                ran = ways.in_process(*arguments)
                self.assertLess(time.perf_counter() - start, 3)
                self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
                self.assertIsNone(FORBIDDEN.search(ran.error.rstrip("\n")))
                self.assertLess(len(ran.error), 20_200)
