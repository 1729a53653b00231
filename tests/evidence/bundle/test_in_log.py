"""The entries of a run in their log: each attack by its name, and by no other's."""

import types
import unittest
from unittest import mock

from tests.evidence.bundle import attacks, in_a_log, log_attacks, made
from tests.evidence.bundle.in_a_log import Log, other_run
from tests.evidence.bundle.made import Judged
from tests.evidence.bundle.test_checking import FOUND as FOUND_WITHOUT_LOG
from toolreplay.errors import InputError
from toolreplay.evidence.bundle import in_log
from toolreplay.evidence.bundle.lines import Logged
from toolreplay.evidence.record import Asked
from toolreplay.evidence.tlog.leaf import Leaf, leaf_bytes
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

Found = list[tuple[str, int | None, object]]

FOUND: dict[str, Found] = {
    "a_gap_edited": [("broken-commitment", None, "leaf")],
    "a_receipt_edited_and_its_digest_mended": [("broken-commitment", 0, "leaf")],
    "the_close_edited_and_its_digest_mended": [("broken-commitment", None, "leaf")],
    "a_salt_changed": [("broken-commitment", None, "leaf")],
    "the_salt_of_the_close_changed": [("broken-commitment", None, "leaf")],
    "two_salts_swapped": [
        ("broken-commitment", None, "leaf"), ("broken-commitment", None, "leaf"),
    ],
    "a_gap_dropped": [("missing-entry", None, 3)],
    "a_gap_dropped_and_renumbered": [("missing-entry", None, 3)],
    "a_receipt_dropped_and_renumbered": [("missing-receipt", None, 2)],
    "two_entries_exchanged": [("broken-link", None, 2)],
    "two_entries_exchanged_and_renumbered": [("broken-link", None, 2)],
    "a_gap_twice": [("broken-link", None, 3)],
    "a_gap_twice_and_renumbered": [("broken-link", None, 3)],
    "the_number_of_an_entry_changed": [("broken-link", None, 10)],
    "an_entry_of_another_run": [("broken-link", None, "run")],
    "an_entry_of_another_log": [("broken-link", None, "log")],
    "a_leaf_that_is_none": [("broken-commitment", None, "leaf")],
    "the_time_of_a_leaf_changed": [("broken-inclusion", None, 3)],
    "the_time_of_the_last_leaf_changed": [("broken-inclusion", None, 10)],
    "the_kind_of_a_leaf_changed": [("broken-link", None, "kind")],
    "the_log_of_a_leaf_changed": [("broken-link", None, "log")],
    "the_run_of_a_leaf_changed": [("broken-link", None, "run")],
    "the_prev_of_a_leaf_changed": [("broken-link", None, 3)],
    "the_prev_of_the_first_leaf_changed": [("broken-link", None, 0)],
    "the_commit_of_a_leaf_changed": [("broken-commitment", None, "leaf")],
    "the_size_of_a_leaf_changed": [("broken-commitment", None, "leaf")],
    "the_place_of_a_leaf_changed": [("broken-link", None, "seq")],
    # Payload and leaf agree again: the close receipt commits to what was there, and so does the root.
    "a_payload_edited_and_its_leaf_with_it": [
        ("broken-commitment", None, "entries"), ("broken-inclusion", None, 3),
    ],
    "a_hash_of_a_path_changed": [("broken-inclusion", None, 3)],
    "a_path_cut_short": [("broken-inclusion", None, 3)],
    "a_path_of_another_size": [("broken-inclusion", None, 3)],
    "the_paths_of_two_entries_swapped": [
        ("broken-inclusion", None, 2), ("broken-inclusion", None, 5),
    ],
    "an_index_changed": [("broken-inclusion", None, 3)],
    "every_path_changed": [("broken-inclusion", None, number) for number in range(11)],
    "a_consistency_path_changed": [("broken-inclusion", None, "consistency 4")],
    "the_size_of_the_log_changed": [("head-mismatch", None, "size")],
    "the_origin_of_the_head_changed": [("head-mismatch", None, "origin")],
    "the_size_of_the_head_changed": [("head-mismatch", None, "size")],
    "the_root_of_the_head_changed": [("head-mismatch", None, "root")],
    "an_older_head_put_in": [("head-mismatch", None, "size")],
    "the_head_dropped": [("head-mismatch", None, "head")],
}  # fmt: skip
"""What each attack of log_attacks.py is found as: kind, index, subject."""

LINE_OF_KIND = {
    "contents": {"broken-commitment", "missing-entry"},
    "links": {"broken-link", "missing-receipt"},
    "log": {"broken-inclusion", "head-mismatch"},
}

