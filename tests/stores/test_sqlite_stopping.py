"""toolreplay.stores.sqlite: what a failed write leaves, and what the next process knows of it."""

import os
import resource
import signal
import struct
import tracemalloc
import unittest
from collections.abc import Callable

from tests.stores.recording import ORIGIN, Recorded, place, record
from tests.stores.verifying import findings_of
from toolreplay.errors import StoreError, StoreFailedError
from toolreplay.stores.sqlite.opening import create_store
from toolreplay.stores.sqlite.state import failure_of, note_recording
from toolreplay.stores.sqlite.wal import torn_bytes


def ended(work: Callable[[], object], most_bytes: int, action: signal.Handlers) -> int:
    """Do work in a process that can write no file longer than so; return its status, or - signal."""
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.signal(signal.SIGXFSZ, action)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
            work()
            status = 0
        except StoreFailedError:
            status = 3
        except StoreError:
            status = 4
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Making(unittest.TestCase):
    """Decided by us: a store has its name only once it is whole, so that nobody has to clean up."""

    def test_one_that_was_killed_on_the_way_is_made_again_without_a_repair(self) -> None:
        with place() as there:
            path = there.path + ".new"
            status = ended(lambda: create_store(path, ORIGIN, None), 20_000, signal.SIG_DFL)
            self.assertEqual((status, os.path.exists(path)), (-signal.SIGXFSZ, False))
            create_store(path, ORIGIN, None)
            self.assertIsNone(failure_of(path))

    def test_what_cannot_be_written_leaves_nothing(self) -> None:
        with place() as there:
            before = sorted(os.listdir(there.folder))
            path = there.path + ".new"
            status = ended(lambda: create_store(path, ORIGIN, None), 20_000, signal.SIG_IGN)
            self.assertEqual((status, sorted(os.listdir(there.folder))), (3, before))

    def test_a_name_that_leads_nowhere_is_not_followed(self) -> None:
        with place() as there:
            os.symlink(there.folder + "/elsewhere", there.path + ".link")
            with self.assertRaisesRegex(StoreError, "is there already"):
                create_store(there.path + ".link", ORIGIN, None)
            self.assertFalse(os.path.exists(there.folder + "/elsewhere"))


class Knowing(unittest.TestCase):
    """Decided by us: that nothing is recorded is known to whoever comes next."""

    def test_a_state_that_lost_its_bytes_with_the_power_says_nothing(self) -> None:
        with place() as there:
            for data in (b"", bytes(512)):
                with open(there.path + "-state", "wb") as file:
                    file.write(data)
                self.assertIsNone(failure_of(there.path))

    def test_a_copy_that_came_without_its_state_gets_one(self) -> None:
        with place() as there:
            os.unlink(there.path + "-state")
            there.open().close()
            self.assertEqual(os.path.getsize(there.path + "-state"), 512)
            self.assertEqual(findings_of(there), [])

    def test_a_store_that_cannot_be_opened_for_want_of_space_says_so(self) -> None:
        with place() as there:
            with there.open() as store:
                record(store)
            self.assertEqual(ended(there.open, 4096, signal.SIG_IGN), 3)
            self.assertIn("since", failure_of(there.path) or "")
            there.open().close()
            self.assertIsNone(failure_of(there.path))
            gaps = there.sql("select count(*) from entry where kind = 'gap'")
            self.assertEqual(gaps, [(1,)])

    def test_who_goes_on_after_a_failure_notes_it_again(self) -> None:
        with place() as there:
            store = there.open()
            recorded = Recorded(store)
            recorded.open()
            store._connection.execute("pragma query_only=1")
            for _ in range(2):
                note_recording(there.path)  # another process wrote the gap, and cleared the note
                with self.assertRaises(StoreFailedError):
                    recorded.gap()
                self.assertIn("readonly", failure_of(there.path) or "")
            store.close()


class Publishing(unittest.TestCase):
    """Decided by us: a write that failed is the store's, whoever of us made it."""

    def test_where_a_head_or_a_key_could_not_be_written_nothing_is_appended_any_more(self) -> None:
        with place() as there:
            for ask in (lambda store: store.publish(), lambda store: store.run_key("another")):
                store = there.open()
                record(store, f"run-{store.tables.size()}")
                Recorded(store, f"open-{store.tables.size()}").open()
                store._other.execute("pragma query_only=1")
                with self.assertRaises(StoreFailedError):
                    ask(store)
                size = store.tables.size()
                with self.assertRaises(StoreFailedError):
                    Recorded(store, "late").open()
                self.assertEqual(store.tables.size(), size)
                self.assertIn("readonly", failure_of(there.path) or "")
                with self.assertRaises(StoreFailedError):
                    store.close()


class TornTails(unittest.TestCase):
    """SQLite's file format, section 4: a frame begins with 24 bytes of its own."""

    def test_the_first_bytes_of_a_frame_are_a_torn_tail_too(self) -> None:
        with place() as there, there.open() as store:
            record(store)
            with open(there.path + "-wal", "rb") as file:
                log = file.read()
            other = there.path + ".other"
            for length in (0, 1, 23, 24, 4119):
                with open(other + "-wal", "wb") as file:
                    file.write(log[: 32 + length])
                self.assertEqual(torn_bytes(other), length)

    def test_a_log_of_pages_that_no_store_has_is_not_read(self) -> None:
        """Sparse and of any length: its header alone says how much one frame would take."""
        with place() as there:
            header = struct.pack(">6I", 0x377F0683, 3007000, 1 << 31, 0, 1, 2)
            first = second = 0
            for at in range(0, 24, 8):
                one, other = struct.unpack(">2I", header[at : at + 8])
                first = (first + one + second) & 0xFFFFFFFF
                second = (second + other + first) & 0xFFFFFFFF
            with open(there.path + "-wal", "wb") as file:
                file.write(header + struct.pack(">2I", first, second))
                file.truncate(1 << 36)
            tracemalloc.start()
            self.assertEqual(torn_bytes(there.path), 0)
            self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 20)
            tracemalloc.stop()
            os.unlink(there.path + "-wal")


if __name__ == "__main__":
    unittest.main()
