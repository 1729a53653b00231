"""`verify` and `audit` of runs in logs: keys, policies, the memory of heads, and proofs."""

import base64
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from tests.cli import ways
from tests.evidence.bundle import in_a_log, made
from tests.evidence.bundle.in_a_log import ORIGIN, SIGNER, Log, sign, signer_of, vkey_of
from tests.evidence.tlog.test_standing import NOVEMBER, WITNESS
from toolreplay.evidence.tlog.checkpoint import checkpoint_text
from toolreplay.evidence.tlog.cosignature import cosign, cosigner_key
from toolreplay.evidence.tlog.note import note_bytes, parse_note, vkey_text

VKEY = vkey_of()
MAKER = made.imported(2)
PRIVATE = "PRIVATE+KEY+log.example/made+26d77dd6+" + base64.b64encode(b"\1" * 33).decode()


@functools.cache
def log_of(before: int = 3, after: int = 0) -> Log:
    """Return a log in which the run stands behind so many other leaves, and others behind it."""
    return Log().filled(before).take(MAKER).filled(after)


class InAFolder(unittest.TestCase):
    """A folder with bundles of one run, and a home of its own for what is remembered."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.state = self.folder / "state"
        patch = mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(self.state)})
        patch.start()
        self.addCleanup(patch.stop)
        name = hashlib.sha256(ORIGIN.encode()).hexdigest()
        self.memory = self.state / "toolreplay" / "seen" / name
        self.at_7 = self.write("at7.run.jsonl", log_of().bundle(MAKER, sign))

    def write(self, name: str, data: bytes | str) -> str:
        (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return name

    def grown(self, *since: int) -> str:
        return self.write("grown.run.jsonl", log_of(after=10).bundle(MAKER, sign, since=since))

    def forked(self, after: int, *since: int) -> str:
        """Write the run in a log of another past, signed with the same key."""
        data = log_of(2, after).bundle(MAKER, sign, since=since)
        return self.write("forked.run.jsonl", data)

    def ran(self, *arguments: str) -> ways.Ran:
        return ways.in_process(*arguments, folder=self.folder)

    def says(self, status: int, *arguments: str) -> str:
        found = self.ran(*arguments)
        self.assertEqual(found.status, status, found.text + found.error)
        return found.text + found.error

    def verify(self, status: int, name: str, *arguments: str) -> str:
        return self.says(status, "verify", name, "--key", VKEY, *arguments)


class Keys(InAFolder):
    """Decided by us: a key is brought from outside, as text or in a file."""

    def test_text_a_file_and_both(self) -> None:
        other = vkey_of(signer_of("other", "other"))
        keys = self.write("keys", f"# ours\n\n{other}\n{VKEY}\n")
        for given in ((VKEY,), (keys,), (other, "--key", VKEY), (VKEY, "--key", keys)):
            text = self.says(0, "verify", self.at_7, "--seen", "none", "--key", *given)
            self.assertIn(f"signer ({ORIGIN})", text)

    def test_none_is_named_as_what_would_help(self) -> None:
        text = self.says(0, "verify", self.at_7)
        self.assertIn("signer  no key given", text)
        self.assertIn("add --key VKEY", text)
        self.assertFalse(self.state.exists())

    def test_another_key_is_a_finding(self) -> None:
        other = vkey_of(signer_of(seed="other"))
        text = self.says(1, "verify", self.at_7, "--key", other)
        self.assertIn("run: unknown-signer: ", text)
        self.assertIn("failed       signer (1 finding)", text)
        self.assertFalse(self.memory.exists())

    def test_what_is_no_key_is_one_line(self) -> None:
        for text, line in (
            (f"{VKEY}x", "error: the key given: "), ("a+b+c", "error: the key given: "), ("nobody", "error: nobody: No such file"),
            (self.write("empty", "# no key\n"), "error: empty: holds no key"),
            (self.write("text", "no key\n"), "error: text: not a verifier key"),
        ):  # fmt: skip
            found = self.says(2, "verify", self.at_7, "--key", text)
            self.assertTrue(found.startswith(line), found)
            self.assertEqual(found.count("\n"), 1)

    def test_a_private_key_is_refused_and_never_repeated(self) -> None:
        secret = PRIVATE.rpartition("+")[2]
        for given in (PRIVATE, self.write("key", f"{PRIVATE}\n")):
            text = self.says(2, "verify", self.at_7, "--key", given)
            self.assertIn("private", text)
            self.assertNotIn(secret, text)

    def test_a_record_without_a_signed_head(self) -> None:
        unsigned = self.write("head.run.jsonl", log_of().bundle(MAKER))
        plain = self.write("plain.run.jsonl", MAKER.bundle())
        policy = self.write("policy", f"log {VKEY}\nquorum none\n")
        for name in (unsigned, plain):
            for option in (
                ("--key", VKEY),
                ("--policy", policy),
                ("--seen", "s"),
                ("--seen", "none"),
            ):
                text = self.says(3, "verify", name, *option)
                self.assertIn("required and not checked: signer, log", text)
                self.assertIn(f"nothing here is signed, and {option[0]} was given", text)
        self.assertFalse(self.state.exists() or (self.folder / "s").exists())

    def test_lines_can_be_required(self) -> None:
        self.verify(0, self.at_7)
        self.verify(0, self.at_7, "--require", "signer,log")
        self.verify(3, self.grown(), "--require", "signer,log")
        self.verify(0, self.grown(), "--require", "signer")
        self.says(3, "verify", self.at_7, "--require", "signer")
        self.assertIn("log", self.verify(3, self.at_7, "--seen", "none", "--require", "signer,log"))

    def test_audit_asks_the_same(self) -> None:
        text = self.says(0, "audit", self.at_7, "--key", VKEY)
        self.assertIn(f"remembered: {ORIGIN}, size 7, in {self.memory}", text)
        self.assertIn("log (the head remembered, size 7)", self.says(0, "audit", self.at_7, "--key", VKEY))  # fmt: skip
        self.says(3, "audit", self.grown(), "--key", VKEY)
        self.says(1, "audit", self.forked(1), "--key", VKEY)

    def test_a_file_that_is_read_is_not_replaced(self) -> None:
        keys = self.write("keys", f"{VKEY}\n")
        self.says(2, "verify", self.at_7, "--key", keys, "--report", f"json={keys}")
        self.says(2, "verify", self.at_7, "--key", VKEY, "--seen", "s", "--report", "json=s")


class Policies(InAFolder):
    """Decided by C2SP tlog-policy; by us that what it asks for is required."""

    def policy(self, quorum: str) -> str:
        key = cosigner_key(WITNESS)
        witness = vkey_text(key.name, key.kind, key.public)
        text = f"log {VKEY}\nwitness w {witness}\nquorum {quorum}\n"
        return self.write("policy", text)

    def test_cosigned_or_not(self) -> None:
        def cosigned(head: in_a_log.Checkpoint) -> bytes:
            note = parse_note(sign(head), "")
            return note_bytes(note.text, [*note.signatures, cosign(note.text, NOVEMBER, WITNESS)])

        name = self.write("cosigned.run.jsonl", log_of().bundle(MAKER, cosigned))
        text = self.says(0, "verify", name, "--policy", self.policy("w"), "--seen", "none")
        self.assertIn("time (cosigned 2026-11-30T09:00:00Z by w1)", text)
        self.assertIn(f"signer ({ORIGIN})", text)
        text = self.says(3, "verify", self.at_7, "--policy", self.policy("w"), "--seen", "none")
        self.assertIn("required and not checked: time", text)
        self.says(0, "verify", self.at_7, "--policy", self.policy("none"), "--seen", "none")

    def test_one_that_cannot_be_read(self) -> None:
        for text in ("", "{}\n", f"log {VKEY}\n", "quorum nobody\n"):
            found = self.says(2, "verify", self.at_7, "--policy", self.write("policy", text))
            self.assertTrue(found.startswith("error: policy"), found)
        self.says(2, "verify", self.at_7, "--policy", "nowhere")


class TheMemory(InAFolder):
    """Decided by us: it is announced, only grows, and never learns what nobody signed."""

    def test_the_first_visit_and_those_after_it(self) -> None:
        text = self.verify(0, self.at_7)
        self.assertIn("log   first visit", text)
        self.assertTrue(text.endswith(f"remembered: {ORIGIN}, size 7, in {self.memory}\n"), text)
        self.assertEqual(self.memory.read_bytes(), sign(log_of().head()))
        text = self.verify(0, self.at_7)
        self.assertIn("log (the head remembered, size 7)", text)
        self.assertNotIn("remembered:", text)

    def test_honest_growth_is_silent_where_a_path_shows_it(self) -> None:
        self.verify(0, self.at_7)
        text = self.verify(3, self.grown())
        self.assertIn("remembered size 7: ask for export --since 7", text)
        self.assertIn("required and not checked: log", text)
        self.assertEqual(self.memory.read_bytes(), sign(log_of().head()))
        text = self.verify(0, self.grown(3, 7))
        self.assertIn("log (consistent with size 7)", text)
        self.assertIn(f"remembered: {ORIGIN}, size 17, in ", text)
        text = self.verify(3, self.at_7)
        self.assertIn("older than the head remembered, size 17", text)
        self.assertEqual(self.memory.read_bytes(), sign(log_of(after=10).head()))

    def test_a_file_of_ones_own_or_none(self) -> None:
        self.verify(0, self.at_7, "--seen", "mine")
        self.assertEqual((self.folder / "mine").read_bytes(), sign(log_of().head()))
        self.assertIn("the head remembered", self.verify(0, self.at_7, "--seen", "mine"))
        text = self.verify(0, self.at_7, "--seen", "none")
        self.assertIn("no head is remembered (--seen none)", text)
        self.assertFalse(self.state.exists())
        other = Log("log.example/other").take(MAKER)
        name = self.write("other.run.jsonl", other.bundle(MAKER, sign))
        text = self.says(1, "verify", name, "--key", VKEY, "--seen", "mine")
        self.assertIn("unknown-signer", text)
        self.assertEqual((self.folder / "mine").read_bytes(), sign(log_of().head()))
        self.says(2, "verify", self.at_7, "--key", VKEY, "--seen", "no/folder")

    def test_a_damaged_one_is_named_and_left_as_it_is(self) -> None:
        self.verify(0, self.at_7)
        whole = self.memory.read_bytes()
        for damaged in (b"", b"\0", whole[:-4], whole.replace(b"\n7\n", b"\n8\n"), whole * 2):
            self.memory.write_bytes(damaged)
            for name in (self.at_7, self.grown(7)):
                found = self.ran("verify", name, "--key", VKEY)
                self.assertEqual((found.status, found.out), (2, b""))
                self.assertIn(str(self.memory), found.error)
                self.assertEqual(len(found.error.splitlines()), 1)
                self.assertEqual(self.memory.read_bytes(), damaged)

    def test_it_never_learns_a_head_that_no_given_key_signed(self) -> None:
        head = log_of().head()
        note = parse_note(sign(head), "")
        (line,) = note.signatures
        damaged = note_bytes(note.text, [line._replace(signature=bytes(64))])
        foreign = sign(head, signer_of(seed="foreign"))
        for number, data in enumerate((None, foreign, damaged)):
            bundle = log_of().bundle(MAKER, None if data is None else lambda _, d=data: d)
            name = self.write(f"{number}.run.jsonl", bundle)
            self.verify(3 if data is None else 1, name)
            self.says(0, "verify", name)
        self.assertFalse(self.state.exists())
        note = note_bytes(checkpoint_text(ORIGIN, 3, bytes(32)), note.signatures)
        values = made.apart(log_of().bundle(MAKER, lambda _: note))
        self.verify(1, self.write("misfit.run.jsonl", made.joined(values)))
        self.assertFalse(self.state.exists())

    def test_a_record_that_does_not_hold_teaches_what_its_head_says_all_the_same(self) -> None:
        """The head is the log's, whatever was done to an entry."""
        values = made.apart(log_of().bundle(MAKER, sign))
        made.entries_of(values)[0]["salt"] = "ab" * 32
        text = self.verify(1, self.write("edited.run.jsonl", made.joined(values)))
        self.assertIn(f"remembered: {ORIGIN}, size 7", text)

    def test_two_bundles_of_one_command_are_compared_with_each_other(self) -> None:
        self.forked(1)
        text = self.says(1, "audit", self.at_7, "forked.run.jsonl", "--key", VKEY)
        self.assertIn("forked-log", text)

    def test_two_at_once(self) -> None:
        """Whoever comes second is compared with what the first one saw."""
        self.forked(1)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            names = [self.at_7, "forked.run.jsonl"] * 4
            ran = list(pool.map(self.looked, names))
        self.assertEqual(sum(learned for _, learned in ran), 1)
        self.assertEqual(sum(kinds == ["forked-log"] for kinds, _ in ran), 4)
        self.assertEqual(sum(kinds == [] for kinds, _ in ran), 4)

    def looked(self, name: str) -> tuple[list[str], bool]:
        """Verify as a process of its own would, and say what was found and whether it was learned."""
        from toolreplay.evidence.bundle.checking import BundleChecker
        from toolreplay.evidence.tlog.standing import Trust
        from toolreplay.records.limits import DEFAULT
        from toolreplay.sources.seen import SeenHeads

        memory = SeenHeads(str(self.folder / "shared"), None)
        with open(self.folder / name, "rb") as file:
            checker = BundleChecker(file, DEFAULT, lambda start, end: b"")
            checker.begin(made.Asked(trust=Trust((SIGNER.key,), None, memory)))
            list(checker.calls())
        standing = checker.standing()
        assert standing is not None
        if standing.learned is not None:
            memory.learn(standing.learned)
        memory.release()
        return [fault.kind for fault in standing.faults], standing.learned is not None

    def test_where_nothing_can_be_remembered_the_answer_stands(self) -> None:
        self.state.write_bytes(b"a file where the folder must be")
        text = self.verify(0, self.at_7)
        self.assertIn("log   first visit", text)
        self.assertIn(f"not remembered in {self.memory}: ", text)

    def test_as_json_the_announcement_is_not_in_the_report(self) -> None:
        found = self.ran("verify", self.at_7, "--key", VKEY, "--format", "json")
        (run,) = json.loads(found.out)["runs"]
        checks = {check["line"]: check for check in run["checks"]}
        self.assertEqual(checks["signer"]["result"], "passed")
        self.assertIn("remembered: ", found.error)


