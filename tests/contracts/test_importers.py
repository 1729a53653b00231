"""The contract of an importer, for each folder in `toolreplay/importers`, and over its cases.

A case is a folder `cases/NAME/` with a `README` whose first line says what it shows, one session
file (`session.*`), and what it exports: `expected.jsonl` (of a second run `expected.2.jsonl` …) and
`account.txt`. UPDATE_GOLDEN=1 writes what is exported now; the difference is to be read.
"""

import io
import os
import pathlib
import re
import unittest

from tests.cli import ways
from toolreplay.cli.cases import answers_of, cases_of, expected_of
from toolreplay.errors import InputError
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.account import Account
from toolreplay.records.call import OUTCOMES, WITHOUT_RESULT, CallMeta
from toolreplay.records.canonical import toolreplay_1
from toolreplay.records.limits import DEFAULT, Limits
from toolreplay.records.run import LOGGED_BY_AGENT, SEALED, STRICT, Run
from toolreplay.records.transcript import TranscriptWriter, read_transcript
from toolreplay.reports.text.account import account_line
from toolreplay.sources.head import InputHead, head_of
from toolreplay.sources.known_formats import KNOWN_FORMATS
from toolreplay.sources.recognise import form_words

IMPORTERS = extensions_of("importers")
FOLDER = ways.ROOT / "toolreplay" / "importers"
CASES = [(name, path) for name in IMPORTERS for path in sorted((FOLDER / name / "cases").iterdir())]


def session_of(case: pathlib.Path) -> bytes:
    (path,) = case.glob("session.*")
    return path.read_bytes()


def runs_of(name: str, data: bytes, limits: Limits = DEFAULT) -> tuple[list[Run], Account]:
    """Read a session; the calls of the runs are still to be read."""
    account = Account()
    return list(load_extension("importers", name).read(io.BytesIO(data), limits, account)), account


def head_from(data: bytes) -> InputHead:
    return head_of(io.BytesIO(data), DEFAULT)


class EachImporterKeepsTheContract(unittest.TestCase):
    """Decided by us: whoever knows one importer knows how to read and to add another."""

    def test_there_is_one(self) -> None:
        self.assertIn("claude_code", IMPORTERS)

    def test_its_word_is_no_other_form(self) -> None:
        words = [*form_words(), *(word for word, _ in KNOWN_FORMATS)]
        self.assertEqual(sorted(words), sorted(set(words)))
        for name in IMPORTERS:
            self.assertRegex(name, r"\A[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")

    def test_its_docstring_says_what_it_is_and_what_it_cannot_tell(self) -> None:
        for name in IMPORTERS:
            with self.subTest(name):
                page = load_extension("importers", name).__doc__
                self.assertRegex(page, rf"\A{name}: [^\n]+\n\n")
                self.assertRegex(page, r"(?i)\ncannot see|\nwhat it cannot")
                for line in page.splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_its_public_names_have_their_types(self) -> None:
        for name in IMPORTERS:
            with self.subTest(name):
                module = load_extension("importers", name)
                self.assertLessEqual(
                    {"TITLE", "MISSING", "MUTATORS", "READERS", "sniff", "read"},
                    set(module.__all__),
                )
                self.assertRegex(module.TITLE, r"\A[A-Z`][^\n]{3,60}[^.]\Z")
                self.assertRegex(module.MISSING, r"\A[a-z`][^\n]{3,100}[^.]\Z")
                for tools in (module.MUTATORS, module.READERS):
                    self.assertIsInstance(tools, frozenset)
                    self.assertTrue(all(isinstance(tool, str) and tool for tool in tools))

    def test_no_tool_is_mutator_and_reader_at_once(self) -> None:
        for name in IMPORTERS:
            module = load_extension("importers", name)
            self.assertEqual(module.MUTATORS & module.READERS, frozenset(), name)

    def test_where_sessions_lie_is_a_variable_and_a_folder_below(self) -> None:
        for name in IMPORTERS:
            for variable, below in getattr(
                load_extension("importers", name), "SESSION_FOLDERS", ()
            ):
                with self.subTest(importer=name, variable=variable):
                    self.assertRegex(variable, r"\A[A-Z][A-Z_]+\Z")
                    self.assertFalse(below.startswith("/") or ".." in below or "\\" in below)

    def test_nothing_and_what_is_ours_is_not_taken(self) -> None:
        ours = [
            b"",
            b"{}\n",
            b"[]",
            b"null\n",
            b"\x00\x01",
            *(path.read_bytes() for path in ways.SAMPLES.glob("s*.json*")),
        ]
        for name in IMPORTERS:
            for data in ours:
                with self.subTest(importer=name, data=data[:40]):
                    self.assertEqual(load_extension("importers", name).sniff(head_from(data)), 0)

    def test_a_sniffer_looks_only_at_content_and_leaves_it_as_it_was(self) -> None:
        for name, case in CASES:
            data = session_of(case)
            head = head_from(data)
            before = (head.raw, repr(head.records), repr(head.document))
            scores = {load_extension("importers", name).sniff(head) for _ in range(2)}
            with self.subTest(importer=name, case=case.name):
                self.assertEqual(len(scores), 1)
                self.assertIn(scores.pop(), (0, 1, 2, 3))
                self.assertEqual((head.raw, repr(head.records), repr(head.document)), before)


