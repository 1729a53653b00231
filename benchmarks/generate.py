"""Strict transcripts for the benchmarks, the same bytes for the same options everywhere.

    python3 -m benchmarks.generate --shape text --size medium --bytes 25000000 OUT

* Raw UTF-8; a third of the texts are outside ASCII (CJK, Cyrillic, accents, emoji).
* 15 % of the calls repeat an earlier one, any earlier one; a fifth of those repeats get another
  response than the first time.
* Sizes are the average bytes of a line; lines vary evenly from half of it to one and a half.
* `text`: one string fills the response. `rows`: rows of an integer, a 12-letter name, a float
  and two tags. `mixed`: both shapes, half each, of all sizes, shared out by bytes.

A call and a response are made from seeds of their own, so that a repeat is made again rather
than kept: memory is five bytes a call. The only random source is Random.random, because it is
the one method whose sequence Python promises not to change.
"""

import argparse
import itertools
import json
import sys
from array import array
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from benchmarks.vocabulary import Vocabulary, pick

SEED = 7
SIZES = {"small": 290, "medium": 2_100, "large": 46_000}  # bytes a line, on average
SHAPES = ("text", "rows")
MIXED_SHARES = {"small": 0.2, "medium": 0.6, "large": 0.2}  # of the bytes of the file
REPEATED = 0.15  # of all calls
CHANGED = 0.2  # of the repeats
TOOLS = [
    *["read_file"] * 8,
    *["search"] * 6,
    *["list_dir"] * 3,
    *["write_file"] * 2,
    "run_command",
]
# Bytes of a line around the content: braces, member names, index, tool and arguments. Measured
# as the mean over the first 100,000 calls; it only centres the sizes.
AROUND = {"text": 123, "rows": 120}
ROW_BYTES = 104  # mean bytes of one row with its separator, measured likewise


class Kind(NamedTuple):
    """One kind of call: the shape of its response and the mean bytes of its line."""

    shape: str
    mean: int
    share: float


def kinds_of(shape: str, size: str) -> list[Kind]:
    """Name the kinds that make up a file; their shares are of its bytes and add up to one."""
    if shape != "mixed":
        return [Kind(shape, SIZES[size], 1.0)]
    return [
        Kind(each, SIZES[name], share / len(SHAPES))
        for name, share in MIXED_SHARES.items()
        for each in SHAPES
    ]


class Generator:
    """Makes the lines of one transcript."""

    def __init__(self, kinds: Sequence[Kind], seed: int = SEED) -> None:
        self._kinds = kinds
        self._seed = seed
        self._vocabulary = Vocabulary(Random(seed))
        self._encode = json.JSONEncoder(ensure_ascii=False).encode

    def lines(self, limit: int) -> Iterator[bytes]:
        """Yield lines, each with its newline, until `limit` bytes are reached or just passed."""
        rng = Random(self._seed)
        calls = array("I")  # for each index, the index at which its call was first made
        kinds = bytearray()  # for each index, the number of its kind
        written = [0] * len(self._kinds)
        for index in itertools.count():
            if sum(written) >= limit:
                return
            first = response = index
            if index and rng.random() < REPEATED:
                first = calls[int(rng.random() * index)]
                number = kinds[first]
                if rng.random() >= CHANGED:
                    response = first
            else:
                number = self._most_behind(written)
            calls.append(first)
            kinds.append(number)
            line = self._line(index, first, response, self._kinds[number])
            written[number] += len(line)
            yield line

    def _most_behind(self, written: list[int]) -> int:
        """Choose the kind whose bytes lag most behind its share of the file."""
        behind = [size / kind.share for size, kind in zip(written, self._kinds, strict=True)]
        return behind.index(min(behind))

    def _line(self, index: int, call: int, response: int, kind: Kind) -> bytes:
        tool, args = self._call(call)
        record = {
            "index": index,
            "tool": tool,
            "args": args,
            "response": self._response(response, kind),
        }
        return self._encode(record).encode() + b"\n"

    def _random(self, number: int, purpose: int) -> Random:
        """Give the random source of one call (purpose 0) or one response (purpose 1)."""
        return Random((self._seed << 64) + (number << 1) + purpose)

    def _call(self, number: int) -> tuple[str, dict[str, object]]:
        """Make a call; its number stands in the arguments, so two numbers never make equal calls."""
        rng = self._random(number, 0)
        tool = pick(rng, TOOLS)
        words = self._vocabulary.script(rng).words
        if tool == "search":
            query = " ".join(pick(rng, words) for _ in range(3))
            return tool, {"query": query, "page": number}
        if tool == "run_command":
            return tool, {"command": f"make {pick(rng, words)}", "step": number}
        return tool, {"path": f"docs/{pick(rng, words)}/{pick(rng, words)}-{number}.md"}

    def _response(self, number: int, kind: Kind) -> dict[str, object]:
        rng = self._random(number, 1)
        size = int(kind.mean * (0.5 + rng.random())) - AROUND[kind.shape]
        if kind.shape == "text":
            return {"content": self._vocabulary.text(rng, max(size, 16))}
        count = max(1, round(size / ROW_BYTES))
        return {"rows": [self._row(rng) for _ in range(count)]}

    def _row(self, rng: Random) -> dict[str, object]:
        script = self._vocabulary.script(rng)
        score = rng.random() * 1_000
        return {
            "id": int(rng.random() * 1_000_000_000),
            "name": pick(rng, script.names),
            "score": score if rng.random() < 0.5 else round(score, 2),
            "tags": [pick(rng, script.words), pick(rng, script.words)],
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write one transcript to a file."""
    parser = argparse.ArgumentParser(prog="python3 -m benchmarks.generate")
    parser.add_argument("--shape", choices=[*SHAPES, "mixed"], default="text")
    parser.add_argument("--size", choices=list(SIZES), default="medium", help="not for mixed")
    parser.add_argument("--bytes", type=int, default=25_000_000, help="length of the file")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("out", metavar="OUT")
    options = parser.parse_args(arguments)
    generator = Generator(kinds_of(options.shape, options.size), options.seed)
    with open(options.out, "wb") as out:
        out.writelines(generator.lines(options.bytes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
