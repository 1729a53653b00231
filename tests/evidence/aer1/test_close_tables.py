"""toolreplay.evidence.aer1.close_tables"""

import copy
import unittest

from tests.evidence.aer1.documents import HOSTILE, sha
from toolreplay.evidence.aer1.close_tables import CLOSE_TYPE, check_tables
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED

UUID = "4fa96f99-fcb9-4dd2-a37a-1c2247df102a"

STEP = {
    "seq": 1, "receipt_id": UUID, "tool": "t", "receipt_hash": sha(b""), "status": "ok",
    "started_at": "2026-11-30T09:00:00Z", "ended_at": "2026-11-30T09:00:00.5+01:00",
}  # fmt: skip

CLOSE = {
    "type": CLOSE_TYPE, "version": "1", "workflow_id": UUID, "receipt_id": UUID, "session_id": "s",
    "goal": "g", "status": "ok", "output_hash": sha(b""), "verify_url": "https://receipts.example/",
    "steps": [STEP, {**STEP, "seq": 2.0, "receipt_id": ""}],
}  # fmt: skip


def failed(close: dict) -> list[str]:
    return [check.name for check in check_tables(close)[1] if check.result == FAILED]


class Tables(unittest.TestCase):
    """Decided by AER-1, WF-9."""

    def test_a_complete_close_passes_member_by_member(self) -> None:
        notes, checks = check_tables(CLOSE)
        self.assertEqual(notes, ())
        self.assertEqual({check.result for check in checks}, {PASSED})
        self.assertEqual(
            [check.name for check in checks],
            [*(name for name in CLOSE if name != "steps"), "steps",
             "steps seq", "steps receipt_id", "steps tool", "steps receipt_hash",
             "steps started_at", "steps ended_at", "steps status"],
        )  # fmt: skip

    def test_each_member_of_table_2(self) -> None:
        for member in CLOSE:
            for value in (None, "", 5, True, [], {}):
                self.assertIn(member, failed({**CLOSE, member: value}))
            self.assertIn(member, failed({k: v for k, v in CLOSE.items() if k != member}))
        for member, value in (("type", "x"), ("workflow_id", UUID.upper()), ("receipt_id", UUID + "\n"),
                              ("output_hash", "sha256:" + sha(b"")), ("verify_url", "ftp://a.example/")):  # fmt: skip
            self.assertEqual(failed({**CLOSE, member: value}), [member])

    def test_each_member_of_table_3(self) -> None:
        for member in STEP:
            for value in (None, True, [], {}):
                close = {**CLOSE, "steps": [STEP, {**STEP, member: value}]}
                self.assertEqual(failed(close), [f"steps {member}"])
            self.assertEqual(
                failed({**CLOSE, "steps": [{k: v for k, v in STEP.items() if k != member}]}),
                [f"steps {member}"],
            )

    def test_without_steps_their_members_were_not_checked(self) -> None:
        checks = check_tables({**CLOSE, "steps": []})[1]
        self.assertEqual({check.result for check in checks[-7:]}, {NOT_CHECKED})

    def test_a_time_is_held_to_its_shape_and_to_the_calendar_by_a_note(self) -> None:
        for time in ("2026-02-30T00:00:00Z", "2026-11-30T09:00:00+00:99", "0000-01-01T00:00:00Z"):
            notes, checks = check_tables({**CLOSE, "steps": [{**STEP, "ended_at": time}]})
            self.assertEqual({check.result for check in checks}, {PASSED})
            self.assertEqual(notes, ("step 1 ended_at is a time that no calendar has",))
        for time in ("2026-11-30", "2026-11-30T09:00:00", "2026-11-30T09:00:00Z\n", ""):
            close = {**CLOSE, "steps": [{**STEP, "ended_at": time}]}
            self.assertEqual(failed(close), ["steps ended_at"])

    def test_any_value_has_an_answer(self) -> None:
        for value in HOSTILE:
            for member in CLOSE:
                check_tables({**CLOSE, member: value})
            for member in STEP:
                close = copy.deepcopy(CLOSE)
                close["steps"][1][member] = value  # type: ignore[index]
                check_tables(close)
            check_tables({**CLOSE, "steps": [value]})
