"""One input yields its runs."""

import gzip
import hashlib
import os
import tempfile
import unittest
import warnings

from tests.cli import ways
from tests.cli.tutorial import SEALED_DIRTY
from toolreplay.errors import InputError
from toolreplay.importers.claude_code import MUTATORS, READERS
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import SEALED, STRICT, TUTORIAL_MUTATORS
from toolreplay.sources.source import FileSource

DIRTY = str(ways.SAMPLES / "session-dirty.jsonl")
SESSION = str(ways.SAMPLES / "claude-session.jsonl")


class Sources(unittest.TestCase):
    def setUp(self) -> None:
        # Whoever refuses a file leaves closing it to the end of the process.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", ResourceWarning)
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def source(self, name: str, forced: str | None = None) -> FileSource:
        source = FileSource(name, DEFAULT, forced)
        self.addCleanup(source.close)
        return source

    def put(self, name: str, data: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path


class EachForm(Sources):
    """Decided by us."""

    def test_a_strict_transcript_is_one_run(self) -> None:
        source = self.source(DIRTY)
        (run,) = source.runs()
        self.assertFalse(source.is_import)
        self.assertEqual(run.info[:5], ("session-dirty", DIRTY, STRICT, None, None))
        self.assertEqual(run.info.effects, (TUTORIAL_MUTATORS, None))
        self.assertEqual([call.index for call in run.calls], list(range(6)))

    def test_a_sealed_one_has_its_links(self) -> None:
        (run,) = self.source(self.put("s.jsonl", SEALED_DIRTY.encode())).runs()
        self.assertEqual(run.info.form, SEALED)
        self.assertTrue(all(call.link for call in run.calls))

    def test_an_import_has_the_name_of_its_session_and_its_hosts_tools(self) -> None:
        source = self.source(SESSION)
        (run,) = source.runs()
        self.assertTrue(source.is_import)
        self.assertEqual(run.info.name, "5e551000-0000-4000-8000-000000000001")
        self.assertEqual((run.info.file, run.info.form), (SESSION, "claude_code"))
        self.assertEqual(run.info.effects, (MUTATORS, READERS))
        self.assertEqual(source.account.seen, 25)

    def test_a_session_without_an_id_has_the_name_of_its_file(self) -> None:
        line = b'{"type": "assistant", "uuid": "u", "message": {"content": [{"type": "tool_use", "id": "c", "name": "LS", "input": {}}]}}\n'  # fmt: skip
        (run,) = self.source(self.put("mine.jsonl", line)).runs()
        self.assertEqual(run.info.name, "mine")

    def test_every_place_can_be_read_again(self) -> None:
        with open(DIRTY, "rb") as file:
            data = file.read()
        for name in (DIRTY, self.put("x", gzip.compress(data))):
            (run,) = self.source(name).runs()
            assert run.raw is not None
            read = [run.raw(call.place.start, call.place.end) for call in run.calls]
            self.assertEqual(read, data.splitlines(keepends=True))

    def test_the_digest_is_of_the_expanded_bytes_and_may_be_asked_for_at_any_time(self) -> None:
        with open(DIRTY, "rb") as file:
            data = file.read()
        wanted = hashlib.sha256(data).hexdigest()
        for name in (DIRTY, self.put("x", gzip.compress(data))):
            source = self.source(name)
            self.assertEqual(source.sha256(), wanted)
            (run,) = source.runs()
            self.assertEqual(len(list(run.calls)), 6)
            self.assertEqual(source.sha256(), wanted)

    def test_what_is_not_there_is_refused_at_once(self) -> None:
        with self.assertRaises(InputError):
            FileSource(os.path.join(self.folder, "gone"), DEFAULT)


class WithACompanion(Sources):
    """Decided by us: outcomes count only from what an import left beside the transcript."""

    def test_outcomes_times_and_the_hosts_tools_come_back(self) -> None:
        out = os.path.join(self.folder, "out.jsonl")
        ways.in_process("import", SESSION, "-o", out)
        exports, imports = self.source(out).runs(), self.source(SESSION).runs()
        exported, imported = next(exports), next(imports)
        self.assertEqual(exported.info.name, imported.info.name)
        self.assertEqual(exported.info.form, STRICT)
        self.assertEqual(exported.info.effects, imported.info.effects)
        for call, original in zip(exported.calls, imported.calls, strict=True):
            self.assertEqual(call[:4], original[:4])
            self.assertEqual(call.outcome, original.outcome)
            assert call.meta is not None
            assert original.meta is not None
            self.assertEqual(call.meta[:4], original.meta[:4])

    def test_without_it_an_outcome_in_a_response_is_a_response(self) -> None:
        out = os.path.join(self.folder, "out.jsonl")
        ways.in_process("import", SESSION, "-o", out)
        os.unlink(f"{out}.meta.jsonl")
        (run,) = self.source(out).runs()
        last = list(run.calls)[-1]
        self.assertEqual((last.response, last.outcome), ({"outcome": "denied"}, None))
        self.assertTrue(last.has_result)

    def test_one_of_a_format_that_nobody_reads_is_refused(self) -> None:
        path = self.put("a.jsonl", b"")
        self.put("a.jsonl.meta.jsonl", b'{"format": "toolreplay-meta/1", "imported": "nobody", "run": "r", "agent": null}\n')  # fmt: skip
        with self.assertRaisesRegex(InputError, r"a\.jsonl\.meta\.jsonl: line 1: no importer 'nobody'"):  # fmt: skip
            list(self.source(path).runs())