OTHERWISE: dict[str, Found] = {
    # A leaf commits to each payload with its salt, so that whatever was edited is named where it
    # stands, and not by what follows from it.
    "an_amount_edited_and_its_digest_mended": [("broken-commitment", 1, "leaf")],
    "a_committed_time_changed_and_mended": [("broken-commitment", 1, "leaf")],
    "the_last_amount_edited_and_its_digest_mended": [("broken-commitment", 3, "leaf")],
    "the_answer_edited_and_its_digest_mended": [("broken-commitment", None, "leaf")],
    "the_model_changed": [("broken-commitment", None, "leaf")],
    "a_salt_changed": [("broken-commitment", None, "leaf")],
    "an_intents_arguments_edited": [("broken-commitment", None, "leaf")],
    "the_position_of_another": [("broken-link", 2, "position")],
    "a_call_inserted": [("broken-commitment", 2, "leaf"), ("broken-link", 3, "fork")],
    "other_bytes_under_an_id": [("broken-commitment", 2, "leaf"), ("broken-link", 3, "fork")],
    # A leaf says which place its entry has, however the lines are numbered.
    "a_gap_dropped_and_renumbered": [("missing-entry", None, 3)],
    "an_observation_dropped": [("missing-entry", None, 9)],
    "an_unfinished_intent_removed": [("missing-entry", None, 6)],
    "an_intent_of_a_call_removed": [("missing-entry", None, 7), ("missing-entry", 3, 4)],
    "an_entry_behind_the_close": [("call-after-close", 4, 4)],
    "the_open_of_the_wire_dropped": [("missing-entry", None, 0)],
    "the_open_dropped": [("missing-entry", None, 0)],
}  # fmt: skip
"""Where an attack of attacks.py is found otherwise than in a bundle without a log."""

_WITHOUT_LEAF = {"a_receipt_of_another_run", "a_gap_behind_the_close"}
"""Attacks that put in a line without a leaf, which cannot be read here."""


def found(result: Judged) -> Found:
    return [(fault.kind, fault.index, fault.subject) for fault in result.faults]


class Sound(unittest.TestCase):
    """Decided by RFC 6962 and 9162 what a path is; by us what a leaf must say."""

    def test_runs_side_by_side_in_one_log(self) -> None:
        first, second = made.on_the_wire(), other_run()
        log = Log().filled(5).take(first, second).filled(3)
        for maker in (first, second):
            result = made.judged(log.bundle(maker, since=[1, 2, 8]))
            self.assertEqual(result.faults, [])
            self.assertEqual(list(result.unbound), ["commitment.published_at"])
            for line in ("contents", "links", "ending"):
                self.assertEqual(result.checks[line].result, PASSED)
            check = result.checks["log"]
            self.assertEqual(check.result, NOT_CHECKED)
            self.assertEqual(check.reason, "agrees with itself; nothing outside to compare with")
            self.assertEqual(result.checks["signer"].reason, "nothing here is signed")

    def test_at_every_size_since(self) -> None:
        maker = made.imported(1)
        log = Log().take(maker)
        for size in range(log.size, 18):
            with self.subTest(size):
                self.assertEqual(made.judged(log.bundle(maker)).faults, [])
            log.filled(1)

    def test_a_run_alone_in_a_log(self) -> None:
        maker = made.Maker().open()
        result = made.judged(Log().take(maker).bundle(maker))
        self.assertEqual(result.kinds, ["unclosed-run"])

    def test_an_open_run_is_unclosed_and_all_else_holds(self) -> None:
        maker = made.Maker("mcp-wire").open().both(1, "t", {}, {}).start(2, "u")
        result = made.judged(Log().filled(2).take(maker).bundle(maker, in_a_log.sign))
        self.assertEqual(result.kinds, ["unclosed-run"])
        self.assertEqual(len(result.calls), 2)

    def test_an_erased_entry_keeps_its_leaf(self) -> None:
        for number in (1, 2, 3):
            maker = made.imported(3)
            maker.erase([made.commit_of(maker.entries[number])])
            log = Log().filled(2).take(maker)
            with self.subTest(number):
                result = made.judged(log.bundle(maker, erased=[number]))
                self.assertEqual(result.faults, [])
                self.assertEqual(result.checks["ending"].reason, "entries were erased")
                self.assertEqual(list(result.unbound), ["commitment.published_at"])
                values = made.apart(log.bundle(maker, erased=[number]))
                made.entries_of(values)[number]["commit"] = "ab" * 32
                kinds = found(made.judged(made.joined(values)))
                self.assertIn(("broken-commitment", None, "leaf"), kinds)

    def test_of_an_erased_close_its_leaf_says_that_the_run_ended(self) -> None:
        """Goal and answer stand in it; what only it said is not checked, and nothing is found."""
        maker = made.imported(3)
        close = len(maker.entries) - 1
        maker.erase([made.commit_of(maker.entries[number]) for number in (2, close)])
        log = Log().filled(2).take(maker)
        data = log.bundle(maker, erased=[2, close])
        whole = made.apart(Log().take(made.imported(3)).bundle(made.imported(3)))
        given = next(value["commitment"] for value in whole if "commitment" in value)
        for asked in (Asked(), Asked(commitment=given)):
            result = made.judged(data, asked)
            self.assertEqual(result.faults, [])
            self.assertEqual(result.checks["ending"].reason, "the close receipt was erased")
            self.assertEqual(len(result.calls), 2)

        def step_in(values: list[made.Value]) -> made.Value:
            return [value for value in values if "step" in value][-1]

        self.assertFalse([value for value in made.apart(data) if "workflow" in value])
        for name, change, wanted in (
            ("no word", lambda v: made.entries_of(v)[-1]["payload"].update(digests=[]), None),
            (
                "a step",
                lambda v: step_in(v)["step"].update(tool="x"),
                ("workflow-mismatch", None, 3),
            ),
            ("no step", lambda v: v.remove(step_in(v)), ("workflow-mismatch", None, "steps")),
        ):
            values = made.apart(data)
            with self.subTest(name):
                change(values)
                kinds = found(made.judged(made.joined(values)))
                if wanted is None:
                    self.assertIn(("missing-entry", None, close), kinds)
                else:
                    self.assertEqual(kinds, [wanted])
        short = Asked(commitment={**given, "entry_count": 1})
        self.assertEqual(found(made.judged(data, short)), [("commitment-mismatch", None, "given")])

    def test_behind_an_erased_close_nothing_but_an_erasure_stands(self) -> None:
        maker = made.imported(1)
        close = len(maker.entries) - 1
        maker.erase([made.commit_of(maker.entries[close])])
        log = Log().take(maker.gap())
        result = made.judged(log.bundle(maker, erased=[close]))
        self.assertEqual(found(result), [("call-after-close", None, close + 2)])


