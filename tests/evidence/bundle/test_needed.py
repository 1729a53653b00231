"""The pieces entries need, and those they only name: carried right, gone, or never there."""

import unittest

from tests.evidence.bundle import made
from tests.evidence.bundle.made import Maker, judged
from toolreplay.errors import InputError
from toolreplay.evidence.bundle import absent
from toolreplay.evidence.bundle.absent import SEALED, Absent
from toolreplay.evidence.bundle.needed import NeededPieces
from toolreplay.evidence.bundle.pieces import CarriedPieces
from toolreplay.records.limits import DEFAULT

DEFINITION, SERVER = made.detached(b'{"name":"pay"}'), made.detached(b'{"serverInfo":{}}')
DIGESTS = {
    "tool_definition": DEFINITION.described["digest"],
    "server": SERVER.described["digest"],
}


def shopping(*, keeps: bool = True, erases: bool = False) -> Maker:
    """Return a run of two calls of one tool, of which definition and server were seen."""
    kept = (DEFINITION, SERVER) if keeps else ()
    maker = Maker("mcp-wire").open()
    for position in (1, 2):
        maker.both(position, "pay", {"n": position}, {}, capture=DIGESTS, kept=kept)
    maker.close()
    return maker.erase(DIGESTS.values(), "a name in it") if erases else maker


class SeenOfToolAndServer(unittest.TestCase):
    """Decided by us: carried where it was kept, so that a server can be played from the record."""

    def test_each_stands_once_before_the_first_call_that_names_it(self) -> None:
        values = made.apart(shopping().bundle())
        places = [number for number, value in enumerate(values) if "piece" in value]
        self.assertEqual([values[place]["piece"] for place in places], list(DIGESTS.values()))
        self.assertEqual(made.kind_of(values[places[-1] + 1]), "call")
        result = judged(shopping().bundle())
        self.assertEqual((result.faults, result.checks["contents"].count), ([], "2 of 2"))

    def test_other_bytes_are_found(self) -> None:
        for place, digest in zip(("tool_definition", "server"), DIGESTS.values(), strict=True):
            values = made.apart(shopping().bundle())
            (line,) = [value for value in values if value.get("piece") == digest]
            line["b64"] = "e30="
            (fault,) = judged(made.joined(values)).faults
            self.assertEqual((fault.kind, fault.subject), ("broken-commitment", f"capture.{place}"))
            self.assertEqual(
                fault.detail, f"the piece of capture.{place} has other bytes than its digest"
            )

    def test_that_it_is_not_here_is_no_fault(self) -> None:
        result = judged(shopping(keeps=False).bundle())
        self.assertEqual((result.faults, result.checks["contents"].count), ([], "2 of 2"))
        self.assertFalse([note for note in result.notes if "erased" in note])

    def test_what_no_receipt_names_is_refused(self) -> None:
        values = made.apart(shopping().bundle())
        (place,) = [n for n, value in enumerate(values) if value.get("piece") == DIGESTS["server"]]
        values.insert(place, _line(b"foreign"))
        with self.assertRaisesRegex(InputError, "needed by no entry"):
            judged(made.joined(values))

    def test_what_was_erased_is_named(self) -> None:
        result = judged(shopping(keeps=False, erases=True).bundle())
        self.assertEqual(result.faults, [])
        for place, digest in DIGESTS.items():
            self.assertIn(
                f"erased: the piece of capture.{place} ({digest}) is not here", result.notes
            )

    def test_what_is_remembered_of_it_is_bounded(self) -> None:
        gone = Absent()
        pieces = NeededPieces(CarriedPieces(DEFAULT, None), gone)
        digests = [f"{number:064x}" for number in range(absent._MOST_SEEN + 5)]
        for digest in digests:
            capture = {"tool_definition": digest}
            empty = made.as_piece({}).described
            committed = {"inputs": {"args": empty}, "outputs": {"result": None}, "capture": capture}
            self.assertEqual(list(pieces.of_receipt(committed)), [])
        self.assertEqual(list(gone.erased_seen()), [])
        gone.note_erased(digests)
        self.assertEqual(len(list(gone.erased_seen())), absent._MOST_SEEN)


class OneEntryAfterTheOther(unittest.TestCase):
    """Decided by us: what stands before an entry is what that entry needs."""

    def setUp(self) -> None:
        self.pieces = NeededPieces(CarriedPieces(DEFAULT, None), Absent())

    def test_a_detached_piece_must_be_here_or_erased(self) -> None:
        (fault,) = self.pieces.of_piece("args", DEFINITION.described)
        digest = DEFINITION.described["digest"]
        self.assertEqual(
            (fault.kind, fault.subject, fault.is_open), ("missing-piece", digest, True)
        )

    def test_a_sealed_one_that_is_not_here_is_said_to_be(self) -> None:
        sealed = made.sealed(b"s").described
        (fault,) = self.pieces.of_piece("args", sealed)
        self.assertEqual((fault.kind, fault.subject), (SEALED, sealed["digest"]))

    def test_an_inline_one_stands_in_its_receipt(self) -> None:
        self.assertEqual(list(self.pieces.of_piece("args", made.as_piece({}).described)), [])
        self.assertEqual(self.pieces.settle(), [])


def _line(content: bytes) -> made.Value:
    piece = made.detached(content)
    maker = Maker().open().call(1, "t", piece, {}).close()
    (line,) = [value for value in made.apart(maker.bundle()) if "piece" in value]
    return line


if __name__ == "__main__":
    unittest.main()
