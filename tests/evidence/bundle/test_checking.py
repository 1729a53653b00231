"""The judgement of whole bundles: each attack by its name, and by no other's."""

import io
import types
import unittest

from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.made import Judged, Maker, Value, judged
from toolreplay.errors import InputError
from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.record import Asked
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED
from toolreplay.records.limits import DEFAULT

Found = list[tuple[str, int | None, object]]

PIECE = "d1988cd3019824f075f61677e1a6f54b16035868488e4051757dde53adeef80f"

FOUND: dict[str, Found] = {
    "an_amount_edited": [("broken-commitment", 1, "receipt")],
    "an_inline_result_edited": [("broken-commitment", 1, "receipt")],
    "an_outer_time_changed": [("broken-commitment", 1, "receipt")],
    "an_outer_tool_renamed": [("broken-commitment", 1, "receipt")],
    "an_outer_id_changed": [("broken-commitment", 1, "receipt")],
    # Whoever mends the digest of a receipt breaks the link of the one behind it.
    "an_amount_edited_and_its_digest_mended": [("broken-link", 2, "prev_digest")],
    "a_committed_time_changed_and_mended": [("broken-link", 2, "prev_digest")],
    "the_last_amount_edited_and_its_digest_mended": [("broken-link", None, "prev_digest")],
    # Behind the close receipt stand two lines that are computed from it.
    "the_answer_edited_and_its_digest_mended": [
        ("workflow-mismatch", None, "output_hash"),
        ("commitment-mismatch", None, "final_entry_digest"),
    ],
    "a_call_dropped": [("missing-receipt", None, 2)],
    "a_call_dropped_and_renumbered": [("missing-receipt", None, 2)],
    "the_last_call_dropped_and_renumbered": [("missing-receipt", None, 4)],
    "two_calls_swapped": [("broken-link", 1, "order")],
    "two_calls_swapped_and_renumbered": [("broken-link", 1, "order")],
    "a_call_inserted": [("broken-link", 3, "fork")],
    "a_fork": [("broken-link", 3, "fork")],
    "a_receipt_twice": [("duplicate-receipt", 2, "copy")],
    "an_id_twice": [("duplicate-receipt", 2, "id")],
    # One was taken out and another put in its place.
    "a_receipt_of_another_run": [("broken-link", 1, "job_id"), ("missing-receipt", None, 2)],
    "the_model_changed": [("broken-commitment", None, "entries")],
    "a_salt_changed": [("broken-commitment", None, "entries")],
    "a_gap_dropped": [("missing-entry", None, 3)],
    "a_gap_dropped_and_renumbered": [("missing-entry", None, "entries")],
    "an_observation_dropped": [("missing-entry", None, "entries")],
    "an_unfinished_intent_removed": [("missing-entry", None, 3)],
    "an_intent_of_a_call_removed": [("missing-entry", 3, 4)],
    "an_intents_arguments_edited": [("broken-commitment", 3, "intent")],
    # The bytes of the receipt are others too, which the close receipt behind it shows.
    "the_position_of_another": [
        ("broken-link", 2, "position"), ("broken-link", None, "prev_digest"),
    ],
    "an_entry_behind_the_close": [("call-after-close", 4, 6)],
    "a_gap_behind_the_close": [("call-after-close", None, 6)],
    "pieces_swapped": [
        ("broken-commitment", 0, "outputs.result"), ("broken-commitment", 1, "outputs.result"),
    ],
    "a_piece_left_out": [("missing-piece", 0, PIECE)],
    "a_piece_cut_short": [("broken-commitment", 0, "outputs.result")],
    "the_tail_cut": [("unclosed-run", None, "close")],
    "the_close_dropped": [("unclosed-run", None, "close")],
    "a_step_renamed": [("workflow-mismatch", None, 2)],
    "a_steps_time_changed": [("workflow-mismatch", None, 2)],
    "a_step_dropped": [("workflow-mismatch", None, 2)],
    "the_root_replaced": [("root-mismatch", None, "merkle_root")],
    "the_goal_replaced": [("workflow-mismatch", None, "goal")],
    "the_workflow_dropped": [("workflow-mismatch", None, "workflow")],
    "the_commitment_replaced": [("commitment-mismatch", None, "final_entry_digest")],
    "the_commitment_dropped": [("commitment-mismatch", None, "commitment")],
    "the_close_edited": [("broken-commitment", None, "close")],
    # An intent stood between them, and now stands behind its receipt.
    "two_receipts_swapped_on_the_wire": [
        ("broken-link", None, "order"), ("broken-link", 0, "order"),
    ],
    "an_intent_behind_its_receipt": [("broken-link", None, "order")],
    "the_open_of_the_wire_dropped": [("missing-entry", None, "open")],
    "a_call_that_calls_itself_the_close": [("broken-commitment", 1, "receipt")],
    "other_bytes_under_an_id": [("broken-link", 3, "fork")],
    "a_member_put_into_the_close": [("broken-commitment", None, "close")],
    "the_close_given_a_position": [("broken-commitment", None, "close")],
    "the_open_dropped": [("missing-entry", None, "open")],
    "a_piece_of_another_length": [("broken-commitment", None, "outputs.result")],
}  # fmt: skip
"""What each attack of attacks.py is found as: kind, index, subject."""

