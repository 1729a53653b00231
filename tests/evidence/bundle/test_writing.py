"""Writing a bundle as a stream."""

import json
import unittest

from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.made import Maker
from toolreplay.evidence.bundle.lines import PART_BYTES, kind_of_line


class Written(unittest.TestCase):
    """Decided by us: entries as they are made, then what can be derived from them."""

    def kinds(self, data: bytes) -> list[str | None]:
        return [kind_of_line(json.loads(line)) for line in data.splitlines()]

    def test_the_lines_and_their_order(self) -> None:
        self.assertEqual(
            self.kinds(made.imported(2).bundle(declared={"job": "j"})),
            ["first", "entry", "entry", "entry", "entry", "step", "step", "workflow",
             "commitment", "declared", "end"],
        )  # fmt: skip

    def test_a_run_without_calls_has_no_workflow_close(self) -> None:
        self.assertEqual(
            self.kinds(Maker().open().close().bundle()),
            ["first", "entry", "entry", "commitment", "end"],
        )

    def test_every_line_is_in_its_form_and_the_end_counts_them(self) -> None:
        data = made.on_the_wire().bundle()
        self.assertEqual(made.joined(made.apart(data)), data)

    def test_the_same_run_is_the_same_bytes(self) -> None:
        self.assertEqual(made.on_the_wire().bundle(), made.on_the_wire().bundle())

    def test_the_commitment_is_over_the_chain_with_its_close(self) -> None:
        maker = made.imported(2)
        (line,) = [v["commitment"] for v in made.apart(maker.bundle()) if "commitment" in v]
        self.assertEqual(
            line,
            {"job_id": made.RUN, "entry_count": 3, "final_entry_digest": maker.head.prev_digest,
             "published_at": made.PUBLISHED},
        )  # fmt: skip


class Pieces(unittest.TestCase):
    """Decided by us: each once, before the first entry that needs it."""

    def test_in_their_place(self) -> None:
        values = made.apart(attacks.with_pieces().bundle())
        names = ["piece" if "piece" in value else "entry" for value in values if "piece" in value or "entry" in value]  # fmt: skip
        self.assertEqual(names, ["entry", "piece", "entry", "piece", "entry", "piece", "entry"])

    def test_once(self) -> None:
        piece = made.detached(b"the same")
        maker = Maker("mcp-wire").open().both(1, "t", piece, piece).both(2, "t", piece).close()
        values = made.apart(maker.bundle())
        self.assertEqual(sum("piece" in value for value in values), 1)
        result = made.judged(maker.bundle())
        self.assertEqual(result.faults, [])
        self.assertEqual([call.args for call in result.calls], [{"_raw": "the same"}] * 2)

    def test_a_large_one_in_parts(self) -> None:
        maker = Maker().open().call(1, "t", {}, bytes(PART_BYTES + 1)).close()
        values = made.apart(maker.bundle())
        parts = [value["part"] for value in values if "piece" in value]
        self.assertEqual((parts, made.judged(maker.bundle()).faults), ([0, 1], []))

    def test_sealed_bytes_only_when_asked_for(self) -> None:
        kept, gone = made.sealed(b"kept"), made.sealed(b"gone", 2, keep=False)
        maker = Maker().open().call(1, "t", kept, gone).close()
        without, with_them = maker.bundle(), maker.bundle(with_sealed=True)
        self.assertNotIn(b'"piece"', without)
        (line,) = [value for value in made.apart(with_them) if "piece" in value]
        self.assertEqual((line["piece"], len(line["key"])), (kept.described["digest"], 64))
        for data, count in ((without, 2), (with_them, 1)):
            result = made.judged(data)
            self.assertEqual(result.faults, [])
            words = f"1 of 1; {count} sealed piece{'s' * (count > 1)} not opened"
            self.assertEqual(result.checks["contents"].count, words)

    def test_a_sealed_piece_with_other_bytes_or_key(self) -> None:
        maker = Maker().open().call(1, "t", made.sealed(b"kept"), {}).close()
        for member, new in (("b64", "Z29uZQ=="), ("key", "ab" * 32)):
            values = made.apart(maker.bundle(with_sealed=True))
            next(value for value in values if "piece" in value)[member] = new
            self.assertEqual(made.judged(made.joined(values)).kinds, ["broken-commitment"])


if __name__ == "__main__":
    unittest.main()
