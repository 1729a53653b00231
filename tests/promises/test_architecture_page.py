"""Promise: the page that says where to look points at places that exist."""

import pathlib
import re
import unittest

from tests.promises.source import EXTENSION_ROOMS, ROOT, planted
from tests.promises.test_rooms import MAY_IMPORT

PAGE = "docs/architecture.md"
HEADING = "## Where to look"
NOT_BUILT = "(not built)"


def wrong_places(root: pathlib.Path) -> list[str]:
    """Paths of the table that do not exist, and marks on what has been built since.

    A path is looked up in the package, then in the repository. `(not built)` behind a path
    excuses that path.
    """
    offences = []
    lines = (root / PAGE).read_text(encoding="utf-8").splitlines()
    rows = 0
    inside = False
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            inside = line == HEADING
        if (
            not inside
            or not line.startswith("|")
            or line.startswith(("| question", "|---", "| ---"))
        ):
            continue
        rows += 1
        cell = line.strip("|").rpartition("|")[2]
        for match in re.finditer(r"`([^`]+)`( \(not built\))?", cell):
            path, marked = match.groups()
            there = (root / "toolreplay" / path).exists() or (root / path).exists()
            if not there and not marked:
                offences.append(f"{PAGE}:{number}: {path} does not exist")
            elif there and marked:
                offences.append(f"{PAGE}:{number}: {path} is built now")
    return offences if rows else [f"{PAGE}:1: no table under {HEADING}"]


def import_table_of(page: str) -> dict[str, set[str]]:
    """Read the import table of the page: room -> rooms it may import."""
    table = {}
    for match in re.finditer(r"^\| `(\w+)/` \|[^|]*\| ([^|]*) \|", page, re.MULTILINE):
        room, cell = match.groups()
        table[room] = set(re.findall(r"`(\w+)`", cell))
        if cell.startswith("all but"):
            table[room] = set(MAY_IMPORT) - {room} - table[room]
        elif cell == "all":
            table[room] = set(MAY_IMPORT) - {room}
    return table


class TheArchitecturePageIsTrue(unittest.TestCase):
    """Decided by us: a map that is wrong is worse than none."""

    def test_every_place_it_names_exists(self) -> None:
        self.assertEqual(wrong_places(ROOT), [])

    def test_its_import_table_is_the_one_the_tests_enforce(self) -> None:
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        self.assertEqual(import_table_of(page), MAY_IMPORT)

    def test_it_names_every_room_of_extensions(self) -> None:
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        for room in EXTENSION_ROOMS:
            self.assertIn(f"`{room}/<", page)

    def test_a_place_that_is_not_there_is_named_with_its_line(self) -> None:
        table = """\
            # Architecture

            ## Where to look

            | question | go to |
            |---|---|
            | why was a line rejected? | `records/transcript.py`, `records/gone.py` |
            | how is a rate defined? | `rates/definitions.py` (not built) |
            | what does the seal cover? | `evidence/seal.py` (not built), `samples/a.jsonl` |

            ## More

            | x | `nowhere` |
            """
        files = {
            PAGE: table,
            "toolreplay/records/transcript.py": "",
            "toolreplay/evidence/seal.py": "",
            "samples/a.jsonl": "",
        }
        with planted(files) as root:
            self.assertEqual(
                wrong_places(root),
                [
                    "docs/architecture.md:7: records/gone.py does not exist",
                    "docs/architecture.md:9: evidence/seal.py is built now",
                ],
            )

    def test_a_page_without_the_table_is_named(self) -> None:
        with planted({PAGE: "# Architecture\n"}) as root:
            self.assertEqual(wrong_places(root), [f"{PAGE}:1: no table under {HEADING}"])
