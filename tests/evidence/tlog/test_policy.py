"""Trust policies, against the vectors and the text of C2SP tlog-policy."""

import unittest

from tests.evidence.trust import ORIGIN, cases, signer, unpacked, witness
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.cosignature import cosigner_key, signature_holds
from toolreplay.evidence.tlog.note import ED25519, parse_note, signed_by, vkey_text
from toolreplay.evidence.tlog.policy import Group, parse_policy, why_unmet


def vkey(number: int) -> str:
    key = cosigner_key(witness(number))
    return vkey_text(key.name, key.kind, key.public)


LOG = vkey_text(ORIGIN, ED25519, signer().key.public)
WITNESSES = "".join(f"witness W{number} {vkey(number)}\n" for number in range(4))


def answered(case: dict) -> str:
    try:
        policy = parse_policy(case["policy"].encode(), "policy")
    except InputError:
        return "parse-error"
    note = parse_note(unpacked(case["checkpoint_b64"]), "")
    keys = [*policy.logs, *policy.witnesses.values()]
    signed = signed_by(note, keys, signature_holds).signers
    origin = parse_checkpoint(note.text, "").origin
    return "not-satisfied" if why_unmet(policy, origin, signed) else "satisfied"


class Vectors(unittest.TestCase):
    """Decided by C2SP tlog-policy; where a library is laxer the text is followed."""

    def test_each_policy(self) -> None:
        found = cases("policies")
        self.assertEqual(len(found), 22)
        for case in found:
            with self.subTest(case["id"], desc=case["desc"]):
                self.assertEqual(answered(case), case["expect"])

    def test_each_disagreement_with_a_library(self) -> None:
        found = [one["case"] for one in cases("oracle_disagreements") if one["kind"] == "policy"]
        self.assertEqual(len(found), 6)
        for case in found:
            self.assertNotEqual(case["formats"], case["expect"])
            self.assertEqual(answered(case), case["expect"], case["desc"])


class Quorums(unittest.TestCase):
    """C2SP tlog-policy, "Defining the quorum"."""

    def unmet(self, text: str, *numbers: int, log: bool = True, origin: str = ORIGIN) -> str:
        policy = parse_policy((f"log {LOG}\n" + WITNESSES + text).encode(), "policy")
        signed = [cosigner_key(witness(number)) for number in numbers]
        return why_unmet(policy, origin, [*signed, signer().key] if log else signed)

    def test_groups_of_groups(self) -> None:
        text = "group A 2 W0 W1 W2\ngroup B all A W3\nquorum B\n"
        for numbers, unmet in (
            ((0, 1, 3), ""),
            ((0, 1, 2, 3), ""),
            ((0, 1), "1 of the 2 needed for quorum B (W3 missing)"),
            ((0, 3), "1 of the 2 needed for quorum B (A missing)"),
            ((), "0 of the 2 needed for quorum B (A, W3 missing)"),
        ):
            with self.subTest(numbers):
                self.assertEqual(self.unmet(text, *numbers), unmet)

    def test_any_all_one_and_nobody(self) -> None:
        for text, enough, too_few in (
            ("group A any W0 W1\nquorum A\n", (1,), (2,)),
            ("group A all W0 W1\nquorum A\n", (0, 1), (0,)),
            ("group A 1 W0 W1\nquorum A\n", (0,), ()),
            ("quorum W2\n", (2,), (0, 1, 3)),
        ):
            with self.subTest(text):
                self.assertEqual(self.unmet(text, *enough), "")
                self.assertNotEqual(self.unmet(text, *too_few), "")
        self.assertEqual(self.unmet("quorum none\n"), "")
        self.assertEqual(self.unmet("quorum W2\n"), "0 of the 1 needed for quorum W2 (W2 missing)")

    def test_a_log_must_have_signed_under_its_own_name(self) -> None:
        self.assertEqual(self.unmet("quorum none\n", log=False), "no log of the policy signed it")
        self.assertNotEqual(self.unmet("quorum none\n", origin="other.example"), "")
        policy = parse_policy(b"quorum none\n", "")
        self.assertEqual(why_unmet(policy, None, []), "")


