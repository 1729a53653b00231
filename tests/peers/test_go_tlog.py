"""Trees, proofs and notes at random, against Go's own `sumdb/tlog` and `sumdb/note`.

The other side is go_oracle/main.go, built here from Debian's packages, without any network:

    apt-get install golang-go golang-golang-x-mod-dev

Where they are not installed nothing of this runs. More cases, and others:

    TLOG_CASES=1000000 TLOG_SEED=7 python3 -m pytest -s tests/peers/test_go_tlog.py

Whatever differs must be one of the two differences named below, in
which ours is the stricter; the list is closed.
"""

import base64
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.evidence.trust import Tree
from toolreplay.errors import InputError
from toolreplay.evidence.signatures.ed25519 import is_valid
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.merkle import (
    consistency_path,
    folded_root,
    inclusion_path,
    is_consistent,
)
from toolreplay.evidence.tlog.note import (
    NoteSignature,
    note_bytes,
    parse_note,
    parse_vkey,
    signed_by,
    vkey_text,
)

GO, SOURCES = shutil.which("go"), pathlib.Path("/usr/share/gocode")
if GO is None:
    pytest.skip("go is not installed (apt-get install golang-go)", allow_module_level=True)
if not (SOURCES / "src/golang.org/x/mod/sumdb/tlog").is_dir():
    pytest.skip("golang-golang-x-mod-dev is not installed", allow_module_level=True)

SEED = int(os.environ.get("TLOG_SEED", "20261130"))
COUNT = int(os.environ.get("TLOG_CASES", "20000"))
LEAVES = 700
SIGNERS = [throwaway_signer(f"key{number}.example/é", bytes([number]) * 32) for number in range(3)]

UNUSED_BITS = "base64 whose unused bits are not zero (Go takes it)"
SECOND_LINE = "a second signature of one key that fails (Go does not look at it)"


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    shutil.copy(pathlib.Path(__file__).parent / "go_oracle" / "main.go", folder)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GO111MODULE": "off",
        "GOPATH": str(SOURCES), "GOCACHE": str(folder / "cache"), "GOFLAGS": "",
    }  # fmt: skip
    command = [GO, "build", "-o", "oracle", "main.go"]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=600)
    return folder / "oracle"


