"""SARIF 2.1.0; that it meets the published schema: tests/schemas."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from tests.cli import ways
from tests.reports.every_kind import BROKEN, INERT, write_every_kind, write_hostile
from toolreplay.packaged import extensions_of, load_extension


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def log(self, *arguments: str, status: int | None = None) -> dict:  # type: ignore[type-arg]
        ran = ways.in_process(*arguments, "--format", "sarif", folder=str(self.folder))
        if status is not None:
            self.assertEqual(ran.status, status, ran.error)
        document = json.loads(ran.out)
        (run,) = document["runs"]
        return run  # type: ignore[no-any-return]


class EveryKind(InAFolder):
    """Decided by SARIF 2.1.0 and by us."""

    def test_each_kind_is_a_result_and_a_rule_with_its_level_and_manual_page(self) -> None:
        run = self.log(*write_every_kind(self.folder), status=1)
        kinds = {
            rule.kind: (rule, name)
            for name in extensions_of("audits")
            for rule in load_extension("audits", name).RULES
        }
        self.assertEqual({result["ruleId"] for result in run["results"]}, set(kinds))
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual([rule["id"] for rule in rules], list(kinds))
        for described in rules:
            rule, name = kinds[described["id"]]
            page = load_extension("audits", name).__doc__ or ""
            self.assertEqual(described["defaultConfiguration"], {"level": rule.level})
            text = described["help"]["text"].replace("{{", "{").replace("}}", "}")
            self.assertEqual(text, page.strip("\n"))
            self.assertIn("Cannot see", described["help"]["markdown"])

    def test_a_result_points_at_its_rule_and_at_its_bytes(self) -> None:
        write_every_kind(self.folder)
        run = self.log("audit", "every.jsonl", "--scope", "scope.json")
        data = (self.folder / "every.jsonl").read_bytes()
        for result in run["results"]:
            rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
            self.assertEqual((rule["id"]), result["ruleId"])
            (location,) = result["locations"]
            region = location["physicalLocation"]["region"]
            start, end = region["byteOffset"], region["byteOffset"] + region["byteLength"]
            line = data.splitlines(keepends=True)[region["startLine"] - 1]
            self.assertEqual(data[start:end], line)
            self.assertEqual(location["physicalLocation"]["artifactLocation"]["uri"], "every.jsonl")

    def test_fingerprints_are_those_of_the_json_report(self) -> None:
        arguments = write_every_kind(self.folder)
        run = self.log(*arguments)
        ran = ways.in_process(*arguments, "--format", "json", folder=str(self.folder))
        runs = json.loads(ran.out)["runs"]
        wanted = [finding["fingerprint"] for one in runs for finding in one["findings"]]
        found = [result["partialFingerprints"]["toolreplay/v1"] for result in run["results"]]
        self.assertEqual(found, wanted)

    def test_what_was_not_checked_or_read_is_a_notification(self) -> None:
        (self.folder / "runs").mkdir()
        (self.folder / "runs" / "broken.jsonl").write_text(BROKEN)
        (self.folder / "runs" / "empty.jsonl").write_text("\n")
        (self.folder / "runs" / "good.jsonl").write_text(
            '{"index": 0, "tool": "t", "args": {}, "response": {}}\n'
        )
        (self.folder / "runs" / "notes.txt").write_text("hello")
        run = self.log("audit", "runs", status=2)
        (invocation,) = run["invocations"]
        self.assertEqual((invocation["executionSuccessful"], invocation["exitCode"]), (False, 2))
        told = [
            (item["level"], item["message"]["text"].partition(": ")[2])
            for item in invocation["toolExecutionNotifications"]
        ]
        self.assertIn(
            "unreadable: line 2: missing field(s): args, response, tool", [text for _, text in told]
        )
        self.assertIn(("warning", "run empty: not checked: nothing was recorded"), told)
        self.assertIn(("note", "run good: scope not checked: no scope given"), told)

    def test_what_was_required_and_not_checked_is_a_warning(self) -> None:
        (self.folder / "good.jsonl").write_text(
            '{"index": 0, "tool": "t", "args": {}, "response": {}}\n'
        )
        run = self.log("audit", "good.jsonl", "--require", "scope", status=3)
        levels = {
            item["message"]["text"].split(" not checked")[0].rpartition(": ")[2]: item["level"]
            for item in run["invocations"][0]["toolExecutionNotifications"]
        }
        self.assertEqual(levels, {"scope": "warning", "contents": "note"})

    def test_no_result_is_an_empty_list_and_says_what_ran(self) -> None:
        (self.folder / "good.jsonl").write_text(
            '{"index": 0, "tool": "t", "args": {}, "response": {}}\n'
        )
        run = self.log("audit", "good.jsonl", status=0)
        self.assertEqual(run["results"], [])
        self.assertTrue(run["tool"]["driver"]["rules"])


class HostileTexts(InAFolder):
    """Decided by SARIF 2.1.0, sections 3.11.5 and 3.11.6: no link and no placeholder."""

    def test_a_recorded_text_is_no_link_and_no_argument(self) -> None:
        run = self.log(*write_hostile(self.folder))
        messages = [result["message"]["text"] for result in run["results"]]
        messages += [
            item["message"]["text"] for item in run["invocations"][0]["toolExecutionNotifications"]
        ]
        self.assertGreater(len(messages), 2 * len(INERT))
        for text in messages:
            bare = re.sub(r"\\[\\\[\]]", "", text)
            self.assertNotIn("[", bare)
            self.assertNotIn("]", bare)
            self.assertEqual(text.replace("{{", "").replace("}}", "").strip("{}"), text.replace("{{", "").replace("}}", ""))  # fmt: skip
            for character in text:
                self.assertTrue(character.isprintable(), ascii(character))

    def test_a_name_with_the_folder_said_again_stays_relative(self) -> None:
        self.put_run("a.jsonl")
        for name in ("./a.jsonl", ".//a.jsonl", "././/a.jsonl"):
            (result,) = self.log("audit", name)["results"]
            location = result["locations"][0]["physicalLocation"]["artifactLocation"]
            self.assertEqual(location, {"uri": "a.jsonl"}, name)

    def put_run(self, name: str) -> None:
        (self.folder / name).write_text(
            "".join(
                f'{{"index": {n}, "tool": "t", "args": {{}}, "response": {{}}}}\n' for n in (0, 1)
            )
        )

    def test_a_name_of_any_bytes_is_a_relative_uri(self) -> None:
        names = ("a b.jsonl", "a:b.jsonl", "%41.jsonl", "é.jsonl", "\udcff.jsonl", "a\nb.jsonl", "a#b?.jsonl")  # fmt: skip
        (self.folder / "runs").mkdir()
        for name in names:
            with open(self.folder / "runs" / name, "w") as file:
                file.write('{"index": 0, "tool": "t", "args": {}, "response": {}}\n' * 1)
                file.write('{"index": 1, "tool": "t", "args": {}, "response": {}}\n')
        run = self.log("audit", "runs")
        found = {
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for result in run["results"]
        }
        self.assertEqual(
            found,
            {"runs/a%20b.jsonl", "runs/a%3Ab.jsonl", "runs/%2541.jsonl", "runs/%C3%A9.jsonl",
             "runs/%FF.jsonl", "runs/a%0Ab.jsonl", "runs/a%23b%3F.jsonl"},
        )  # fmt: skip
