"""The table of rules: complete, and one sentence each."""

import re
import unittest

from tests.promises.source import PACKAGE
from toolreplay.evidence.aer1.rules import GROUPS, RULES, group_of


class TheTable(unittest.TestCase):
    """Decided by us: an id that stands in code or cases has its sentence."""

    def test_each_rule_is_of_a_group_and_has_a_sentence(self) -> None:
        self.assertEqual({group_of(rule) for rule in RULES}, GROUPS.keys())
        for rule, sentence in RULES.items():
            self.assertTrue(sentence.endswith("."), rule)

    def test_each_id_in_the_code_is_in_the_table(self) -> None:
        pattern = re.compile(rf'"((?:{"|".join(GROUPS)})-[0-9]+)"')
        for path in (PACKAGE / "evidence").rglob("*.py"):
            found = set(pattern.findall(path.read_text(encoding="utf-8"))) - {"UTF-8"}
            self.assertLessEqual(found, RULES.keys(), path.name)
