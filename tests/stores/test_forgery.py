"""The operator's perfect forgery: all hashes, roots and signatures rebuilt with the real key.

Looked at alone it holds, as it must: nothing in it is wrong. Against the head that somebody
remembers it does not.
"""

import os
import shutil
import unittest

from tests.stores.recording import ORIGIN, OTHER_RUN, RUN, Place, Recorded, place, record
from tests.stores.verifying import findings_in, line_of, results_of
from toolreplay.evidence.record import Asked
from toolreplay.evidence.tlog.standing import Remembered, Trust
from toolreplay.evidence.tlog.two_histories import is_conviction, parse_two_histories
from toolreplay.findings.check import NOT_CHECKED, PASSED
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.exporting import Covering, export_run
from toolreplay.stores.sqlite.reading import LogTables


class Auditor:
    """Holds the public key, and remembers the head of the log as it was when it was seen."""

    def __init__(self, there: Place) -> None:
        self.key = there.signer.key
        self.note: bytes | None = None

    def asked(self) -> Asked:
        """Return what is handed in."""
        return Asked(trust=Trust((self.key,), None, self))

    def recall(self, origin: str) -> Remembered | None:
        """Return what is remembered."""
        return None if self.note is None else Remembered(self.note, "seen")

    hold = recall

    def look(self, name: str):
        """Judge a store or bundle; remember its head where that is to be remembered."""
        results = results_of(name, self.asked())
        for result in results:
            standing = result.run.evidence.standing()
            if standing is not None and standing.learned is not None:
                self.note = standing.learned.note
        return results


def told(there: Place, amount: str, more: int = 0) -> None:
    """Record the run that is to be rewritten, and as many entries of another behind it."""
    with there.open() as store:
        recorded = Recorded(store)
        recorded.open().both(1, "create_refund", {"amount": amount}, {"ok": True}).close()
        if more:
            other = Recorded(store, OTHER_RUN)
            other.open()
            for _ in range(more - 1):
                other.gap()


def exported(there: Place, since: tuple[int, ...] = (), run: str = RUN) -> str:
    """Export a run as the operator does."""
    name = os.path.join(there.folder, "run.jsonl" if run == RUN else "other.jsonl")
    connection = open_reader(there.path)
    newest = LogTables(connection, there.path).newest_checkpoint()
    assert newest is not None
    with open(name, "wb") as file:
        export_run(connection, there.path, run, file.write, Covering(*newest), since=since)
    connection.close()
    return name


