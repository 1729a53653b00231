"""Keys in files, heads that are signed, and `verify --key`."""

import base64
import json
import os
import stat
import sys
import tempfile
import unittest
import unittest.mock
from importlib.util import find_spec

from tests.cli import ways
from tests.evidence.trust import ORIGIN, document, signer
from toolreplay.evidence.seal import Head, head_text
from toolreplay.evidence.signatures.keys import parse_private_key, private_key_text
from toolreplay.evidence.signatures.sign import sign_note
from toolreplay.evidence.tlog.note import ED25519, parse_vkey, vkey_text

HAS_PACKAGE = find_spec("cryptography") is not None
WITHOUT = {"cryptography.hazmat.primitives.asymmetric.ed25519": None}
DIRTY = str(ways.SAMPLES / "session-dirty.jsonl")
SEED = bytes.fromhex(document("keys")["keys"][0]["seed_hex"])
VKEY = document("keys")["log_vkey"]
OTHER = vkey_text("other.example", ED25519, signer("other").key.public)
HEAD = head_text(Head(6, "75ccf1faad88c5ea82c68139b2ec2a02943142dd0133bb0c626ccbff28f5c711"))


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def ran(self, *arguments: str, stdin: bytes = b"") -> ways.Ran:
        return ways.in_process(*arguments, folder=self.folder, stdin=stdin)

    def put(self, name: str, data: bytes | str, mode: int = 0o600) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        os.chmod(path, mode)
        return name

    def read(self, name: str) -> bytes:
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def error(self, *arguments: str) -> str:
        ran = self.ran(*arguments)
        self.assertEqual((ran.status, ran.out), (2, b""))
        self.assertEqual(ran.error.count("\n"), 1)
        return ran.error.removeprefix("error: ").removesuffix("\n")


