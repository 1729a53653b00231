"""The schemas that are shipped; that documents hold to them needs jsonschema: tests/schemas."""

import json
import unittest

from tests.cli import ways
from toolreplay.findings.check import LINES
from toolreplay.findings.difference import KINDS, SAME
from toolreplay.packaged import data_file, extensions_of, load_extension
from toolreplay.records.call import OUTCOMES
from toolreplay.reports.json import FORMAT
from toolreplay.reports.json.difference import FORMAT as DIFF_FORMAT

FOLDER = ways.ROOT / "toolreplay" / "reports" / "json"
SCHEMAS = {path.name: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


def objects_of(schema: object) -> list[dict[str, object]]:
    """Return each part of a schema that describes the members of an object."""
    found = []
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            found.append(schema)
        for item in schema.values():
            found += objects_of(item)
    elif isinstance(schema, list):
        for item in schema:
            found += objects_of(item)
    return found


class TheSchemas(unittest.TestCase):
    """Decided by us: draft 2020-12, and no member that is not named."""

    def test_there_is_one_for_every_format_that_the_program_writes(self) -> None:
        import re

        written = set()
        for path in (ways.ROOT / "toolreplay" / "cli").glob("*.py"):
            written |= set(re.findall(r"toolreplay-[a-z]+/\d+", path.read_text(encoding="utf-8")))
        written |= {FORMAT, DIFF_FORMAT}
        self.assertEqual(written, {schema["title"] for schema in SCHEMAS.values()})

    def test_each_names_its_format_its_draft_and_itself(self) -> None:
        for name, schema in SCHEMAS.items():
            with self.subTest(name):
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertEqual(schema["$id"], f"https://toolreplay.invalid/schemas/{name}")
                self.assertEqual(schema["properties"]["format"], {"const": schema["title"]})
                self.assertTrue(schema["description"])

    def test_no_object_of_ours_takes_other_members(self) -> None:
        free = {"args", "response"}
        for name, schema in SCHEMAS.items():
            for part in objects_of(schema):
                with self.subTest(name):
                    if "properties" in part:
                        self.assertIs(part["additionalProperties"], False)
                        self.assertLessEqual(set(part["required"]), set(part["properties"]))  # type: ignore[call-overload]
                        for member in free & set(part["properties"]):  # type: ignore[call-overload]
                            self.assertEqual(part["properties"][member]["type"], "object")  # type: ignore[index]
                    else:
                        self.assertTrue({"additionalProperties", "description"} & set(part))

    def test_the_words_they_list_are_the_programs(self) -> None:
        report, show = SCHEMAS["schema.json"]["$defs"], SCHEMAS["show.schema.json"]["$defs"]
        self.assertEqual(report["check"]["properties"]["line"]["enum"], list(LINES))
        self.assertEqual(report["run"]["properties"]["required"]["items"]["enum"], list(LINES))
        self.assertEqual(show["call"]["properties"]["outcome"]["enum"], [None, *OUTCOMES])
        diff = SCHEMAS["diff.schema.json"]
        self.assertEqual(diff["$defs"]["difference"]["properties"]["kind"]["enum"], list(KINDS))
        self.assertEqual(list(diff["properties"]["counts"]["properties"]), [SAME, *KINDS])
        self.assertEqual(diff["$defs"]["mark"]["properties"]["outcome"]["enum"], [None, *OUTCOMES])

    def test_they_are_shipped(self) -> None:
        for name in SCHEMAS:
            self.assertEqual(data_file(f"reports/json/{name}"), (FOLDER / name).read_bytes())

    def test_a_report_names_the_schema_by_its_format(self) -> None:
        self.assertEqual(load_extension("reports", "json").FORMAT, SCHEMAS["schema.json"]["title"])
        self.assertIn("json", extensions_of("reports"))
