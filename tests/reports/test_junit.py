"""JUnit XML; that another reader takes it: tests/schemas."""

import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.cli import ways
from tests.reports.every_kind import BROKEN, INERT, write_all_audits, write_hostile


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def suites(self, *arguments: str) -> list[ET.Element]:
        ran = ways.in_process(*arguments, "--format", "junit", folder=str(self.folder))
        root = ET.fromstring(ran.out)
        self.assertEqual(root.tag, "testsuites")
        for suite in root:
            counts = [len(suite), *(len(suite.findall(f"testcase/{word}")) for word in
                                    ("failure", "error", "skipped"))]  # fmt: skip
            named = [int(suite.attrib[word]) for word in ("tests", "failures", "errors", "skipped")]
            self.assertEqual(named, counts)
        return list(root)


class TheReport(InAFolder):
    """Decided by us: a suite a run, a case a line of its report."""

    def test_a_failed_line_is_a_failure_with_its_findings(self) -> None:
        (suite,) = self.suites(*write_all_audits(self.folder))
        cases = {case.attrib["name"]: case for case in suite}
        failure = cases["scope"].find("failure")
        assert failure is not None
        self.assertEqual(failure.attrib["message"], "1 finding")
        self.assertIn("permission-overreach", failure.text or "")
        self.assertEqual(
            {name for name, case in cases.items() if case.find("failure") is not None},
            {"replay", "scope", "loop", "links", "contents"},
        )

    def test_not_checked_is_skipped_and_an_error_when_it_was_required(self) -> None:
        (self.folder / "a.jsonl").write_text(
            '{"index": 0, "tool": "t", "args": {}, "response": {}}\n'
        )
        (suite,) = self.suites("audit", "a.jsonl", "--require", "scope")
        cases = {case.attrib["name"]: case for case in suite}
        self.assertEqual(len(cases["replay"]), 0)
        error, skipped = cases["scope"].find("error"), cases["contents"].find("skipped")
        assert error is not None
        assert skipped is not None
        self.assertEqual(error.attrib["message"], "required, but not checked: no scope given")
        self.assertEqual(
            skipped.attrib["message"], "not checked: a transcript carries no commitments"
        )

    def test_what_cannot_be_read_is_an_error_and_nothing_recorded_is_skipped(self) -> None:
        (self.folder / "runs").mkdir()
        (self.folder / "runs" / "a.jsonl").write_text(BROKEN)
        (self.folder / "runs" / "b.jsonl").write_text("\n")
        broken, empty = self.suites("audit", "runs")
        self.assertEqual(broken.attrib["name"], "runs/a.jsonl")
        self.assertEqual((broken.attrib["errors"], empty.attrib["skipped"]), ("1", "1"))

    def test_a_folder_without_a_run_is_an_error(self) -> None:
        (self.folder / "none").mkdir()
        (suite,) = self.suites("audit", "none")
        self.assertEqual(suite.attrib["errors"], "1")

    def test_many_findings_are_counted_and_the_first_written(self) -> None:
        (self.folder / "a.jsonl").write_text(
            "".join(
                f'{{"index": {number}, "tool": "t", "args": {{}}, "response": {{"n": {number}}}}}\n'
                for number in range(300)
            )
        )
        (suite,) = self.suites("audit", "a.jsonl", "--only", "replay")
        failure = suite.find("testcase/failure")
        assert failure is not None
        lines = (failure.text or "").splitlines()
        self.assertEqual((len(lines), lines[-1]), (101, "and 498 more"))
        self.assertEqual(failure.attrib["message"], "598 findings")

    def test_exactly_as_many_as_are_written_have_no_rest(self) -> None:
        for count, last in ((100, "index 100: redundant-call: "), (101, "and 1 more")):
            (self.folder / "a.jsonl").write_text(
                "".join(
                    f'{{"index": {number}, "tool": "t", "args": {{}}, "response": {{}}}}\n'
                    for number in range(count + 1)
                )
            )
            (suite,) = self.suites("audit", "a.jsonl", "--only", "replay")
            failure = suite.find("testcase/failure")
            assert failure is not None
            self.assertTrue((failure.text or "").splitlines()[-1].startswith(last))

    def test_nothing_recorded_is_an_error_where_no_run_has_anything(self) -> None:
        (self.folder / "a.jsonl").write_text("\n")
        suites = self.suites("audit", "a.jsonl")
        self.assertEqual([suite.attrib["errors"] for suite in suites], ["0", "1"])

    def test_a_recorded_text_is_text(self) -> None:
        suites = self.suites(*write_hostile(self.folder))
        self.assertGreater(len(suites), len(INERT))
        for suite in suites:
            tags = {item.tag for item in suite.iter()}
            self.assertLessEqual(tags, {"testsuite", "testcase", "failure", "error", "skipped"})