class KeyNew(InAFolder):
    """Decided by us: the file is for its owner alone, and no key is ever replaced or printed."""

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_a_key_is_made_and_its_public_part_printed(self) -> None:
        before = os.umask(0)
        try:
            ran = self.ran("key", "new", "--name", "me.example/k1", "-o", "k")
        finally:
            os.umask(before)
        self.assertEqual(ran.status, 0)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.folder, "k")).st_mode), 0o600)
        key = parse_vkey(ran.text.removesuffix("\n"), "")
        private = parse_private_key(self.read("k").decode(), "")
        self.assertEqual((key.name, private.name), ("me.example/k1", "me.example/k1"))
        for text in (ran.text, ran.error):
            self.assertNotIn("PRIVATE", text)
            self.assertNotIn(base64.b64encode(private.seed).decode()[4:40], text)
        self.assertIn("hand this line to whoever checks", ran.error)
        self.assertEqual(self.ran("key", "show", "k"), (0, ran.out, b""))

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_without_a_name_it_gets_one_of_its_own(self) -> None:
        texts = [self.ran("key", "new", "-o", name).text for name in ("a", "b")]
        for text in texts:
            self.assertRegex(text, r"\Atoolreplay\.invalid/[0-9a-f]{32}\+[0-9a-f]{8}\+\S+\n\Z")
        self.assertNotEqual(*texts)

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_what_is_there_is_never_replaced(self) -> None:
        self.put("k", "mine")
        os.symlink("nowhere", os.path.join(self.folder, "link"))
        for name in ("k", "link"):
            found = self.error("key", "new", "-o", name)
            self.assertEqual(found, f"{name}: is there already, and no key is ever replaced")
        self.assertEqual(self.read("k"), b"mine")
        self.assertEqual(sorted(os.listdir(self.folder)), ["k", "link"])
        self.assertIn("No such file", self.error("key", "new", "-o", "nowhere/k"))

    def test_a_name_that_no_key_or_log_can_have_is_refused(self) -> None:
        for name in ("a b", "a+b", "a\u00a0b", 'a"b', "a\\b", "a\x1b", "a\u202e", "a" * 201):
            self.assertIn("--name takes", self.error("key", "new", "--name", name, "-o", "k"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_the_package_one_line_names_the_extra_and_nothing_is_written(self) -> None:
        with unittest.mock.patch.dict("sys.modules", WITHOUT):
            found = self.error("key", "new", "-o", "k")
        self.assertIn("a private key needs the extra 'sign' (pip install", found)
        self.assertEqual(os.listdir(self.folder), [])


class KeyShow(InAFolder):
    """Decided by us."""

    def test_a_public_key_needs_no_package(self) -> None:
        for ending in ("", "\n"):
            self.put("v", VKEY + ending, 0o644)
            with unittest.mock.patch.dict("sys.modules", WITHOUT):
                self.assertEqual(self.ran("key", "show", "v"), (0, f"{VKEY}\n".encode(), b""))
        self.assertEqual(self.ran("key", "show", "-", stdin=VKEY.encode()).text, f"{VKEY}\n")

    def test_a_private_key_that_others_can_read_is_refused(self) -> None:
        text = private_key_text(ORIGIN, SEED, signer().key.public)
        for mode in (0o644, 0o640, 0o604, 0o620, 0o610, 0o601):
            self.put("my key", text, mode)
            found = self.error("key", "show", "my key")
            self.assertEqual(
                found, "my key: a private key that others can read (chmod 600 'my key')"
            )

    def test_what_is_no_key_is_refused(self) -> None:
        for text, what in (
            ("", "not a verifier key"),
            (f"{VKEY}\n{VKEY}\n", "not standard base64"),
            ("PRIVATE+KEY+x", "not a private key"),
            ("PRIVATE+KEY+a+00000000+AAAA", "no Ed25519 key of 32 bytes"),
        ):
            self.put("k", text)
            self.assertIn(what, self.error("key", "show", "k"))
        self.assertIn("No such file", self.error("key", "show", "gone"))

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_a_private_key_whose_hash_is_anothers_is_refused(self) -> None:
        text = private_key_text(ORIGIN, SEED, signer("other").key.public)
        self.put("k", text)
        self.assertIn("its hash is not that of its name and key", self.error("key", "show", "k"))


class SealSign(InAFolder):
    """Decided by us: the head of a seal can be signed, with a key or by a command."""

    def command(self, code: str) -> list[str]:
        self.put("sign.py", f"import sys\n{code}\n")
        line = f"'{sys.executable}' -S sign.py"
        return ["seal", DIRTY, "-o", "s", "--head", "h", "--sign-command", line, "--vkey", VKEY]

    def test_a_command_signs_and_the_head_is_a_note(self) -> None:
        code = f"assert sys.stdin.buffer.read() == {HEAD!r}\ndata = {signer().sign(HEAD)!r}\n"
        for answer in ("data", repr(base64.b64encode(signer().sign(HEAD)) + b"\n")):
            ran = self.ran(*self.command(f"{code}sys.stdout.buffer.write({answer})"))
            self.assertEqual(ran, (0, b"", b""))
            self.assertEqual(self.read("h"), sign_note(HEAD, signer()))

    def test_what_a_command_does_wrong_leaves_nothing_behind(self) -> None:
        for code, what in (
            ("sys.stdout.buffer.write(bytes(64))", "its signature is not of the key that --vkey"),
            ("print('A' * 88)", "printed neither 64 bytes nor their base64"),
            ("sys.stdout.buffer.write(bytes(63))", "printed neither 64 bytes nor their base64"),
            ("sys.exit(3)", "ended with 3"),
            (
                "while True: sys.stdout.buffer.write(bytes(65536))",
                "printed more than any signature has",
            ),
        ):
            self.assertEqual(self.error(*self.command(code)).partition(what)[:2],
                             ("--sign-command: ", what))  # fmt: skip
            self.assertEqual(os.listdir(self.folder), ["sign.py"])

    def test_a_command_that_is_silent_is_waited_for_no_longer_than_it_may_take(self) -> None:
        with unittest.mock.patch("toolreplay.cli.signing._SECONDS", 0.2):
            found = self.error(*self.command("import time; time.sleep(60)"))
        self.assertIn("gave no answer in 0.2 seconds", found)

    def test_options_that_do_not_fit_are_refused(self) -> None:
        self.put("k", private_key_text(ORIGIN, SEED, signer().key.public))
        self.put("v", VKEY)
        for options, what in (
            (["--sign-command", "x", "--vkey", VKEY], "name a file for it with --head"),
            (["--head", "h", "--sign-command", "x"], "go together"),
            (["--head", "h", "--vkey", "v"], "go together"),
            (["--head", "h", "--sign", "k", "--vkey", "v"], "not both"),
            (["--head", "h", "--sign", "k", "--sign-command", "x"], "not both"),
            (["--head", "h", "--sign-command", "", "--vkey", "v"], "an argument is empty"),
            (["--head", "h", "--sign-command", " ", "--vkey", "v"], "names no command"),
            (["--head", "h", "--sign-command", "'x", "--vkey", "v"], "no closing quotation"),
            (["--head", "h", "--sign-command", "./gone", "--vkey", "v"], "No such file"),
            (["--head", "h", "--sign-command", "x", "--vkey", "k"], "is a private key"),
            (["--head", "h", "--sign-command", "x", "--vkey", document("keys")["witness_vkey"]],
             "0x04 does not sign like that"),
            (["--head", "k", "--sign", "k"], "k: is the private key"),
            (["--head", "h", "-o", "k", "--sign", "k"], "k: is the private key"),
            (["--head", "h", "--sign", "v"], "not a private key"),
            (["--head", "h", "--sign", "gone"], "No such file"),
        ):  # fmt: skip
            with self.subTest(options):
                self.assertIn(what, self.error("seal", DIRTY, *options))
                self.assertEqual(sorted(os.listdir(self.folder)), ["k", "v"])

    @unittest.skipUnless(HAS_PACKAGE, "needs the extra sign")
    def test_a_key_signs_the_same_head(self) -> None:
        self.put("k", private_key_text(ORIGIN, SEED, signer().key.public))
        unsigned = self.ran("seal", DIRTY, "--head", "h")
        self.assertEqual(self.read("h"), HEAD)
        signed = self.ran("seal", DIRTY, "--head", "h", "--sign", "k")
        self.assertEqual(signed, unsigned)
        self.assertEqual(self.read("h"), sign_note(HEAD, signer()))
        os.chmod(os.path.join(self.folder, "k"), 0o644)
        self.assertIn("chmod 600", self.error("seal", DIRTY, "--head", "h", "--sign", "k"))


class VerifyKey(InAFolder):
    """Decided by us: the tutorial's lines stay, and what was asked of the signer is answered."""

    def setUp(self) -> None:
        super().setUp()
        self.put("s", self.ran("seal", DIRTY).out)
        self.put("h", sign_note(HEAD, signer()))
        self.put("plain", HEAD)
        self.put("v", f"{VKEY}\n")

    def lines(self, status: int, *arguments: str) -> list[str]:
        ran = self.ran("verify", "s", *arguments)
        self.assertEqual((ran.status, ran.err), (status, b""))
        return ran.lines

    def test_a_signed_head_passes_with_its_key_given_or_in_a_file(self) -> None:
        expected = ["chain: intact", f"passed       ending · signer ({ORIGIN})"]
        for keys in (["--key", VKEY], ["--key", "v"], ["--key", OTHER, "--key", "v"]):
            self.assertEqual(self.lines(0, "--against", "h", *keys), expected)

    def test_a_signature_that_does_not_hold_ends_with_1(self) -> None:
        self.put("h", self.read("h").replace(b"\n6\n", b"\n5\n"))
        found = self.lines(1, "--against", "h", "--key", "v")
        self.assertEqual(found[0], "chain: intact")
        self.assertIn(f"signer (the signature of {ORIGIN} does not hold)", found[-1])

    def test_a_head_that_another_key_signed_ends_with_1(self) -> None:
        self.assertEqual(
            self.lines(1, "--against", "h", "--key", OTHER),
            ["chain: intact", "passed       ending", "failed       signer (no key given signed the head)"],
        )  # fmt: skip

    def test_a_good_signature_does_not_make_up_for_another_chain(self) -> None:
        self.put("s", b"".join(self.read("s").splitlines(keepends=True)[:4]))
        found = self.lines(1, "--against", "h", "--key", "v")
        self.assertEqual(
            found[1:],
            [f"passed       signer ({ORIGIN})", "failed       ending (expected 6 links, found 4)"],
        )

    def test_without_a_key_the_lines_are_those_of_the_tutorial(self) -> None:
        expected = ["chain: intact", "passed       ending"]
        for head in ("h", "plain"):
            self.assertEqual(self.lines(0, "--against", head), expected)
        explained = self.lines(0, "--against", "h", "--explain")
        self.assertEqual(explained[-1], "not checked  signer  no key given  add --key VKEY")
        unsigned = self.lines(0, "--against", "plain", "--explain")
        self.assertIn("a seal has no signature", unsigned[-1])

    def test_a_check_that_cannot_be_made_ends_with_2(self) -> None:
        self.put("k", private_key_text(ORIGIN, SEED, signer().key.public))
        self.put("empty", "")
        for name, options, what in (
            (
                "s",
                ["--key", "v"],
                "what can be handed in is --against FILE, and --key VKEY with it",
            ),
            ("empty", ["--key", "v"], "is empty: nothing was recorded"),
            ("s", ["--key", "v", "--expect-count", "6"], "--key VKEY with it"),
            ("s", ["--against", "plain", "--key", "v"], "plain: the head has no signature"),
            ("s", ["--against", "h", "--key", "gone"], "gone: No such file"),
            ("s", ["--against", "h", "--key", "k"], "k: is a private key"),
            ("s", ["--against", "h", "--key", VKEY[:-4] + "AAAA"], "the key given: the hash of"),
            ("s", ["--against", "h", "--key", "s"], "s: not a verifier key"),
        ):
            with self.subTest(options):
                self.assertIn(what, self.error("verify", name, *options))

    def test_a_report_has_the_line_and_requires_it(self) -> None:
        for key, result, status in (("v", "passed", 0), (OTHER, "failed", 1)):
            ran = self.ran("verify", "s", "--against", "h", "--key", key, "--format", "json")
            (run,) = json.loads(ran.out)["runs"]
            checks = {check["line"]: check["result"] for check in run["checks"]}
            self.assertEqual((ran.status, checks["signer"]), (status, result))
            self.assertIn("signer", run["required"])
        ran = self.ran("verify", "s", "--against", "h", "--format", "json")
        (run,) = json.loads(ran.out)["runs"]
        self.assertNotIn("signer", run["required"])

    def test_a_key_is_not_taken_for_a_file_of_its_name(self) -> None:
        """Whoever wrote the folder that is looked at does not choose the key."""
        os.makedirs(os.path.join(self.folder, os.path.dirname(VKEY)))
        self.put(VKEY, OTHER)
        self.assertIn("signer (", self.lines(0, "--against", "h", "--key", VKEY)[-1])


if __name__ == "__main__":
    unittest.main()
