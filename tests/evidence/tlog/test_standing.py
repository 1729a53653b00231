"""Who signed a head, who timed it, and what is remembered of its log."""

import unittest

from tests.evidence.bundle import in_a_log, log_attacks, made
from tests.evidence.bundle.in_a_log import ORIGIN, SIGNER, Kept, Log, sign, signer_of, trusting
from tests.evidence.bundle.made import Judged
from toolreplay.errors import InputError
from toolreplay.evidence.record import Asked
from toolreplay.evidence.signatures.sign import Signer
from toolreplay.evidence.tlog.checkpoint import Checkpoint, checkpoint_text
from toolreplay.evidence.tlog.cosignature import cosign, cosigner_key
from toolreplay.evidence.tlog.note import Note, VerifierKey, note_bytes, parse_note
from toolreplay.evidence.tlog.policy import Group, Policy
from toolreplay.evidence.tlog.standing import (
    Learned,
    Remembered,
    Shown,
    Standing,
    Trust,
    standing_of,
)
from toolreplay.evidence.tlog.two_histories import is_conviction, parse_two_histories
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

KEY = SIGNER.key
FOREIGN = signer_of(seed="foreign")
"""A key of the same name."""

WITNESS, OTHER_WITNESS = signer_of("w1", "w1"), signer_of("w2", "w2")
NOVEMBER = 1_796_029_200


def shown(
    log: Log,
    note: bytes | None = None,
    *,
    since: tuple[int, ...] = (),
    size: int | None = None,
    is_all: bool = False,
    signer: Signer = SIGNER,
) -> Shown:
    """Return the head of a log as a bundle shows it; `since` are older sizes with their paths."""
    head = log.head(size)
    paths = {older: log.path_from(older, size) for older in since}
    parsed = parse_note(sign(head, signer) if note is None else note, "")
    return Shown(head, parsed, paths.get, is_all=is_all)


def told(standing: Standing) -> list[tuple[str, str]]:
    """Return result and count or reason of signer, time and log."""
    return [(check.result, check.count or check.reason or "") for check in standing.checks]


class TheSigner(unittest.TestCase):
    """Decided by C2SP signed-note which signatures count; by us what is said of them."""

    def setUp(self) -> None:
        self.log = Log().filled(5)

    def standing(self, note: bytes | None, *keys: VerifierKey) -> Standing:
        found = shown(self.log) if note is None else shown(self.log, note)
        return standing_of(found, Trust(keys))

    def test_a_key_that_was_given(self) -> None:
        standing = self.standing(None, KEY)
        self.assertEqual(told(standing)[0], (PASSED, ORIGIN))
        self.assertEqual((standing.faults, standing.required), ((), {"signer"}))

    def test_without_a_key(self) -> None:
        standing = self.standing(None)
        self.assertEqual(told(standing)[0], (NOT_CHECKED, "no key given"))
        self.assertEqual(standing.checks[0].remedy, "add --key VKEY")
        text = "agrees with itself; nothing outside to compare with"
        self.assertEqual(told(standing)[2], (NOT_CHECKED, text))
        self.assertEqual(standing.required, frozenset())

    def test_a_head_that_nobody_signed(self) -> None:
        unsigned = shown(self.log)._replace(note=None)
        standing = standing_of(unsigned, Trust((KEY,), None, Kept()), "--key")
        self.assertEqual(told(standing)[0][1], "nothing here is signed, and --key was given")
        self.assertEqual((standing.learned, standing.required), (None, frozenset()))

    def test_a_foreign_key(self) -> None:
        for note in (sign(self.log.head(), FOREIGN), sign(self.log.head(), signer_of("other"))):
            standing = self.standing(note, KEY)
            self.assertEqual([fault.kind for fault in standing.faults], ["unknown-signer"])
            self.assertEqual(told(standing)[0][0], FAILED)
            self.assertEqual(told(standing)[2][0], NOT_CHECKED)
            self.assertEqual(standing.required, {"signer", "log"})

    def test_a_damaged_signature(self) -> None:
        note = parse_note(sign(self.log.head()), "")
        (line,) = note.signatures
        flipped = bytes([line.signature[0] ^ 1]) + line.signature[1:]
        damaged = note_bytes(note.text, [line._replace(signature=flipped)])
        standing = self.standing(damaged, KEY)
        self.assertEqual([fault.kind for fault in standing.faults], ["bad-signature"])
        self.assertEqual(told(standing)[0][0], FAILED)

    def test_one_that_holds_beside_one_that_does_not(self) -> None:
        note = parse_note(sign(self.log.head()), "")
        spoiled = cosign(note.text, NOVEMBER, WITNESS)._replace(signature=bytes(72))
        both = note_bytes(note.text, [*note.signatures, spoiled])
        standing = self.standing(both, KEY, cosigner_key(WITNESS))
        self.assertEqual([fault.kind for fault in standing.faults], ["bad-signature"])
        self.assertIsNone(standing.learned)
        self.assertEqual(told(self.standing(both, KEY))[0][0], PASSED)

    def test_a_witness_alone_is_no_signer(self) -> None:
        note = parse_note(sign(self.log.head()), "")
        both = note_bytes(note.text, [*note.signatures, cosign(note.text, NOVEMBER, WITNESS)])
        standing = self.standing(both, cosigner_key(WITNESS))
        self.assertEqual(told(standing)[0], (NOT_CHECKED, "no key of the log was given"))
        self.assertEqual((standing.faults, standing.required), ((), {"signer", "log"}))

    def test_what_is_not_the_head_of_these_entries_is_not_judged(self) -> None:
        memory = Kept()
        misfit = shown(self.log)._replace(misfit="another root")
        standing = standing_of(misfit, Trust((KEY,), None, memory))
        self.assertEqual(
            [result for result, _ in told(standing)], [NOT_CHECKED, NOT_CHECKED, FAILED]
        )
        self.assertEqual((standing.learned, memory.asked), (None, []))

    def test_what_is_doubted_does_not_pass(self) -> None:
        memory = Kept(sign(self.log.head()))
        doubted = shown(self.log)._replace(doubt="an entry is not what its leaf says")
        standing = standing_of(doubted, Trust((KEY,), None, memory))
        reason = "an entry is not what its leaf says"
        self.assertEqual(told(standing)[0], (NOT_CHECKED, reason))
        self.assertEqual(told(standing)[2], (NOT_CHECKED, reason))
        broken = standing_of(shown(self.log)._replace(is_broken=True), Trust((KEY,), None, memory))
        self.assertEqual([result for result, _ in told(broken)], [NOT_CHECKED, NOT_CHECKED, FAILED])


