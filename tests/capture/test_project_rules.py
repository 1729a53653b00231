"""What a project's rules hide is nowhere in the store that a command records into."""

import argparse
import os
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.recorded import receipts, runs
from tests.evidence.redaction.samples import TOKEN
from tests.stores.scanning import files_that_hold
from toolreplay.capture.observed import Adapter, Intent, Outcome
from toolreplay.cli.recording import add_recording, recorder_of
from toolreplay.errors import InputError


class OfAFolder(unittest.TestCase):
    """The project file of the folder in which recording is started."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.store = Path(folder.name, "store.db")
        parser = argparse.ArgumentParser()
        add_recording(parser)
        self.arguments = parser.parse_args(["--store", str(self.store), "--run", "r"])

    def test_its_rules_and_the_shipped_ones_hold(self) -> None:
        Path("toolreplay.toml").write_text('[[redact]]\nname = "cust"\nkey = "cust_*"\n')
        recorder = recorder_of(self.arguments, Adapter("mcp-wire", "mcp_stdio"))
        call = recorder.begin(Intent("pay", b'{"cust_no":"Quincunx-77","sum":1}'))
        recorder.end(call, Outcome("ok", f'{{"said":"{TOKEN}"}}'.encode()))
        recorder.finish()
        (receipt,) = receipts(self.store, runs(self.store)[0])
        self.assertEqual(receipt["inputs"]["redactions"], [{"path": "/cust_no", "rule": "cust"}])
        self.assertEqual(receipt["outputs"]["redactions"], [{"path": "/said", "rule": "github-token"}])  # fmt: skip
        for secret in ("Quincunx-77", TOKEN):
            self.assertEqual(files_that_hold(str(self.store), secret.encode()), [])

    def test_a_slip_in_it_is_said_before_anything_is_recorded(self) -> None:
        Path("toolreplay.toml").write_text('[[redact]]\nname = "cust"\nkye = "cust_*"\n')
        with self.assertRaises(InputError):
            recorder_of(self.arguments, Adapter("mcp-wire", "mcp_stdio"))


if __name__ == "__main__":
    unittest.main()