class TheForgery(unittest.TestCase):
    """Decided by us, as what the product is for."""

    def forged(self, more: int) -> tuple[Auditor, Place, Place]:
        """Return who saw the true log of 4 entries, that log, and the forged one of 4 and more."""
        there = self.enterContext(place())
        told(there, "164.00")
        auditor = Auditor(there)
        self.assertEqual(findings_in(there.path, auditor.asked()), [])
        auditor.look(there.path)
        self.assertIsNotNone(auditor.note)
        forged = self.enterContext(place())
        told(forged, "146.00", more)
        return auditor, there, forged

    def test_alone_it_passes(self) -> None:
        for more in (0, 1, 10):
            with self.subTest(more):
                _, _, forged = self.forged(more)
                kinds = {kind for kind, _ in findings_in(forged.path, Auditor(forged).asked())}
                self.assertEqual(kinds, set())
                self.assertEqual(findings_in(exported(forged), Auditor(forged).asked()), [])

    def test_as_a_store_it_is_broken_against_the_head_remembered(self) -> None:
        for more in (0, 1, 10):
            with self.subTest(more):
                auditor, _, forged = self.forged(more)
                kept = auditor.note
                kinds = [kind for kind, _ in findings_in(forged.path, auditor.asked())]
                self.assertIn("forked-log", kinds)
                log = auditor.look(forged.path)[0]
                self.assertEqual(auditor.note, kept)
                proof = log.run.evidence.standing().proof
                found = is_conviction(parse_two_histories(proof.data, "proof"), [auditor.key])
                self.assertEqual(found.key, auditor.key)

    def test_as_a_bundle_it_is_broken_where_it_proves_its_growth(self) -> None:
        for more in (0, 1, 10):
            with self.subTest(more):
                auditor, _, forged = self.forged(more)
                name = exported(forged, since=(4,) if more else ())
                self.assertEqual(
                    ["forked-log"], [kind for kind, _ in findings_in(name, auditor.asked())]
                )
                proof = auditor.look(name)[0].run.evidence.standing().proof
                found = is_conviction(parse_two_histories(proof.data, "proof"), [auditor.key])
                self.assertEqual(found.key, auditor.key)

    def test_a_bundle_of_another_size_that_proves_nothing_is_not_checked(self) -> None:
        auditor, _, forged = self.forged(10)
        connection = open_reader(forged.path)
        connection.close()
        name = os.path.join(forged.folder, "run.jsonl")
        exported(forged)
        with open(name, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        kept = [line for line in lines if not line.startswith(b'{"consistency"')]
        rewritten = b"".join(kept[:-1])
        from toolreplay.evidence.bundle.lines import end_line
        from toolreplay.evidence.digest import hex_of

        with open(name, "wb") as file:
            file.write(rewritten + end_line(len(kept) - 1, hex_of(rewritten)))
        (result,) = auditor.look(name)
        log = line_of(result, "log")
        self.assertEqual((log.result, len(result.findings)), (NOT_CHECKED, 0))
        self.assertIn("remembered size 4: ask for export --since 4", log.reason)

    def test_honest_growth_is_silent_and_remembered(self) -> None:
        with place() as there:
            auditor = Auditor(there)
            told(there, "164.00")
            auditor.look(there.path)
            for number in range(5):
                with there.open() as store:
                    record(store, OTHER_RUN.replace("01a2", f"01b{number}"), calls=number)
                before = auditor.note
                results = auditor.look(there.path)
                self.assertEqual([list(result.findings) for result in results], [[]] * len(results))
                self.assertEqual(line_of(results[0], "log").result, PASSED)
                self.assertNotEqual(auditor.note, before)

    def test_what_is_said_of_the_end_follows_what_the_head_remembered_covers(self) -> None:
        """In store and bundle alike: nobody has seen a run that is behind that head."""
        with place() as there:
            told(there, "164.00")
            auditor = Auditor(there)
            auditor.look(there.path)
            with there.open() as store:
                record(store, OTHER_RUN)
            note = auditor.note
            for name in (there.path, exported(there, (4,)), exported(there, (4,), OTHER_RUN)):
                auditor.note = note
                for result in auditor.look(name)[name == there.path :]:
                    with self.subTest(name=os.path.basename(name), run=result.run.provenance):
                        self.assertEqual(line_of(result, "log").count, "consistent with size 4")
                        wanted = (
                            "closed; a rewrite by whoever holds the key of the log not excluded"
                        )
                        if result.calls == 1:
                            wanted = "closed, in a log that is as it was remembered"
                        self.assertEqual(line_of(result, "ending").count, wanted)

    def test_a_store_put_back_to_an_older_state_is_rolled_back(self) -> None:
        with place() as there:
            told(there, "164.00")
            shutil.copy(there.path, there.path + ".backup")
            with there.open() as store:
                record(store, OTHER_RUN)
            auditor = Auditor(there)
            auditor.look(there.path)
            os.replace(there.path + ".backup", there.path)
            self.assertEqual(
                ["rolled-back-log"], [kind for kind, _ in findings_in(there.path, auditor.asked())]
            )

    def test_a_head_that_nobody_signed_is_not_remembered(self) -> None:
        with place(is_signed=False) as there:
            told(there, "164.00")
            auditor = Auditor(there)
            results = auditor.look(there.path)
            self.assertIsNone(auditor.note)
            self.assertEqual(line_of(results[0], "signer").result, NOT_CHECKED)

    def test_the_name_of_the_log_is_that_of_its_key(self) -> None:
        with place() as there:
            told(there, "164.00")
            self.assertEqual(results_of(there.path)[0].run.name, ORIGIN)


if __name__ == "__main__":
    unittest.main()
