"""The account of an import."""

import unittest

from toolreplay.records.account import Account


class TheAccount(unittest.TestCase):
    def test_a_new_account_is_empty(self) -> None:
        """Decided by us."""
        account = Account()
        self.assertEqual((account.seen, account.mapped, account.lost), (0, 0, 0))

    def test_everything_seen_is_in_exactly_one_part(self) -> None:
        """Decided by us: seen = mapped + skipped + truncated + orphaned + duplicate + unreadable."""
        account = Account()
        account.calls, account.results = 5, 4
        account.truncated, account.orphaned, account.duplicate, account.unreadable = 1, 2, 3, 1
        account.skip("summary")
        account.skip("summary")
        account.skip("hologram", known=False)
        self.assertEqual(account.mapped, 9)
        self.assertEqual(account.skipped, {"summary": 2, "hologram": 1})
        self.assertEqual(account.seen, 9 + 3 + 1 + 2 + 3 + 1)

    def test_a_loss_is_what_a_reader_of_the_export_would_miss(self) -> None:
        """Decided by us: known skips and duplicates are no loss, skips of an unknown type are."""
        account = Account()
        account.calls, account.results, account.duplicate = 5, 5, 7
        account.skip("system")
        self.assertEqual(account.lost, 0)
        account.skip("hologram", known=False)
        account.skip("hologram", known=False)
        self.assertEqual((account.lost, account.unknown), (2, {"hologram": 2}))
        account.truncated, account.orphaned, account.unreadable = 1, 1, 1
        self.assertEqual(account.lost, 5)

    def test_notes_and_unknown_tools_are_counted_beside(self) -> None:
        """Decided by us: worth saying, and neither skipped nor lost."""
        account = Account()
        for _ in range(3):
            account.note("id reused")
            account.unknown_tool("mcp__x__y")
        self.assertEqual(account.notes, {"id reused": 3})
        self.assertEqual(account.unknown_tools, {"mcp__x__y": 3})
        self.assertEqual((account.seen, account.lost), (0, 0))

    def test_as_an_object_it_adds_up_and_names_the_losses(self) -> None:
        account = Account()
        account.calls, account.results, account.truncated, account.duplicate = 3, 2, 1, 4
        account.skip("system")
        account.skip("novel", known=False)
        account.lose("line 9", "cut off")
        counts = account.counts()
        self.assertEqual((counts["seen"], counts["mapped"], counts["lost"]), (12, 5, 2))
        self.assertEqual(counts["skipped"], {"system": 1, "novel": 1})
        self.assertEqual(counts["losses"], ["line 9: cut off"])

    def test_accounts_share_nothing(self) -> None:
        """Decided by us: one file, one account."""
        first, second = Account(), Account()
        first.skip("x", known=False)
        first.note("y")
        self.assertEqual((second.skipped, second.unknown, second.notes), ({}, {}, {}))