class TwoHistories(InAFolder):
    """Decided by us: a log that shows two is found, and whoever found it can show it to anyone."""

    def found(self, after: int, *since: int) -> str:
        text = self.verify(1, self.forked(after, *since))
        self.assertIn("run: forked-log: ", text)
        for head in (log_of().head(), log_of(2, after).head()):
            self.assertIn(f"size {head.size} root {head.root.hex()}", text)
        self.assertIn("failed       log (1 finding)", text)
        self.assertEqual(self.memory.read_bytes(), sign(log_of().head()))
        return text

    def test_a_fork_of_the_same_size_and_larger_ones(self) -> None:
        self.verify(0, self.at_7)
        for number, (after, since) in enumerate(((1, ()), (2, (7,)), (11, (3, 7))), 1):
            text = self.found(after, *since)
            proof = f"{self.memory}.two-histories-{number}"
            self.assertIn(f"proof of two histories: {proof}\n", text)
            self.assertIn(f"for anyone: toolreplay verify {proof} --key {VKEY}\n", text)
            said = self.says(1, "verify", proof, "--key", VKEY)
            self.assertIn(f"The holder of the key {ORIGIN} signed two histories of {ORIGIN}", said)
            self.assertIn(log_of().head().root.hex(), said)
            self.assertIn("forked-log: ", said)

    def test_a_larger_one_without_a_path_is_not_checked(self) -> None:
        self.verify(0, self.at_7)
        for after in (2, 11):
            text = self.verify(3, self.forked(after))
            self.assertIn("ask for export --since 7", text)
        self.assertEqual(self.memory.read_bytes(), sign(log_of().head()))

    def test_where_the_proof_goes(self) -> None:
        self.verify(0, self.at_7)
        name = self.forked(1)
        self.assertIn(
            "proof of two histories: mine.json\n", self.verify(1, name, "--proof", "mine.json")
        )
        self.assertTrue((self.folder / "mine.json").exists())
        text = self.verify(1, name, "--proof", "no/folder")
        self.assertIn("the proof of two histories was not written: no/folder: ", text)
        self.assertNotIn("proof", self.verify(1, name, "--proof", "none"))
        self.assertEqual(list(self.memory.parent.glob("*.two-histories-*")), [])
        self.says(2, "verify", self.at_7, "--proof", "mine.json")

    def test_a_proof_alone(self) -> None:
        self.verify(0, self.at_7)
        self.verify(1, self.forked(2, 7), "--proof", "p")
        text = self.says(3, "verify", "p")
        self.assertIn("not checked: no key given", text)
        other = vkey_of(signer_of(seed="other"))
        text = self.says(2, "verify", "p", "--key", other)
        self.assertEqual(text, "error: p: proves nothing: no key given signed both heads\n")
        policy = self.write("policy", f"log {VKEY}\nquorum none\n")
        self.says(1, "verify", "p", "--policy", policy)
        proof = json.loads((self.folder / "p").read_bytes())
        for change in ({"path": None}, {"path": ["ab" * 32]}, {"notes": proof["notes"][:1] * 2}):
            name = self.write("changed", made.form({**proof, **change}) + b"\n")
            self.assertIn("proves nothing: ", self.says(2, "verify", name, "--key", VKEY))
        for data in (
            made.form({**proof, "more": 1}) + b"\n",
            made.form(proof),
            made.form(proof) * 2,
        ):
            self.says(2, "verify", self.write("broken", data), "--key", VKEY)
        for options in (("--require", "log"), ("--format", "json"), ("--expect-count", "1")):
            self.says(2, "verify", "p", "--key", VKEY, *options)

    def test_other_commands_say_what_it_is(self) -> None:
        self.verify(0, self.at_7)
        self.verify(1, self.forked(1), "--proof", "p")
        for command in ("audit", "show"):
            self.assertIn("is a proof of two histories", self.says(2, command, "p"))


if __name__ == "__main__":
    unittest.main()