def asked(oracle: pathlib.Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ask everything at once; Go answers line by line."""
    data = "".join(json.dumps(request) + "\n" for request in requests).encode()
    done = subprocess.run([oracle], input=data, capture_output=True, check=True, timeout=600)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests)
    return answers


class Cases:
    """Makes requests, each with our own answer to it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.tree = Tree(LEAVES, "leaf of the oracle")
        self.roots = [self.tree.root(size) for size in range(LEAVES + 1)]
        self.notes = [self.note() for _ in range(40)]

    def made(self, count: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        kinds = (self.proof, self.tree_proof, self.check, self.check_tree, self.opened)
        for number in range(LEAVES):
            leaf = f"leaf of the oracle {number}".encode().hex()
            answer = {"size": number + 1, "root": self.roots[number + 1].hex(), "ok": True}
            yield {"Op": "append", "Leaves": [leaf]}, answer
        for number in range(count - LEAVES):
            yield kinds[number % len(kinds)]()

    def sizes(self) -> tuple[int, int]:
        most = self.dice.choice((3, 9, 70, LEAVES))
        size = self.dice.randint(1, most)
        return self.dice.randint(0, size - 1), size

    def proof(self) -> tuple[dict[str, Any], dict[str, Any]]:
        index, size = self.sizes()
        path = inclusion_path(index, size, self.tree.read)
        request = {"Op": "prove_record", "Size": size, "Index": index}
        return request, {"proof": spelt(path) or None, "ok": True}

    def tree_proof(self) -> tuple[dict[str, Any], dict[str, Any]]:
        old, size = self.sizes()
        path = consistency_path(old + 1, size, self.tree.read)
        request = {"Op": "prove_tree", "Size": size, "Old": old + 1}
        return request, {"proof": spelt(path) or None, "ok": True}

    def check(self) -> tuple[dict[str, Any], dict[str, Any]]:
        index, size = self.sizes()
        leaf, root = self.tree.leaves[index], self.roots[size]
        path = inclusion_path(index, size, self.tree.read)
        if self.dice.random() < 0.7:
            index, size, path, (leaf, root) = self.changed(index, size, path, [leaf, root])
        request = {
            "Op": "check_record", "Size": size, "Index": index, "Proof": spelt(path),
            "LeafHash": leaf.hex(), "Root": root.hex(),
        }  # fmt: skip
        return request, {"ok": folded_root(leaf, index, size, path) == root}

    def check_tree(self) -> tuple[dict[str, Any], dict[str, Any]]:
        old, size = self.sizes()
        old += 1
        roots = [self.roots[old], self.roots[size]]
        path = consistency_path(old, size, self.tree.read)
        if self.dice.random() < 0.7:
            old, size, path, roots = self.changed(old, size, path, roots)
        request = {
            "Op": "check_tree", "Size": size, "Old": max(old, 1), "Proof": spelt(path),
            "OldRoot": roots[0].hex(), "Root": roots[1].hex(),
        }  # fmt: skip
        return request, {"ok": is_consistent(max(old, 1), size, path, *roots)}

    def changed(
        self, first: int, size: int, path: list[bytes], roots: list[bytes]
    ) -> tuple[int, int, list[bytes], list[bytes]]:
        """Change one or two things of a proof: a number, a hash, the path, the roots."""
        for _ in range(self.dice.choice((1, 1, 2))):
            what, place = self.dice.randrange(8), self.dice.randrange(len(path) + 1)
            if what == 0:
                first += self.dice.choice((-1, 1, 2))
            elif what == 1:
                size += self.dice.choice((-1, 1, 2))
            elif what == 2:
                path = path[:place] + path[place + 1 :]
            elif what == 3:
                path = [*path[:place], self.any_hash(), *path[place:]]
            elif what == 4 and path:
                path = [*path[: place - 1], self.any_hash(), *path[place:]]
            elif what == 5:
                self.dice.shuffle(path := list(path))
            elif what == 6:
                roots = roots[::-1]
            else:
                roots[self.dice.randrange(2)] = self.any_hash()
        return first, size, path, roots

    def any_hash(self) -> bytes:
        hashes = (self.tree.leaves, self.roots, list(self.tree.nodes.values()), [bytes(32)])
        return self.dice.choice(self.dice.choice(hashes))

    def note(self) -> bytes:
        """Make a note that some of the keys signed, some badly, and some that nobody knows."""
        lines = [b"one line\n", b"a\n\nb\n", b"\n", "日本 é\n".encode(), b"12\nAAAA\n"]
        text = b"".join(self.dice.choices(lines, k=self.dice.randint(1, 3)))
        signatures = []
        for signer in self.dice.sample(SIGNERS, self.dice.randint(1, 3)):
            signed = text if self.dice.random() < 0.9 else text + b"\n"
            name = signer.name if self.dice.random() < 0.9 else "nobody.example"
            line = NoteSignature(name, signer.key.key_id, signer.sign(signed))
            signatures += [line] * self.dice.choice((1, 1, 1, 2))
        return note_bytes(text, signatures)

    def opened(self) -> tuple[dict[str, Any], dict[str, Any]]:
        data = self.dice.choice(self.notes)
        for _ in range(self.dice.choice((0, 0, 1, 1, 1, 2))):
            data = self.garbled(data)
        keys = [signer.key for signer in self.dice.sample(SIGNERS, self.dice.randint(0, 3))]
        vkeys = [vkey_text(key.name, key.kind, key.public) for key in keys]
        request = {"Op": "open", "Note": base64.b64encode(data).decode(), "Vkeys": vkeys}
        return request, our_opening(data, vkeys)

    def garbled(self, data: bytes) -> bytes:
        place = self.dice.randrange(len(data))
        what = self.dice.randrange(6)
        if what == 0:
            return data[:place] + self.dice.choice(PIECES) + data[place:]
        if what == 1:
            return data[:place] + data[place + 1 :]
        if what == 2:
            return data[:place] + self.dice.choice(PIECES) + data[place + 1 :]
        if what == 3:
            return data[:place] + bytes([data[place] ^ 1 << self.dice.randrange(8)]) + data[place + 1 :]  # fmt: skip
        lines = data.splitlines(keepends=True)
        at = self.dice.randrange(len(lines))
        if what == 4:
            return b"".join([*lines[:at], lines[at], *lines[at:]])
        return b"".join([*lines[:at], *lines[at + 1 :]])


PIECES = [
    b"\n", b"\n\n", b" ", b"+", b"=", b"\r", b"\t", b"\x00", b"\x7f", b"\xff", b"A", b"-",
    "—".encode(), "— ".encode(), "\u00a0".encode(), "\u2028".encode(), "\u3000".encode(),
    "\u200b".encode(), "\x85".encode(), b"\xed\xa0\x80", b"\xc0\xaf", b"key0.example",
]  # fmt: skip


def spelt(path: list[bytes]) -> list[str]:
    return [hashed.hex() for hashed in path]


def our_opening(data: bytes, vkeys: list[str]) -> dict[str, Any]:
    """Open a note with our own arithmetic and with the package's, which must be one answer."""
    try:
        keys = [parse_vkey(text, "") for text in vkeys]
        note = parse_note(data, "")
    except InputError as error:
        return {"ok": False, "difference": UNUSED_BITS if "unused bits" in error.what else ""}
    verdict = signed_by(note, keys, signature_holds)
    assert verdict == signed_by(note, keys, lambda key, *signed: is_valid(key.public, *signed))
    if verdict.is_accepted:
        return {"ok": True, "text": base64.b64encode(note.text).decode()}
    ids = collections.Counter((line.name, line.key_id) for line in note.signatures)
    twice = [key for key in verdict.failed if ids[key.name, key.key_id] > 1]
    return {"ok": False, "difference": SECOND_LINE if twice else ""}


def summary(cases: int, named: collections.Counter[str]) -> str:
    """Say in a line what was compared, and in which cases ours is the stricter of both."""
    told = f"{cases:,} cases, 0 differences without a name"
    for what in (SECOND_LINE, UNUSED_BITS):
        told += f"; ours is stricter in {named[what]:,}: {what}"
    return told


def test_the_line_that_is_printed_counts_each_difference_that_has_a_name():
    told = summary(20_000, collections.Counter({SECOND_LINE: 16}))
    assert f"; ours is stricter in 16: {SECOND_LINE}; ours is stricter in 0: {UNUSED_BITS}" in told


def test_every_answer_is_the_same(oracle):
    made = list(Cases(SEED).made(COUNT))
    kinds: collections.Counter[str] = collections.Counter()
    named: collections.Counter[str] = collections.Counter()
    for (request, ours), theirs in zip(made, asked(oracle, [one for one, _ in made]), strict=True):
        kinds[f"{request['Op']}, {'held' if theirs['ok'] else 'refused'}"] += 1
        difference = ours.pop("difference", "")
        if {name: theirs.get(name) for name in ours} != ours:
            assert difference, f"seed {SEED}: {request} gets {theirs}, ours {ours}"
            assert theirs["ok"], "ours is the stricter in each difference that has a name"
            named[difference] += 1
    print(f"\nseed {SEED}: {summary(len(made), named)}")
    for what, times in sorted(kinds.items()):
        print(f"  {times:>6,}  {what}")
    # Each kind must have been held and refused, or it has tested nothing.
    assert len(kinds) == 9
    assert min(kinds.values()) > COUNT / 100
    assert sum(named.values()) < COUNT / 100
