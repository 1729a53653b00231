"""toolreplay.evidence.aer1.drafts"""

import unittest

from toolreplay.evidence.aer1.drafts import CODE, DRAFTS, NOTES, OPEN, TEXT


class TheTable(unittest.TestCase):
    def test_each_line_has_a_draft_a_fact_and_how_it_is_known(self) -> None:
        self.assertEqual([change.draft for change in DRAFTS], sorted(c.draft for c in DRAFTS))
        for change in DRAFTS:
            self.assertRegex(change.draft, r"\A[0-9]{2}\Z")
            self.assertTrue(change.what)
            self.assertIn(change.known_from, (TEXT, CODE, NOTES))
        self.assertTrue(all(OPEN))

    def test_no_text_is_claimed_that_could_not_be_had(self) -> None:
        self.assertLessEqual({c.draft for c in DRAFTS if c.known_from == TEXT}, {"06", "07", "08"})
