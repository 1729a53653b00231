"""Judging heads: who signed, what does not fit, and is the policy met?"""

import unittest
import unittest.mock
from typing import Any

from tests.evidence.trust import ORIGIN, Tree, signer, witness
from toolreplay.evidence.signatures.sign import Signer
from toolreplay.evidence.tlog.cosignature import cosign, cosigner_key
from toolreplay.evidence.tlog.heads import (
    BAD_SIGNATURE,
    HEAD_MISMATCH,
    UNKNOWN_SIGNER,
    HeadVerdict,
    judge_head,
)
from toolreplay.evidence.tlog.note import (
    ED25519,
    ML_DSA_44_COSIGNATURE,
    Note,
    NoteSignature,
    VerifierKey,
    key_id_of,
    note_bytes,
    parse_note,
    vkey_text,
)
from toolreplay.evidence.tlog.policy import Policy, parse_policy

TREE = Tree(12)
KEY, OTHER = signer().key, signer("other", "other.example").key


def note_of(text: bytes, *signers: Signer, times: dict[int, int] | None = None) -> Note:
    """Return a note signed by the signers, and cosigned by witnesses at these times."""
    lines = [NoteSignature(one.name, one.key.key_id, one.sign(text)) for one in signers]
    lines += [cosign(text, time, witness(number)) for number, time in (times or {}).items()]
    return parse_note(note_bytes(text, lines), "")


TEXT = parse_note(TREE.head(), "").text


def policy_of(quorum: str, log: VerifierKey = KEY) -> Policy:
    lines = [f"log {vkey_text(log.name, ED25519, log.public)}"]
    for number in range(3):
        key = cosigner_key(witness(number))
        lines.append(f"witness W{number} {vkey_text(key.name, key.kind, key.public)}")
    lines += ["group G 2 W0 W1 W2", f"quorum {quorum}", ""]
    return parse_policy("\n".join(lines).encode(), "")


