"""The tutorial's lines as functions; the commands' own goldens are in tests/cli/tutorial.py."""

import unittest

from toolreplay.evidence.seal import Break
from toolreplay.findings.finding import Finding
from toolreplay.reports.text.tutorial import (
    chain_lines,
    counts_with_divergence,
    counts_without_divergence,
    finding_line,
)


class TheTutorialsLines(unittest.TestCase):
    """Decided by the tutorial; they never change."""

    def test_counts(self) -> None:
        self.assertEqual(
            counts_with_divergence(6, 5, 2), ["calls: 6", "divergence: index 5", "findings: 2"]
        )
        self.assertEqual(
            counts_with_divergence(4, None, 0), ["calls: 4", "divergence: none", "findings: 0"]
        )
        self.assertEqual(counts_with_divergence(9, 0, 1)[1], "divergence: index 0")
        self.assertEqual(counts_without_divergence(6, 1), ["calls: 6", "findings: 1"])

    def test_counts_have_no_commas(self) -> None:
        """Decided by the tutorial: other programs read these lines."""
        self.assertEqual(
            counts_with_divergence(12345, 10000, 2000),
            ["calls: 12345", "divergence: index 10000", "findings: 2000"],
        )

    def test_a_finding(self) -> None:
        self.assertEqual(finding_line(Finding(2, "odd-call", "it is odd")), "index 2: odd-call: it is odd")  # fmt: skip

    def test_a_finding_of_the_whole_run(self) -> None:
        """Decided by us."""
        self.assertEqual(finding_line(Finding(None, "odd-run", "it is odd")), "run: odd-run: it is odd")  # fmt: skip

    def test_only_the_escape_table_is_applied_to_a_name(self) -> None:
        line = finding_line(Finding(0, "k", "tool 'it's \"\\ \x1b\u202e' x"))
        self.assertEqual(line, "index 0: k: tool 'it's \"\\ \\u{1b}\\u{202e}' x")

    def test_a_chain(self) -> None:
        self.assertEqual(chain_lines(None), ["chain: intact"])
        self.assertEqual(
            chain_lines(Break(3, "digest", "aa", "bb")),
            ["chain: broken", "first broken link: index 3", "expected: aa", "found: bb"],
        )
