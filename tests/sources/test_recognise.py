"""What an input is, or why it is nothing."""

import io
import json
import unittest
from unittest import mock

from tests.evidence.aer1.documents import run
from tests.evidence.aer1.made import CONTENT, receipt
from tests.evidence.aer1.made import form as form_of_bytes
from toolreplay.errors import InputError
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import BUNDLE, RECEIPTS, SEALED, STRICT, TIMELINE, WORKFLOW
from toolreplay.sources import recognise as recognition
from toolreplay.sources.head import head_of
from toolreplay.sources.recognise import (
    NotRecognisedError,
    form_words,
    is_two_histories,
    recognise,
)

OWN = ["transcript", "sealed", "bundle", "store", "receipts", "timeline", "workflow"]

CALL = {"index": 0, "tool": "t", "args": {}, "response": {}}


def form(data: bytes | object, forced: str | None = None) -> str:
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return recognise(head_of(io.BytesIO(data), DEFAULT), "x", forced).form


class NoRun(unittest.TestCase):
    """Decided by us: a proof about a log is no run, and who judges runs says what it is."""

    def test_a_proof_of_two_histories(self) -> None:
        proof = {"format": "toolreplay-two-histories/1", "notes": [], "path": None}
        self.assertTrue(is_two_histories(proof))
        self.assertTrue(is_two_histories({"format": "toolreplay-two-histories/2"}))
        for other in (None, [], {}, {"format": 1}, {"format": "toolreplay-run/1"}):
            self.assertFalse(is_two_histories(other))
        with self.assertRaisesRegex(InputError, "x: is a proof of two histories"):
            form(proof)


class OurOwnForms(unittest.TestCase):
    """Decided by us: by the members of the first record; what is wrong with it is told later."""

    def test_a_transcript_and_a_sealed_one(self) -> None:
        self.assertEqual(form(CALL), STRICT)
        self.assertEqual(form({**CALL, "prev": "", "digest": ""}), SEALED)
        self.assertEqual(form({**CALL, "prev": ""}), SEALED)
        self.assertEqual(form({**CALL, "extra": 1}), STRICT)

    def test_three_of_the_four_members_will_do(self) -> None:
        for name in CALL:
            self.assertEqual(form({other: CALL[other] for other in CALL if other != name}), STRICT)

    def test_two_will_not(self) -> None:
        with self.assertRaises(NotRecognisedError):
            form({"tool": "t", "args": {}})

    def test_nothing_is_an_empty_transcript(self) -> None:
        self.assertEqual(form(b""), STRICT)
        self.assertEqual(form(b"\n \n"), STRICT)

    def test_a_later_line_does_not_matter(self) -> None:
        self.assertEqual(form(json.dumps(CALL).encode() + b"\nbroken\n"), STRICT)


class Imports(unittest.TestCase):
    """Decided by us: the best score wins."""

    def test_a_session(self) -> None:
        self.assertEqual(form({"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": "x"}}), "claude_code")  # fmt: skip

    def test_two_that_fit_equally_are_asked_about(self) -> None:
        sniffers = {"one": 2, "two": 2, "three": 1}

        def load(room: str, name: str) -> object:
            return mock.Mock(sniff=lambda head: sniffers[name])

        with (
            mock.patch.object(recognition, "extensions_of", lambda room: list(sniffers)),
            mock.patch.object(recognition, "load_extension", load),
        ):
            with self.assertRaisesRegex(InputError, r"x: two formats fit: one, two \(--from\)"):
                form({"a": 1})
            sniffers["two"] = 3
            self.assertEqual(form({"a": 1}), "two")

    def test_what_can_be_forced_are_our_forms_and_the_importers(self) -> None:
        self.assertEqual(form_words(), [*OWN, *extensions_of("importers")])
        self.assertEqual(form({"a": 1}, "transcript"), STRICT)
        self.assertEqual(form({"a": 1}, "sealed"), SEALED)
        self.assertEqual(form(b"", "claude_code"), "claude_code")


