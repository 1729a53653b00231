"""Runs of AER-1 documents: what their headings say."""

import io
import json
import unittest

from tests.evidence.aer1.documents import run
from tests.evidence.aer1.made import CLASS, receipt
from toolreplay.records.limits import DEFAULT
from toolreplay.records.run import RECEIPTS, TIMELINE, WORKFLOW, Run
from toolreplay.sources.aer1 import aer1_runs
from toolreplay.sources.opening import Opened


def runs(form: str, *documents: object) -> list[Run]:
    data = "\n".join(map(json.dumps, documents)).encode()
    found = []
    for one in aer1_runs(form, Opened("x.json", io.BytesIO(data), None), "x.json", DEFAULT):
        found.append(one._replace(calls=iter(list(one.calls))))
    return found


class Runs(unittest.TestCase):
    """Decided by us: one run a file, but one a close."""

    def test_receipts_have_the_class_of_the_first(self) -> None:
        (found,) = runs(RECEIPTS, receipt(), receipt(id="x", provenance_class="LOGGED BY AGENT"))
        self.assertEqual((found.info.name, found.info.provenance), ("x", CLASS))
        self.assertEqual(len(list(found.calls)), 2)

    def test_a_timeline_has_the_name_of_its_job(self) -> None:
        (found,) = runs(TIMELINE, *run())
        self.assertEqual((found.info.name, found.info.provenance), ("job-1", CLASS))

    def test_each_close_is_a_run(self) -> None:
        close = {"merkle_root": "0", "steps": [{"seq": 1, "tool": "t"}]}
        found = runs(WORKFLOW, close, {**close, "workflow_id": "w"})
        self.assertEqual([one.info.name for one in found], ["x", "w"])
        self.assertEqual([call.tool for call in found[0].calls], ["t"])
