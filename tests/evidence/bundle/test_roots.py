"""To which root the paths of entries lead."""

import unittest

from toolreplay.evidence.bundle.roots import Roots

A, B = b"a" * 32, b"b" * 32


def roots(*found: bytes | None) -> Roots:
    made = Roots()
    for number, root in enumerate(found):
        made.add(root, number)
    return made


class WhichRoot(unittest.TestCase):
    """Decided by us: the head says which is right; until then the one that most lead to."""

    def test_the_usual_one_is_that_of_more_than_half(self) -> None:
        self.assertEqual(roots(A, A, B).usual, A)
        self.assertEqual(roots(A).usual, A)
        for found in ((), (A, B), (None, None), (A, None), (A, B, None)):
            self.assertIsNone(roots(*found).usual, found)

    def test_what_does_not_lead_to_a_root(self) -> None:
        made = roots(A, None, B, A)
        self.assertEqual((list(made.others(A)), made.count_of_others(A)), ([1, 2], 2))
        self.assertEqual((sorted(made.others(None)), made.count_of_others(None)), ([0, 1, 2, 3], 4))
        self.assertTrue(A in made and B in made and b"c" * 32 not in made)

    def test_few_roots_and_few_numbers_are_remembered(self) -> None:
        made = roots(*(number.to_bytes(32, "big") for number in range(200)), *[A] * 50)
        self.assertEqual((made.entries, made.count_of_others((1).to_bytes(32, "big"))), (250, 249))
        self.assertLessEqual(len(list(made.others(B))), 64 + 20)
        self.assertEqual(len(list(roots(*[A] * 50).others(B))), 20)


if __name__ == "__main__":
    unittest.main()