class Evidence(unittest.TestCase):
    """Decided by us: what is signed or hashed elsewhere says by its content what it is."""

    def form_of(self, data: bytes) -> str:
        return recognise(head_of(io.BytesIO(data), DEFAULT), "x").form

    def test_receipts_in_every_wrapping(self) -> None:
        made = receipt()
        answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "_receipt": made}}
        for value in (made, {"receipt": made}, {"_receipt": made}, answer, [made], [answer]):
            for indent in (None, 2):
                self.assertEqual(self.form_of(json.dumps(value, indent=indent).encode()), RECEIPTS)
        self.assertEqual(
            self.form_of(json.dumps(made).encode() + b"\n" + json.dumps(made).encode()), RECEIPTS
        )

    def test_a_large_receipt(self) -> None:
        made = receipt(form_of_bytes({**CONTENT, "outputs": "x" * 300_000}))
        for indent in (None, 2):
            self.assertEqual(self.form_of(json.dumps(made, indent=indent).encode()), RECEIPTS)

    def test_what_a_transcript_may_not_have(self) -> None:
        for extra in (
            b', "x": 1, "x": 2}',
            b', "x": NaN}',
            b', "x": ' + b"[" * 300 + b"]" * 300 + b"}",
        ):
            for indent in (None, 2):
                data = json.dumps(receipt(), indent=indent).encode().rstrip(b"\n}") + extra
                self.assertEqual(self.form_of(data), RECEIPTS)

    def test_timelines_and_closes(self) -> None:
        timeline = run()
        self.assertEqual(self.form_of(json.dumps(timeline).encode()), TIMELINE)
        self.assertEqual(self.form_of("\n".join(map(json.dumps, timeline)).encode()), TIMELINE)
        close = {"merkle_root": "0", "steps": []}
        self.assertEqual(self.form_of(json.dumps(close, indent=1).encode()), WORKFLOW)
        self.assertEqual(self.form_of(json.dumps({**receipt(), **close}).encode()), WORKFLOW)

    def test_no_importer_is_asked(self) -> None:
        with mock.patch.object(recognition, "load_extension", side_effect=AssertionError):
            self.assertEqual(self.form_of(json.dumps(receipt()).encode()), RECEIPTS)

    def test_they_can_be_forced(self) -> None:
        for word, wanted in (
            ("bundle", BUNDLE),
            ("receipts", RECEIPTS),
            ("timeline", TIMELINE),
            ("workflow", WORKFLOW),
        ):
            self.assertEqual(form({"a": 1}, word), wanted)


class WhyNot(unittest.TestCase):
    """Decided by us: the nearest forms, and why each failed."""

    def why(self, data: bytes) -> str:
        with self.assertRaises(NotRecognisedError) as caught:
            form(data)
        self.assertEqual(caught.exception.where, "x")
        return caught.exception.what

    def test_a_known_format_is_named_alone(self) -> None:
        self.assertEqual(
            self.why(b'{"resourceSpans": []}'),
            "is an OTLP trace export, which has no importer yet (see: toolreplay formats)",
        )

    def test_a_transcript_that_breaks_in_its_first_line_says_where(self) -> None:
        text = self.why(b'\n{"at": 0, "at": 0}\n')
        self.assertIn("not a transcript (line 2: duplicate field 'at')", text)

    def test_one_that_begins_as_ours_is_read_by_its_reader_which_names_the_line(self) -> None:
        """Decided by us: in a folder a damaged run must not pass for some other file."""
        for line, form in (
            (b'{"index": 0, "index": 0}\n', STRICT),
            (b'\xef\xbb\xbf{ "index" : 0\n', STRICT),
            (b'{"args":{"a":NaN}}\n', SEALED),
            ('{"index": 0}\n'.encode("utf-16"), STRICT),
        ):
            with self.subTest(line):
                self.assertEqual(recognise(head_of(io.BytesIO(line), DEFAULT), "x").form, form)

    def test_each_importer_says_what_is_missing(self) -> None:
        text = self.why(b"{}\n{}\n")
        self.assertIn("not a transcript (missing field(s): args, index, response, tool)", text)
        for name in extensions_of("importers"):
            self.assertIn(f"not a {load_extension('importers', name).TITLE} (", text)

    def test_a_record_that_is_no_object(self) -> None:
        self.assertIn("not a transcript (a record must be an object)", self.why(b"[]\n[]\n"))

    def test_a_companion_is_named(self) -> None:
        self.assertEqual(
            self.why(b'{"format": "toolreplay-meta/1", "imported": "x"}\n'),
            "is the companion of an imported transcript",
        )
