"""The contract of an audit, for each folder in `toolreplay/audits`, and over its cases.

A case is a folder `cases/NAME/` that holds

* `README`, whose first line says what the case shows;
* `transcript.jsonl`, `sealed.jsonl` or `bundle.run.jsonl`, and where outcomes matter the companion that an import
  would have left beside it (`transcript.jsonl.meta.jsonl`);
* `scope.json`, where a scope is handed in; `seen`, where a head of a log was remembered;
* `options.json`, where more is: {"only": [AUDIT…], "arguments": [WORD…]}. `only` names the audits
  to run instead of the case's own (an empty list means all), `arguments` are added as they are;
* `expected.txt`, byte for byte what `toolreplay audit` prints when it runs in that folder.

UPDATE_GOLDEN=1 writes what is printed now; the difference is to be read.
"""

import json
import os
import pathlib
import re
import tempfile
import unittest

from tests.cli import ways
from toolreplay.audits.engine import Declared, Options, Seen
from toolreplay.cli import cases
from toolreplay.cli.cases import Case
from toolreplay.findings.check import FAILED, LINES, NOT_CHECKED, PASSED
from toolreplay.findings.finding import Finding
from toolreplay.findings.result import AuditResult
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.call import OUTCOMES, WITHOUT_RESULT, Link, Place, ToolCall
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import SEALED, STRICT, RunInfo
from toolreplay.records.scope import Scope
from toolreplay.sources.head import head_of

AUDITS = extensions_of("audits")
HEADINGS = ("Finds", "Matters because", "Decides by", "Cannot see", "Example")
FOLDER = ways.ROOT / "toolreplay" / "audits"
INPUTS = ("transcript.jsonl", "sealed.jsonl", "bundle.run.jsonl", "store.db")
BESIDE = {
    "README", "transcript.jsonl.meta.jsonl", "scope.json", "seen", "options.json", "expected.txt",
}  # fmt: skip
KINDS = {rule.kind: name for name in AUDITS for rule in load_extension("audits", name).RULES}

CASES = [(name, path) for name in AUDITS for path in sorted((FOLDER / name / "cases").iterdir())]


def input_of(case: pathlib.Path) -> str:
    return next(name for name in INPUTS if (case / name).exists())


def loaded(audit: str, case: pathlib.Path) -> Case:
    """Read a case as the program itself does."""
    files = {path.name: path.read_bytes() for path in case.iterdir()}
    return Case("audits", audit, case.name, files)


def arguments_of(audit: str, case: pathlib.Path) -> list[str]:
    """Return the command line of a case."""
    return cases.arguments_of(loaded(audit, case))


def expected_of(case: pathlib.Path) -> str:
    return (case / "expected.txt").read_bytes().decode("utf-8")


def findings_of(text: str) -> list[tuple[str, str]]:
    """Return (place, kind) of each finding line of a report."""
    return re.findall(r"^(index \d+|run): ([a-z-]+): ", text, re.MULTILINE)


