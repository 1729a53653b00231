"""Opening an input: plain, compressed, standard input, and what cannot be opened."""

import bz2
import gzip
import importlib.util
import io
import os
import sys
import tempfile
import unittest
import warnings
from unittest import mock

from toolreplay.errors import InputError
from toolreplay.records.limits import Limits
from toolreplay.sources.opening import open_seekable, open_stream, plain_name, shown_name

DATA = b"".join(b"line %d\n" % number for number in range(1000))


class ShownNames(unittest.TestCase):
    """Decided by us: UTF-8 in every report, whatever the locale."""

    def test_bytes_of_a_name_are_read_as_utf_8(self) -> None:
        self.assertEqual(shown_name("é\udcff-\n"), "é\udcff-\n")
        with mock.patch("os.fsencode", lambda name: name.encode("latin-1")):
            self.assertEqual(shown_name("renamed Ã©.jsonl"), "renamed é.jsonl")
        self.assertEqual(shown_name("\ud800"), "\ud800")


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        # Whoever refuses a file leaves closing it to the end of the process.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", ResourceWarning)
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def put(self, name: str, data: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def refusal(self, name: str, limits: Limits | None = None) -> str:
        """Return why reading an input to its end is refused."""
        with self.assertRaises(InputError) as caught:
            opened = open_seekable(name, *([limits] if limits else []))
            opened.file.close()
        self.assertEqual(caught.exception.where, name)
        return caught.exception.what


class Opening(InAFolder):
    """Decided by us: the bytes decide what a file is, never its name."""

    def test_a_plain_file_is_itself_and_can_be_read_again(self) -> None:
        for opening in (open_stream, open_seekable):
            opened = opening(self.put("a.gz", DATA))
            with opened.file as file:
                self.assertEqual(file.read(), DATA)
                assert opened.raw is not None
                self.assertEqual(opened.raw(5, 20), DATA[5:20])
                self.assertEqual(opened.raw(len(DATA) - 3, len(DATA) + 9), DATA[-3:])

    def test_reading_again_does_not_move_the_first_reading(self) -> None:
        opened = open_stream(self.put("a", DATA))
        with opened.file as file:
            first = file.readline()
            assert opened.raw is not None
            opened.raw(0, 5000)
            self.assertEqual(first + file.read(), DATA)

    def test_a_compressed_one_is_expanded_under_any_name(self) -> None:
        path = self.put("a.jsonl", gzip.compress(DATA))
        opened = open_stream(path)
        self.assertEqual((opened.file.read(), opened.raw), (DATA, None))
        opened.file.close()
        opened = open_seekable(path)
        with opened.file as file:
            self.assertEqual(file.read(), DATA)
            assert opened.raw is not None
            self.assertEqual(opened.raw(5, 20), DATA[5:20])

    def test_several_members_of_a_compressed_file_are_one_input(self) -> None:
        """Decided by RFC 1952: members simply follow each other."""
        path = self.put("a", gzip.compress(DATA) + gzip.compress(b"more\n"))
        with open_seekable(path).file as file:
            self.assertEqual(file.read(), DATA + b"more\n")

    def test_another_compression_is_taken_for_what_it_is(self) -> None:
        data = bz2.compress(DATA)
        with open_stream(self.put("a", data)).file as file:
            self.assertEqual(file.read(), data)

    def test_an_empty_file(self) -> None:
        with open_seekable(self.put("a", b"")).file as file:
            self.assertEqual(file.read(), b"")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no named pipes here")
    def test_what_cannot_seek_is_copied_first(self) -> None:
        path = os.path.join(self.folder, "pipe")
        os.mkfifo(path)
        writing = os.open(path, os.O_RDWR)
        os.write(writing, DATA)
        with mock.patch("toolreplay.sources.opening.open", create=True) as opening:
            reading = io.BufferedReader(io.FileIO(os.open(path, os.O_RDONLY), "rb"))
            opening.return_value = reading
            os.close(writing)
            opened = open_seekable(path)
        reading.close()
        with opened.file as file:
            self.assertEqual(file.read(), DATA)
            assert opened.raw is not None
            self.assertEqual(opened.raw(0, 4), b"line")


class WhatCannotBeOpened(InAFolder):
    """Decided by us: one line, in the system's own words where it has some."""

    def test_each(self) -> None:
        for name, why in (
            (os.path.join(self.folder, "gone"), "No such file or directory"),
            (self.folder, "is a folder (see: toolreplay audit)"),
            ("a\0b", "is not a name a file can have"),
            (os.path.join(self.put("file", b""), "below"), "Not a directory"),
        ):
            self.assertEqual(self.refusal(name), why)

    def test_a_compressed_file_that_is_broken(self) -> None:
        whole = gzip.compress(DATA)
        self.assertEqual(self.refusal(self.put("a", whole[:-9])), "the compressed file ends too early")  # fmt: skip
        for broken in (
            whole[:-8] + b"\0\0\0\0" + whole[-4:],
            whole[:40] + b"\xff\xff\xff" + whole[43:],
            whole[:2] + b"\x07" + whole[3:],
        ):
            self.assertRegex(self.refusal(self.put("a", broken)), r"\Acannot be read: ")

    def test_what_expands_past_the_limit_is_refused_before_all_of_it_is_there(self) -> None:
        path = self.put("a", gzip.compress(bytes(50_000_000)))
        why = "is larger than 1000 bytes once read or expanded (--max-expanded-bytes raises the limit)"
        self.assertEqual(self.refusal(path, Limits(expanded_bytes=1000)), why)

    def test_the_limit_itself_is_allowed(self) -> None:
        path = self.put("a", gzip.compress(DATA))
        with open_seekable(path, Limits(expanded_bytes=len(DATA))).file as file:
            self.assertEqual(len(file.read()), len(DATA))
        self.refusal(path, Limits(expanded_bytes=len(DATA) - 1))

    def test_a_plain_file_has_no_such_limit(self) -> None:
        with open_seekable(self.put("a", DATA), Limits(expanded_bytes=10)).file as file:
            self.assertEqual(file.read(), DATA)


class Zstandard(InAFolder):
    """Decided by us: an extra, imported when such a file is opened."""

    FRAME = bytes.fromhex("28b52ffd0000190000616263")
    """`abc`, compressed without a library: one raw block (RFC 8878)."""

    def test_without_the_package_its_extra_is_named(self) -> None:
        path = self.put("a.zst", self.FRAME)
        with mock.patch.dict(sys.modules, {"zstandard": None}):
            why = self.refusal(path)
        self.assertEqual(why, "a Zstandard file needs the extra 'zstd' (pip install '.[zstd]')")

    @unittest.skipUnless(importlib.util.find_spec("zstandard"), "zstandard is not installed")
    def test_with_it_the_file_is_expanded(self) -> None:
        import zstandard

        frame = zstandard.ZstdCompressor(write_checksum=True).compress(DATA)
        skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
        for data, wanted in (
            (frame, DATA),
            (frame + frame, DATA * 2),
            (frame + skippable + frame, DATA * 2),
            (self.FRAME, b"abc"),
        ):
            with open_seekable(self.put("a", data)).file as file:
                self.assertEqual(file.read(), wanted)
        whole = zstandard.ZstdCompressor().compress((b"x" * 99 + b"\n") * 500_000)
        with open_seekable(self.put("a", whole)).file as file:
            self.assertEqual(sum(map(len, iter(lambda: file.read(1 << 20), b""))), 50_000_000)
        with self.assertRaisesRegex(InputError, "is larger than 1000 bytes"):
            open_seekable(self.put("a", whole), Limits(expanded_bytes=1000))

    @unittest.skipUnless(importlib.util.find_spec("zstandard"), "zstandard is not installed")
    def test_wherever_a_frame_is_cut_it_is_refused(self) -> None:
        """Its beginning must not pass for a shorter transcript."""
        import zstandard

        for checksum in (True, False):
            frame = zstandard.ZstdCompressor(write_checksum=checksum).compress(DATA)
            for data, first in ((frame, 4), (frame + frame, len(frame) + 1)):
                for length in range(first, len(data), 7):
                    why = self.refusal(self.put("a", data[:length]))
                    self.assertEqual(why, "the compressed file ends too early", length)

    @unittest.skipUnless(importlib.util.find_spec("zstandard"), "zstandard is not installed")
    def test_what_is_no_frame_behind_one_is_refused(self) -> None:
        import zstandard

        frame = zstandard.ZstdCompressor(write_checksum=True).compress(DATA)
        for data in (frame + b"line 5\n", frame[:-1] + bytes([frame[-1] ^ 1]), frame[:9] + b"\xff" * 99):  # fmt: skip
            self.assertRegex(self.refusal(self.put("a", data)), r"\Acannot be read: ")


class TheNameOfARun(unittest.TestCase):
    """Decided by us: the base name without suffixes."""

    def test_suffixes_that_say_how_it_is_packed_go_first(self) -> None:
        for name, plain in (
            ("a.jsonl", "a"),
            ("x/y/a.jsonl", "a"),
            ("a.jsonl.gz", "a"),
            ("a.jsonl.zst", "a"),
            ("a.gz", "a"),
            ("a.b.jsonl", "a.b"),
            ("a", "a"),
            (".hidden", ".hidden"),
            (".jsonl.gz", ".jsonl"),
            ("folder/", "folder"),
            ("folder.d/", "folder"),
            ("-", "-"),
            ("/", "/"),
        ):
            with self.subTest(name):
                self.assertEqual(plain_name(name), plain)
