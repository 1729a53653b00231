"""Tiles, against the vectors and the text of C2SP tlog-tiles."""

import unittest
from hashlib import sha256

from tests.evidence.trust import Tree, document
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.merkle import leaf_hash, root_of
from toolreplay.evidence.tlog.tiles import (
    ENTRIES,
    FULL_WIDTH,
    MOST_ENTRY_BYTES,
    TilePlace,
    entry_bundle,
    parse_entry_bundle,
    parse_tile,
    parse_tile_path,
    tile_bytes,
    tile_path,
    tiles_of,
)


def entries_of(place: TilePlace) -> list[bytes]:
    first = place.index * FULL_WIDTH
    return [b"toolreplay dev leaf %d" % number for number in range(first, first + place.width)]


class Vectors(unittest.TestCase):
    """Decided by C2SP tlog-tiles; the contents are those of golang.org/x/mod/sumdb/tlog."""

    def test_each_tree(self) -> None:
        trees = document("tiles")["trees"]
        self.assertEqual(len(trees), 8)
        tree = Tree(max(case["tree_size"] for case in trees))
        for case in trees:
            size = case["tree_size"]
            self.assertEqual(tree.root(size).hex(), case["root"])
            wanted = {
                one["path"]: (one["bytes"], one["sha256"])
                for one in (*case["tiles"], *case["entry_bundles"])
            }
            made = {}
            for place in tiles_of(size):
                data = (
                    entry_bundle(entries_of(place))
                    if place.level == ENTRIES
                    else tile_bytes(place, tree.read)
                )
                made[tile_path(place)] = (len(data), sha256(data).hexdigest())
            with self.subTest(size):
                # Of the widest trees the vectors leave out tiles in the middle of a level.
                self.assertEqual({path: made.get(path) for path in wanted}, wanted)
                if size <= FULL_WIDTH:
                    self.assertEqual(made.keys(), wanted.keys())

    def test_each_path(self) -> None:
        found = document("tiles")["parse_paths"]
        self.assertEqual(len(found), 22)
        for case in found:
            with self.subTest(case["path"]):
                if not case["ok"]:
                    with self.assertRaisesRegex(InputError, "^here: not the path of a tile"):
                        parse_tile_path(case["path"], "here")
                    continue
                place = TilePlace(case["level"], case["index"], case["width"])
                self.assertEqual(parse_tile_path(case["path"], ""), place)
                self.assertEqual(tile_path(place), case["path"])


class TheFiles(unittest.TestCase):
    """C2SP tlog-tiles, "Merkle Tree" and "Log entries"."""

    def test_a_tree_of_70000_has_the_tiles_that_the_text_names(self) -> None:
        widths: dict[int, list[int]] = {}
        for place in tiles_of(70_000):
            widths.setdefault(place.level, []).append(place.width)
        full = [256] * 273
        self.assertEqual(widths, {ENTRIES: [*full, 112], 0: [*full, 112], 1: [256, 17], 2: [1]})
        self.assertEqual([*tiles_of(0)], [])
        self.assertEqual(
            [tile_path(place) for place in tiles_of(256)],
            ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"],
        )

    def test_the_root_can_be_computed_from_what_the_files_say(self) -> None:
        tree = Tree(300)
        leaves, entries = [], []
        for place in tiles_of(300):
            if place.level == 0:
                leaves += parse_tile(tile_bytes(place, tree.read), place.width, "")
            elif place.level == ENTRIES:
                entries += parse_entry_bundle(entry_bundle(entries_of(place)), place.width, "")
        self.assertEqual(root_of(leaves), tree.root())
        self.assertEqual(root_of(map(leaf_hash, entries)), tree.root())

    def test_a_tile_of_another_length_is_refused(self) -> None:
        for data, width in ((bytes(31), 1), (bytes(33), 1), (bytes(64), 1), (b"", 1)):
            with self.assertRaisesRegex(InputError, "^here: "):
                parse_tile(data, width, "here")

    def test_entries_of_each_length_are_read_back(self) -> None:
        entries = [b"", b"a", bytes(255), bytes(256), bytes(MOST_ENTRY_BYTES)]
        data = entry_bundle(entries)
        self.assertEqual(parse_entry_bundle(data, 5, ""), entries)
        for other, width in ((data, 4), (data, 6), (data[:-1], 5), (data + b"\0", 5), (b"", 1)):
            with self.assertRaisesRegex(InputError, "^here: "):
                parse_entry_bundle(other, width, "here")
        with self.assertRaises(ValueError):
            entry_bundle([bytes(MOST_ENTRY_BYTES + 1)])


if __name__ == "__main__":
    unittest.main()
