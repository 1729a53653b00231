"""The log at large: every lie that a tree of up to 16 leaves can be told, and any bytes at all.

tests/evidence/tlog/test_merkle.py tells the lies of up to 8 leaves without any package.
"""

from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.tlog.small_world import wrong_consistencies, wrong_inclusions
from tests.evidence.trust import Tree
from toolreplay.errors import InputError
from toolreplay.evidence.tlog.checkpoint import parse_checkpoint
from toolreplay.evidence.tlog.leaf import LeafError, leaf_bytes, parse_leaf
from toolreplay.evidence.tlog.merkle import (
    Frontier,
    complete_nodes,
    folded_pair,
    folded_root,
    root_at,
    root_of,
)
from toolreplay.evidence.tlog.note import note_bytes, parse_note, parse_vkey, vkey_text
from toolreplay.evidence.tlog.policy import parse_policy
from toolreplay.evidence.tlog.proof import parse_proof, proof_bytes
from toolreplay.evidence.tlog.tiles import parse_entry_bundle, parse_tile_path, tile_path
from toolreplay.evidence.tlog.two_histories import parse_two_histories, two_histories_bytes

MOST = 16
WORDS = [
    b"\n", b"\n\n", "— ".encode(), b" ", b"+", b"AAAAAAAA", b"41", b"0", b"a.example", b"=",
    b"c2sp.org/tlog-proof@v1\n", b"index 0\n", b"extra AA==\n", b"log ", b"witness W ", b"quorum none\n",
    b"group G any W\n", b"toolreplay/entry/v1\n", b'{"format":"toolreplay-two-histories/1"', b"tile/0/000",
    b"\xff", b"\x00", b"#", b"A" * 43 + b"=\n",
]  # fmt: skip
anything = st.one_of(
    st.binary(max_size=300), st.lists(st.sampled_from(WORDS), max_size=12).map(b"".join)
)


def test_no_lie_about_a_small_tree_is_believed():
    tried = 0
    for size in range(1, MOST + 1):
        lies, wrong = wrong_inclusions(size)
        tried += lies
        assert wrong == []
        for old in range(1, size + 1):
            lies, wrong = wrong_consistencies(old, size)
            tried += lies
            assert wrong == []
    print(f"\n{tried:,} lies, none believed")
    assert tried > 300_000


@given(st.lists(st.integers(0, 1500), max_size=4))
def test_a_tree_does_not_depend_on_how_its_leaves_came(parts):
    tree, nodes, first = Frontier(), {}, 0
    leaves = Tree(sum(parts)).leaves
    for part in parts:
        batch = leaves[first : first + part]
        nodes.update(((0, first + place), hashed) for place, hashed in enumerate(batch))
        for level, index, hashed in complete_nodes(first, batch, lambda *at: nodes[at]):
            nodes[level, index] = hashed
        tree.extend(iter(batch))
        first += part
    assert tree.root() == root_of(leaves) == root_at(first, lambda *at: nodes[at])


numbers = st.one_of(st.integers(-2, 70), st.integers(2**62, 2**64))


@given(numbers, numbers, st.lists(st.binary(min_size=32, max_size=32), max_size=70))
def test_any_proof_gets_an_answer(first, size, path):
    root = folded_root(bytes(32), first, size, path)
    assert root is None or len(root) == 32
    pair = folded_pair(first, size, path)
    assert pair is None or [len(root) for root in pair] == [32, 32]


@given(anything)
def test_any_bytes_are_read_or_refused_and_what_is_read_has_one_spelling(data):
    text = data.decode("utf-8", "surrogateescape")
    for read, write in (
        (lambda: parse_note(data, ""), lambda found: note_bytes(*found)),
        (lambda: parse_proof(data, ""), proof_bytes),
        (lambda: parse_two_histories(data, ""), two_histories_bytes),
        (lambda: parse_leaf(data), leaf_bytes),
        (lambda: parse_policy(data, ""), lambda _: data),
        (lambda: parse_checkpoint(data, ""), lambda _: data),
        (lambda: parse_entry_bundle(data, 3, ""), lambda _: data),
        (lambda: parse_tile_path(text, ""), lambda place: tile_path(place).encode()),
    ):
        try:
            found = read()
        except (InputError, LeafError):
            continue
        assert write(found) == data


@given(st.text(max_size=40))
def test_any_text_is_a_key_or_refused(text):
    try:
        key = parse_vkey(text, "")
    except InputError:
        return
    assert vkey_text(key.name, key.kind, key.public).lower() == text.lower()
