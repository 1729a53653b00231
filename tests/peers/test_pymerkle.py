"""Roots, against pymerkle. Its proofs have a form of their own.

Needs pymerkle (GPL; only this test ever imports it), so pytest runs it and the bare interpreter
does not see it.
"""

import pytest

from toolreplay.evidence.tlog.merkle import Frontier, leaf_hash, root_of

pymerkle = pytest.importorskip("pymerkle")


def test_every_root_up_to_a_few_hundred_leaves():
    theirs = pymerkle.InmemoryTree(algorithm="sha256")
    ours, leaves = Frontier(), []
    assert theirs.get_root(0) == ours.root()
    for number in range(1, 400):
        data = b"leaf %d" % (number * number)
        theirs.append_entry(data)
        leaves.append(leaf_hash(data))
        ours.append(leaves[-1])
        assert theirs.get_root(number) == ours.root() == root_of(leaves)