class EachAuditKeepsTheContract(unittest.TestCase):
    """Decided by us: whoever knows one audit knows how to read and to add another."""

    def test_there_are_some(self) -> None:
        self.assertLessEqual({"loop", "recompute", "replay", "scope"}, set(AUDITS))

    def test_its_docstring_is_a_manual_page_with_five_headings_in_order(self) -> None:
        for name in AUDITS:
            with self.subTest(name):
                page = load_extension("audits", name).__doc__
                self.assertRegex(page, rf"\A{name}: [^\n]+\n\n")
                found = re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?)  +\S", page, re.MULTILINE)
                self.assertEqual(tuple(found), HEADINGS)

    def test_each_heading_says_something(self) -> None:
        for name in AUDITS:
            page = load_extension("audits", name).__doc__
            for heading in HEADINGS:
                with self.subTest(audit=name, heading=heading):
                    text = re.search(rf"^{heading}  +((?:.+\n)(?:  .+\n)*)", page, re.MULTILINE)
                    assert text is not None
                    self.assertGreater(len(" ".join(text[1].split())), 40)

    def test_its_page_fits_80_columns(self) -> None:
        for name in AUDITS:
            for line in load_extension("audits", name).__doc__.splitlines():
                self.assertLessEqual(len(line), 80, f"{name}: {line}")

    def test_its_example_is_a_finding_of_its_own(self) -> None:
        for name in AUDITS:
            with self.subTest(name):
                page = load_extension("audits", name).__doc__
                example = page[page.index("\nExample") :].split(maxsplit=1)[1]
                ((_, kind),) = findings_of(example)
                self.assertEqual(KINDS[kind], name)

    def test_its_rules_name_lines_levels_and_kinds_that_exist(self) -> None:
        for name in AUDITS:
            rules = load_extension("audits", name).RULES
            self.assertIsInstance(rules, tuple)
            self.assertTrue(rules, name)
            for rule in rules:
                with self.subTest(audit=name, kind=rule.kind):
                    self.assertRegex(rule.kind, r"\A[a-z]+(-[a-z]+)*\Z")
                    self.assertIn(rule.line, LINES)
                    self.assertIn(rule.level, ("error", "warning", "note"))
                    self.assertGreaterEqual(rule.version, 1)
                    self.assertRegex(rule.meaning, r"\A[a-z].{20,}[^.]\Z")
                    self.assertLessEqual(set(rule.absorbs), KINDS.keys() - {rule.kind})

    def test_no_two_audits_have_one_kind(self) -> None:
        kinds = [rule.kind for name in AUDITS for rule in load_extension("audits", name).RULES]
        self.assertEqual(sorted(kinds), sorted(set(kinds)))

    def test_it_is_started_with_three_arguments_and_has_four_methods(self) -> None:
        for name in AUDITS:
            with self.subTest(name):
                module = load_extension("audits", name)
                self.assertLessEqual({"RULES", "start"}, set(module.__all__))
                info = RunInfo("r", "f", STRICT)
                audit = module.start(info, Declared(), Options())
                seen = Seen(ToolCall(0, "t", {}, {}, Place(1, 0, 1)))
                self.assertEqual(list(audit.see(seen)), [])
                self.assertEqual(list(audit.finish()), [])
                for check in audit.checks():
                    self.assertIn(check.line, LINES)
                    self.assertIn(check.result, (PASSED, FAILED, NOT_CHECKED))
                self.assertLessEqual(set(audit.facts()), set(AuditResult._fields))

    def test_what_was_not_checked_has_a_reason(self) -> None:
        for name in AUDITS:
            module = load_extension("audits", name)
            for form in (STRICT, SEALED):
                with self.subTest(audit=name, form=form):
                    audit = module.start(RunInfo("r", "f", form), Declared(), Options())
                    checks = list(audit.checks())
                    self.assertTrue(checks)
                    for check in checks:
                        self.assertEqual(check.result, NOT_CHECKED)
                        self.assertTrue(check.reason)

    def test_it_takes_every_outcome_and_any_form(self) -> None:
        """Decided by us: a form or outcome that an audit cannot judge is not a crash."""
        link = Link(0, "0" * 64, "0" * 64)
        declared = Declared(scope=Scope("s", "a", frozenset()))
        for name in AUDITS:
            module = load_extension("audits", name)
            for form in (STRICT, SEALED, "claude_code"):
                for outcome in (None, *OUTCOMES):
                    with self.subTest(audit=name, form=form, outcome=outcome):
                        audit = module.start(RunInfo("r", "f", form), declared, Options())
                        response = {"outcome": outcome} if outcome in WITHOUT_RESULT else {}
                        for index in range(4):
                            call = ToolCall(
                                index, "t", {}, response, Place(1, 0, 1), outcome,
                                link if form == SEALED else None,
                            )  # fmt: skip
                            for finding in audit.see(Seen(call)):
                                self.assertIsInstance(finding, Finding)
                                self.assertEqual(KINDS[finding.kind], name)
                        list(audit.finish())
                        self.assertTrue(list(audit.checks()))

    def test_a_second_run_begins_afresh(self) -> None:
        """Decided by us: nothing of one run may be left in the module for the next."""
        for name, case in CASES:
            arguments = arguments_of(name, case)
            file = input_of(case)
            twice = ways.in_process(*arguments, folder=case)
            self.assertEqual(twice, ways.in_process(*arguments, folder=case), f"{name} {file}")


