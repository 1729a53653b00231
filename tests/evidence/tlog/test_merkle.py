"""The tree: RFC 6962's own definition, the vectors, and every lie in a small world."""

import unittest
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from itertools import pairwise

from tests.evidence.tlog.small_world import wrong_consistencies, wrong_inclusions
from tests.evidence.trust import Tree, cases, document, hashes
from toolreplay.evidence.tlog.merkle import (
    EMPTY_ROOT,
    Frontier,
    complete_nodes,
    consistency_path,
    folded_pair,
    folded_root,
    inclusion_path,
    is_consistent,
    leaf_hash,
    node_hash,
    root_at,
    root_of,
    seeded_path,
    with_seed,
    without_seed,
)

SMALL = 8
"""Every tree up to this size is lied about here; tests/properties goes to 16."""


def defined_root(leaves: list[bytes]) -> bytes:
    """Compute a root as RFC 6962 section 2.1 defines it, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha256(b"\x01" + defined_root(leaves[:k]) + defined_root(leaves[k:])).digest()


def _node(nodes: dict[tuple[int, int], bytes], level: int, index: int) -> bytes:
    return nodes[level, index]


class Roots(unittest.TestCase):
    """RFC 6962 section 2.1."""

    def test_the_eight_reference_leaves(self) -> None:
        found = document("ct_reference")
        leaves = hashes(found["leaves_hex"])
        for size, root in enumerate(hashes(found["roots"])):
            with self.subTest(size):
                self.assertEqual(root_of(map(leaf_hash, leaves[:size])), root)
                self.assertEqual(defined_root(leaves[:size]), root)

    def test_each_leaf_of_the_vectors(self) -> None:
        leaves = document("roots")["leaves"]
        self.assertEqual(len(leaves), 71)
        for leaf in leaves:
            self.assertEqual(leaf_hash(bytes.fromhex(leaf["data_hex"])).hex(), leaf["leaf_hash"])

    def test_each_root_of_the_vectors(self) -> None:
        roots = document("roots")["roots"]
        self.assertEqual(len(roots), 94)
        largest = max(case["size"] for case in roots)
        leaves = [leaf_hash(b"toolreplay dev leaf %d" % number) for number in range(largest)]
        tree = Frontier()
        for case in sorted(roots, key=lambda case: case["size"]):
            with self.subTest(case["size"]):
                tree.extend(leaves[tree.size : case["size"]])
                self.assertEqual((tree.size, tree.root().hex()), (case["size"], case["root"]))

    def test_a_tree_that_grows_one_by_one_in_batches_or_from_its_nodes_is_the_same(self) -> None:
        tree = Tree(5000)
        one_by_one, sizes = Frontier(), [0, 1, 2, 3, 1023, 1024, 1025, 2048, 3000, 4096, 5000]
        for before, size in pairwise(sizes):
            with self.subTest(size):
                copy = one_by_one.copy()
                for hashed in tree.leaves[before:size]:
                    one_by_one.append(hashed)
                copy.extend(tree.leaves[before:size])
                self.assertEqual(copy.root(), one_by_one.root())
                self.assertEqual(root_at(size, tree.read), one_by_one.root())
                self.assertEqual(root_of(iter(tree.leaves[:size])), one_by_one.root())
        self.assertEqual(Frontier().root(), EMPTY_ROOT)

    def test_nodes_become_complete_once_however_the_leaves_come(self) -> None:
        tree = Tree(100)
        for step in (1, 2, 3, 7, 64, 99):
            nodes = {(0, index): hashed for index, hashed in enumerate(tree.leaves)}
            read = partial(_node, nodes)
            for first in range(0, 100, step):
                batch = tree.leaves[first : first + step]
                for level, index, hashed in complete_nodes(first, batch, read):
                    self.assertNotIn((level, index), nodes)
                    self.assertLessEqual((index + 1) << level, first + len(batch))
                    nodes[level, index] = hashed
            self.assertEqual(nodes, tree.nodes)

    def test_a_leaf_is_no_node(self) -> None:
        left, right = bytes(32), bytes(32)
        self.assertNotEqual(leaf_hash(left + right), node_hash(left, right))


class Inclusion(unittest.TestCase):
    """RFC 6962 section 2.1.1, RFC 9162 section 2.1.3."""

    def test_each_vector(self) -> None:
        found = cases("inclusion")
        self.assertEqual((len(found), sum(case["valid"] for case in found)), (978, 537))
        for case in found:
            index, size, path = case["leaf_index"], case["tree_size"], hashes(case["proof"])
            root = folded_root(bytes.fromhex(case["leaf_hash"]), index, size, path)
            with self.subTest(case["id"], mutation=case["mutation"]):
                self.assertEqual(root == bytes.fromhex(case["root"]), case["valid"])

    def test_each_path_of_the_vectors_is_the_one_we_make(self) -> None:
        tree, made = Tree(3000), 0
        for case in cases("inclusion"):
            if case["mutation"].startswith("none") and case["tree_size"] <= tree.size:
                made += 1
                path = inclusion_path(case["leaf_index"], case["tree_size"], tree.read)
                self.assertEqual(path, hashes(case["proof"]), case["id"])
        self.assertGreater(made, 400)

    def test_nothing_is_in_an_empty_tree_or_behind_the_end(self) -> None:
        for index, size in ((0, 0), (1, 1), (-1, 3), (3, 3)):
            with self.subTest(index=index, size=size):
                self.assertIsNone(folded_root(bytes(32), index, size, []))
                with self.assertRaises(ValueError):
                    inclusion_path(index, size, Tree(3).read)

    def test_a_path_does_not_bind_the_size(self) -> None:
        """Why the size is taken from the signed checkpoint alone."""
        tree = Tree(7)
        path = inclusion_path(0, 7, tree.read)
        self.assertEqual(folded_root(tree.leaves[0], 0, 8, path), tree.root())

    def test_no_lie_is_believed_in_a_small_world(self) -> None:
        tried = 0
        for size in range(1, SMALL + 1):
            lies, wrong = wrong_inclusions(size)
            self.assertEqual(wrong, [])
            tried += lies
        self.assertGreater(tried, 1000)

    def test_the_small_world_notices_a_check_that_lets_hashes_through(self) -> None:
        def lax(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
            return folded_root(leaf, index, size, path) or folded_root(leaf, index, size, path[:-1])

        self.assertNotEqual(wrong_inclusions(5, lax)[1], [])


class Consistency(unittest.TestCase):
    """RFC 6962 section 2.1.2, RFC 9162 section 2.1.4."""

    def test_each_vector(self) -> None:
        found = cases("consistency")
        self.assertEqual(len(found), 754)
        for case in found:
            sizes = case["old_size"], case["new_size"]
            roots = hashes((case["old_root"], case["new_root"]))
            with self.subTest(case["id"], mutation=case["mutation"]):
                self.assertEqual(
                    is_consistent(*sizes, hashes(case["proof"]), *roots), case["valid"]
                )

    def test_each_path_of_the_vectors_is_the_one_we_make(self) -> None:
        tree, made = Tree(3000), 0
        for case in cases("consistency"):
            sizes = case["old_size"], case["new_size"]
            if case["mutation"].startswith("none") and sizes[1] <= tree.size:
                made += 1
                path = consistency_path(*sizes, tree.read)
                self.assertEqual(path, hashes(case["proof"]), case["id"])
        self.assertGreater(made, 300)

    def test_no_lie_is_believed_in_a_small_world(self) -> None:
        tried = 0
        for size in range(1, SMALL + 1):
            for old in range(1, size + 1):
                lies, wrong = wrong_consistencies(old, size)
                self.assertEqual(wrong, [])
                tried += lies
        self.assertGreater(tried, 1000)

    def test_the_small_world_notices_a_check_of_one_root_alone(self) -> None:
        def lax(old: int, size: int, path: Sequence[bytes], old_root: bytes, root: bytes) -> bool:
            pair = folded_pair(old, size, with_seed(old, size, path, old_root))
            return pair is not None and pair[1] == root

        def half(old: int, size: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
            pair = folded_pair(old, size, path)
            return None if pair is None else (path[0], pair[1])

        self.assertNotEqual(wrong_consistencies(3, 5, check=lax)[1], [])
        self.assertNotEqual(wrong_consistencies(3, 5, fold=half)[1], [])

    def test_an_empty_tree_begins_every_tree(self) -> None:
        root = Tree(3).root()
        self.assertTrue(is_consistent(0, 3, [], EMPTY_ROOT, root))
        self.assertTrue(is_consistent(0, 0, [], EMPTY_ROOT, EMPTY_ROOT))
        self.assertEqual(consistency_path(0, 3, Tree(3).read), [])
        for old, size, path, roots in (
            (0, 3, [], (root, root)),
            (0, 3, [root], (EMPTY_ROOT, root)),
            (0, 0, [], (root, root)),
            (3, 0, [], (root, EMPTY_ROOT)),
            (0, 0, [], (EMPTY_ROOT, root)),
            (0, -1, [], (EMPTY_ROOT, EMPTY_ROOT)),
            (-1, 3, [], (EMPTY_ROOT, root)),
        ):
            self.assertFalse(is_consistent(old, size, path, *roots))

    def test_no_tree_begins_a_smaller_one(self) -> None:
        for old, size in ((4, 3), (-1, 3)):
            with self.assertRaisesRegex(ValueError, f"no tree of {old} inside one of {size}"):
                consistency_path(old, size, Tree(4).read)


class SeededPaths(unittest.TestCase):
    """Decided by us: a path that alone says which root the older tree has."""

    def test_it_is_the_path_of_the_rfc_with_the_seed_in_front(self) -> None:
        tree = Tree(20)
        for size in range(1, 21):
            for old in range(1, size + 1):
                with self.subTest(old=old, size=size):
                    seeded = seeded_path(old, size, tree.read)
                    roots = tree.root(old), tree.root(size)
                    self.assertEqual(folded_pair(old, size, seeded), roots)
                    path = consistency_path(old, size, tree.read)
                    self.assertEqual(without_seed(old, size, seeded), path)
                    self.assertEqual(with_seed(old, size, path, roots[0]), seeded)

    def test_a_path_of_another_shape_folds_to_nothing(self) -> None:
        tree = Tree(9)
        for old, size in ((3, 7), (4, 7), (8, 9), (9, 9)):
            path = seeded_path(old, size, tree.read)
            for other in ([], path[:-1], [*path, bytes(32)]):
                with self.subTest(old=old, size=size, length=len(other)):
                    self.assertIsNone(folded_pair(old, size, other))
        for old, size in ((0, 3), (4, 3), (-1, 2)):
            self.assertIsNone(folded_pair(old, size, [bytes(32)]))


if __name__ == "__main__":
    unittest.main()
