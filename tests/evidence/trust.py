"""The vectors of the transparency log, and what tests of it make: trees, signers, signed heads."""

import base64
import json
import pathlib
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any

from toolreplay.evidence.signatures.sign import Signer, sign_note
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.checkpoint import checkpoint_text
from toolreplay.evidence.tlog.merkle import complete_nodes, leaf_hash, root_at

FOLDER = pathlib.Path(__file__).parents[1] / "vectors" / "trust"
ORIGIN = "example.com/toolreplay/dev"


@cache
def document(name: str) -> Any:
    """Read one JSON file of the vectors."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def cases(name: str) -> list[dict[str, Any]]:
    """Read the cases of one file, a line each."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def hashes(texts: Iterable[str]) -> list[bytes]:
    """Read hashes in hex."""
    return [bytes.fromhex(text) for text in texts]


def unpacked(text: str) -> bytes:
    """Read base64."""
    return base64.b64decode(text)


@cache
def signer(name: str = "log", spelt: str = ORIGIN) -> Signer:
    """Return the signer of one of the vectors' keys (log, other, third, witness1)."""
    (seed,) = (key["seed_hex"] for key in document("keys")["keys"] if key["name"] == name)
    return throwaway_signer(spelt, bytes.fromhex(seed))


@cache
def witness(number: int) -> Signer:
    """Return one of as many witnesses as are wanted."""
    return throwaway_signer(f"w{number}.example", sha256(b"witness %d" % number).digest())


class Tree:
    """A tree of leaves that are numbered, all its complete subtrees kept."""

    def __init__(self, size: int, word: str = "toolreplay dev leaf") -> None:
        self.size = size
        self.leaves = [leaf_hash(f"{word} {number}".encode()) for number in range(size)]
        self.nodes = {(0, index): hashed for index, hashed in enumerate(self.leaves)}
        for level, index, hashed in complete_nodes(0, self.leaves, self.read):
            self.nodes[level, index] = hashed

    def read(self, level: int, index: int) -> bytes:
        return self.nodes[level, index]

    def root(self, size: int | None = None) -> bytes:
        return root_at(self.size if size is None else size, self.read)

    def head(
        self, size: int | None = None, by: Signer | None = None, origin: str = ORIGIN
    ) -> bytes:
        """Return the signed note of the tree at a size."""
        size = self.size if size is None else size
        return sign_note(checkpoint_text(origin, size, self.root(size)), by or signer())