class EachCaseIsWhatItSays(unittest.TestCase):
    """Decided by us: the cases ship with the program, so that anyone can check it where it runs."""

    maxDiff = None

    def test_the_report_is_the_one_that_stands_beside_it(self) -> None:
        for name, case in CASES:
            with self.subTest(audit=name, case=case.name):
                found = cases.answers_of(loaded(name, case))
                if os.environ.get("UPDATE_GOLDEN") == "1":
                    (case / "expected.txt").write_bytes(found["expected.txt"])
                self.assertEqual(found["expected.txt"].decode(), expected_of(case))
                self.assertEqual(found, cases.expected_of(loaded(name, case)))
                self.assertRegex(expected_of(case), r"\nexit \d: ")

    def test_each_is_run_where_it_ships_as_it_is_run_here(self) -> None:
        for name in AUDITS:
            self.assertEqual(
                cases.cases_of("audits", name),
                [loaded(name, case) for audit, case in CASES if audit == name],
            )

    def test_its_options_are_those_that_are_looked_at(self) -> None:
        for name, case in CASES:
            options = json.loads(loaded(name, case).files.get("options.json", b"{}"))
            self.assertLessEqual(options.keys(), {"only", "arguments"})

    def test_each_audit_has_at_least_four(self) -> None:
        for name in AUDITS:
            self.assertGreaterEqual(sum(audit == name for audit, _ in CASES), 4, name)

    def test_each_audit_has_a_case_that_passes_and_one_for_each_of_its_kinds(self) -> None:
        for name in AUDITS:
            texts = [expected_of(case) for audit, case in CASES if audit == name]
            kinds = {kind for text in texts for _, kind in findings_of(text)}
            with self.subTest(name):
                self.assertLessEqual({kind for kind in KINDS if KINDS[kind] == name}, kinds)
                self.assertTrue(any("\nexit 0: nothing found." in text for text in texts))

    def test_one_case_has_findings_of_all_audits_and_all_together_those_of_every_kind(self) -> None:
        """Decided by us: no record has every kind at once, as a run without its close has no root
        that could be another."""
        found = {case: {kind for _, kind in findings_of(expected_of(case))} for _, case in CASES}
        self.assertEqual(set().union(*found.values()), KINDS.keys())
        every = [
            kinds for kinds in found.values() if {KINDS[kind] for kind in kinds} == set(AUDITS)
        ]
        self.assertTrue(every)

    def test_each_says_in_its_first_line_what_it_shows(self) -> None:
        for name, case in CASES:
            with self.subTest(audit=name, case=case.name):
                self.assertRegex(case.name, r"\A[a-z]+(-[a-z]+)*\Z")
                readme = (case / "README").read_text(encoding="utf-8")
                self.assertRegex(readme, r"\A[A-Z`1-9][^\n]{20,}[.:]\n(\n[A-Z][^\n]+\n)?")
                self.assertTrue(all(len(line) <= 100 for line in readme.splitlines()))

    def test_each_holds_one_input_and_nothing_that_nobody_reads(self) -> None:
        for name, case in CASES:
            with self.subTest(audit=name, case=case.name):
                files = {path.name for path in case.iterdir()}
                self.assertEqual(len(files & set(INPUTS)), 1)
                self.assertLessEqual(files - set(INPUTS), BESIDE)
                self.assertLessEqual({"README", "expected.txt"}, files)
                own = {"bundle.run.jsonl": 16384, "store.db": 20480}  # of a store the tables
                most = own.get(input_of(case), 8192)
                self.assertLess((case / input_of(case)).stat().st_size, most)

    def test_no_importer_takes_one_for_a_session_of_its_host(self) -> None:
        for name, case in CASES:
            for path in sorted(case.glob("*.jsonl")):
                with open(path, "rb") as file:
                    head = head_of(file, DEFAULT)
                for importer in extensions_of("importers"):
                    with self.subTest(audit=name, case=case.name, importer=importer):
                        self.assertEqual(load_extension("importers", importer).sniff(head), 0)

    def test_the_findings_are_the_same_from_a_pipe(self) -> None:
        """Decided by us: what cannot be read a second time is judged by digests."""
        for name, case in CASES:
            if (case / "transcript.jsonl.meta.jsonl").exists() or (case / "store.db").exists():
                continue  # standard input has no companion, and a store is read where it stands
            arguments = arguments_of(name, case)
            arguments[1] = "-"
            data = (case / input_of(case)).read_bytes()
            with self.subTest(audit=name, case=case.name):
                ran = ways.in_process(*arguments, folder=case, stdin=data)
                self.assertEqual(ran.text.splitlines()[1:], expected_of(case).splitlines()[1:])

    def test_the_fingerprints_do_not_depend_on_where_the_case_stands(self) -> None:
        """Decided by us: one baseline entry covers the same finding in every run and file."""
        for name, case in CASES:
            arguments = [*arguments_of(name, case), "--format", "json"]
            here = json.loads(ways.in_process(*arguments, folder=case).out)
            with tempfile.TemporaryDirectory() as folder:
                for path in case.iterdir():
                    pathlib.Path(folder, path.name).write_bytes(path.read_bytes())
                # No line of a bundle is blank, and a store has none.
                if input_of(case) not in ("bundle.run.jsonl", "store.db"):
                    with open(os.path.join(folder, input_of(case)), "rb+") as file:
                        data = file.read()
                        file.seek(0)
                        file.write(b"\n" + data)
                there = json.loads(ways.in_process(*arguments, folder=folder).out)
            with self.subTest(audit=name, case=case.name):
                prints = [
                    [
                        finding["fingerprint"]
                        for run in report["runs"]
                        for finding in run["findings"]
                    ]
                    for report in (here, there)
                ]
                self.assertEqual(*prints)
