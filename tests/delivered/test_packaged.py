"""What the package carries is found alike in a checkout and in the zipapp."""

import os
import sys
import tempfile
import unittest

from tests.cli import ways
from toolreplay.packaged import (
    data_file,
    data_files,
    extensions_of,
    load_extension,
    module_files,
)

_ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from hashlib import sha256
from toolreplay.packaged import data_file, data_files, extensions_of, module_files
for room in ("audits", "importers", "reports", "capture", "stores", "world"):
    print(room, *extensions_of(room))
    print(*data_files(room))
for name, data in module_files():
    print(name, sha256(data).hexdigest())
for name in ("samples/scope.json", "reports/json/schema.json", "audits/loop/cases/period-two/README"):
    print(name, sha256(data_file(name)).hexdigest())
try:
    data_file("samples/gone.json")
except OSError:
    print("gone")
"""


class ThePackageFindsWhatItCarries(unittest.TestCase):
    """Decided by us: an extension is one folder, and no table is edited for it."""

    def test_an_extension_is_a_folder_with_an_init(self) -> None:
        self.assertEqual(extensions_of("audits"), ["loop", "recompute", "replay", "scope"])
        self.assertEqual(extensions_of("capture"), ["decorator", "exec", "mcp_stdio", "service"])
        self.assertEqual(extensions_of("world"), [])
        self.assertEqual(load_extension("audits", "loop").__name__, "toolreplay.audits.loop")

    def test_the_samples_are_found_beside_the_package(self) -> None:
        path = ways.SAMPLES / "scope.json"
        self.assertEqual(data_file("samples/scope.json"), path.read_bytes())

    def test_the_files_of_a_folder_are_listed(self) -> None:
        package = ways.ROOT / "toolreplay"
        folder = package / "audits" / "loop" / "cases"
        self.assertEqual(
            data_files("audits/loop/cases"),
            sorted(p.relative_to(package).as_posix() for p in folder.rglob("*") if p.is_file()),
        )
        self.assertEqual(data_files("audits/loop/cas"), [])
        self.assertEqual(data_files("audits/gone"), [])

    def test_each_module_is_listed_once(self) -> None:
        package = ways.ROOT / "toolreplay"
        listed = dict(module_files())
        self.assertEqual(
            sorted(listed), sorted(p.relative_to(package).as_posix() for p in package.rglob("*.py"))
        )
        self.assertEqual(len(listed), len(module_files()))

    def test_the_zipapp_carries_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            zipapp = ways.build_zipapp(folder)[-1]
            ask = [sys.executable, "-I", "-S", "-c", _ASK]
            inside, outside = ways.side_by_side(
                lambda place: ways.run(ask, place), (zipapp, str(ways.ROOT))
            )
        self.assertEqual((inside.status, inside.err), (0, b""))
        self.assertEqual(inside, outside)
        self.assertIn("gone", inside.text)

    def test_the_zipapp_finds_what_it_carries_however_its_path_is_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            *start, file = ways.build_zipapp(folder)
            os.mkdir(os.path.join(folder, "sub"))
            table = [
                (where, path, command)
                for where, path in (
                    (folder, "./toolreplay.pyz"),
                    (os.path.join(folder, "sub"), "../toolreplay.pyz"),
                    (folder, file),
                )
                for command in ("demo", "version --verbose")
            ]

            def started(row: tuple[str, str, str]) -> ways.Ran:
                where, path, command = row
                return ways.run([*start, path], *command.split(), folder=where)

            for (_, path, command), ran in zip(
                table, ways.side_by_side(started, table), strict=True
            ):
                with self.subTest(path=path, command=command):
                    self.assertEqual(ran.status, 0, ran.err)

    def test_two_builds_are_equal_byte_for_byte(self) -> None:
        """Decided by us: whoever builds it again can compare."""
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            self.assertEqual(*ways.side_by_side(ways.fresh_zipapp, (one, two)))
