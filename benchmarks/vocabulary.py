"""Words, names and sentences for generated texts: ASCII for two thirds, other scripts for the rest.

The words are made of letters of a script and mean nothing; what counts is how many bytes each
letter takes in UTF-8 and in escapes: one, two (Cyrillic, accents), three (CJK) or four (emoji).
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple, TypeVar

FOREIGN = 1 / 3  # of the texts
WORDS = 400  # words and names a script
SENTENCES = 250  # sentences a script
NAME_LETTERS = 12

LATIN = "abcdefghijklmnopqrstuvwxyz"
ACCENTED = LATIN + "".join(map(chr, range(0xE0, 0xF7))) * 2
CYRILLIC = "".join(map(chr, range(0x430, 0x450)))
CJK = "".join(map(chr, [*range(0x3042, 0x3094), *range(0x4E00, 0x4F80)]))
EMOJI = LATIN * 6 + "".join(map(chr, range(0x1F600, 0x1F640)))

Item = TypeVar("Item")


class Script(NamedTuple):
    """What texts in one script are put together from."""

    words: list[str]
    names: list[str]
    sentences: list[str]
    lengths: list[int]  # bytes of each sentence inside a JSON string


def pick(rng: Random, items: Sequence[Item]) -> Item:
    """Choose one item, by Random.random alone."""
    return items[int(rng.random() * len(items))]


class Vocabulary:
    """The scripts of one seed."""

    def __init__(self, rng: Random) -> None:
        self._ascii = _script(rng, LATIN)
        self._foreign = [_script(rng, letters) for letters in (ACCENTED, CYRILLIC, CJK, EMOJI)]

    def script(self, rng: Random) -> Script:
        """Choose the script of one text: every third is outside ASCII."""
        return pick(rng, self._foreign) if rng.random() < FOREIGN else self._ascii

    def text(self, rng: Random, size: int) -> str:
        """Make a text of about `size` bytes as it stands inside a JSON string."""
        script = self.script(rng)
        sentences, lengths = script.sentences, script.lengths
        parts: list[str] = []
        missing = size
        while missing > 0:
            number = int(rng.random() * len(sentences))
            parts.append(sentences[number])
            missing -= lengths[number]
        last = parts[-1]
        parts[-1] = last[: len(last) * (lengths[number] + missing) // lengths[number]]
        return "".join(parts)


def _script(rng: Random, letters: str) -> Script:
    words = [_word(rng, letters, 2 + int(rng.random() * 9)) for _ in range(WORDS)]
    names = [_word(rng, letters, NAME_LETTERS) for _ in range(WORDS)]
    sentences = [_sentence(rng, words) for _ in range(SENTENCES)]
    return Script(words, names, sentences, [_escaped_length(each) for each in sentences])


def _word(rng: Random, letters: str, length: int) -> str:
    return "".join(pick(rng, letters) for _ in range(length))


def _sentence(rng: Random, words: Sequence[str]) -> str:
    chosen = [pick(rng, words) for _ in range(5 + int(rng.random() * 8))]
    if rng.random() < 0.2:
        chosen[0] = f'"{chosen[0]}"'
    return " ".join(chosen) + (".\n" if rng.random() < 0.25 else ". ")


def _escaped_length(text: str) -> int:
    return len(text.encode()) + text.count('"') + text.count("\n")
