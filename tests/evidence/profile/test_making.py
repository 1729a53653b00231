"""Making the entries of a run: each from the head before it, or nothing at all."""

import hashlib
import json
import unittest
from typing import Any

from tests.evidence.bundle import made
from tests.evidence.bundle.made import Maker
from toolreplay.errors import CanonicalError
from toolreplay.evidence.aer1.receipt import check_receipt
from toolreplay.evidence.profile import making
from toolreplay.evidence.profile.making import FIRST_PREV, NOT_RECORDED, RunHead
from toolreplay.evidence.profile.piece import Piece
from toolreplay.version import __version__


def receipts(maker: Maker) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return each receipt of a run with its committed object."""
    values = [{"payload": json.loads(entry.payload)} for entry in maker.entries]
    return [
        (value["payload"], made.committed_of(value))
        for value in values
        if "canonical_bytes" in value["payload"]
    ]


class Receipts(unittest.TestCase):
    """Decided by AER-1 what a receipt is, by us what it commits to."""

    def test_each_passes_with_no_note_and_is_of_the_current_shape(self) -> None:
        for maker in (made.imported(), made.on_the_wire()):
            for receipt, _ in receipts(maker):
                report = check_receipt(receipt, now=made.PUBLISHED)
                self.assertTrue(report.passed and report.is_current_shape and report.strict_passed)
                self.assertEqual(report.notes, ())

    def test_the_outside_says_what_the_inside_says(self) -> None:
        for receipt, committed in receipts(made.on_the_wire()):
            binding = committed["binding"]
            self.assertEqual(receipt["id"], binding["receipt_id"])
            self.assertEqual(receipt["created_at"], binding["created_at"])
            self.assertEqual(receipt["tool"], committed["tool"])
            self.assertEqual(receipt["provenance_class"], "OBSERVED VIA GATEWAY")
            self.assertEqual(committed["issuer_claims"], {"provenance_class": "OBSERVED VIA GATEWAY"})  # fmt: skip
            self.assertEqual(receipt["verification_status"], "verified")

    def test_seq_counts_what_ended_and_position_what_began(self) -> None:
        bindings = [committed["binding"] for _, committed in receipts(made.on_the_wire())]
        self.assertEqual([binding["seq"] for binding in bindings], [1, 2, 3, 4])
        self.assertEqual([binding["position"] for binding in bindings], [2, 1, 4, None])

    def test_each_names_the_digest_of_the_one_before_it(self) -> None:
        previous = FIRST_PREV
        for receipt, committed in receipts(made.on_the_wire()):
            binding = committed["binding"]
            self.assertEqual(binding["prev_digest"], previous)
            entry = {
                "close": "close" in committed, "id": receipt["id"], "job_id": made.RUN,
                "output_hash": receipt["output_hash"].removeprefix("sha256:"),
                "prev_digest": previous, "provenance_class": receipt["provenance_class"],
                "seq": binding["seq"], "tool": receipt["tool"]["name"],
            }  # fmt: skip
            text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
            previous = hashlib.sha256(text.encode()).hexdigest()
        self.assertEqual(made.on_the_wire().head.prev_digest, previous)

    def test_a_parent_is_bound_where_there_is_one(self) -> None:
        maker = Maker().open().call(1, "t", {}, {}, parent="p-1")
        ((_, committed),) = receipts(maker)
        self.assertEqual(committed["binding"]["parent"], "p-1")


class TheCloseReceipt(unittest.TestCase):
    """Decided by us: it says how much of the run there is."""

    def close_of(self, maker: Maker) -> dict[str, Any]:
        committed = receipts(maker)[-1][1]
        self.assertEqual(committed["tool"], {"name": "toolreplay.close", "version": __version__, "scope": "run"})  # fmt: skip
        close: dict[str, Any] = committed["close"]
        return close

    def test_counts_roots_and_the_digest_over_the_entries(self) -> None:
        maker = made.on_the_wire()
        close = self.close_of(maker)
        self.assertEqual((close["count"], close["by_status"]), (3, {"ok": 2, "denied": 1}))
        self.assertEqual(close["unfinished"], [3])
        commits = b"".join(bytes.fromhex(made.commit_of(entry)) for entry in maker.entries[:-1])
        self.assertEqual(
            close["entries"],
            {"count": len(maker.entries) - 1, "digest": hashlib.sha256(commits).hexdigest()},
        )
        ids = [hashlib.sha256(one["id"].encode()).digest() for one, _ in receipts(maker)[:-1]]
        left = hashlib.sha256(ids[0] + ids[1]).digest()
        right = hashlib.sha256(ids[2] + ids[2]).digest()
        self.assertEqual(close["receipt_id_root"], hashlib.sha256(left + right).hexdigest())

    def test_a_run_without_calls_has_no_roots(self) -> None:
        close = self.close_of(Maker().open().close())
        self.assertEqual((close["count"], close["merkle_root"], close["receipt_id_root"]), (0, None, None))  # fmt: skip

    def test_an_answer_that_was_not_recorded_is_told_from_an_empty_one(self) -> None:
        without = self.close_of(Maker().open().close())
        empty = self.close_of(Maker().open().close(b""))
        self.assertEqual((without["answer_recorded"], empty["answer_recorded"]), (False, True))

    def test_a_goal_that_nobody_wrote_down(self) -> None:
        for goal in ("", NOT_RECORDED):
            self.assertEqual(self.close_of(Maker().open().close(goal=goal))["goal"], NOT_RECORDED)
        self.assertEqual(self.close_of(Maker().open().close(goal="a\ud800"))["goal"], "a\\u{d800}")


class Refusals(unittest.TestCase):
    """Decided by us: what cannot be committed to is refused before anything is changed."""

    def refused(self, text: str, **more: Any) -> None:
        maker = Maker().open()
        before = maker.head, maker.head.totals.commits.digest(), list(maker.entries)
        with self.assertRaisesRegex(CanonicalError, text):
            maker.call(more.pop("position", 1), "t", {}, {}, **more)
        self.assertEqual((maker.head, maker.head.totals.commits.digest(), maker.entries), before)

    def test_what_has_no_form_or_is_no_member(self) -> None:
        self.refused("outputs.status is no outcome", status="done")
        self.refused("binding.position is not a whole number from 1", position=0)
        self.refused("inputs.more is no member", inputs={"more": 1})
        self.refused("", inputs={"view": float("nan")})
        self.refused("", outputs={"view": "\ud800"})

    def test_a_layer_that_nothing_can_come_from(self) -> None:
        maker = Maker("gossip").open()
        with self.assertRaisesRegex(CanonicalError, "capture.layer"):
            maker.call(1, "t", {}, {})

    def test_a_detached_piece_without_its_content(self) -> None:
        described = made.detached(b"x").described
        with self.assertRaisesRegex(CanonicalError, "no content"):
            Maker().open().call(1, "t", Piece(described), {})


class Heads(unittest.TestCase):
    """Decided by us: whoever lost a race asks again from another head, and nothing is spoilt."""

    def test_the_same_head_gives_the_same_entry_as_often_as_it_is_asked(self) -> None:
        maker = made.imported()
        head = RunHead.of_new_run(made.RUN)
        call = maker.observed(1, "t", made.as_piece({}), made.as_piece({"n": 1}))
        one, after = making.call_entry(head, call, "id-1", bytes(32))
        other, again = making.call_entry(head, call, "id-1", bytes(32))
        self.assertEqual(one, other)
        first, second = after.totals, again.totals
        self.assertEqual(first.commits.digest(), second.commits.digest())
        self.assertEqual((first.outputs.root(), first.ids.root()), (second.outputs.root(), second.ids.root()))  # fmt: skip
        self.assertEqual((head.seq, head.entries, head.prev_digest), (0, 0, FIRST_PREV))
        self.assertEqual((after.seq, after.entries, first.by_status), (1, 1, (("ok", 1),)))

    def test_a_head_without_totals_gives_the_same_receipt_and_no_close(self) -> None:
        maker = made.imported()
        head = RunHead.of_new_run(made.RUN)
        call = maker.observed(1, "t", made.as_piece({}), made.as_piece({"n": 1}))
        one, _ = making.call_entry(head, call, "id-1", bytes(32))
        other, after = making.call_entry(head._replace(totals=None), call, "id-1", bytes(32))
        self.assertEqual((one, 1, 1, None), (other, after.seq, after.position, after.totals))
        with self.assertRaises(AssertionError):
            making.close_entry(after, call, "id-2", bytes(32), status="closed", closed_by="import")

    def test_an_entry_that_is_no_receipt_moves_the_entries_alone(self) -> None:
        maker = Maker().open()
        before = maker.head
        maker.gap()
        self.assertEqual((maker.head.seq, maker.head.prev_digest), (before.seq, before.prev_digest))
        self.assertEqual(maker.head.entries, before.entries + 1)
        self.assertNotEqual(maker.head.totals.commits.digest(), before.totals.commits.digest())

    def test_a_tool_without_a_spelling_gets_a_fixed_one(self) -> None:
        self.assertEqual(
            making.tool_of("a\udc80"),
            {"name": "a\\u{dc80}", "version": "unknown", "scope": "unknown"},
        )
        self.assertEqual(making.tool_of("")["name"], "unknown")


if __name__ == "__main__":
    unittest.main()