LINE_OF_KIND = {
    "contents": {"broken-commitment", "missing-piece", "missing-entry"},
    "links": {"broken-link", "duplicate-receipt", "missing-receipt"},
    "ending": {
        "call-after-close", "commitment-mismatch", "root-mismatch", "truncated-run",
        "unclosed-run", "workflow-mismatch",
    },
}  # fmt: skip


def found(result: Judged) -> Found:
    return [(fault.kind, fault.index, fault.subject) for fault in result.faults]


def attacked(name: str) -> list[Value]:
    values: list[Value] = getattr(attacks, name)(attacks.base_of(name))
    return values


class Sound(unittest.TestCase):
    """Decided by us: what the maker and the writer give, the checker has nothing to say about."""

    def test_each_sort_of_run(self) -> None:
        runs = {
            "import": (made.imported(), 3),
            "wire": (made.on_the_wire(), 4),
            "pieces": (attacks.with_pieces(), 2),
            "no calls": (Maker().open().close(), 0),
        }
        for name, (maker, calls) in runs.items():
            with self.subTest(name):
                result = judged(maker.bundle())
                self.assertEqual(result.faults, [])
                self.assertEqual([call.index for call in result.calls], list(range(calls)))
                self.assertEqual(list(result.unbound), ["salt of the close entry", "commitment.published_at"])  # fmt: skip
                for line in LINE_OF_KIND:
                    self.assertEqual(result.checks[line].result, PASSED)
                for line in ("signer", "time", "log"):
                    self.assertEqual(result.checks[line].result, NOT_CHECKED)

    def test_calls_come_in_the_order_they_began(self) -> None:
        calls = judged(made.on_the_wire().bundle()).calls
        self.assertEqual(
            [(call.tool, call.args, call.response, call.outcome) for call in calls],
            [
                ("slow", {"q": 1}, {"is": "slow"}, "ok"),
                ("fast", {"q": 2}, {"is": "fast"}, "ok"),
                ("lost", {"q": 3}, {"outcome": "missing"}, "missing"),
                ("denied", {"q": 4}, {"outcome": "denied"}, "denied"),
            ],
        )
        receipts = [call.meta.receipt for call in calls if call.meta]
        self.assertEqual([one and one.seq for one in receipts], [2, 1, None, 3])
        self.assertEqual([one and one.position for one in receipts], [1, 2, None, 4])

    def test_more_unfinished_calls_than_are_held_keep_their_tools_and_arguments(self) -> None:
        maker = Maker("mcp-wire").open()
        for position in range(1, 72):
            maker.start(position, f"tool_{position}", {"n": position})
        maker.call(71, "tool_71", {"n": 71}, {}).close(unfinished=range(1, 71))
        result = judged(maker.bundle())
        self.assertEqual(result.faults, [])
        self.assertEqual([call.tool for call in result.calls], [f"tool_{n}" for n in range(1, 72)])
        self.assertEqual([call.args["n"] for call in result.calls], list(range(1, 72)))

    def test_gaps_make_the_coverage_unchecked_and_are_named(self) -> None:
        result = judged(made.on_the_wire().bundle())
        self.assertEqual(result.checks["coverage"].reason, "1 gap in the record")
        self.assertEqual(result.notes[-1], "gap: the recorder was down")
        self.assertNotIn("coverage", judged(made.imported().bundle()).checks)

    def test_a_call_behind_a_gap_says_so(self) -> None:
        maker = Maker("mcp-wire").open().both(1, "t").gap().both(2, "t").both(3, "t").close()
        calls = judged(maker.bundle()).calls
        self.assertEqual([call.is_after_gap for call in calls], [False, True, False])

    def test_an_import_in_a_run_recorded_live_or_the_other_way_round(self) -> None:
        for layer, other in (("mcp-wire", "import"), ("import", "mcp-wire")):
            maker = Maker(layer).open()
            maker.layer = other
            result = judged(maker.call(1, "t", {}, {}).close().bundle())
            self.assertIn(("broken-commitment", 0, "capture"), found(result))

    def test_receipts_of_another_class_than_the_run_are_counted(self) -> None:
        maker = Maker("mcp-wire").open().both(1, "t")
        maker.layer = "hook"
        result = judged(maker.both(2, "t").close().bundle())
        self.assertEqual(result.faults, [])
        self.assertIn("provenance classes differ: 1 receipt of LOGGED BY AGENT", result.notes)

    def test_intents_that_changed_places_made_anew(self) -> None:
        maker = Maker("mcp-wire").open().start(2, "b").start(1, "a").call(1, "a").call(2, "b")
        self.assertEqual(found(judged(maker.close().bundle())), [("broken-link", None, "order")])

    def test_an_import_without_times_says_so(self) -> None:
        maker = Maker().open().call(1, "t", {}, {}, untimed=True).close()
        result = judged(maker.bundle())
        self.assertEqual(result.faults, [])
        self.assertEqual(result.notes[-1], "times: of the import, not of the calls")

    def test_a_member_of_a_later_version_is_named_and_no_fault(self) -> None:
        values = made.apart(made.imported().bundle())
        made.of_kind(values, "open")[0]["payload"]["later"] = 1
        result = judged(made.joined(values))
        self.assertIn("unknown member: later", result.notes)
        self.assertEqual(found(result), [("broken-commitment", None, "entries")])

    def test_signatures_are_asked_for_in_vain(self) -> None:
        checks = judged(made.imported().bundle(), Asked(signature=("--key",))).checks
        self.assertEqual(checks["signer"].reason, "nothing here is signed, and --key was given")

    def test_a_time_later_than_now(self) -> None:
        data = made.imported().bundle()
        self.assertEqual(judged(data, Asked(now=made.PUBLISHED)).faults, [])
        result = judged(data, Asked(now="2026-11-30T09:00:06.000Z"))
        self.assertEqual(found(result), [("commitment-mismatch", None, "published_at")])
        result = judged(data, Asked(now="2026-11-30T09:00:03.500Z"))
        self.assertEqual([fault.index for fault in result.faults], [2, None, None])
        self.assertEqual(set(result.kinds), {"broken-commitment", "commitment-mismatch"})

    def test_every_time_of_a_record_is_held_against_now(self) -> None:
        late = "2027-06-01T00:00:00.000Z"

        def later(committed: Value) -> None:
            committed["timing"]["ended_at"] = late

        values = made.apart(made.imported().bundle())
        made.edited(made.of_kind(values, "call")[0], later)
        result = judged(made.joined(values), Asked(now=made.PUBLISHED))
        self.assertIn("timing.ended_at is later than", result.faults[0].detail)
        values = made.apart(made.imported().bundle())
        made.of_kind(values, "open")[0]["payload"]["started_at"] = late
        result = judged(made.joined(values), Asked(now=made.PUBLISHED))
        self.assertIn("started_at is later than", result.faults[0].detail)


