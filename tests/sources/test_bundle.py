"""A bundle yields one run: what its first entry says, its calls, and who judges them."""

import gzip
import io
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tests.cli import ways
from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.made import Maker
from toolreplay.errors import InputError
from toolreplay.evidence.record import Asked
from toolreplay.importers.claude_code import MUTATORS, READERS
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import BUNDLE, LOGGED_BY_AGENT, NO_PROVENANCE, Run, ToolEffects
from toolreplay.sources.bundle import bundle_run
from toolreplay.sources.opening import Opened


def run_of(data: bytes) -> Run:
    opened = Opened("x", io.BytesIO(data), lambda start, end: data[start:end])
    return bundle_run(opened, "x.run.jsonl", DEFAULT)


class TheRun(unittest.TestCase):
    """Decided by us: what the entry `open` says, and nothing made up."""

    def opened(self, layer: str = "import", **members: Any) -> Run:
        return run_of(Maker(layer).open(**members).call(1, "t", {}, {}).close().bundle())

    def test_what_the_first_entry_says(self) -> None:
        agent = {"name": "a", "model": "m", "harness": "h 1.2"}
        info = self.opened(name="refund", agent=agent).info
        self.assertEqual((info.name, info.file, info.form), ("refund", "x.run.jsonl", BUNDLE))
        self.assertEqual((info.agent, info.model, info.host_version), ("a", "m", "h 1.2"))
        self.assertEqual(info.provenance, LOGGED_BY_AGENT)

    def test_without_a_name_it_is_called_by_its_id(self) -> None:
        info = self.opened(agent={}).info
        self.assertEqual((info.name, info.agent, info.model), (made.RUN, None, None))

    def test_provenance_is_that_of_the_layer(self) -> None:
        for layer, words in (
            ("mcp-wire", "OBSERVED VIA GATEWAY"), ("exec", "EXECUTED BY TOOLREPLAY"),
            ("hook", LOGGED_BY_AGENT),
        ):  # fmt: skip
            maker = Maker(layer).open().both(1, "t", {}, {}).close()
            self.assertEqual(run_of(maker.bundle()).info.provenance, words)

    def test_where_the_first_entry_opens_nothing_there_is_none(self) -> None:
        values = made.apart(made.imported(1).bundle())
        values.remove(made.entries_of(values)[0])
        info = run_of(made.joined(values)).info
        self.assertEqual((info.provenance, info.name, info.agent), (NO_PROVENANCE, made.RUN, None))

    def test_the_tools_of_an_import_are_those_of_its_importer(self) -> None:
        capture = {"layer": "import", "adapter": "claude_code"}
        self.assertEqual(self.opened(capture=capture).info.effects, ToolEffects(MUTATORS, READERS))
        self.assertEqual(self.opened().info.effects, ToolEffects())

    def test_an_empty_file_and_one_of_another_format(self) -> None:
        for data in (b"", b"{}\n", made.imported(1).bundle()[100:]):
            with self.assertRaises(InputError) as caught:
                run_of(data)
            self.assertEqual(caught.exception.where, "line 1")

    def test_its_calls_are_read_once_and_judged_meanwhile(self) -> None:
        run = run_of(made.joined(attacks.an_amount_edited(attacks.base_of("an_amount_edited"))))
        run.info.evidence.begin(Asked())
        self.assertEqual([call.index for call in run.calls], [0, 1, 2, 3])
        self.assertEqual([fault.kind for fault in run.info.evidence.take()], ["broken-commitment"])


class OnTheCommandLine(unittest.TestCase):
    """Decided by us: the same report from a file, compressed, and from a pipe."""

    def test_all_ways(self) -> None:
        data = attacks.with_pieces().bundle()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x.run.jsonl").write_bytes(data)
            Path(folder, "x.run.jsonl.gz").write_bytes(gzip.compress(data))
            reports = [
                ways.in_process("audit", "x.run.jsonl", folder=folder),
                ways.in_process("audit", "x.run.jsonl.gz", folder=folder),
                ways.in_process("audit", "-", folder=folder, stdin=data),
            ]
        for ran in reports:
            self.assertEqual((ran.status, ran.err), (0, b""))
            self.assertEqual(ran.out, reports[0].out)

    def test_a_torn_line_is_an_error_and_a_missing_tail_a_finding(self) -> None:
        data = made.imported(2).bundle()
        for cut, status in ((data[:-10], 2), (data[: data[:-1].rindex(b"\n") + 1], 1)):
            ran = ways.in_process("audit", "-", stdin=cut)
            self.assertEqual(ran.status, status, ran)


if __name__ == "__main__":
    unittest.main()
