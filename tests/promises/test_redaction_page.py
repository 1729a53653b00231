"""The page of redaction lists the rules there are, and what it says of them is so.

UPDATE_GOLDEN=1 writes the table anew.
"""

import json
import os
import pathlib
import re
import tempfile
import unittest

from toolreplay.evidence.redaction.names import likeness
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.evidence.redaction.rules import KINDS, SHIPPED
from toolreplay.sources.project import redaction_of_project

PAGE = pathlib.Path(__file__).parents[2] / "docs/redaction.md"
_TABLE = re.compile("(?<=<!-- rules -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table() -> str:
    """Return the table of the shipped rules."""
    rows = [f"| `{name}` | {hides} |" for name, hides in SHIPPED.items()]
    return "\n".join(["| rule | hides |", "|---|---|", *rows]) + "\n"


class ThePage(unittest.TestCase):
    """We decided that code and page have one source."""

    def setUp(self) -> None:
        self.text = PAGE.read_text(encoding="utf-8")

    def test_lists_the_rules(self) -> None:
        if os.environ.get("UPDATE_GOLDEN"):
            self.text = _TABLE.sub(lambda _: table(), self.text)
            PAGE.write_text(self.text, encoding="utf-8")
        self.assertEqual(_TABLE.findall(self.text), [table()])

    def test_names_that_are_and_names_that_are_not(self) -> None:
        (are, are_not) = re.findall(
            r"separators: (.*?) are names of credentials; (.*?) are none", self.text, re.DOTALL
        )[0]
        for name in re.findall("`(.*?)`", are):
            self.assertEqual(likeness(name), "strong", name)
        for name in re.findall("`(.*?)`", are_not):
            self.assertNotEqual(likeness(name), "strong", name)

    def test_its_project_file_is_read(self) -> None:
        (example,) = re.findall("```toml\n(.*?)```", self.text, re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "toolreplay.toml")
            path.write_text(example, encoding="utf-8")
            rules = redaction_of_project(str(path))
        self.assertEqual([rule.kind for rule in rules], list(KINDS))
        content = {
            "customer_no": 1, "patient": [{"diagnosis": {"code": "x"}}],
            "a": "card ACME-17", "b": "of Project Falcon", "c": "stays",
        }  # fmt: skip
        hidden = Redactor(rules).redacted(json.dumps(content).encode()).hidden
        self.assertEqual(
            [path for path, _ in hidden],
            ["/customer_no", "/patient/0/diagnosis/code", "/a", "/b"],
        )

    def test_what_it_says_is_not_found(self) -> None:
        for value in ({"text": "hunter2"}, {"a": "gh" + "p_", "b": "x" * 36}, {"pin": "1234"}):
            self.assertEqual(Redactor().redacted(json.dumps(value).encode()).hidden, ())

    def test_what_it_says_is_hidden_by_mistake(self) -> None:
        self.assertTrue(Redactor().redacted(b'{"password": "Passwort"}').hidden)


if __name__ == "__main__":
    unittest.main()
