"""runs list: the runs of a store, and those that a filter means."""

import json
import unittest

from tests.stores.recording import OTHER_RUN, RUN, Recorded
from tests.stores.stored import OPEN_RUN, UNSIGNED, Stores
from toolreplay.records.call import OUTCOMES
from toolreplay.reports.lines import WIDTH, width_of
from toolreplay.stores.sqlite.finding import TERMS, filter_of

NOW = 1_796_115_600_000_000  # 2026-12-01T09:00:00Z, a day after the runs
RUNS = ("refund-42", "erase-me", "-")


class Listed(Stores):
    """Decided by us."""

    def listed(self, *terms: str) -> list[str]:
        """Return the names of the runs that a filter means."""
        lines = self.says(0, "runs", "list", *terms, "--store", UNSIGNED).splitlines()
        return [line.split()[1] for line in lines[1:-1]]

    def test_all_of_them(self) -> None:
        text = self.says(0, "runs", "list", "--store", UNSIGNED)
        self.assertEqual(
            text.splitlines()[0].split(),
            ["RUN", "NAME", "AGENT,", "MODEL", "OPENED", "(UTC)", "CALLS"],
        )
        self.assertRegex(
            text, rf"(?m)^{RUN}  refund-42  tester, model-1   2026-11-30 09:00      2$"
        )
        self.assertRegex(text, rf"(?m)^{OPEN_RUN[:13]} .* -  .* 0  open, 1 unanswered$")
        self.assertTrue(text.endswith(f"\n3 runs in {UNSIGNED}\n"))

    def test_each_term_and_all_of_them_together(self) -> None:
        table = (
            ((), RUNS),
            (("tool:read_file",), RUNS[:2]),
            (("tool:read_*",), RUNS[:2]),
            (("tool:*_f?le",), ()),  # only * is special
            (("tool:[rs]*",), ()),
            (("tool:send",), RUNS[1:2]),
            (("outcome:tool_error",), RUNS[1:2]),
            (("outcome:*error",), RUNS[1:2]),
            (("outcome:missing",), RUNS[2:]),
            (("outcome:ok", "outcome:tool_error"), ()),  # of one call
            (("tool:read_file", "outcome:tool_error"), ()),
            (("tool:send", "outcome:tool_error"), RUNS[1:2]),
            (("tool:send", "tool:read_file"), RUNS[1:2]),
            (("agent:tester",), RUNS[:1]),
            (("agent:*e*",), RUNS[:2]),
            (("model:model-1",), RUNS[:2]),
            (("open:yes",), RUNS[2:]),
            (("open:no",), RUNS[:2]),
            (("unanswered:yes",), RUNS[2:]),
            (("unanswered:no",), RUNS[:2]),
            (("run_by:a*",), RUNS),
            (("run_by:--run",), ()),
            (("since:2026-11-30",), RUNS),
            (("since:2099-01-01",), ()),
            (("open:no agent:cleaner",), RUNS[1:2]),  # as one word of a shell
        )
        for terms, names in table:
            with self.subTest(terms):
                self.assertEqual(self.listed(*terms), list(names))

    def test_a_tool_is_found_however_its_host_spells_it(self) -> None:
        with self.place(UNSIGNED).open() as store:
            spelt = Recorded(store, "01a33333-b680-76a8-ba7c-e542dbcacce8").open(name="spelt")
            spelt.both(1, "mcp__files__list_dir", {}, {}).close()
        for term in ("tool:list_dir", "tool:mcp__files__list_dir", "tool:mcp__*", "tool:list_*"):
            self.assertEqual(self.listed(term, "outcome:ok"), ["spelt"])
        self.assertEqual(self.listed("tool:files__list_dir"), [])

    def test_since_counts_back_from_now(self) -> None:
        table = {
            "1h": "2026-12-01T08:00:00.000Z",
            "30m": "2026-12-01T08:30:00.000Z",
            "1d": "2026-11-30T09:00:00.000Z",
            "2w": "2026-11-17T09:00:00.000Z",
            "999999w": "1970-01-01T00:00:00.000Z",
            "2026-11-30": "2026-11-30",
        }
        for text, moment in table.items():
            with self.subTest(text):
                self.assertEqual(filter_of([f"since:{text}"], NOW).values, (moment,))

    def test_what_is_no_filter(self) -> None:
        there_are = f"(there are: {', '.join(f'{term}:' for term in TERMS)})"
        table = {
            "tools:x": f"no term 'tools:x' {there_are}",
            "tool:\udcff": "no term 'tool:\\u{dcff}': it is not Unicode",
            "refund": f"no term 'refund' {there_are}",
            "tool:": "tool: names nothing (as tool:write_file)",
            "open:maybe": "open:maybe is neither open:yes nor open:no",
            "unanswered:2": "unanswered:2 is neither unanswered:yes nor unanswered:no",
            "since:yesterday": "since:yesterday is neither 30m, 12h, 7d, 2w nor a day as 2026-11-30",
            "since:2026-13-01": "since:2026-13-01 is neither 30m, 12h, 7d, 2w nor a day as 2026-11-30",
            "outcome:wrong": f"no outcome 'wrong' (there are: {', '.join(OUTCOMES)})",
            "finding:loop": "finding: runs are not found by findings yet (see: toolreplay audit)",
        }
        for term, fact in table.items():
            with self.subTest(term):
                self.assertEqual(self.says(2, "runs", "list", term, "--store", UNSIGNED), fact)

    def test_a_first_word_that_is_no_term_is_a_store(self) -> None:
        for name in (UNSIGNED, f"sqlite:{UNSIGNED}"):
            self.assertIn(f"1 run in {UNSIGNED}\n", self.says(0, "runs", "list", name, "open:yes"))
        found = self.says(2, "runs", "list", "nothere.db", "open:yes")
        self.assertRegex(found, r"\Anothere\.db: is not there, and is no term \(there are: tool:,")
        found = self.says(2, "runs", "list", UNSIGNED, "nothere.db")
        self.assertTrue(found.startswith("no term 'nothere.db' (there are: "))

    def test_it_fits_80_columns_whatever_was_recorded(self) -> None:
        with self.place(UNSIGNED).open() as store:
            named = Recorded(store, "01a33333-b680-76a8-ba7c-e542dbcacce8")
            named.open(
                name="退" * 60 + "\x1b[31m", agent={"name": "a" * 90, "model": "m" * 90}
            ).close()
        lines = self.says(0, "runs", "list", "since:2026-01-01", "--store", UNSIGNED).splitlines()
        self.assertEqual(len(lines), 6)
        (line,) = [line for line in lines if "退" in line]
        self.assertLessEqual(width_of(line) - (len(RUN) - 13), WIDTH)
        self.assertNotIn("\x1b", "".join(lines))

    def test_a_table_that_somebody_has_changed(self) -> None:
        for column in ("name", "opened_at", "entries"):
            with self.subTest(column):
                self.setUp()  # a store as it was
                self.place(UNSIGNED).sql(f"update run set {column} = x'00' where id = 1")
                refused = self.says(2, "runs", "list", "--store", UNSIGNED)
                damaged = "its table of runs is damaged (toolreplay store repair)"
                self.assertEqual(refused, f"{UNSIGNED}: {damaged}")

    def test_as_json(self) -> None:
        document = json.loads(self.says(0, "runs", "list", "--store", UNSIGNED, "--format", "json"))
        self.assertEqual((document["format"], document["store"]), ("toolreplay-runs/1", UNSIGNED))
        self.assertEqual([run["run"] for run in document["runs"]], [RUN, OTHER_RUN, OPEN_RUN])
        self.assertEqual(
            document["runs"][1],
            {
                "run": OTHER_RUN, "name": "erase-me", "agent": "cleaner", "model": "model-1",
                "opened_at": "2026-11-30T09:00:01.000Z", "closed_at": "2026-11-30T09:00:06.000Z",
                "run_by": "a test", "entries": 6, "calls": 2, "open_calls": 0,
            },
        )  # fmt: skip
        none = self.says(0, "runs", "list", "agent:nobody", "--store", UNSIGNED, "--format", "json")
        self.assertEqual(json.loads(none)["runs"], [])

    def test_the_default_store(self) -> None:
        with self.usual_store() as path:
            self.assertTrue(self.says(0, "runs", "list").endswith(f"3 runs in {path}\n"))
        self.assertIn(
            "/nonexistent/toolreplay/store.db: is not there", self.says(2, "runs", "list")
        )


if __name__ == "__main__":
    unittest.main()
