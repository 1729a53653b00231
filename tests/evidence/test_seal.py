"""The seal, against the published digests and an independent recomputation."""

import hashlib
import io
import json
import unittest

from tests.cli.tutorial import DIGESTS, SAMPLES, SEALED_DIRTY, sealed
from toolreplay.errors import InputError
from toolreplay.evidence.seal import (
    FIRST_PREV,
    HEAD_FORM,
    Break,
    ExpectedHead,
    Head,
    LinkChecker,
    head_text,
    line_of_link,
    parse_head,
    seal_checks,
    seal_lines,
)
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check
from toolreplay.records.call import Link, Place, ToolCall
from toolreplay.records.transcript import read_sealed, read_transcript

DIRTY = (SAMPLES / "session-dirty.jsonl").read_bytes()
HEAD = Head(6, DIGESTS[5])


def links_of(text: str) -> list[ToolCall]:
    return list(read_sealed(io.BytesIO(text.encode())))


def first_break(text: str) -> Break | None:
    checker = LinkChecker()
    return next(filter(None, map(checker.check, links_of(text))), None)


class Sealing(unittest.TestCase):
    """Decided by the tutorial."""

    def test_the_published_digests_come_out(self) -> None:
        lines = list(seal_lines(read_transcript(io.BytesIO(DIRTY))))
        self.assertEqual([digest for _, digest in lines], list(DIGESTS))
        sealed_bytes = b"".join(piece for pieces, _ in lines for piece in pieces)
        self.assertEqual(sealed_bytes.decode("ascii"), SEALED_DIRTY)

    def test_each_line_is_the_canonical_form_of_the_link_with_its_digest(self) -> None:
        for pieces, digest in seal_lines(read_transcript(io.BytesIO(DIRTY))):
            line = b"".join(pieces).decode("ascii").removesuffix("\n")
            link = json.loads(line)
            self.assertEqual(line, json.dumps(link, sort_keys=True, separators=(",", ":")))
            self.assertEqual(link.pop("digest"), digest)
            form = json.dumps(link, sort_keys=True, separators=(",", ":")).encode()
            self.assertEqual(hashlib.sha256(form).hexdigest(), digest)

    def test_member_names_around_the_digest_do_not_move_it(self) -> None:
        """Names of arguments sort inside args; the link's own six members never change places."""
        records = [
            {"index": 0, "tool": "digest", "args": {"digest": 1, "z": 2, "a": {"prev": 3}},
             "response": {"digest": "x"}},
            {"index": 1, "tool": "\ud800", "args": {}, "response": {}},
        ]  # fmt: skip
        data = "".join(json.dumps(record) + "\n" for record in records).encode()
        lines = seal_lines(read_transcript(io.BytesIO(data)))
        sealed_bytes = b"".join(piece for pieces, _ in lines for piece in pieces)
        self.assertEqual(sealed_bytes.decode("ascii"), sealed(*records))

    def test_the_first_link_follows_64_zeros(self) -> None:
        self.assertEqual(FIRST_PREV, "0" * 64)
        self.assertEqual(list(seal_lines([])), [])

    def test_it_is_a_stream(self) -> None:
        """Decided by us: memory does not grow with the transcript."""
        taken = []

        def calls() -> "object":
            for index in range(3):
                taken.append(index)
                yield ToolCall(index, "t", {}, {}, Place(1, 0, 1))

        lines = seal_lines(calls())  # type: ignore[arg-type]
        next(lines)
        self.assertEqual(taken, [0])


