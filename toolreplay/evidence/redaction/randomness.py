"""Whether a text looks drawn by lot, as keys and passwords do and names, paths and prose do not.

It is asked only where something else says that a credential may stand there: digests, UUIDs and
images look drawn by lot too, and must stay readable.
"""

import itertools
import math
import re

__all__ = ["is_path", "is_placeholder", "looks_random"]

_FORM = re.compile(rb"[A-Za-z0-9_.~+/=!@#$%^*-]*")
_DIGEST = re.compile(rb"(?:[a-z0-9]+[:-])?(?:[0-9a-f-]*|[0-9A-F-]*)")
_KINDS = bytes(
    0x61 if 0x61 <= byte <= 0x7A else 0x41 if 0x41 <= byte <= 0x5A else 0x30 if 0x30 <= byte <= 0x39 else 0x20
    for byte in range(256)
)  # fmt: skip
_MOST = 4096
_PLACEHOLDER = re.compile(
    rb"(?:\xe2\x80\xa2)+|\$\{?[A-Z_][A-Z0-9_]*\}?|\$\(.*|\$\{\{.*|\{\{.*\}\}|<[A-Za-z _-]*>|%[A-Za-z_]*%|"
    rb"(?i:true|false|null|none|undefined|nil|redacted|\[redacted\]|<redacted>)",
    re.DOTALL,
)
_PATH = re.compile(
    rb"(?:/[A-Za-z0-9_. -]*[\\/]|~[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/])[A-Za-z0-9_./\\ -]*"
)


def looks_random(value: bytes, least: int = 16, *, digests: bool = False) -> bool:
    """Whether a value of `least` bytes or more looks drawn by lot.

    Letters and digits change often, and few repeat. Digests and UUIDs count with `digests` only.
    """
    value = value[:_MOST]
    if len(value) < least or not _FORM.fullmatch(value):
        return False
    if _DIGEST.fullmatch(value):
        return digests and not value.isdigit()
    kinds = value.translate(_KINDS)
    if b"0" not in kinds and not (b"a" in kinds and b"A" in kinds):
        return False
    changes = sum(
        one != other and 0x20 not in (one, other) for one, other in itertools.pairwise(kinds)
    )
    return changes >= len(value) // 5 and _entropy(value) >= min(3.5, math.log2(len(value)) - 0.8)


def is_placeholder(value: bytes) -> bool:
    """Whether a value only stands for one: nothing, stars, a variable, a word for nothing."""
    if not value.strip(b"*"):
        return True
    return len(value) <= 256 and _PLACEHOLDER.fullmatch(value) is not None


def is_path(value: bytes) -> bool:
    """Whether a value is written as the path of a file."""
    return len(value) <= 1024 and _PATH.fullmatch(value) is not None


def _entropy(value: bytes) -> float:
    """Return the bits a byte, by how often each occurs in the value (Shannon 1948)."""
    size = len(value)
    counts = [value.count(byte) for byte in set(value)]
    return -sum(count / size * math.log2(count / size) for count in counts)
