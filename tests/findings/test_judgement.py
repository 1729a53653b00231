"""A judgement: the stream of results that a report reads."""

import unittest

from toolreplay.cli.judging import Judging
from toolreplay.findings.judgement import Input, Judgement


class AJudgement(unittest.TestCase):
    """Decided by us; that reports ask for things in the right order: tests/contracts."""

    def test_an_input_is_read_not_recognised_or_unreadable_the_last_with_an_error(self) -> None:
        self.assertEqual(Input("a", None, "read"), ("a", None, "read", None, None))

    def test_the_one_that_commands_make_has_all_of_it(self) -> None:
        wanted = {name for name in vars(Judgement) if not name.startswith("_")}
        wanted |= Judgement.__annotations__.keys()
        self.assertEqual(wanted, {"exit_status", "inputs", "many", "results", "totals"})
        self.assertLessEqual(wanted - {"many"}, set(vars(Judging)))
