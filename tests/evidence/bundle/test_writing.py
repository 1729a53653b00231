"""Writing a bundle as a stream."""

import json
import unittest
from typing import Any

from tests.evidence.bundle import attacks, in_a_log, made
from tests.evidence.bundle.in_a_log import Log
from tests.evidence.bundle.made import Maker
from toolreplay.evidence.bundle.lines import PART_BYTES, kind_of_line
from toolreplay.evidence.bundle.writing import BundleWriter
from toolreplay.evidence.profile.entry import Entry


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


class FromAStore(unittest.TestCase):
    """Decided by us: a store hands over what it has, in the order it was recorded."""

    def written(self, maker: Maker, *, has: dict[str, tuple[bytes, bytes | None]], **more: Any) -> bytes:  # fmt: skip
        """Write entries as a store knows them: bytes, salt and kind, and content by its digest."""
        out = bytearray()
        writer = BundleWriter(out.extend, maker.head.run, stored=has.get, **more)
        for entry in maker.entries:
            writer.add(Entry(entry.kind, entry.payload, entry.salt))
        writer.finish(None, made.PUBLISHED)
        return bytes(out)

    def content_of(self, maker: Maker) -> dict[str, tuple[bytes, bytes | None]]:
        pieces = [piece for entry in maker.entries for piece in entry.pieces]
        return {
            piece.described["digest"]: (piece.content, piece.key)
            for piece in pieces
            if piece.content is not None
        }

    def test_the_bytes_are_those_of_a_run_that_was_just_made(self) -> None:
        wire = Maker("mcp-wire").open().both(1, "t", made.detached(b"a"), made.detached(b"b"))
        wire.observe(b"seen", 0).gap().close(made.detached(b"c"))
        for maker in (made.imported(2), attacks.with_pieces(), wire, Maker().open().close()):
            self.assertEqual(self.written(maker, has=self.content_of(maker)), maker.bundle())

    def test_sealed_bytes_only_when_asked_for_and_there(self) -> None:
        maker = Maker().open().call(1, "t", made.sealed(b"one"), made.sealed(b"two", 2)).close()
        has = self.content_of(maker)
        self.assertEqual(self.written(maker, has=has), maker.bundle())
        self.assertEqual(self.written(maker, has=has, with_sealed=True), maker.bundle(with_sealed=True))  # fmt: skip
        for digest, (content, _) in list(has.items()):
            has[digest] = content, None  # the key is gone
        self.assertEqual(self.written(maker, has=has, with_sealed=True), maker.bundle())

    def test_a_piece_that_is_gone_is_left_out(self) -> None:
        maker = attacks.with_pieces()
        digest = next(iter(self.content_of(maker)))
        maker.erase([digest])
        has = self.content_of(maker)
        del has[digest]
        result = made.judged(self.written(maker, has=has))
        self.assertEqual(result.faults, [])
        self.assertIn("1 piece erased", result.checks["contents"].count or "")

    def test_an_open_run_has_its_steps_and_no_close(self) -> None:
        maker = Maker().open().call(1, "t", {}, {})
        data = self.written(maker, has={})
        kinds = [kind_of_line(json.loads(line)) for line in data.splitlines()]
        self.assertEqual(kinds, ["first", "entry", "entry", "step", "end"])
        self.assertEqual(made.judged(data).kinds, ["unclosed-run"])

    def test_erased_entries_with_and_without_their_steps(self) -> None:
        maker = made.imported(3)
        commit = made.commit_of(maker.entries[2])
        maker.erase([commit])
        (step,) = [v["step"] for v in made.apart(maker.bundle()) if v.get("step", {}).get("seq") == 2]  # fmt: skip
        for kept in (None, step):
            out = bytearray()
            writer = BundleWriter(out.extend, maker.head.run)
            for number, entry in enumerate(maker.entries):
                if number == 2:
                    writer.add_erased(bytes.fromhex(commit), step=kept)
                else:
                    writer.add(entry)
            writer.finish(None, made.PUBLISHED)
            with self.subTest(has_step=kept is not None):
                result = made.judged(bytes(out))
                self.assertEqual(result.faults, [])
                self.assertEqual(len(result.calls), 2)

    def test_links_stand_behind_what_was_declared(self) -> None:
        out = bytearray()
        maker = made.imported(1)
        writer = BundleWriter(out.extend, maker.head.run)
        for entry in maker.entries:
            writer.add(entry)
        writer.finish(maker.head, made.PUBLISHED, {"job": "j"}, [{"host": "a"}, {"host": "b"}])
        self.assertEqual(out.replace(b'{"link":{"host":"a"}}\n{"link":{"host":"b"}}\n', b"").count(b"link"), 0)  # fmt: skip
        result = made.judged(bytes(out))
        self.assertEqual((result.faults, result.unbound["declared"]), ([], {"job": "j"}))


class InALog(unittest.TestCase):
    """Decided by us: the lines of the log stand last, a checkpoint or a head."""

    def test_the_lines_and_their_order(self) -> None:
        maker = made.imported(1)
        log = Log().take(maker).filled(2)
        for sign, last in ((None, "head"), (in_a_log.sign, "checkpoint")):
            data = log.bundle(maker, sign, since=[1, 4])
            kinds = [kind_of_line(json.loads(line)) for line in data.splitlines()]
            wanted = ["commitment", "consistency", "consistency", last, "end"]
            self.assertEqual(kinds[-5:], wanted)
            self.assertEqual(made.joined(made.apart(data)), data)


if __name__ == "__main__":
    unittest.main()
