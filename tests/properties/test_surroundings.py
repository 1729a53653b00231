"""Reports do not change with hash seed, locale, time zone or folder, whatever the transcript."""

import os
import tempfile

from hypothesis import given, settings

from tests.delivered.test_same_bytes import differences
from tests.promises.commands import SCOPE
from tests.promises.source import ROOT
from tests.properties.strategies import runs, transcript_of


@settings(max_examples=3)
@given(runs.filter(lambda calls: len(calls) > 3))
def test_reports_are_the_same_bytes_everywhere(calls) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.jsonl")
        with open(path, "wb") as file:
            file.write(transcript_of(calls))
        for arguments in (
            ["replay", path],
            ["seal", path],
            ["audit", path, "--scope", SCOPE, "--format", "json"],
        ):
            assert differences(ROOT, arguments) == []
