"""The account of an import as one line."""

import unittest

from toolreplay.records.account import Account
from toolreplay.reports.text.account import account_line


class TheLine(unittest.TestCase):
    """Decided by us: seen is the sum of its parts, and each part is there."""

    def test_of_nothing(self) -> None:
        self.assertEqual(
            account_line(Account()),
            "account: seen 0 = mapped 0 + skipped 0 + truncated 0 + orphaned 0 + duplicate 0 "
            "+ unreadable 0",
        )

    def test_reasons_stand_behind_what_was_skipped_by_count_then_name(self) -> None:
        account = Account()
        for reason in ["system"] * 12 + ["summary"] * 3 + ["b", "a"]:
            account.skip(reason)
        account.calls, account.results = 140, 126
        account.truncated, account.orphaned, account.duplicate = 1, 2, 3
        self.assertEqual(
            account_line(account),
            "account: seen 289 = mapped 266 + skipped 17 (system 12, summary 3, a 1, b 1) "
            "+ truncated 1 + orphaned 2 + duplicate 3 + unreadable 0",
        )

    def test_a_name_says_whose_it_is(self) -> None:
        self.assertTrue(
            account_line(Account(), "runs/a").startswith("account of runs/a: seen 0 = ")
        )

    def test_notes_and_unknown_tools_stand_at_its_end(self) -> None:
        account = Account()
        account.note("id reused")
        for _ in range(2):
            account.unknown_tool("Teleport")
        self.assertTrue(
            account_line(account).endswith(
                " + unreadable 0 · id reused 1 · unknown tools (Teleport 2)"
            )
        )

    def test_a_host_with_any_number_of_words_fills_no_screen(self) -> None:
        account = Account()
        for number in range(500):
            account.skip(f"{number}" + "x" * 500)
            account.unknown_tool(f"{number}" + "x" * 500)
        self.assertLess(len(account_line(account)), 2200)
        self.assertIn(" other words)", account_line(account))