class Attacks(unittest.TestCase):
    """Decided by us: what somebody did is found once, by its name."""

    maxDiff = None

    def test_each_is_found_by_its_name_and_by_no_other(self) -> None:
        for name, wanted in FOUND.items():
            with self.subTest(name):
                result = made.judged(made.joined(getattr(log_attacks, name)(log_attacks.base())))
                self.assertEqual(found(result), wanted)
                kinds = {kind for kind, _, _ in wanted}
                for line, its_kinds in LINE_OF_KIND.items():
                    has_failed = result.checks[line].result == FAILED
                    self.assertEqual(has_failed, bool(kinds & its_kinds), line)

    def test_none_is_left_out_here(self) -> None:
        names = {
            name
            for name, value in vars(log_attacks).items()
            if isinstance(value, types.FunctionType) and not name.startswith("_")
            and value.__module__ == log_attacks.__name__
        }  # fmt: skip
        self.assertEqual(names - set(log_attacks.__all__), FOUND.keys())

    def test_what_is_found_without_a_log_is_found_in_one(self) -> None:
        bases: dict[int, bytes] = {}
        for name, wanted in FOUND_WITHOUT_LOG.items():
            if name in _WITHOUT_LEAF:
                continue
            sort = (name in attacks.ON_THE_WIRE) + 2 * (name in attacks.WITH_PIECES)
            if sort not in bases:
                makers = (made.imported(attacks.CALLS), made.on_the_wire(), attacks.with_pieces())
                log = Log().filled(3).take(makers[sort], other_run())
                bases[sort] = log.bundle(makers[sort])
            values = getattr(attacks, name)(made.apart(bases[sort]))
            with self.subTest(name):
                result = made.judged(made.joined(values))
                self.assertEqual(found(result), OTHERWISE.get(name, wanted))

    def test_two_things_wrong_are_two_findings(self) -> None:
        values = log_attacks.a_hash_of_a_path_changed(log_attacks.base())
        values = log_attacks.an_older_head_put_in(values)
        kinds = made.judged(made.joined(values)).kinds
        self.assertEqual(kinds, ["head-mismatch", "broken-inclusion"])

    def test_a_cut_file_says_nothing_of_the_head_that_stood_there(self) -> None:
        lines = made.joined(log_attacks.base()).splitlines(keepends=True)
        for count in range(2, len(lines)):
            with self.subTest(count):
                result = made.judged(b"".join(lines[:count]))
                self.assertEqual(result.kinds, ["truncated-run"])
                self.assertEqual(result.checks["log"].result, NOT_CHECKED)

    def test_what_is_no_note_cannot_be_read(self) -> None:
        values = log_attacks.the_head_dropped(log_attacks.base())
        for text in ("", "AA==", made.base64.b64encode(b"o\n1\nx\n").decode()):
            with self.subTest(text), self.assertRaises(InputError) as caught:
                made.judged(made.joined([*values, {"checkpoint_b64": text}]))
            self.assertEqual(caught.exception.where, f"line {len(values) + 1}")