class Heads(unittest.TestCase):
    """Decided by us, on the rules of C2SP signed-note, tlog-cosignature and tlog-policy."""

    def judged(self, note: Note, **given: Any) -> HeadVerdict:
        how = {"origin": ORIGIN, "size": 12, "root": TREE.root(), "keys": [KEY], "policy": None}
        return judge_head(note, **{**how, **given})

    def kinds(self, verdict: HeadVerdict) -> list[str]:
        return [fault.kind for fault in verdict.faults]

    def test_a_head_that_is_signed_and_says_what_was_computed_has_no_fault(self) -> None:
        for given in ({}, {"origin": None, "size": None, "root": None}, {"keys": [OTHER, KEY]}):
            found = self.judged(note_of(TEXT, signer()), **given)
            self.assertEqual((found.faults, found.signers), ((), (ORIGIN,)))
            self.assertIsNone(found.is_policy_met)
            self.assertEqual(found.checkpoint.size, 12)

    def test_a_signature_of_a_known_key_that_fails_is_named(self) -> None:
        good = note_of(TEXT, signer())
        edited = Note(good.text.replace(b"12", b"13"), good.signatures)
        found = self.judged(edited, size=13)
        self.assertEqual(self.kinds(found), [BAD_SIGNATURE])
        self.assertIn(ORIGIN, found.faults[0].what)
        self.assertEqual(found.signers, ())

    def test_a_good_signature_does_not_make_up_for_a_bad_one(self) -> None:
        good = note_of(TEXT, signer("other", "other.example"))
        bad = NoteSignature(KEY.name, KEY.key_id, bytes(64))
        note = Note(TEXT, (*good.signatures, bad))
        found = self.judged(note, keys=[KEY, OTHER])
        self.assertEqual(self.kinds(found), [BAD_SIGNATURE])
        self.assertEqual(found.signers, ())

    def test_a_key_of_another_name_does_not_speak_for_this_log(self) -> None:
        found = self.judged(note_of(TEXT, signer("other", "other.example")), keys=[KEY, OTHER])
        self.assertEqual((self.kinds(found), found.signers), ([UNKNOWN_SIGNER], ()))

    def test_without_a_given_key_that_signed_the_signer_is_unknown(self) -> None:
        foreign = signer("other", ORIGIN).key
        hashes = f"{KEY.key_id.hex()}, and the key given is {foreign.key_id.hex()}"
        for keys, what in (
            ([OTHER], f"signed by {ORIGIN}, of which no key was given"),
            ([OTHER, foreign], f"signed by {ORIGIN} with the key {hashes}"),
            ([], "no key of the log was given"),
        ):
            found = self.judged(note_of(TEXT, signer()), keys=keys)
            self.assertEqual(self.kinds(found), [UNKNOWN_SIGNER])
            self.assertIn(what, found.faults[0].what)

    def test_a_witness_alone_is_no_signer_of_the_log(self) -> None:
        note = note_of(TEXT, signer(), times={0: 5})
        found = self.judged(note, keys=[cosigner_key(witness(0))])
        self.assertEqual(self.kinds(found), [UNKNOWN_SIGNER])
        self.assertEqual((found.signers, found.cosigners), ((), (witness(0).name,)))

    def test_another_origin_size_or_root_is_named_with_both(self) -> None:
        note = note_of(TEXT, signer())
        for given, what in (
            ({"origin": "b.example"}, f"of the log {ORIGIN}, not of b.example"),
            ({"size": 13}, "has 12 entries, here are 13"),
            ({"root": bytes(32)}, f"has the root {TREE.root().hex()}, here is {'00' * 32}"),
        ):
            found = self.judged(note, **given)
            self.assertEqual(self.kinds(found), [HEAD_MISMATCH])
            self.assertIn(what, found.faults[0].what)
            self.assertEqual(found.signers, (ORIGIN,))

    def test_a_signed_text_that_is_no_checkpoint_is_a_fault(self) -> None:
        found = self.judged(note_of(b"hello\n", signer()))
        self.assertEqual(self.kinds(found), [HEAD_MISMATCH])
        self.assertIsNone(found.checkpoint)

    def test_a_policy_brings_its_own_keys(self) -> None:
        note = note_of(TEXT, signer(), times={0: 1700000005, 2: 1700000001})
        found = self.judged(note, keys=[], policy=policy_of("G"))
        self.assertEqual((found.faults, found.signers), ((), (ORIGIN,)))
        self.assertEqual(found.cosigners, (witness(0).name, witness(2).name))
        self.assertEqual((found.is_policy_met, found.unmet), (True, ""))
        self.assertEqual(found.cosigned, (1700000001, 1700000005))

    def test_a_policy_that_is_not_met_says_why(self) -> None:
        found = self.judged(note_of(TEXT, signer(), times={0: 5}), policy=policy_of("G"))
        self.assertEqual(found.faults, ())
        self.assertIs(found.is_policy_met, False)
        self.assertEqual(found.unmet, "1 of the 2 needed for quorum G (W1, W2 missing)")
        none = self.judged(note_of(TEXT, signer()), policy=policy_of("none"))
        self.assertIs(none.is_policy_met, True)

    def test_a_log_of_the_policy_counts_under_its_own_origin_alone(self) -> None:
        note = note_of(TEXT, signer("other", "other.example"))
        found = self.judged(note, keys=[], policy=policy_of("none", OTHER))
        self.assertEqual(self.kinds(found), [UNKNOWN_SIGNER])
        self.assertEqual((found.signers, found.is_policy_met), ((), False))
        self.assertEqual(found.unmet, "no log of the policy signed it")

    def test_a_bad_cosignature_of_a_witness_in_the_policy_spoils_the_head(self) -> None:
        note = note_of(TEXT, signer(), times={0: 5, 1: 5, 2: 5})
        *lines, last = note.signatures
        bad = last._replace(signature=last.signature[:-1] + bytes([last.signature[-1] ^ 1]))
        found = self.judged(Note(TEXT, (*lines, bad)), policy=policy_of("G"))
        self.assertEqual(self.kinds(found), [BAD_SIGNATURE])
        self.assertEqual(found.signers, (ORIGIN,))
        unknown = self.judged(Note(TEXT, (*lines, bad)))
        self.assertEqual(unknown.faults, ())

    def test_no_time_is_told_by_a_cosignature_without_one_or_of_nobody_known(self) -> None:
        for note in (note_of(TEXT, signer(), times={0: 0}), note_of(TEXT, signer(), times={9: 5})):
            self.assertIsNone(self.judged(note, policy=policy_of("none")).cosigned)

    def test_what_cannot_be_checked_here_never_counts_as_passed(self) -> None:
        public = bytes(1312)
        key_id = key_id_of("pq.example", ML_DSA_44_COSIGNATURE, public)
        key = VerifierKey("pq.example", key_id, ML_DSA_44_COSIGNATURE, public)
        line = NoteSignature(key.name, key.key_id, (5).to_bytes(8, "big") + bytes(2420))
        note = Note(TEXT, (*note_of(TEXT, signer()).signatures, line))
        policy = Policy((KEY,), {"Q": key}, {}, "Q")
        with unittest.mock.patch(
            "toolreplay.evidence.tlog.cosignature.verify_ml_dsa_44", lambda *_: None
        ):
            found = self.judged(note, policy=policy)
        self.assertEqual((found.faults, found.unchecked), ((), ("pq.example",)))
        self.assertIsNone(found.is_policy_met)
        self.assertIn("cannot be checked on this machine", found.unmet)
        self.assertIsNone(found.cosigned)

    def test_a_log_may_sign_with_a_key_of_a_cosigners_type_under_its_own_name(self) -> None:
        public = bytes(1312)
        for name, signers, kinds in ((ORIGIN, (ORIGIN,), []), ("pq.example", (), [UNKNOWN_SIGNER])):
            key_id = key_id_of(name, ML_DSA_44_COSIGNATURE, public)
            key = VerifierKey(name, key_id, ML_DSA_44_COSIGNATURE, public)
            note = Note(TEXT, (NoteSignature(name, key_id, bytes(8 + 2420)),))
            where = "toolreplay.evidence.tlog.cosignature.verify_ml_dsa_44"
            with unittest.mock.patch(where, lambda *_: True):
                found = self.judged(note, keys=[key])
            self.assertEqual((found.signers, self.kinds(found)), (signers, kinds))
            with unittest.mock.patch(where, lambda *_: None):
                found = self.judged(note, keys=[key])
            self.assertEqual((found.signers, self.kinds(found)), ((), [UNKNOWN_SIGNER]))
            self.assertEqual("cannot be checked" in found.faults[0].what, name == ORIGIN)

    def test_the_kinds_are_these(self) -> None:
        self.assertEqual(
            (BAD_SIGNATURE, UNKNOWN_SIGNER, HEAD_MISMATCH),
            ("bad-signature", "unknown-signer", "head-mismatch"),
        )


if __name__ == "__main__":
    unittest.main()
