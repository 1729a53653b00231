"""What is not here, and what of it was erased."""

import unittest

from tests.evidence.bundle import attacks, made
from toolreplay.evidence.bundle.absent import SEALED, Absent
from toolreplay.evidence.record import Fault

ONE, OTHER = "ab" * 32, "cd" * 32


class WhatIsNotHere(unittest.TestCase):
    """Decided by us: what was erased reads so, sealed or not, and the rest as it did."""

    def setUp(self) -> None:
        self.absent = Absent()
        for digest, index in ((ONE, 0), (OTHER, 1), (ONE, None)):
            self.absent.take_sealed(Fault(SEALED, "", digest, index))

    def test_sealed_until_it_is_erased(self) -> None:
        self.assertEqual((self.absent.sealed, list(self.absent.erased_sealed())), (3, []))
        self.absent.note_erased([ONE, "ef" * 32])
        self.assertEqual(self.absent.sealed, 1)
        text = f"the sealed piece ({ONE}) is not here"
        self.assertEqual(list(self.absent.erased_sealed()), [f"index 0: {text}", text])

    def test_an_entry_without_its_payload_needs_somebodys_word(self) -> None:
        self.absent.entries.update({ONE: 3, OTHER: 4})
        self.absent.note_erased([ONE])
        self.assertTrue(self.absent.is_erased(ONE))
        self.assertEqual(
            [(fault.kind, fault.subject) for fault in self.absent.faults()], [("missing-entry", 4)]
        )

    def test_in_a_bundle(self) -> None:
        """As a leaf of the whole: a sealed piece is no fault, and its index is that of its call."""
        maker = made.Maker().open()
        sealed = [made.sealed(b"secret", number) for number in (1, 2)]
        for position in (1, 2):
            maker.call(position, "t", {"n": position}, sealed[position - 1])
        result = made.judged(maker.close().erase([sealed[1].described["digest"]]).bundle())
        self.assertEqual(result.faults, [])
        self.assertEqual(
            result.checks["contents"].count, "2 of 2; 1 sealed piece not opened; 1 piece erased"
        )
        erased = [note for note in result.notes if note.startswith("erased: ")]
        digest = sealed[1].described["digest"]
        self.assertEqual(erased, [f"erased: index 1: the sealed piece ({digest}) is not here"])
        self.assertEqual(made.judged(attacks.with_pieces().bundle()).faults, [])


if __name__ == "__main__":
    unittest.main()