class Attacks(unittest.TestCase):
    """Decided by us: an edit, a gap, a reorder, a duplicate, a fork and a cut are told apart."""

    maxDiff = None

    def test_each_is_found_by_its_name_and_by_no_other(self) -> None:
        for name, wanted in FOUND.items():
            with self.subTest(name):
                result = judged(made.joined(attacked(name)))
                self.assertEqual(found(result), wanted)
                kinds = {kind for kind, _, _ in wanted}
                for line, its_kinds in LINE_OF_KIND.items():
                    has_failed = result.checks[line].result == FAILED
                    self.assertEqual(has_failed, bool(kinds & its_kinds), line)

    def test_none_is_left_out_here(self) -> None:
        names = {
            name
            for name, value in vars(attacks).items()
            if isinstance(value, types.FunctionType) and not name.startswith("_")
        }
        self.assertEqual(names - set(attacks.__all__), FOUND.keys())

    def test_without_the_end_line_recomputed_that_is_found_too(self) -> None:
        for name in FOUND:
            data = made.joined(attacked(name))
            at = data[:-1].rindex(b"\n") + 1
            original = made.joined(attacks.base_of(name))
            end = original[original[:-1].rindex(b"\n") + 1 :]
            with self.subTest(name):
                self.assertTrue(judged(data[:at] + end).faults)
                self.assertEqual(judged(data[:at]).kinds[-1], "truncated-run")

    def test_a_piece_that_no_entry_needs_cannot_be_carried(self) -> None:
        values = made.apart(made.imported().bundle())
        extra = {"piece": "ab" * 32, "part": 0, "last": True, "b64": "eA=="}
        for place in (2, len(made.entries_of(values)) + 1):
            with self.subTest(place), self.assertRaises(InputError) as caught:
                judged(made.joined([*values[:place], extra, *values[place:]]))
            self.assertEqual(caught.exception.where, f"line {place + 2}")

    def test_nobody_who_does_not_ask_keeps_what_is_found(self) -> None:
        data = made.joined(attacked("a_call_dropped"))
        checker = BundleChecker(io.BytesIO(data), DEFAULT, None)
        list(checker.calls())
        self.assertEqual(list(checker.take()), [])

    def test_two_things_wrong_are_two_findings(self) -> None:
        values = made.apart(made.imported(5).bundle())
        made.edited(made.of_kind(values, "call")[0], attacks._amount, mended=False)
        values = [value for value in values if value is not made.of_kind(values, "call")[3]]
        self.assertEqual(
            found(judged(made.joined(made.renumbered(values)))),
            [("broken-commitment", 0, "receipt"), ("missing-receipt", None, 4)],
        )

    def test_a_call_and_a_gap_dropped_are_two_findings(self) -> None:
        values = attacks.a_gap_dropped(made.apart(made.on_the_wire().bundle()))
        gone = made.of_kind(values, "call")[0]
        result = judged(made.joined([value for value in values if value is not gone]))
        self.assertEqual(
            found(result),
            [("missing-entry", None, 3), ("missing-receipt", None, 1)],
        )

    def test_a_plain_entry_moved_or_copied_with_its_number(self) -> None:
        values = made.apart(made.on_the_wire().bundle())
        gap, start = made.of_kind(values, "gap")[0], made.of_kind(values, "start")[1]
        moved = attacks._exchanged(values, gap, start)
        (fault,) = judged(made.joined(moved)).faults
        self.assertEqual((fault.kind, fault.subject), ("broken-link", 2))
        self.assertIn("entries have changed places", fault.detail)
        (fault,) = judged(made.joined(attacks._behind(values, gap, made.twin(gap)))).faults
        self.assertEqual((fault.kind, fault.detail), ("broken-link", "entry 3 stands twice"))

    def test_one_receipt_of_a_fork_is_followed_and_the_rest_is_judged(self) -> None:
        values = attacks.a_fork(attacks.base_of("a_fork"))
        values = [value for value in values if value is not made.of_kind(values, "call")[4]]
        self.assertEqual(
            found(judged(made.joined(made.renumbered(values)))),
            [("broken-link", 3, "fork"), ("missing-receipt", None, 4)],
        )


