"""The heads that were seen before: a file for each log, which only grows."""

import hashlib
import os
import pathlib
import stat
import tempfile
import threading
import unittest

from tests.evidence.bundle.in_a_log import ORIGIN, Log, sign
from toolreplay.errors import InputError, OutputError
from toolreplay.evidence.tlog.standing import Learned
from toolreplay.sources.seen import SeenHeads, seen_folder

LOG = Log().filled(9)


def learned(size: int) -> Learned:
    return Learned(LOG.head(size), sign(LOG.head(size)))


class Where(unittest.TestCase):
    """Decided by the XDG base directory specification."""

    def test_the_folder(self) -> None:
        for environment, wanted in (
            ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/toolreplay/seen"),
            ({"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/toolreplay/seen"),
            ({"XDG_STATE_HOME": "", "HOME": "/h"}, "/h/.local/state/toolreplay/seen"),
            ({"HOME": "h"}, None),
            ({}, None),
        ):
            self.assertEqual(seen_folder(environment), wanted)

    def test_a_file_for_each_log_whatever_its_name(self) -> None:
        seen = SeenHeads(None, "/f")
        for origin in (ORIGIN, "../../etc", "é"):
            name = hashlib.sha256(origin.encode()).hexdigest()
            self.assertEqual(seen.name_of(origin), f"/f/{name}")
        self.assertEqual(SeenHeads("mine", "/f").name_of(ORIGIN), "mine")


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.below = str(self.folder / "state" / "seen")
        self.name = os.path.join(self.below, hashlib.sha256(ORIGIN.encode()).hexdigest())

    def seen(self) -> SeenHeads:
        return SeenHeads(None, self.below)

    def learn(self, size: int) -> str:
        seen = self.seen()
        seen.recall(ORIGIN)
        seen.hold(ORIGIN)
        return seen.learn(learned(size))


class Remembering(InAFolder):
    """Decided by us: a crash leaves the old head or the new one, and nothing else."""

    def test_nothing_at_first(self) -> None:
        self.assertIsNone(self.seen().recall(ORIGIN))
        self.assertFalse(os.path.exists(self.below))

    def test_what_was_learned(self) -> None:
        line = self.learn(5)
        self.assertEqual(line, f"remembered: {ORIGIN}, size 5, in {self.name}")
        found = self.seen().recall(ORIGIN)
        assert found is not None
        self.assertEqual((found.note, found.where), (sign(LOG.head(5)), self.name))
        self.learn(9)
        found = self.seen().recall(ORIGIN)
        assert found is not None
        self.assertEqual(found.note, sign(LOG.head(9)))
        names = sorted(os.listdir(self.below))
        base = os.path.basename(self.name)
        self.assertEqual(names, [base, f"{base}.lock"])
        self.assertEqual(stat.S_IMODE(os.stat(self.name).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.below).st_mode), 0o700)

    def test_a_partial_of_a_killed_process_of_the_same_number_is_in_nobodys_way(self) -> None:
        os.makedirs(self.below)
        pathlib.Path(f"{self.name}.{os.getpid()}.partial").write_bytes(b"half")
        self.assertIn("remembered: ", self.learn(5))

    def test_what_is_there_and_no_file_is_an_error(self) -> None:
        os.makedirs(self.name)
        with self.assertRaises(InputError) as caught:
            self.seen().recall(ORIGIN)
        self.assertEqual(caught.exception.where, self.name)
        with self.assertRaises(InputError):
            SeenHeads("a\0b", None).recall(ORIGIN)

    def test_a_large_file_is_not_read_to_its_end(self) -> None:
        file = self.folder / "large"
        file.write_bytes(bytes(3_000_000))
        found = SeenHeads(str(file), None).recall(ORIGIN)
        assert found is not None
        self.assertEqual(len(found.note), 1_000_001)

    def test_where_the_folder_cannot_be_made_a_line_says_so(self) -> None:
        (self.folder / "state").write_bytes(b"a file")
        line = self.learn(5)
        self.assertTrue(line.startswith(f"not remembered in {self.name}: "), line)
        self.assertIn("--seen FILE", line)
        nowhere = SeenHeads(None, None)
        self.assertEqual((nowhere.recall(ORIGIN), nowhere.hold(ORIGIN)), (None, None))
        self.assertIn("not remembered: neither XDG_STATE_HOME", nowhere.learn(learned(5)))

    def test_a_file_that_was_named_must_be_written(self) -> None:
        seen = SeenHeads(str(self.folder / "no" / "folder"), None)
        seen.hold(ORIGIN)
        with self.assertRaises(OutputError):
            seen.learn(learned(5))


class AtOnce(InAFolder):
    """Decided by us: what is compared is what is replaced, however many look."""

    def test_a_second_one_waits_for_the_first(self) -> None:
        first, second = self.seen(), self.seen()
        self.assertIsNone(first.recall(ORIGIN))
        self.assertIsNone(first.hold(ORIGIN))
        self.assertIsNone(second.recall(ORIGIN))
        found = []
        waiting = threading.Thread(target=lambda: found.append(second.hold(ORIGIN)))
        waiting.start()
        waiting.join(0.05)
        self.assertTrue(waiting.is_alive())
        first.learn(learned(9))
        waiting.join(5)
        second.release()
        (held,) = found
        assert held is not None
        self.assertEqual(held.note, sign(LOG.head(9)))

    def test_who_looks_again_or_lets_go_keeps_nobody_waiting(self) -> None:
        first = self.seen()
        first.hold(ORIGIN)
        first.recall(ORIGIN)
        second = self.seen()
        second.hold(ORIGIN)
        second.release()
        second.release()
        first.hold(ORIGIN)
        first.release()


class Proofs(InAFolder):
    """Decided by us: a proof is never lost, and never written over another file."""

    def test_beside_the_memory(self) -> None:
        self.learn(5)
        seen = self.seen()
        for data, number in ((b"one", 1), (b"two", 2), (b"one", 1), (b"three", 3)):
            name = seen.keep_proof(ORIGIN, data, None)
            self.assertEqual(name, f"{self.name}.two-histories-{number}")
            self.assertEqual(pathlib.Path(name).read_bytes(), data)

    def test_where_somebody_says(self) -> None:
        file = self.folder / "proof.json"
        for _ in range(2):
            self.assertEqual(self.seen().keep_proof(ORIGIN, b"one", str(file)), str(file))
        for name in (str(file), str(self.folder / "no" / "folder"), "a\0b"):
            with self.assertRaises(OutputError):
                self.seen().keep_proof(ORIGIN, b"two", name)
        self.assertEqual(file.read_bytes(), b"one")


if __name__ == "__main__":
    unittest.main()
