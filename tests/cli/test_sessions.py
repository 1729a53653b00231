"""sessions and formats: what lies on this machine, and what can be read."""

import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from tests.cli import ways
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.sources.known_formats import KNOWN_FORMATS
from toolreplay.sources.recognise import form_words

SESSION = (ways.SAMPLES / "claude-session.jsonl").read_bytes()
SIZE = f"{len(SESSION) / 1000:.1f} KB"


class Sessions(unittest.TestCase):
    """Decided by us. HOME and CLAUDE_CONFIG_DIR are private folders of each test."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.home = pathlib.Path(made.name, "home")
        self.config = pathlib.Path(made.name, "config")
        self.home.mkdir()
        change = mock.patch.dict(os.environ, {"HOME": str(self.home)})
        change.start()
        self.addCleanup(change.stop)
        os.environ.pop("CLAUDE_CONFIG_DIR", None)

    def put(self, name: str, changed: int, data: bytes = SESSION, root: str = "") -> pathlib.Path:
        """Write a session below the folder of the host, last changed at a second."""
        folder = pathlib.Path(root) if root else self.home / ".claude"
        path = folder / "projects" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (changed, changed))
        return path

    def sessions(self, *arguments: str) -> list[str]:
        ran = ways.in_process("sessions", *arguments)
        self.assertEqual((ran.status, ran.err), (0, b""))
        return ran.lines

    def test_each_with_date_and_size_newest_first(self) -> None:
        old = self.put("p/old.jsonl", 1_700_000_000)
        new = self.put("p/new.jsonl", 1_767_225_600)
        self.assertEqual(
            self.sessions(),
            [
                f"2026-01-01 00:00:00  {SIZE}  {new}",
                f"2023-11-14 22:13:20  {SIZE}  {old}",
            ],
        )

    def test_of_one_age_by_path(self) -> None:
        paths = [self.put(f"{name}.jsonl", 1_700_000_000) for name in ("b", "a", "c")]
        lines = self.sessions()
        self.assertEqual([line.rsplit("  ", 1)[1] for line in lines], sorted(map(str, paths)))

    def test_the_date_is_in_utc(self) -> None:
        self.put("a.jsonl", 0)
        with mock.patch.dict(os.environ, {"TZ": "Asia/Kathmandu"}):
            import time

            time.tzset()
            self.assertIn("1970-01-01 00:00:00", self.sessions()[0])
        time.tzset()

    def test_count_reads_each_and_says_how_many_calls(self) -> None:
        self.put("a.jsonl", 2)
        one = SESSION.split(b"\n")[2]
        self.put("b.jsonl", 1, one + b"\n")
        lines = self.sessions("--count")
        self.assertRegex(lines[0], rf"\A1970-01-01 00:00:02  {SIZE}  11 calls  /.*/a\.jsonl\Z")
        self.assertRegex(lines[1], r"\A1970-01-01 00:00:01 +\d+ B    1 call  /.*/b\.jsonl\Z")

    def test_last_keeps_the_newest(self) -> None:
        for second in range(5):
            self.put(f"{second}.jsonl", second)
        for count, wanted in (("2", 2), ("1", 1), ("9", 5)):
            lines = self.sessions("--last", count)
            self.assertEqual(len(lines), wanted)
            self.assertIn("/4.jsonl", lines[0])

    def test_what_is_no_session_is_left_out(self) -> None:
        self.put("a.jsonl", 1)
        self.put("notes.txt", 1, b"hello\n")
        self.put("run.jsonl", 1, (ways.SAMPLES / "session-dirty.jsonl").read_bytes())
        self.put("empty.jsonl", 1, b"")
        self.assertEqual(len(self.sessions()), 1)

    def test_a_configured_folder_is_looked_into_first_and_each_file_once(self) -> None:
        with mock.patch.dict(os.environ, {"CLAUDE_CONFIG_DIR": str(self.config)}):
            self.put("a.jsonl", 1, root=str(self.config))
            self.put("b.jsonl", 2)
            self.assertEqual(len(self.sessions()), 2)
        with mock.patch.dict(os.environ, {"CLAUDE_CONFIG_DIR": str(self.home / ".claude")}):
            self.assertEqual(len(self.sessions()), 1)

    def test_none_found_says_where_it_looked(self) -> None:
        self.assertEqual(
            self.sessions(), [f"no sessions found (looked in: {self.home}/.claude/projects)"]
        )
        with mock.patch.dict(os.environ, {"HOME": ""}):
            self.assertEqual(self.sessions(), ["no sessions found (looked in: no folder is known)"])

    def test_a_name_that_could_steer_a_terminal_is_escaped(self) -> None:
        self.put("a\x1b[2J\u202e.jsonl", 1)
        self.assertTrue(self.sessions()[0].endswith("a\\u{1b}[2J\\u{202e}.jsonl"))

    def test_every_path_can_be_handed_to_show_and_audit(self) -> None:
        self.put("-p-shop/a b.jsonl", 1)
        path = self.sessions()[0].split("  ", 2)[2]
        self.assertEqual(ways.in_process("show", path).status, 0)
        self.assertEqual(ways.in_process("audit", path).status, 1)

    def test_json(self) -> None:
        path = self.put("a.jsonl", 1_767_225_600)
        document = json.loads("\n".join(self.sessions("--format", "json")))
        entry = {
            "form": "claude_code",
            "file": str(path),
            "changed": "2026-01-01T00:00:00Z",
            "bytes": len(SESSION),
        }
        self.assertEqual(document, {"format": "toolreplay-sessions/1", "sessions": [entry]})
        document = json.loads("\n".join(self.sessions("--format", "json", "--count")))
        self.assertEqual(document["sessions"], [{**entry, "calls": 11}])

    def test_json_of_none(self) -> None:
        document = json.loads("\n".join(self.sessions("--format", "json")))
        self.assertEqual(document["sessions"], [])

    def test_sizes_have_the_unit_that_fits(self) -> None:
        from toolreplay.cli.sessions import _size

        for count, text in (
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 KB"),
            (1_234_567, "1.2 MB"),
            (12_345_678_901, "12.3 GB"),
            (5_000_000_000_000, "5,000.0 GB"),
        ):
            self.assertEqual(_size(count), text)


class Formats(unittest.TestCase):
    """Decided by us: what is read, and what is recognised only."""

    def test_each_word_with_its_title(self) -> None:
        ran = ways.in_process("formats")
        self.assertEqual((ran.status, ran.err), (0, b""))
        read, _, recognised = ran.text.partition("\nrecognised, no importer yet:\n")
        self.assertTrue(read.startswith("read (also as .gz and .zst; --from WORD forces one):\n"))
        self.assertEqual([line.split()[0] for line in read.splitlines()[1:]], form_words())
        self.assertEqual(
            [tuple(line.split(None, 1)) for line in recognised.splitlines()], list(KNOWN_FORMATS)
        )
        for name in extensions_of("importers"):
            self.assertIn(load_extension("importers", name).TITLE, read)

    def test_it_fits_80_columns(self) -> None:
        for line in ways.in_process("formats").lines:
            self.assertLessEqual(len(line), 80)

    def test_json(self) -> None:
        document = json.loads(ways.in_process("formats", "--format", "json").out)
        self.assertEqual(document["format"], "toolreplay-formats/1")
        self.assertEqual([entry["word"] for entry in document["read"]], form_words())
        self.assertEqual(
            [(entry["word"], entry["title"]) for entry in document["recognised"]],
            list(KNOWN_FORMATS),
        )