class TheTime(unittest.TestCase):
    """Decided by C2SP tlog-policy what a policy asks; by us that only it can time a record."""

    def standing(self, quorum: str, *times: int, signers: tuple[Signer, ...] = (WITNESS,)) -> Standing:  # fmt: skip
        log = Log().filled(3)
        note = parse_note(sign(log.head()), "")
        lines = [cosign(note.text, at, who) for at, who in zip(times, signers, strict=False)]
        witnesses = {"one": cosigner_key(WITNESS), "two": cosigner_key(OTHER_WITNESS)}
        policy = Policy((KEY,), witnesses, {"both": Group(2, ("one", "two"))}, quorum)
        data = note_bytes(note.text, [*note.signatures, *lines])
        return standing_of(shown(log, data), Trust((), policy, None))

    def test_a_quorum_that_is_met(self) -> None:
        standing = self.standing("one", NOVEMBER)
        self.assertEqual(told(standing)[1], (PASSED, "cosigned 2026-11-30T09:00:00Z by w1"))
        self.assertEqual(told(standing)[0], (PASSED, ORIGIN))
        self.assertEqual(standing.required, {"signer", "time"})
        both = self.standing("both", NOVEMBER, NOVEMBER + 60, signers=(WITNESS, OTHER_WITNESS))
        text = "cosigned 2026-11-30T09:00:00Z to 2026-11-30T09:01:00Z by w1, w2"
        self.assertEqual(told(both)[1], (PASSED, text))

    def test_a_quorum_that_is_not(self) -> None:
        standing = self.standing("both", NOVEMBER)
        result, reason = told(standing)[1]
        self.assertEqual(result, NOT_CHECKED)
        self.assertIn("1 of the 2 needed for quorum both", reason)
        self.assertIn("time", standing.required)

    def test_nobody_is_asked(self) -> None:
        standing = self.standing("none", NOVEMBER)
        self.assertEqual(told(standing)[1], (NOT_CHECKED, "no outside clock"))
        self.assertEqual(standing.required, {"signer"})

    def test_cosigned_without_a_time(self) -> None:
        self.assertEqual(told(self.standing("one", 0))[1][0], NOT_CHECKED)


