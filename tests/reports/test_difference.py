"""The report of `diff` as text and as Markdown."""

import re
import unittest
from collections.abc import Sequence

from toolreplay.evidence.seal import FIRST_PREV, Head
from toolreplay.findings.difference import ADDED, CHANGED, DROPPED, MOVED, Difference, compare
from toolreplay.records.call import Json, Place, ToolCall
from toolreplay.records.run import STRICT, RunInfo
from toolreplay.reports import difference as shared
from toolreplay.reports.difference import Compared, Entry, Mark, left_out
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.reports.markdown import difference as markdown
from toolreplay.reports.markdown.spans import code_span
from toolreplay.reports.text import difference as text

HOSTILE = (
    "`", "``", "a`b", "`" * 50, " ", "  x  ", "` x `", "<script>alert(1)</script>", "</details>",
    "[x](https://toolreplay.invalid)", "![x](y)", "@everyone", "#1", "a|b|c", "**b** _i_ ~s~",
    "\n\n# heading\n- item", "\r", "\x1b[31m", "\u202e", "\u2028", "\ud800", "\\`", "&lt;", "$x$",
    "読" * 300, "x" * 5000, "e\u0301" * 300, "~~~", "-->", "<!--",
)  # fmt: skip
"""What a recording may hold to break out of its place."""


def call(tool: str = "t", args: Json = None, response: Json = None, index: int = 0) -> ToolCall:
    return ToolCall(index, tool, args or {}, response or {}, Place(1, 0, 1))


def mark(index: int, outcome: str | None = None) -> Mark:
    return Mark(index, index + 1, outcome, "0" * 64)


def compared(a: Sequence[int], b: Sequence[int], shared: Head | None = None) -> Compared:
    return Compared(
        RunInfo("one", "a.jsonl", STRICT), RunInfo("two", "b.jsonl", STRICT), (len(a), len(b)),
        difference(a, b), shared,
    )  # fmt: skip


def difference(a: Sequence[int], b: Sequence[int]) -> Difference:
    return compare(a, b, lambda at, other: True)


ENTRIES = (
    (
        Entry(DROPPED, mark(3), None, call("read", {"path": "a"})),
        ['-     3        read             "path": "a"'],
        ['- dropped, index 3 in A: `read` `"path": "a"`'],
    ),
    (
        Entry(ADDED, None, mark(12), call("read")),
        ["+          12  read"],
        ["- added, index 12 in B: `read`"],
    ),
    (
        Entry(MOVED, mark(3), mark(5), call("read", {"n": 1}), None, same_result=True),
        [">     3     5  read             \"n\": 1"],
        ['- moved, index 3 in A, index 5 in B: `read` `"n": 1`'],
    ),
    (
        Entry(MOVED, mark(3), mark(5), call("read", {"n": 1}), None, same_result=False),
        [">     3     5  read             \"n\": 1 [other result]"],
        ['- moved, index 3 in A, index 5 in B, with another result: `read` `"n": 1`'],
    ),
    (
        Entry(
            CHANGED, mark(3, "ok"), mark(5, "timeout"), call("read", {"n": 1}, {"x": 2}),
            call("read", {"n": 1}, {"x": 1}), same_result=False,
        ),
        [
            '~     3     5  read             "n": 1',
            '               A → [ok] "x": 1',
            '               B → [timeout] "x": 2',
        ],
        [
            '- changed, index 3 in A, index 5 in B: `read` `"n": 1`',
            '  - A: `[ok] "x": 1`',
            '  - B: `[timeout] "x": 2`',
        ],
    ),
)  # fmt: skip


class EachCall(unittest.TestCase):
    """Decided by us."""

    def test_as_text_and_as_an_item(self) -> None:
        for entry, lines, items in ENTRIES:
            self.assertEqual(list(text.entry_lines(entry)), lines)
            self.assertEqual(list(markdown.entry_item(entry)), items)

    def test_no_line_is_wider_than_80_columns_whatever_was_recorded(self) -> None:
        for tool in HOSTILE:
            for value in HOSTILE:
                shown, before = call(tool, {"v": value}, {"v": value}), call(tool, {}, {"w": value})
                for entry in (
                    Entry(CHANGED, mark(10**9), mark(10**9), shown, before, same_result=False),
                    Entry(MOVED, mark(1), mark(2), shown, None, same_result=False),
                ):
                    for line in text.entry_lines(entry):
                        self.assertLessEqual(width_of(line), WIDTH)
                        self.assertNotRegex(line, "[\x00-\x1f\u202e\u2028\ud800]")

    def test_another_result_of_a_moved_call_is_said_whatever_its_length(self) -> None:
        for tool in HOSTILE:
            entry = Entry(MOVED, mark(1), mark(2), call(tool, {"v": "x" * 500}), None, same_result=False)  # fmt: skip
            self.assertRegex(next(text.entry_lines(entry)), r" \[other result\]\Z")