class TheTail(unittest.TestCase):
    """Decided by us: whoever holds a record can cut and close it again; what is kept elsewhere
    shows it."""

    def setUp(self) -> None:
        self.whole = made.apart(made.imported(4).bundle())
        self.cut = made.joined(attacks.closed_again(2))
        self.root = next(v["workflow"]["merkle_root"] for v in self.whole if "workflow" in v)
        self.commitment = next(v["commitment"] for v in self.whole if "commitment" in v)

    def test_cut_and_closed_again_it_passes_and_the_line_says_what_is_not_excluded(self) -> None:
        result = judged(self.cut)
        self.assertEqual(result.faults, [])
        check = result.checks["ending"]
        self.assertEqual(check.result, PASSED)
        self.assertEqual(check.count, "closed; cutting and rewriting by the holder not excluded")

    def test_a_root_kept_elsewhere_shows_it(self) -> None:
        result = judged(self.cut, Asked(roots=(self.root,)))
        self.assertEqual(found(result), [("root-mismatch", None, "given")])
        self.assertEqual(result.checks["ending"].result, FAILED)

    def test_a_commitment_kept_elsewhere_shows_it(self) -> None:
        result = judged(self.cut, Asked(commitment=self.commitment))
        self.assertEqual(found(result), [("truncated-run", None, "given")])

    def test_the_whole_passes_by_both(self) -> None:
        data = made.joined(self.whole)
        root = "closed; the calls are those of the root given, which covers nothing else"
        for asked, said, more in (
            (Asked(roots=(self.root,)), root, ["the root covers the calls alone"]),
            (Asked(commitment=self.commitment), "closed, and as the commitment given says", []),
        ):
            result = judged(data, asked)
            self.assertEqual(result.faults, [])
            self.assertEqual(result.checks["ending"].count, said)
            notes = [
                note.partition(":")[0] if "who holds" in note else note for note in result.notes
            ]
            self.assertEqual(notes, ["goal: refund the order", "answer: done", *more])

    def test_a_longer_or_another_run_than_was_committed_to(self) -> None:
        longer = judged(made.imported(5).bundle(), Asked(commitment=self.commitment))
        self.assertEqual(found(longer), [("commitment-mismatch", None, "given")])
        other = judged(made.imported(4, seed="x").bundle(), Asked(commitment=self.commitment))
        self.assertEqual(found(other), [("commitment-mismatch", None, "given")])
        another = {**self.commitment, "job_id": "z"}
        self.assertEqual(
            found(judged(made.joined(self.whole), Asked(commitment=another))),
            [("commitment-mismatch", None, "given")],
        )

    def test_the_file_cut_behind_each_line(self) -> None:
        data = made.imported(2).bundle()
        lines = data.splitlines(keepends=True)
        for count in range(2, len(lines)):
            with self.subTest(count):
                result = judged(b"".join(lines[:count]))
                self.assertEqual(found(result), [("truncated-run", None, "end")])

    def test_the_file_cut_inside_a_line_is_an_error_of_that_line(self) -> None:
        data = made.imported(2).bundle()
        ends = [number + 1 for number, byte in enumerate(data) if byte == 10]
        for at in range(1, len(data), 97):
            if at in ends:
                continue
            number = sum(end <= at for end in ends) + 1
            with self.subTest(at), self.assertRaises(InputError) as caught:
                judged(data[:at])
            self.assertEqual(caught.exception.where, f"line {number}")