class ALogThatWasWrittenWrongly(unittest.TestCase):
    """Decided by us: a leaf under the root is not right for that alone."""

    def judged(self, **members: object) -> Found:
        """Judge a run of which the log has another leaf for the third entry."""
        maker = made.imported(3)
        log = Log().filled(1)
        for number, entry in enumerate(maker.entries):
            log.add(maker.head.run, entry)
            if number == 2:
                leaf = in_log.parse_leaf(log.leaves[-1])._replace(**members)
                log.replace_last(leaf_bytes(leaf))
        return found(made.judged(log.bundle(maker)))

    def test_each_member(self) -> None:
        self.assertEqual(self.judged(at=1), [])
        self.assertEqual(self.judged(prev=bytes(32)), [("broken-link", None, 2)])
        self.assertEqual(self.judged(kind="gap"), [("broken-link", 1, "kind")])
        self.assertEqual(self.judged(entry=7), [("broken-link", 1, "seq")])
        self.assertEqual(self.judged(run="other"), [("broken-link", 1, "run")])
        self.assertEqual(self.judged(log="other"), [("broken-link", 1, "log")])
        self.assertEqual(self.judged(size=1), [("broken-commitment", 1, "leaf")])
        self.assertEqual(self.judged(commit=bytes(32)), [("broken-commitment", 1, "leaf")])

    def test_entries_in_another_order_in_the_log(self) -> None:
        """The leaves follow each other, and stand in the log the other way round."""
        maker = made.imported(1)
        source = Log().take(maker)
        log = Log()
        for number in (0, 2, 1):
            log.append(source.leaves[number])
        logged = {0: 0, 1: 2, 2: 1}
        values = made.apart(source.bundle(maker))
        for number, value in enumerate(made.entries_of(values)):
            place = log.at(logged[number])
            value["index"], value["path"] = place.index, [one.hex() for one in place.path]
        for value in values:
            if "head" in value:
                value["head"]["root"] = log.head().root.hex()
        self.assertEqual(found(made.judged(made.joined(values))), [("broken-link", None, 2)])


class Bounded(unittest.TestCase):
    """Decided by us: of a file in which everything is wrong not everything is named."""

    def test_many_entries_without_a_place(self) -> None:
        maker = made.imported(60)
        log = Log().take(maker)
        values = made.apart(log.bundle(maker))
        for number, value in enumerate(made.entries_of(values)):
            value["path"][0] = f"{number:064x}"
        self.assertEqual(len(made.judged(made.joined(values)).faults), 20)

    def test_leaves_of_another_run_are_named_once(self) -> None:
        maker = made.on_the_wire()
        values = made.apart(Log("log.example/other").take(maker).bundle(maker))
        values[0]["origin"] = in_a_log.ORIGIN
        result = made.judged(made.joined(values))
        self.assertEqual(
            found(result), [("broken-link", None, "log"), ("head-mismatch", None, "origin")]
        )

    def test_entries_beyond_what_is_remembered_are_named_again(self) -> None:
        with mock.patch.object(in_log, "_MOST_FAULTED", 0):
            values = log_attacks.the_kind_of_a_leaf_changed(log_attacks.base())
            kinds = made.judged(made.joined(values)).kinds
        self.assertEqual(kinds, ["broken-link", "broken-inclusion"])


class Leaves(unittest.TestCase):
    """Decided by us: a test's own log says what the contract says."""

    def test_the_first_leaf_of_a_run(self) -> None:
        maker = made.imported(1)
        log = Log().take(maker)
        logged = log.logged(maker.head.run, 1)
        self.assertIsInstance(logged, Logged)
        leaf = in_log.parse_leaf(logged.leaf)
        self.assertIsInstance(leaf, Leaf)
        self.assertEqual((leaf.entry, leaf.kind, leaf.log), (1, "call", in_a_log.ORIGIN))


if __name__ == "__main__":
    unittest.main()
