"""From the recorder to the auditor: what was seen of a server stands in the bundle of its run."""

import base64
import os
import unittest
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.capture.recorded import recorder, runs
from tests.evidence.bundle import made
from tests.stores.verifying import results_of
from toolreplay.capture.observed import Intent, Outcome
from toolreplay.errors import InputError
from toolreplay.evidence.profile.ids import Ids
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.erasing import erase, pieces_of_run
from toolreplay.stores.sqlite.exporting import Covering, export_run
from toolreplay.stores.sqlite.reading import LogTables
from toolreplay.stores.sqlite.repair import differences

DEFINITION = b'{"description":"Pays.","inputSchema":{"type":"object"},"name":"pay"}'
SERVER = b'{"protocolVersion":"2025-06-18", "serverInfo":{"name":"shop","version":"2"}}'
NAMED = [sha256(each).hexdigest() for each in (DEFINITION, SERVER)]
AT = 1_790_000_100_000_000


class DefinitionsTravel(unittest.TestCase):
    """Decided by us: a replay server is built from the record, so what it showed must be there."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Path(folder.name, "store.db")
        self.bundle = Path(folder.name, "one.run.jsonl")

    def record(self, **changes: object) -> str:
        one = recorder(self.store, **changes)
        for number in range(3):
            intent = Intent("pay", b'{"n":%d}' % number, definition=DEFINITION, server=SERVER)
            one.end(one.begin(intent), Outcome("ok", b"{}"))
        one.finish()
        return runs(self.store)[0]

    def export(self, run: str) -> list[made.Value]:
        data = bytearray()
        with reading_of_store(os.fspath(self.store)) as (connection, name):
            covering = Covering(LogTables(connection, name).size(), None)
            export_run(connection, name, run, data.extend, covering)
        return made.apart(bytes(data))

    def found(self, values: list[made.Value]) -> list[tuple[str, str]]:
        """Return (kind, detail) of what is found in a bundle that is put together again."""
        self.bundle.write_bytes(made.joined(values))
        (result,) = results_of(os.fspath(self.bundle))
        self.notes = result.notes
        return [(finding.kind, finding.detail) for finding in result.findings]

    def test_they_stand_before_the_first_call_that_names_them(self) -> None:
        for mode in ("redacted", "full", "hash-only"):
            with self.subTest(mode):
                self.store = self.store.with_name(f"{mode}.db")
                values = self.export(self.record(mode=mode))
                carried = {v["piece"]: v["b64"] for v in values if "piece" in v}
                self.assertEqual(list(carried), NAMED)
                self.assertEqual(carried[NAMED[1]], base64.b64encode(SERVER).decode())
                self.assertEqual(self.found(values), [])

    def test_other_bytes_are_found_and_none_are_no_fault(self) -> None:
        values = self.export(self.record())
        (line,) = [value for value in values if value.get("piece") == NAMED[0]]
        kept, line["b64"] = line["b64"], "e30="
        detail = "the piece of capture.tool_definition has other bytes than its digest"
        self.assertEqual(self.found(values), [("broken-commitment", detail)])
        line["b64"] = kept
        values.remove(line)
        self.assertEqual(self.found(values), [])

    def test_what_no_call_names_is_refused(self) -> None:
        values = self.export(self.record())
        (place,) = [n for n, value in enumerate(values) if value.get("piece") == NAMED[0]]
        values.insert(place, {**values[place], "piece": sha256(b"{}").hexdigest(), "b64": "e30="})
        with self.assertRaisesRegex(InputError, "needed by no entry"):
            self.found(values)

    def test_an_erasure_removes_and_names_them(self) -> None:
        run = self.record()
        path = os.fspath(self.store)
        with reading_of_store(path) as (connection, _):
            pieces = pieces_of_run(connection, run, None)
        self.assertEqual(sorted(piece.hex() for piece in pieces), sorted(NAMED))
        erased = erase(path, pieces, [], "a name in it", Ids(os.urandom), AT)
        self.assertEqual([one.kind for one in erased.referred], ["call"] * 3)
        data = b"".join(each.read_bytes() for each in self.store.parent.glob("store.db*"))
        self.assertNotIn(b"serverInfo", data)
        values = self.export(run)
        self.assertFalse([value for value in values if "piece" in value])
        self.assertEqual(self.found(values), [])
        for digest in NAMED:
            self.assertTrue([n for n in self.notes if n.startswith("erased: ") and digest in n])

    def test_the_tables_for_finding_are_what_the_leaves_give(self) -> None:
        self.record()
        with reading_of_store(os.fspath(self.store)) as (connection, name):
            self.assertEqual(differences(connection, name), [])
            query = "select count(*) from piece_use where digest = ?"
            uses = connection.execute(query, (bytes.fromhex(NAMED[0]),)).fetchone()[0]
        self.assertEqual(uses, 3)


if __name__ == "__main__":
    unittest.main()
