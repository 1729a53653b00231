"""Known answers: digests, a chain and its offenders whose answers were published or written out.

They rest on nothing that the program works out for itself: FIPS 180-4 for SHA-256, the tutorial
for the digests of its sample, and for the rest what stands here.
"""

import re
from collections.abc import Callable
from functools import partial

from toolreplay.cli.answers import (
    ERRORS,
    OUTPUT,
    STATUS,
    Answers,
    answers_of_command,
    in_folder_of,
)
from toolreplay.errors import InputError
from toolreplay.packaged import data_file

__all__ = ["GROUP", "known_answers"]

GROUP = "known-answers"

_SAMPLE = "session-dirty.jsonl"

_DIGESTS = (
    "c1bd7fb3e28ce29e5c9dbd0cf47cafcaa1613295be26d86fb04463fe3d8b40da",
    "b5e755345cfdb21496eb57ea16b7dfe8cb5e503d239242d1bce96eabd3afc45e",
    "fe5e31cd086662cd9829bff49ee4c05c282f12af5a994a1521bc414d9fc2b1ba",
    "40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a",
    "327da75f2d491267f1dbeaf5d31b4a61a2ed9e956a71a5c4cbb67a87b4720d6a",
    "75ccf1faad88c5ea82c68139b2ec2a02943142dd0133bb0c626ccbff28f5c711",
)
"""Of the sample's links, in order."""

_BROKEN = f"""\
chain: broken
first broken link: index 3
expected: 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd
found: {_DIGESTS[3]}
"""
"""What is said when the search at index 3 has 4 hits instead of 3."""

_VALUE = {"z": [1.0, 1e22, -0.0, True, None], "a": "é\x7f\U0001f600/", "A": {}}
_FORM = rb'{"A":{},"a":"\u00e9\u007f\ud83d\ude00/","z":[1.0,1e+22,-0.0,true,null]}'


def _sha_256(_sample: bytes) -> tuple[Answers, Answers]:
    from toolreplay.evidence.digest import hex_of

    digest = b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    return {"digest": digest}, {"digest": hex_of(b"abc").encode()}


def _canonical_form(_sample: bytes) -> tuple[Answers, Answers]:
    from toolreplay.records.canonical import toolreplay_1

    return {"form": _FORM}, {"form": toolreplay_1(_VALUE)}


def _sample_digests(sample: bytes) -> tuple[Answers, Answers]:
    expected = {"digests": "\n".join(_DIGESTS).encode(), ERRORS: b"", STATUS: b"0"}
    with in_folder_of({_SAMPLE: sample}):
        found = answers_of_command("seal", _SAMPLE)
    digests = re.findall(rb'"digest":"([0-9a-f]{64})"', found.pop(OUTPUT))
    return expected, {"digests": b"\n".join(digests), **found}


def _intact_chain(sample: bytes) -> tuple[Answers, Answers]:
    return _said("chain: intact\n", 0), _verified(sample, b"", b"")


def _flipped_byte(sample: bytes) -> tuple[Answers, Answers]:
    return _said(_BROKEN, 1), _verified(sample, b'"hits":3', b'"hits":4')


def _cut_tail(sample: bytes) -> tuple[Answers, Answers]:
    """A chain without its last link is intact; the head that was kept is not its own."""
    expected = {
        "last line": b"failed       ending (expected 6 links, found 5)",
        ERRORS: b"",
        STATUS: b"1",
    }
    with in_folder_of({_SAMPLE: sample}):
        answers_of_command("seal", _SAMPLE, "-o", "sealed.jsonl", "--head", "head.txt")
        with open("sealed.jsonl", "rb") as file:
            links = file.readlines()
        with open("sealed.jsonl", "wb") as file:
            file.writelines(links[:-1])
        found = answers_of_command("verify", "sealed.jsonl", "--against", "head.txt")
    return expected, {"last line": found.pop(OUTPUT).rstrip(b"\n").rpartition(b"\n")[2], **found}


def _said(output: str, status: int) -> Answers:
    return {OUTPUT: output.encode(), ERRORS: b"", STATUS: str(status).encode()}


def _verified(sample: bytes, old: bytes, new: bytes) -> Answers:
    """Seal the sample, change it at one place, and return what `verify` says of it."""
    with in_folder_of({_SAMPLE: sample}):
        answers_of_command("seal", _SAMPLE, "-o", "sealed.jsonl")
        with open("sealed.jsonl", "rb") as file:
            data = file.read()
        with open("sealed.jsonl", "wb") as file:
            file.write(data.replace(old, new, 1))
        return answers_of_command("verify", "sealed.jsonl")


_ANSWERS: dict[str, Callable[[bytes], tuple[Answers, Answers]]] = {
    "sha-256": _sha_256,
    "canonical-form": _canonical_form,
    "digests-of-the-sample": _sample_digests,
    "intact-chain": _intact_chain,
    "flipped-byte": _flipped_byte,
    "cut-tail": _cut_tail,
}


def known_answers() -> dict[str, Callable[[], tuple[Answers, Answers]]]:
    """Return by name what returns what must come of it, and what comes of it now.

    Raises InputError where the sample was not shipped.
    """
    try:
        sample = data_file(f"samples/{_SAMPLE}")
    except OSError:
        raise InputError("samples", "no samples came with this copy of toolreplay") from None
    return {name: partial(ask, sample) for name, ask in _ANSWERS.items()}