class Checking(unittest.TestCase):
    """Decided by the tutorial: index, then prev, then digest."""

    def test_what_was_sealed_is_intact(self) -> None:
        self.assertIsNone(first_break(SEALED_DIRTY))

    def test_every_change_of_a_hex_digit_breaks_a_link(self) -> None:
        """Decided by us: each of the links is covered, in both of its digests."""
        for number, digest in enumerate(DIGESTS):
            other = ("1" if digest[0] == "0" else "0") + digest[1:]
            changed = SEALED_DIRTY.replace(f'"digest":"{digest}"', f'"digest":"{other}"')
            with self.subTest(digest=number):
                self.assertEqual(first_break(changed), (number, "digest", digest, other))
            changed = SEALED_DIRTY.replace(f'"prev":"{digest}"', f'"prev":"{other}"')
            if number < 5:
                self.assertEqual(first_break(changed), (number + 1, "prev", digest, other))

    def test_every_value_of_a_link_is_covered(self) -> None:
        links = SEALED_DIRTY.splitlines(keepends=True)
        for number, line in enumerate(links):
            record = json.loads(line)
            for member, value in (
                ("tool", record["tool"] + "x"),
                ("args", {**record["args"], "x": None}),
                ("response", {}),
            ):
                changed = [*links]
                changed[number] = json.dumps({**record, member: value}) + "\n"
                with self.subTest(link=number, member=member):
                    broken = first_break("".join(changed))
                    assert broken is not None
                    self.assertEqual(
                        (broken.index, broken.member, broken.found),
                        (number, "digest", DIGESTS[number]),
                    )

    def test_the_type_of_a_number_is_covered(self) -> None:
        broken = first_break(SEALED_DIRTY.replace('"bytes":214', '"bytes":214.0', 1))
        assert broken is not None
        self.assertEqual((broken.index, broken.member), (1, "digest"))

    def test_the_spelling_of_a_line_is_not(self) -> None:
        self.assertIsNone(first_break(SEALED_DIRTY.replace('":', '" : ').replace(",", " ,")))

    def test_an_index_that_is_not_its_position_is_judged_first(self) -> None:
        links = SEALED_DIRTY.splitlines(keepends=True)
        moved = links[0].replace('"index":0', '"index":1').replace(FIRST_PREV, "1" * 64)
        self.assertEqual(first_break("".join([moved, *links[1:]])), (0, "index", "0", "1"))

    def test_an_index_of_thousands_of_digits_is_no_line_of_thousands(self) -> None:
        broken = first_break(SEALED_DIRTY.replace('"index":0', f'"index":{"9" * 4000}'))
        assert broken is not None
        self.assertLess(len(broken.found), 60)

    def test_prev_comes_before_digest(self) -> None:
        links = SEALED_DIRTY.splitlines(keepends=True)
        both = links[1].replace(":214", ":215").replace(DIGESTS[0], "0" * 64)
        self.assertEqual(first_break("".join([links[0], both])), (1, "prev", DIGESTS[0], "0" * 64))

    def test_a_link_is_held_against_the_digest_its_predecessor_carries(self) -> None:
        """Decided by us: after the first break the file's own digests are taken as they are."""
        checker = LinkChecker()
        found = [checker.check(call) for call in links_of(SEALED_DIRTY.replace(":214", ":215", 1))]
        self.assertEqual([broken is not None for broken in found], [False, True] + [False] * 4)
        self.assertEqual(checker.head, HEAD)

    def test_the_line_of_a_link_is_its_canonical_form_right_or_wrong(self) -> None:
        changed = SEALED_DIRTY.replace('"hits":3', '"hits":4')
        lines = b"".join(line_of_link(call) + b"\n" for call in links_of(changed))
        self.assertEqual(lines.decode("ascii"), changed)