class TheLog(unittest.TestCase):
    """Decided by us: what was seen before is compared, and only what continues it is remembered."""

    def setUp(self) -> None:
        self.log = Log().filled(12)
        self.trust = Trust((KEY,), None, Kept())

    def compare(self, older: Checkpoint | None, found: Shown, signer: Signer = SIGNER) -> Standing:
        self.memory = Kept(None if older is None else sign(older, signer))
        return standing_of(found, Trust((KEY,), None, self.memory))

    def test_the_first_visit(self) -> None:
        standing = self.compare(None, shown(self.log))
        self.assertEqual(told(standing)[2], (NOT_CHECKED, "first visit"))
        self.assertEqual(standing.learned, Learned(self.log.head(), sign(self.log.head())))
        self.assertEqual((standing.required, self.memory.held), ({"signer"}, 1))
        self.assertEqual(self.memory.asked, [ORIGIN, ORIGIN])

    def test_the_same_head_again(self) -> None:
        standing = self.compare(self.log.head(), shown(self.log))
        self.assertEqual(told(standing)[2], (PASSED, "the head remembered, size 12"))
        self.assertEqual((standing.learned, self.memory.held), (None, 0))
        self.assertEqual(standing.required, {"signer", "log"})

    def test_a_log_that_grew_with_a_path(self) -> None:
        for older in range(1, 12):
            standing = self.compare(self.log.head(older), shown(self.log, since=(older,)))
            with self.subTest(older):
                self.assertEqual(told(standing)[2], (PASSED, f"consistent with size {older}"))
                self.assertEqual(standing.learned, Learned(self.log.head(), sign(self.log.head())))

    def test_a_log_that_grew_without_one(self) -> None:
        for since in ((), (4, 8)):
            standing = self.compare(self.log.head(5), shown(self.log, since=since))
            text = "remembered size 5: ask for export --since 5"
            self.assertEqual(told(standing)[2], (NOT_CHECKED, text))
            self.assertEqual((standing.learned, standing.required), (None, {"signer", "log"}))

    def test_an_older_bundle_and_an_older_store(self) -> None:
        bundle = self.compare(self.log.head(), shown(self.log, size=7))
        text = "older than the head remembered, size 12"
        self.assertEqual((told(bundle)[2], bundle.faults), ((NOT_CHECKED, text), ()))
        self.assertIn("log", bundle.required)
        store = self.compare(self.log.head(), shown(self.log, size=7, is_all=True))
        self.assertEqual(told(store)[2][0], FAILED)
        (fault,) = store.faults
        self.assertEqual(fault.kind, "rolled-back-log")
        self.assertIn("the log has 7 entries, and had 12", fault.detail)
        self.assertEqual((bundle.learned, store.learned), (None, None))

    def fork(self, shared: int, size: int) -> Log:
        """Return a log that shares its first leaves and goes on otherwise."""
        other = Log()
        for leaf in self.log.leaves[:shared]:
            other.append(leaf)
        while other.size < size:
            other.append(b"other %d\n" % other.size)
        return other

    def test_a_fork_of_the_same_size(self) -> None:
        other = self.fork(11, 12)
        standing = self.compare(other.head(), shown(self.log))
        self.convicted(standing, other.head(), self.log.head())

    def test_a_fork_with_entries_appended(self) -> None:
        for grown in (1, 10):
            other = self.fork(11, 12 + grown)
            standing = self.compare(self.log.head(), shown(other, since=(12,)))
            with self.subTest(grown):
                self.convicted(standing, self.log.head(), other.head())

    def test_a_fork_with_entries_appended_hides_without_a_path_and_is_not_remembered(self) -> None:
        for grown in (1, 10):
            other = self.fork(11, 12 + grown)
            standing = self.compare(self.log.head(), shown(other))
            text = "remembered size 12: ask for export --since 12"
            self.assertEqual(told(standing)[2], (NOT_CHECKED, text))
            self.assertEqual((standing.learned, standing.required), (None, {"signer", "log"}))

    def convicted(self, standing: Standing, before: Checkpoint, now: Checkpoint) -> None:
        self.assertEqual(told(standing)[2][0], FAILED)
        (fault,) = standing.faults
        self.assertEqual(fault.kind, "forked-log")
        for head in (before, now):
            self.assertIn(f"size {head.size} root {head.root.hex()}", fault.detail)
        self.assertIsNone(standing.learned)
        assert standing.proof is not None
        self.assertEqual(standing.proof.vkey, in_a_log.vkey_of())
        proof = parse_two_histories(standing.proof.data, "")
        self.assertEqual(proof.notes, (sign(before), sign(now)))
        self.assertTrue(is_conviction(proof, [KEY]).is_proved)
        self.assertFalse(is_conviction(proof, [FOREIGN.key]).is_proved)

    def test_a_path_that_leads_nowhere_convicts_nobody(self) -> None:
        found = shown(self.log)._replace(path_from=lambda _: [bytes(32)] * 3)
        standing = self.compare(self.log.head(5), found)
        self.assertEqual(told(standing)[2][0], NOT_CHECKED)
        self.assertEqual((standing.faults, standing.learned, standing.proof), ((), None, None))

    def test_two_keys_that_signed_one_head_each_convict_nobody(self) -> None:
        other = self.fork(11, 12)
        both = (KEY, FOREIGN.key)
        memory = Kept(sign(other.head(), FOREIGN))
        standing = standing_of(shown(self.log), Trust(both, None, memory))
        self.assertEqual([fault.kind for fault in standing.faults], ["forked-log"])
        self.assertIsNone(standing.proof)

    def test_no_memory(self) -> None:
        standing = standing_of(shown(self.log), Trust((KEY,), None, None))
        self.assertEqual(told(standing)[2], (NOT_CHECKED, "no head is remembered (--seen none)"))
        self.assertEqual((standing.learned, standing.required), (None, {"signer"}))

    def test_only_what_a_given_key_signed_is_remembered_or_compared(self) -> None:
        for note in (None, sign(self.log.head(), FOREIGN)):
            memory = Kept()
            found = shown(self.log, note) if note else shown(self.log)._replace(note=None)
            standing = standing_of(found, Trust((KEY,), None, memory))
            self.assertEqual((standing.learned, memory.asked), (None, []))
        memory = Kept()
        standing = standing_of(shown(self.log), Trust((), None, memory))
        self.assertEqual((standing.learned, memory.asked), (None, []))

    def test_a_memory_that_cannot_be_believed(self) -> None:
        empty = Checkpoint(ORIGIN, 0, in_a_log.root_at(0, self.log.node))
        for note in (
            b"", b"x\n", sign(self.log.head())[:-9], sign(self.log.head(), FOREIGN), sign(empty),
            sign(Log("log.example/other").filled(1).head()), sign(self.log.head()) + b"\n",
        ):  # fmt: skip
            with self.subTest(note), self.assertRaises(InputError) as caught:
                standing_of(shown(self.log), Trust((KEY,), None, Kept(note)))
            self.assertEqual(caught.exception.where, "memory")

    def test_what_somebody_else_remembered_meanwhile_counts(self) -> None:
        """Decided by us: what is compared is what is replaced."""

        class Changing(Kept):
            def __init__(self, later: bytes) -> None:
                super().__init__()
                self.later = later

            def hold(self, origin: str) -> Remembered | None:
                self.note = self.later
                return super().hold(origin)

        fork = self.fork(11, 12)
        for later, result, learned in (
            (sign(self.log.head()), PASSED, False), (sign(fork.head()), FAILED, False),
            (sign(self.log.head(5)), PASSED, True),
        ):  # fmt: skip
            memory = Changing(later)
            standing = standing_of(shown(self.log, since=(5,)), Trust((KEY,), None, memory))
            self.assertEqual(told(standing)[2][0], result)
            self.assertEqual(standing.learned is not None, learned)


