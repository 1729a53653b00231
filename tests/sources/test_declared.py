"""The small files in which something is declared."""

import os
import tempfile
import unittest

from tests.evidence.bundle.in_a_log import signer_of, vkey_of
from toolreplay.errors import DeclarationError, InputError
from toolreplay.evidence.seal import Head, head_text
from toolreplay.records.limits import Limits
from toolreplay.sources.declared import (
    read_head,
    read_keys,
    read_names,
    read_policy,
    read_scope,
    read_vkey,
)


class DeclaredFiles(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.name = os.path.join(made.name, "declared")

    def put(self, data: bytes) -> str:
        with open(self.name, "wb") as file:
            file.write(data)
        return self.name

    def test_keys_as_text_and_in_files(self) -> None:
        """Decided by us: one or many, as they are handed around."""
        one, two = vkey_of(), vkey_of(signer_of("two", "two"))
        self.assertEqual([key.name for key in read_keys(one)], [signer_of().name])
        name = self.put(f"# ours\n\n{two}\n{one}\n".encode())
        self.assertEqual({key.name for key in read_keys(name)}, {"two", signer_of().name})
        with self.assertRaisesRegex(InputError, "holds 2 keys, and one is wanted"):
            read_vkey(name)
        self.assertEqual(read_vkey(self.put(f"{two}\n".encode())).name, "two")
        for data, what in (
            (b"", "holds no key"), (b"# none\n", "holds no key"), (b"a+b\n", "not a verifier key"),
            (b"PRIVATE+KEY+a+b+c\n", "is a private key"),
        ):  # fmt: skip
            with self.assertRaisesRegex(InputError, what) as caught:
                read_keys(self.put(data))
            self.assertEqual(caught.exception.where, self.name)
        for text in ("PRIVATE+KEY+a+b+c", f"{one}x", "a+b+c"):
            with self.assertRaises(InputError) as caught:
                read_keys(text)
            self.assertEqual(caught.exception.where, "the key given")

    def test_a_policy(self) -> None:
        """Decided by C2SP tlog-policy, which is tested with evidence."""
        policy = read_policy(self.put(f"log {vkey_of()}\nquorum none\n".encode()))
        self.assertEqual([key.name for key in policy.logs], [signer_of().name])
        with self.assertRaises(InputError) as caught:
            read_policy(self.put(b"log x\n"))
        self.assertEqual(caught.exception.where, f"{self.name}, line 1")

    def test_a_scope(self) -> None:
        """Decided by the tutorial; the members are tested with records."""
        scope = read_scope(self.put(b'{"agent": "a", "allowed_tools": ["x"]}'))
        self.assertEqual((scope.agent, scope.allowed_tools), ("a", {"x"}))
        self.assertEqual(scope.file, self.name)

    def test_a_toml_scope_is_refused_before_it_is_looked_for(self) -> None:
        with self.assertRaisesRegex(DeclarationError, r"\Agone\.toml: TOML scopes are not read"):
            read_scope("gone.toml")

    def test_names_are_one_a_line_without_blanks_around_them(self) -> None:
        """Decided by us: a tool's own name may hold blanks and number signs inside."""
        names = read_names(self.put("deploy\n\n  read file \r\n# a remark\n #x\na#b\né\ndeploy".encode()))  # fmt: skip
        self.assertEqual(names, {"deploy", "read file", "a#b", "é"})
        self.assertEqual(read_names(self.put(b"")), set())

    def test_names_that_no_tool_could_bear_are_refused(self) -> None:
        for data in (b"\xff", b"\xef\xbb\xbfdeploy\n", "deploy\n".encode("utf-16-le")):
            with self.subTest(data), self.assertRaises(DeclarationError):
                read_names(self.put(data))

    def test_a_head(self) -> None:
        head = Head(3, "a" * 64)
        self.assertEqual(read_head(self.put(head_text(head))), head)

    def test_each_is_refused_by_its_name(self) -> None:
        for read in (read_scope, read_names, read_head):
            for name, what in (
                ("gone", "No such file or directory"),
                (os.path.dirname(self.name), "Is a directory"),
                ("a\0b", "is not a name a file can have"),
            ):
                with self.subTest(read=read, name=name), self.assertRaises(InputError) as caught:
                    read(name)
                self.assertEqual((caught.exception.where, caught.exception.what), (name, what))

    def test_the_limit_of_a_line_holds_for_the_whole_file(self) -> None:
        """Decided by us: nobody declares megabytes."""
        limits = Limits(line_bytes=50)
        for read in (read_scope, read_names, read_head):
            with self.subTest(read), self.assertRaisesRegex(InputError, "longer than 50 bytes"):
                read(self.put(b"x" * 51), limits)
        self.assertEqual(read_names(self.put(b"x" * 50), limits), {"x" * 50})