class Erased(unittest.TestCase):
    """Decided by us: content may be erased, never without a word, and the rest still stands."""

    def erased(self, number: int, *, said: bool, maker: Maker | None = None) -> bytes:
        maker = maker or made.imported(3)
        entry = maker.entries[number]
        commit = made.commit_of(entry)
        if said:
            maker.erase([commit])
        values = made.apart(maker.bundle())
        made.entries_of(values)[number].update(payload=None, salt=None, commit=commit)
        return made.joined(values)

    def test_what_stands_behind_it_is_compared_all_the_same(self) -> None:
        """Only what the erased receipt itself said is out of reach."""
        data = self.erased(3, said=True)
        honest = judged(data)
        self.assertEqual(honest.faults, [])
        name = "steps of erased receipts, but for seq and output_hash"
        self.assertEqual(honest.unbound[name], [3])
        for change in (
            attacks.a_step_renamed, attacks.the_goal_replaced, attacks.the_root_replaced,
            attacks.the_commitment_replaced, attacks.a_step_dropped, attacks.the_workflow_dropped,
        ):  # fmt: skip
            with self.subTest(change.__name__):
                result = judged(made.joined(change(made.apart(data))))
                self.assertTrue(result.faults)
                self.assertEqual({line for line in LINE_OF_KIND if result.checks[line].result == FAILED}, {"ending"})  # fmt: skip

    def test_with_its_word_nothing_fails_and_the_chain_is_not_checked(self) -> None:
        for number in (1, 2, 3):
            result = judged(self.erased(number, said=True))
            self.assertEqual(result.faults, [])
            self.assertEqual(len(result.calls), 2)
            for line in ("links", "ending"):
                self.assertEqual(result.checks[line].result, NOT_CHECKED)

    def test_an_entry_that_is_no_receipt(self) -> None:
        for kind in ("gap", "start", "observe", "call"):
            maker = made.on_the_wire()
            number = next(n for n, entry in enumerate(maker.entries) if entry.kind == kind)
            with self.subTest(kind):
                result = judged(self.erased(number, said=True, maker=maker))
                self.assertEqual(result.faults, [])

    def test_without_its_word(self) -> None:
        for number in (1, 2, 3):
            result = judged(self.erased(number, said=False))
            self.assertEqual(found(result), [("missing-entry", None, number)])

    def test_another_commit_in_its_place(self) -> None:
        values = made.apart(self.erased(2, said=True))
        line = next(value for value in values if value.get("commit"))
        line["commit"] = "ab" * 32
        self.assertEqual(
            found(judged(made.joined(values))),
            [("broken-commitment", None, "entries"), ("missing-entry", None, 2)],
        )

    def test_one_behind_the_close(self) -> None:
        values = made.apart(self.erased(2, said=True))
        last = made.entries_of(values)[-1]
        gone = {**last, "payload": None, "salt": None, "commit": "ab" * 32, "entry": 6}
        result = judged(made.joined(attacks._behind(values, last, gone)))
        self.assertEqual(found(result), [("call-after-close", None, 6)])

    def test_a_call_behind_an_erased_entry_says_so(self) -> None:
        result = judged(self.erased(2, said=True))
        self.assertEqual([call.is_after_gap for call in result.calls], [False, True])

    def test_a_root_from_outside_is_held_against_the_steps(self) -> None:
        whole = made.apart(made.imported(3).bundle())
        root = next(value["workflow"]["merkle_root"] for value in whole if "workflow" in value)
        data = self.erased(2, said=True)
        self.assertEqual(judged(data, Asked(roots=(root,))).faults, [])
        other = judged(data, Asked(roots=("ab" * 32,)))
        self.assertEqual(found(other), [("root-mismatch", None, "given")])
        renamed = made.joined(attacks.a_step_renamed(made.apart(data)))
        self.assertNotIn("root-mismatch", judged(renamed, Asked(roots=(root,))).kinds)

    def test_many_steps_of_erased_receipts_are_counted(self) -> None:
        maker = made.imported(30)
        commits = [made.commit_of(entry) for entry in maker.entries[1:26]]
        values = made.apart(maker.erase(commits).bundle())
        for value, commit in zip(made.entries_of(values)[1:26], commits, strict=True):
            value.update(payload=None, salt=None, commit=commit)
        told = judged(made.joined(values)).unbound
        name = "steps of erased receipts, but for seq and output_hash"
        self.assertEqual(told[name], [*range(1, 21), "and 5 more"])

    def test_a_commitment_from_outside_counts_what_was_erased(self) -> None:
        given = next(v["commitment"] for v in made.apart(made.imported(3).bundle()) if "commitment" in v)  # fmt: skip
        result = judged(self.erased(2, said=True), Asked(commitment=given))
        self.assertEqual(result.faults, [])

    def test_a_piece(self) -> None:
        maker = attacks.with_pieces()
        values = made.apart(maker.bundle())
        values.remove(next(value for value in values if value.get("piece") == PIECE))
        self.assertEqual(judged(made.joined(values)).kinds, ["missing-piece"])
        values = made.apart(maker.erase([PIECE]).bundle())
        values.remove(next(value for value in values if value.get("piece") == PIECE))
        result = judged(made.joined(values))
        self.assertEqual(result.faults, [])
        self.assertEqual(result.unbound["erase"]["payload"]["digests"], [PIECE])


if __name__ == "__main__":
    unittest.main()
