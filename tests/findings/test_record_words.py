"""toolreplay.findings.record_words"""

import unittest

from toolreplay.findings.record_words import RECORD_WORDS
from toolreplay.findings.words import WORDS


class TheyAreAmongTheWords(unittest.TestCase):
    """Decided by us: there is one list of words, kept in two files."""

    def test_each_is_a_thing_with_its_sentences_and_term(self) -> None:
        self.assertGreater(len(RECORD_WORDS), 10)
        for word, told in RECORD_WORDS.items():
            self.assertEqual(WORDS[word], ("thing", *told))