class TheFile(unittest.TestCase):
    """C2SP tlog-policy, "Policy file syntax and structure"."""

    def test_what_a_policy_says(self) -> None:
        text = f"# who\n log\t{LOG}  https://a.example \n{WITNESSES}group G 2 W0 W1\n\nquorum G\n"
        policy = parse_policy(text.encode(), "")
        self.assertEqual(policy.logs, (signer().key,))
        self.assertEqual(policy.witnesses["W3"], cosigner_key(witness(3)))
        self.assertEqual(policy.groups, {"G": Group(2, ("W0", "W1"))})
        self.assertEqual(policy.quorum, "G")

    def test_names_are_bytes(self) -> None:
        names = (b"K", b"\xe2\x84\xaa", b"\xff", b"\xfe", "é".encode(), "e\u0301".encode())
        lines = [b"witness %b %b\n" % (name, vkey(n).encode()) for n, name in enumerate(names)]
        policy = parse_policy(b"".join([*lines, b"quorum none\n"]), "")
        self.assertEqual(len(policy.witnesses), len(names))

    def test_as_many_names_as_are_read_and_no_more(self) -> None:
        groups = "".join(f"group G{number} any G{number - 1}\n" for number in range(1, 252))
        start = f"{WITNESSES}group G0 any W0\n{groups}"
        self.assertEqual(len(parse_policy(f"{start}quorum none\n".encode(), "").groups), 252)
        more = f"{start}group H any W1\nquorum none\n".encode()
        with self.assertRaisesRegex(InputError, "line 258: more than 256 logs"):
            parse_policy(more, "here")

    def test_each_fault_is_named_with_its_line(self) -> None:
        start, place = f"log {LOG}\n" + WITNESSES, "line 6: "
        for fact, text in (
            (place + "not a log, witness", "groups A any W0\n"),
            (place + "not a log, witness", f"witness W9 {vkey(9)} u v\n"),
            (place + "not a log, witness", f"log {LOG} u v\n"),
            (place + "not a log, witness", "group A any\n"),
            (place + "not a log, witness", "quorum\n"),
            (place + "not a log, witness", "quorum W0 W1\n"),
            (place + "the name W0 is taken", f"witness W0 {vkey(9)}\n"),
            (place + "the name none is taken", f"witness none {vkey(9)}\n"),
            (place + "the name none is taken", "group none any W0\n"),
            ("line 7: the name A is taken", "group A any W0\ngroup A any W1\n"),
            ("line 7: the name A is taken", f"group A any W0\nwitness A {vkey(9)}\n"),
            (place + "no line above names A", "group A any A\n"),
            (place + "no line above names none", "group A any none\n"),
            (place + "no line above names A", "quorum A\n"),
            (place + "W0 is a member", "group A any W0 W0\n"),
            ("line 7: W0 is a member", "group A any W0\ngroup B any W0\n"),
            (place + "a group of 2", "group A 3 W0 W1\n"),
            (place + "a group of 1", "group A 0 W0\n"),
            (place + "a group of 1", "group A 01 W0\n"),
            (place + "a group of 1", "group A 1_0 W0\n"),
            (place + "a group of 1", "group A all: W0\n"),
            ("line 7: a second quorum", "quorum W0\nquorum W0\n"),
            (place + "the same key", f"witness W9 {vkey(0)}\n"),
            (place + "the same key", f"log {LOG}\n"),
            (place + "a key of type 0x01", f"witness W9 {LOG}\n"),
            (place + "a key of type 0x04", f"log {vkey(9)}\n"),
            (place + "not a verifier key", "log nothing\n"),
            ("without a quorum", ""),
            ("must end with LF", "quorum none"),
            ("control character", "quorum none\r\n"),
            ("control character", "# \x7f\nquorum none\n"),
            ("more than 1,000,000 bytes", "# " + "a" * 1_000_000 + "\n"),
        ):
            with self.subTest(fact), self.assertRaisesRegex(InputError, f"^here.*{fact}"):
                parse_policy((start + text).encode(), "here")


if __name__ == "__main__":
    unittest.main()
