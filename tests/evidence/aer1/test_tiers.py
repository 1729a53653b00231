"""toolreplay.evidence.aer1.tiers"""

import unittest
from typing import Any

from tests.evidence.aer1.made import CLASS, CONTENT, form, receipt
from toolreplay.evidence.aer1.committed import read_committed
from toolreplay.evidence.aer1.tiers import (
    CORE_MEMBERS,
    Versions,
    core_checks,
    is_class,
    is_tool,
    is_uuid,
    producer_check,
    strict_checks,
    versions_of,
)
from toolreplay.findings.check import FAILED, PASSED


def failed(made: dict[str, Any], *, is_legacy: bool = False) -> tuple[list[str], list[str]]:
    """Return the core checks and the strict checks that failed."""
    read = read_committed(made.get("canonical_bytes"), made.get("output_hash"))
    core = core_checks(made, read)
    strict = strict_checks(made, read, is_legacy=is_legacy)
    return (
        [check.name.removeprefix("core: ") for check in core if check.result == FAILED],
        [check.name.removeprefix("strict: ") for check in strict if check.result == FAILED],
    )


class TheCoreTier(unittest.TestCase):
    """Decided by the conformance kit 1.4: REC-3, REC-4, REC-7, REC-9, REC-10, REC-14."""

    def test_each_of_the_eight_members_is_needed(self) -> None:
        self.assertEqual(failed(receipt()), ([], []))
        for name in CORE_MEMBERS:
            self.assertIn("members", failed(receipt(**{name: ...}))[0])
            self.assertTrue(failed(receipt(**{name: None}))[0])

    def test_it_lets_one_newline_through_and_the_strict_level_does_not(self) -> None:
        made = receipt()
        for name, check in (("id", "id"), ("provenance_class", "provenance class")):
            self.assertEqual(failed({**made, name: made[name] + "\n"}), ([], [check]))
            self.assertEqual(failed({**made, name: made[name] + "\n\n"}), ([check], [check]))

    def test_it_takes_any_text_as_committed_bytes(self) -> None:
        self.assertEqual(failed(receipt(b"plain text"))[0], [])
        self.assertEqual(failed(receipt(b"\xff"))[0], ["UTF-8"])

    def test_other_spellings_of_the_base64_are_the_same_bytes(self) -> None:
        self.assertEqual(failed({**receipt(b"1"), "canonical_bytes": "MR=="})[0], [])
        self.assertEqual(failed({**receipt(b"1"), "canonical_bytes": "MQ"})[0],
                         ["base64", "UTF-8", "digest"])  # fmt: skip

    def test_what_is_no_object_fails(self) -> None:
        nothing = read_committed(None, None)
        for document in (None, [], "x", 5):
            (check,) = core_checks(document, nothing)
            self.assertEqual(check.result, FAILED)
            self.assertEqual(strict_checks(document, nothing, is_legacy=False), ())


class TheStrictLevel(unittest.TestCase):
    """Decided by us: every reading accepts, nothing is legacy, every pattern matches in full."""

    def test_each_of_its_checks_can_fail(self) -> None:
        content = form({**CONTENT, "outputs": float("inf")})
        for made, check in (
            (receipt(id="8967b825-90e9-105d-a102-27b8a3cde74a"), "id"),
            (receipt(receipt_schema_version="0.5"), "schema version"),
            (receipt(created_at="2026-01-01T00:00:00-00:60"), "time"),
            (receipt(content), "numbers"),
            (receipt(canonical_byte_length=5.0), "length"),
        ):
            self.assertEqual(failed(made), ([], [check]))
        self.assertEqual(failed(receipt(), is_legacy=True)[1], ["shape"])
        self.assertEqual(failed(receipt(tool="x"))[1], ["shape"])
        self.assertEqual(failed(receipt(created_at=..., timestamp="x"))[1], ["shape", "time"])


class TheProducerProfile(unittest.TestCase):
    """Decided by AER-1, REC-16."""

    def test_the_committed_object_has_inputs(self) -> None:
        for data, result in (
            (b'{"inputs":null}', PASSED), (b'{ "inputs" : 1 }', PASSED), (b"{}", FAILED),
            (b'["inputs"]', FAILED), (b"inputs", FAILED), (b"\xff", FAILED),
            (b"[" * 3000 + b"]" * 3000, FAILED),
        ):  # fmt: skip
            made = receipt(data)
            read = read_committed(made["canonical_bytes"], made["output_hash"])
            self.assertEqual(producer_check(read).result, result)


class Shapes(unittest.TestCase):
    """Decided by AER-1, REC-4, REC-9, REC-10."""

    def test_ids(self) -> None:
        good = "8967b825-90e9-105d-a102-27b8a3cde74a"
        self.assertTrue(is_uuid(good))
        for other in (good.upper(), good + "\n", good[1:], good.replace("-", ""), None, 5):
            self.assertFalse(is_uuid(other))

    def test_classes(self) -> None:
        for good in (
            CLASS,
            "OBSERVED VIA GATEWAY",
            "LOGGED BY AGENT",
            "EXECUTED BY 7-B_x.".upper(),
        ):
            self.assertTrue(is_class(good))
        for other in ("EXECUTED BY ", "EXECUTED BY x", "EXECUTED BY  A", "LOGGED BY A", "", None,
                      CLASS + "\n", "EXECUTED BY É"):  # fmt: skip
            self.assertFalse(is_class(other), other)

    def test_tools(self) -> None:
        good = {"name": "a", "version": "1", "scope": "s"}
        self.assertTrue(is_tool({**good, "more": 1}))
        for other in ({**good, "name": ""}, {**good, "scope": 1}, {}, "a", None, [good]):
            self.assertFalse(is_tool(other))

    def test_versions_are_read_outside_and_inside(self) -> None:
        made = receipt(receipt_schema_version=...)
        read = read_committed(made["canonical_bytes"], made["output_hash"])
        self.assertEqual(versions_of(made, read), Versions(None, "0.4"))
        self.assertEqual(versions_of({}, read_committed("W10=", "")), Versions(None, None))
