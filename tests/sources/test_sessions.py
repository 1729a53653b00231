"""Where hosts keep sessions; what the command prints of them is tested with the commands."""

import os
import pathlib
import tempfile
import unittest
import warnings

from tests.cli import ways
from toolreplay.sources.sessions import count_calls, session_files, session_folders


class WhereSessionsLie(unittest.TestCase):
    """Decided by us: where each importer says, and nowhere else."""

    def setUp(self) -> None:
        # Whoever refuses a file leaves closing it to the end of the process.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", ResourceWarning)

    def test_only_variables_that_are_set_name_a_folder(self) -> None:
        self.assertEqual(session_folders({}), [])
        self.assertEqual(session_folders({"HOME": ""}), [])
        self.assertEqual(
            session_folders({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}),
            [("claude_code", "/c/projects"), ("claude_code", "/h/.claude/projects")],
        )

    def test_a_folder_that_is_not_there_holds_nothing(self) -> None:
        self.assertEqual(list(session_files([("claude_code", "/nowhere/at/all")])), [])

    def test_content_decides_what_is_a_session(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            session = (ways.SAMPLES / "claude-session.jsonl").read_bytes()
            for name, data in (("a.txt", session), ("b.jsonl", b"{}\n"), ("c.jsonl", b"\xff")):
                pathlib.Path(folder, name).write_bytes(data)
            os.utime(os.path.join(folder, "a.txt"), (5, 5))
            (found,) = session_files([("claude_code", folder)])
            self.assertEqual(
                found, ("claude_code", os.path.join(folder, "a.txt"), 5.0, len(session))
            )

    def test_one_that_cannot_be_read_has_no_count(self) -> None:
        self.assertEqual(count_calls(str(ways.SAMPLES / "claude-session.jsonl")), 11)
        self.assertIsNone(count_calls("gone.jsonl"))
        self.assertIsNone(count_calls(str(ways.SAMPLES / "README.md")))