class WhatTheReportSays(unittest.TestCase):
    """Decided by us: a chain alone shows neither its tail nor who made it."""

    def lines(self, *args: object) -> dict[str, Check]:
        return {check.line: check for check in seal_checks(*args)}  # type: ignore[arg-type]

    def results(self, *args: object) -> dict[str, str]:
        return {line: check.result for line, check in self.lines(*args).items()}

    def test_an_intact_chain_passes_contents_and_links_and_no_more(self) -> None:
        self.assertEqual(
            self.results(HEAD, None, None),
            {"contents": PASSED, "links": PASSED, "ending": NOT_CHECKED, "signer": NOT_CHECKED},
        )
        self.assertEqual(self.lines(HEAD, None, None)["contents"].count, "6 of 6")
        self.assertEqual(self.lines(Head(12345, "0" * 64), None, None)["contents"].count, "12,345 of 12,345")  # fmt: skip

    def test_a_broken_one_fails_both(self) -> None:
        broken = Break(3, "digest", "a", "b")
        self.assertEqual(
            self.results(HEAD, broken, None),
            {"contents": FAILED, "links": FAILED, "ending": NOT_CHECKED, "signer": NOT_CHECKED},
        )

    def test_the_ending_passes_only_with_an_intact_chain_before_it(self) -> None:
        broken = Break(3, "digest", "a", "b")
        for expected in (ExpectedHead(6), ExpectedHead(None, DIGESTS[5]), ExpectedHead(*HEAD)):
            self.assertEqual(self.results(HEAD, None, expected)["ending"], PASSED)
            self.assertEqual(self.results(HEAD, broken, expected)["ending"], FAILED)

    def test_another_count_or_digest_fails_the_ending_and_says_both(self) -> None:
        shown = self.lines(HEAD, None, ExpectedHead(7, DIGESTS[5]))["ending"]
        self.assertEqual((shown.result, shown.count), (FAILED, "expected 7 links, found 6"))
        shown = self.lines(HEAD, None, ExpectedHead(6, "0" * 64))["ending"]
        self.assertEqual(shown.result, FAILED)
        self.assertEqual(shown.count, f"expected last digest {'0' * 64}, found {DIGESTS[5]}")

    def test_nothing_sealed_is_nothing_checked(self) -> None:
        nothing = Head(0, FIRST_PREV)
        shown = self.lines(nothing, None, None)
        self.assertEqual(
            {line: check.result for line, check in shown.items()},
            dict.fromkeys(("contents", "links", "ending", "signer"), NOT_CHECKED),
        )
        self.assertEqual(shown["links"].reason, "nothing was sealed")
        self.assertEqual(self.results(nothing, None, ExpectedHead(0))["ending"], PASSED)
        self.assertEqual(self.results(nothing, None, ExpectedHead(*HEAD))["ending"], FAILED)


class TheHeadThatIsKept(unittest.TestCase):
    """Decided by us: form, count, digest and canonical form, one a line."""

    def refused(self, data: bytes) -> str:
        with self.assertRaises(InputError) as caught:
            parse_head(data, "head.txt")
        return str(caught.exception)

    def test_it_is_four_lines(self) -> None:
        text = f"{HEAD_FORM}\n6\n{DIGESTS[5]}\ntoolreplay-1\n"
        self.assertEqual(head_text(HEAD), text.encode())
        self.assertEqual(HEAD_FORM, "toolreplay/seal/v1")

    def test_what_was_written_is_read(self) -> None:
        for head in (HEAD, Head(0, FIRST_PREV), Head(10**14, "a" * 64)):
            self.assertEqual(parse_head(head_text(head), "h"), head)
            self.assertEqual(parse_head(head_text(head).rstrip(b"\n"), "h"), head)

    def test_a_signature_block_after_a_blank_line_is_left_alone(self) -> None:
        note = head_text(HEAD) + b"\n\xe2\x80\x94 toolreplay.invalid/key abcd\n"
        self.assertEqual(parse_head(note, "h"), HEAD)

    def test_anything_else_is_refused_with_the_files_name(self) -> None:
        good = head_text(HEAD)
        for data in (
            b"",
            b"\n",
            good.replace(b"v1", b"v2"),
            good.replace(b"toolreplay-1", b"aer1"),
            good + b"more\n",
            b"x" + good,
            good.replace(b"6\n", b""),
            good.replace(b"\n", b"\r\n"),
            SEALED_DIRTY.encode(),
        ):
            with self.subTest(data[:40]):
                self.assertRegex(self.refused(data), r"\Ahead\.txt: not the head of a seal")

    def test_a_count_must_print_back_to_the_same_digits(self) -> None:
        good = head_text(HEAD)
        for count in (b"06", b"+6", b"-6", b"6.0", b" 6", b"six", b"9" * 16, "٦".encode()):
            with self.subTest(count):
                self.assertEqual(
                    self.refused(good.replace(b"\n6\n", b"\n" + count + b"\n")),
                    "head.txt: the count of a head must be a plain number",
                )

    def test_a_digest_must_be_64_lower_case_hex_digits(self) -> None:
        good, digest = head_text(HEAD), DIGESTS[5].encode()
        for other in (digest.upper(), digest[:-1], digest + b"0", b"g" * 64, b"0"):
            with self.subTest(other):
                self.assertEqual(
                    self.refused(good.replace(digest, other)),
                    "head.txt: the digest of a head must be 64 lower-case hex digits",
                )


class ALink(unittest.TestCase):
    """Decided by us."""

    def test_what_the_reader_hands_on_is_what_the_file_has(self) -> None:
        first = links_of(SEALED_DIRTY)[0]
        self.assertEqual(first.link, Link(0, FIRST_PREV, DIGESTS[0]))
