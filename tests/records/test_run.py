"""What is known about a run."""

import unittest

from toolreplay.records.run import (
    LOGGED_BY_AGENT,
    STRICT,
    TUTORIAL_MUTATORS,
    Run,
    RunInfo,
    ToolEffects,
)


class ToolsThatChangeState(unittest.TestCase):
    def test_the_list_of_a_strict_transcript(self) -> None:
        """Decided by the tutorial: these five and no other."""
        self.assertEqual(
            TUTORIAL_MUTATORS,
            {"write_file", "delete_file", "create_file", "move_file", "run_command"},
        )
        effects = ToolEffects()
        for tool in TUTORIAL_MUTATORS:
            self.assertTrue(effects.may_change(tool))
        for tool in ("read_file", "Write_File", "write_file ", ""):
            self.assertFalse(effects.may_change(tool))

    def test_more_mutators_can_be_named(self) -> None:
        """Decided by us."""
        effects = ToolEffects(TUTORIAL_MUTATORS | {"deploy"})
        self.assertTrue(effects.may_change("deploy"))
        self.assertTrue(effects.may_change("write_file"))

    def test_with_a_list_of_readers_an_unknown_tool_may_have_changed_something(self) -> None:
        """Decided by us: hosts add tools at will, and what is not known must not accuse."""
        effects = ToolEffects(frozenset({"Write"}), frozenset({"Read"}))
        self.assertEqual(
            [effects.may_change(tool) for tool in ("Write", "Read", "mcp__x__y")],
            [True, False, True],
        )

    def test_with_an_empty_list_of_readers_every_tool_may_have(self) -> None:
        """Decided by us: an empty list is a list."""
        self.assertTrue(ToolEffects(frozenset(), frozenset()).may_change("Read"))

    def test_a_mutator_stays_one_though_it_is_called_a_reader_too(self) -> None:
        """Decided by us: the careful answer wins."""
        self.assertTrue(ToolEffects(frozenset({"x"}), frozenset({"x"})).may_change("x"))


class ARun(unittest.TestCase):
    def test_what_nobody_wrote_is_none(self) -> None:
        """Decided by us; and every record is the agent's own word unless somebody else made it."""
        info = RunInfo("session", "session.jsonl", STRICT)
        self.assertEqual((info.agent, info.model, info.host_version), (None, None, None))
        self.assertEqual(info.provenance, LOGGED_BY_AGENT)
        self.assertEqual(info.effects, ToolEffects())

    def test_an_input_that_cannot_be_read_again_has_no_reader(self) -> None:
        """Decided by us."""
        self.assertIsNone(Run(RunInfo("-", "-", STRICT), iter(())).raw)
