"""tests.faults.disk: a disk keeps what was synced, and of the rest what chance leaves."""

import unittest
from random import Random

from tests.faults.disk import Operation, operations_of, rebuilt

FOLDER = "/tmp/one"


def hexed(text: str) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


def at(name: str) -> str:
    return hexed(f"{FOLDER}/{name}")


TRACE = f"""\
openat(AT_FDCWD, {at("told")}, O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0600) = 3
openat(AT_FDCWD, {at("a")}, O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 4
openat(AT_FDCWD, {at("gone")}, O_RDONLY) = -1 ENOENT (No such file or directory)
pwrite64(4, {hexed("hello")}, 5, 10) = 5
fdatasync(4) = 0
writev(3, [{{iov_base={hexed("kept")}, iov_len=4}}], 1) = 4
openat(AT_FDCWD, {at("a-shm")}, O_RDWR|O_CREAT, 0600) = 5
pwrite64(5, {hexed("index")}, 5, 0) = 5
ftruncate(5, 3) = 0
openat(AT_FDCWD, {hexed(FOLDER)}, O_RDONLY|O_DIRECTORY) = 6
fsync(6) = 0
close(4) = 0
openat(AT_FDCWD, {at("b")}, O_WRONLY|O_CREAT|O_TRUNC, 0600) = 4
write(4, {hexed("one")}, 3) = 3
write(4, {hexed("two")}, 3) = 3
rename({at("b")}, {at("c")}) = 0
link({at("c")}, {at("d")}) = 0
unlink({at("a")}) = 0
pwrite64(4, {hexed("x")}, 1, 0) = -1 EIO (Input/output error) (INJECTED)
"""


class Reading(unittest.TestCase):
    def test_what_was_done_to_a_folder_is_read_from_a_trace(self) -> None:
        found = operations_of(TRACE, FOLDER, "told")
        self.assertEqual(
            found,
            [
                Operation("names", names=(("a", 1),)),
                Operation("write", 1, 10, b"hello"),
                Operation("sync", 1),
                Operation("told", data=b"kept"),
                Operation("sync"),
                Operation("names", names=(("b", 3),)),
                Operation("write", 3, 0, b"one"),
                Operation("write", 3, 3, b"two"),
                Operation("names", names=(("b", None), ("c", 3))),
                Operation("names", names=(("d", 3),)),
                Operation("names", names=(("a", None),)),
            ],
        )

    def test_a_call_that_is_not_understood_is_an_error(self) -> None:
        for line in ("pwrite64(4, 0x1234, 5, 10) = 5", "rename(0x1, 0x2) = 0"):
            with self.assertRaises(ValueError):
                operations_of(line, FOLDER, "told")


class Forgetting(unittest.TestCase):
    def left(self, operations: list[Operation]) -> set[tuple[tuple[str, bytes], ...]]:
        found = (rebuilt(operations, Random(seed)) for seed in range(400))
        return {tuple(sorted(files.items())) for files in found}

    def test_what_was_synced_is_there_whatever_the_seed(self) -> None:
        done = operations_of(TRACE, FOLDER, "told")[:5]
        self.assertEqual(self.left(done), {(("a", bytes(10) + b"hello"),)})

    def test_a_name_and_its_bytes_are_lost_apart(self) -> None:
        done = [Operation("names", names=(("a", 0),)), Operation("write", 0, 0, b"hi")]
        self.assertLessEqual({(), (("a", b""),), (("a", b"hi"),)}, self.left(done))
        synced = [*done, Operation("sync", 0)]
        self.assertEqual(self.left(synced), {(), (("a", b"hi"),)})
        named = [*done, Operation("sync")]
        self.assertNotIn((), self.left(named))

    def test_sectors_are_lost_apart_and_later_ones_may_outlive_earlier_ones(self) -> None:
        done = [
            Operation("names", names=(("a", 0),)), Operation("sync"),
            Operation("write", 0, 500, b"1" * 1024),
        ]  # fmt: skip
        contents = {files[0][1] for files in self.left(done)}
        self.assertTrue(any(len(one) == 1524 and one[500:512] == bytes(12) for one in contents))
        self.assertTrue(any(one[500:512] == b"1" * 12 and len(one) == 512 for one in contents))

    def test_a_cut_may_be_lost(self) -> None:
        done = [
            Operation("names", names=(("a", 0),)), Operation("sync"),
            Operation("write", 0, 0, b"secret"), Operation("sync", 0), Operation("truncate", 0, 0),
        ]  # fmt: skip
        self.assertEqual(self.left(done), {(("a", b""),), (("a", b"secret"),)})
        self.assertEqual(self.left([*done, Operation("sync", 0)]), {(("a", b""),)})


if __name__ == "__main__":
    unittest.main()