class InABundle(unittest.TestCase):
    """Decided by us: the same answers, of a run that was handed over."""

    def judged(self, values: list[made.Value], asked: Asked | None = None) -> Judged:
        return made.judged(made.joined(values), asked or trusting())

    def signed(self, signer: Signer = SIGNER) -> list[made.Value]:
        log, maker = log_attacks.base_log()
        return made.apart(log.bundle(maker, lambda head: sign(head, signer)))

    def test_a_signed_run(self) -> None:
        result = self.judged(self.signed())
        self.assertEqual(result.faults, [])
        self.assertEqual((result.checks["signer"].result, result.checks["signer"].count), (PASSED, ORIGIN))  # fmt: skip
        text = "closed; a rewrite by whoever holds the key of the log not excluded"
        self.assertEqual(result.checks["ending"].count, text)
        self.assertNotIn("kept elsewhere", " ".join(result.notes))
        log, _ = log_attacks.base_log()
        seen = self.judged(self.signed(), trusting(Kept(sign(log.head()))))
        self.assertEqual(
            seen.checks["ending"].count, "closed, in a log that is as it was remembered"
        )
        self.assertEqual(seen.checks["log"].result, PASSED)

    def test_of_the_end_counts_what_the_head_remembered_covers(self) -> None:
        """Whoever holds the key can write anew whatever nobody has seen, in a log that has grown."""
        run = made.imported(2)
        table = ((6, 0, 6), (6, 3, 6), (6, 3, 9), (6, 3, 10), (6, 0, 10), (0, 3, 4))
        for before, after, seen in table:
            log = Log().filled(before).take(run)
            last = log.size - 1
            log.filled(after)
            bundle = log.bundle(run, sign, since=(seen,) if seen < log.size else ())
            memory = Kept(sign(log.head(seen)))
            checks = made.judged(bundle, trusting(memory)).checks
            with self.subTest(before=before, after=after, seen=seen):
                self.assertEqual(checks["log"].result, PASSED)
                is_covered = last < seen
                self.assertEqual(
                    "as it was remembered" in (checks["ending"].count or ""), is_covered
                )
                self.assertEqual("not excluded" in (checks["ending"].count or ""), not is_covered)

    def test_the_signature_stripped(self) -> None:
        """The head stands there without its note: what was asked for is not checked."""
        result = self.judged(log_attacks.base())
        self.assertEqual(result.faults, [])
        reason = "nothing here is signed, and --key was given"
        self.assertEqual(result.checks["signer"].reason, reason)
        self.assertEqual(result.checks["log"].result, NOT_CHECKED)

    def test_an_older_checkpoint_put_in(self) -> None:
        log, _ = log_attacks.base_log()
        values = self.signed()
        note = made.base64.b64encode(sign(log.head(8))).decode()
        values = [{"checkpoint_b64": note} if "checkpoint_b64" in one else one for one in values]
        memory = Kept()
        result = self.judged(values, trusting(memory))
        self.assertEqual(result.kinds, ["head-mismatch"])
        self.assertEqual(result.checks["log"].result, FAILED)
        self.assertEqual(memory.asked, [])

    def test_the_root_of_a_checkpoint_edited(self) -> None:
        log, _ = log_attacks.base_log()
        note = parse_note(sign(log.head()), "")
        other = log.head()._replace(root=bytes(32))
        text = checkpoint_text(*other[:3])
        data = note_bytes(*Note(text, note.signatures))
        values = self.signed()
        for value in values:
            if "checkpoint_b64" in value:
                value["checkpoint_b64"] = made.base64.b64encode(data).decode()
        self.assertEqual(self.judged(values).kinds, ["head-mismatch"])

    def test_a_perfect_forgery_passes_alone_and_breaks_against_memory(self) -> None:
        """Whoever has the key can make everything anew; who saw the log before sees it."""
        log, honest = log_attacks.base_log()
        before = Kept(sign(log.head()))
        forged = made.Maker("mcp-wire").open().both(1, "pay", {"amount": 9}, {}).close()
        for grown in (0, 1, 10):
            other = Log().filled(3).take(forged)
            other.filled(log.size - other.size + grown)
            for since in ((), (log.size,) if grown else ()):
                data = other.bundle(forged, sign, since=since)
                alone = made.judged(data, trusting(Kept()))
                self.assertEqual(alone.faults, [])
                self.assertEqual(alone.checks["signer"].result, PASSED)
                result = made.judged(data, trusting(before))
                with self.subTest(grown=grown, since=since):
                    if grown and not since:
                        self.assertEqual(result.checks["log"].result, NOT_CHECKED)
                        self.assertEqual(result.faults, [])
                    else:
                        self.assertEqual(result.kinds, ["forked-log"])
                        self.assertEqual(result.checks["log"].result, FAILED)
        self.assertEqual(honest.head.run, forged.head.run)

    def test_each_attack_is_found_behind_a_signature_too(self) -> None:
        log, _ = log_attacks.base_log()
        for attack in (
            log_attacks.a_gap_edited, log_attacks.a_gap_dropped, log_attacks.an_index_changed,
            log_attacks.the_prev_of_a_leaf_changed, log_attacks.the_size_of_the_log_changed,
        ):  # fmt: skip
            with self.subTest(attack.__name__):
                result = self.judged(attack(self.signed()), trusting(Kept(sign(log.head()))))
                self.assertTrue(result.faults)
                dropped = attack is log_attacks.a_gap_dropped
                self.assertEqual(result.checks["signer"].result == PASSED, dropped)


if __name__ == "__main__":
    unittest.main()