class TheOpening(unittest.TestCase):
    """Decided by us: both runs, where they part, how much differs."""

    def test_where_they_part(self) -> None:
        for a, b, line in (
            ([1], [1], "first difference: none"),
            ([1, 2], [1, 3], "first difference: index 1 in A, index 1 in B"),
            ([1], [1, 3], "first difference: A ends after 1 call, index 1 in B"),
            ([1, 3], [], "first difference: index 0 in A, B ends after 0 calls"),
        ):
            self.assertEqual(shared.first_line(compared(a, b)), line)

    def test_how_much(self) -> None:
        line = shared.counts_line(compared([1, 2, 3, 4], [1, 3, 4, 2, 5]))
        self.assertEqual(line, "same: 3 · changed: 0 · moved: 1 · dropped: 0 · added: 1")

    def test_what_two_seals_share(self) -> None:
        lines = list(text.opening_lines(compared([1, 2], [1], Head(1, "a" * 64))))
        self.assertIn("shared links: 1 (of 2 in A, 1 in B)", lines)
        self.assertIn(f"last digest: {'a' * 64}", lines)
        lines = list(text.opening_lines(compared([1], [1], Head(0, FIRST_PREV))))
        self.assertEqual(lines[-2:], ["shared links: 0 (of 1 in A, 1 in B)", shared.BROKEN])

    def test_calls_that_were_not_aligned(self) -> None:
        found = compared([1], [2])
        self.assertEqual(shared.unaligned_line(found), "")
        found.difference.unaligned = (9000, 9001)
        line = "not aligned: 9,000 calls of A, 9,001 of B (long, and alike throughout)"
        self.assertIn(line, list(text.opening_lines(found)))
        self.assertIn(f"- {line}", list(markdown.opening(found)))

    def test_what_the_list_leaves_out(self) -> None:
        found = compared(range(300), range(1000, 1210))
        self.assertEqual(left_out(found.difference, 200), {DROPPED: 100, ADDED: 10})
        self.assertEqual(
            list(shared.ending_lines(found, 200)),
            ["", "left out: 100 dropped, 10 added (--full lists them)"],
        )
        for most in (None, 300):
            self.assertEqual(list(shared.ending_lines(found, most)), [])


class MarkdownHoldsNothingThatWorks(unittest.TestCase):
    """Decided by CommonMark 0.31, 6.1: nothing inside a code span is anything but text."""

    def test_a_span_ends_where_it_should_and_gives_its_text_back(self) -> None:
        for recorded in (
            "`",
            "``",
            "a`b",
            "`" * 50,
            " ",
            "  ",
            "  x  ",
            " x",
            "x ",
            "` x `",
            "<b>",
        ):
            span = code_span(recorded)
            fence = span[: len(span) - len(span.lstrip("`"))]
            inside = span[len(fence) : -len(fence)]
            self.assertTrue(span.endswith(fence))
            self.assertFalse(inside.startswith("`") or inside.endswith("`"))
            self.assertNotIn(fence, re.findall("`+", inside))
            if inside[:1] == inside[-1:] == " " and inside.strip(" "):
                inside = inside[1:-1]
            self.assertEqual(inside, recorded)
        self.assertEqual(code_span(""), "")

    def test_outside_the_spans_stands_only_what_we_write(self) -> None:
        ours = re.compile(
            r"\*\*[a-z0-9 :,·]+\*\*|</?(details|summary)>|[-A-Za-z0-9 ,.:·()]|\Z", re.ASCII
        )
        for recorded in HOSTILE:
            info = RunInfo(recorded, recorded, STRICT, recorded, recorded)
            found = compared([1], [2])._replace(a=info, b=info)
            shown = call(recorded, {recorded: recorded}, {recorded: recorded})
            before = call(recorded, {recorded: recorded}, {recorded: [recorded]})
            lines = [
                *markdown.opening(found),
                *markdown.entry_item(Entry(CHANGED, mark(1), mark(2), shown, before, False)),
                *markdown.ending(found, 0),
            ]
            for line in lines:
                self.assertNotIn("\n", line)
                rest = re.sub(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)", "", line)
                self.assertEqual(ours.sub("", rest).replace("·", ""), "", line)

    def test_a_comment_has_room_for_the_worst(self) -> None:
        """Decided by GitHub: a comment has 65,536 characters."""
        for worst in ("`" * 500, "\x1b" * 500, "x" * 500):
            info = RunInfo(worst, worst, STRICT, worst, worst)
            found = compared(range(900), range(5000, 5900))._replace(a=info, b=info)
            shown, before = call(worst, {"a": worst}, {"a": worst}), call(worst, {}, {"b": worst})
            big = mark(10**6, "not_executed"), mark(10**6, "interrupted")
            item = [
                *markdown.entry_item(Entry(DROPPED, big[0], None, shown)),
                *markdown.entry_item(Entry(ADDED, None, big[1], shown)),
                *markdown.entry_item(Entry(MOVED, *big, shown, None, same_result=False)),
                *markdown.entry_item(Entry(CHANGED, *big, shown, before, same_result=False)),
            ]
            opening, ending = markdown.opening(found), markdown.ending(found, 25)
            length = sum(
                len(line) + 1 for line in (*opening, *item * markdown.MOST_LISTED, *ending)
            )
            self.assertLess(length, 65_536)