class EachCaseIsRead(unittest.TestCase):
    """Decided by us: docs/formats, and the protocols in records/flow.py."""

    maxDiff = None

    def test_it_exports_what_stands_beside_it(self) -> None:
        for name in IMPORTERS:
            for case in cases_of("importers", name):
                folder = FOLDER / name / "cases" / case.name
                expected, found = expected_of(case), answers_of(case)
                if os.environ.get("UPDATE_GOLDEN") == "1":
                    for file in [file for file in found if "." in file]:
                        (folder / file).write_bytes(found[file])
                with self.subTest(importer=name, case=case.name):
                    self.assertEqual({path.name for path in folder.iterdir()}, set(case.files))
                    self.assertEqual(found.keys(), expected.keys())
                    for part in expected:
                        self.assertEqual(found[part].decode(), expected[part].decode(), part)

    def test_each_importer_has_cases_and_each_says_what_it_shows(self) -> None:
        for name in IMPORTERS:
            self.assertGreaterEqual(sum(importer == name for importer, _ in CASES), 4, name)
        for name, case in CASES:
            with self.subTest(importer=name, case=case.name):
                self.assertRegex(case.name, r"\A[a-z]+(-[a-z]+)*\Z")
                first, _, _ = (case / "README").read_text(encoding="utf-8").partition("\n")
                self.assertGreater(len(first), 20)
                self.assertEqual(len(list(case.glob("session.*"))), 1)

    def test_it_is_taken_by_its_own_importer_and_by_none_before_it(self) -> None:
        for name, case in CASES:
            head = head_from(session_of(case))
            scores = {word: load_extension("importers", word).sniff(head) for word in IMPORTERS}
            with self.subTest(importer=name, case=case.name):
                self.assertGreater(scores[name], 0)
                self.assertEqual([w for w in scores if scores[w] == max(scores.values())], [name])

    def test_it_gives_at_least_one_run_or_an_input_error(self) -> None:
        for name, case in CASES:
            with self.subTest(importer=name, case=case.name):
                try:
                    runs, _ = runs_of(name, session_of(case))
                except InputError as error:
                    self.assertTrue(error.what)
                else:
                    self.assertTrue(runs)

    def test_its_runs_say_what_they_are(self) -> None:
        for name, case in CASES:
            runs, _ = runs_of(name, session_of(case))
            for run in runs:
                with self.subTest(importer=name, case=case.name, run=run.info.name):
                    module = load_extension("importers", name)
                    self.assertEqual(run.info.form, name)
                    self.assertEqual(run.info.file, "")
                    self.assertEqual(run.info.provenance, LOGGED_BY_AGENT)
                    self.assertEqual(run.info.effects, (module.MUTATORS, module.READERS))
                    self.assertNotIn(run.info.form, (STRICT, SEALED))
            names = [run.info.name for run in runs]
            self.assertEqual(len(names), len(set(names)), case)

    def test_its_calls_are_what_audits_expect(self) -> None:
        for name, case in CASES:
            data = session_of(case)
            is_one_document = head_from(data).document is not None
            runs, _ = runs_of(name, data)
            for run in runs:
                with self.subTest(importer=name, case=case.name, run=run.info.name):
                    for position, call in enumerate(run.calls):
                        self.assertEqual(call.index, position)
                        self.assertTrue(call.tool)
                        self.assertIs(type(call.args), dict)
                        toolreplay_1([call.args, call.response])
                        self.assertIn(call.outcome, OUTCOMES)
                        self.assertIsNone(call.link)
                        self.assertIsInstance(call.meta, CallMeta)
                        if call.outcome in WITHOUT_RESULT:
                            self.assertEqual(call.response, {"outcome": call.outcome})
                        else:
                            self.assertEqual(call.response.keys(), {"content", "is_error"})
                        place = call.place
                        self.assertTrue(0 <= place.start < place.end <= len(data))
                        if not is_one_document:  # there the number is that of the element
                            self.assertEqual(data.count(b"\n", 0, place.start) + 1, place.line)

    def test_all_runs_may_be_listed_before_any_call_is_read(self) -> None:
        for name, case in CASES:
            listed, _ = runs_of(name, session_of(case))
            account = Account()
            module = load_extension("importers", name)
            one_by_one = [
                (run.info, list(run.calls))
                for run in module.read(io.BytesIO(session_of(case)), DEFAULT, account)
            ]
            with self.subTest(importer=name, case=case.name):
                self.assertEqual([(run.info, list(run.calls)) for run in listed], one_by_one)

    def test_its_account_adds_up_before_and_after_the_calls(self) -> None:
        for name, case in CASES:
            runs, account = runs_of(name, session_of(case))
            line = account_line(account)
            calls = sum(1 for run in runs for _ in run.calls)
            with self.subTest(importer=name, case=case.name):
                self.assertEqual(account_line(account), line)
                self.assertEqual(account.calls, calls)
                numbers = [int(text) for text in re.findall(r"(?:seen|mapped|skipped|truncated|orphaned|duplicate|unreadable) (\d+)", line)[:7]]  # fmt: skip
                self.assertEqual(numbers[0], sum(numbers[1:]))
                self.assertGreater(account.seen, 0)

    def test_what_it_exports_is_a_strict_transcript_of_the_same_calls(self) -> None:
        for name, case in CASES:
            for number, run in enumerate(runs_of(name, session_of(case))[0]):
                out = io.BytesIO()
                writer = TranscriptWriter(out)
                told = []
                for call in run.calls:
                    writer.call(call.tool, call.args, call.response)
                    told.append((call.index, call.tool, call.args, call.response))
                out.seek(0)
                with self.subTest(importer=name, case=case.name, run=number):
                    self.assertEqual([call[:4] for call in read_transcript(out)], told)

    def test_a_place_can_be_read_again(self) -> None:
        for name, case in CASES:
            data = session_of(case)
            for run in runs_of(name, data)[0]:
                if run.raw is None:
                    continue
                for call in run.calls:
                    place = call.place
                    self.assertEqual(run.raw(place.start, place.end), data[place.start : place.end])

    def test_the_limits_are_kept(self) -> None:
        """Decided by us: no input may take more memory than a limit allows, whoever reads it."""
        refusals = 0
        for name, case in CASES:
            data = session_of(case)
            try:
                runs, account = runs_of(name, data, Limits(line_bytes=300))
                calls = sum(1 for run in runs for _ in run.calls)
            except InputError as error:
                self.assertIn("longer than 300 bytes", str(error))
                refusals += 1
            else:
                self.assertEqual(account.calls, calls)
        self.assertGreater(refusals, 0)
