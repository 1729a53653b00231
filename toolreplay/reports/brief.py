"""A recorded value on one line: what a timeline and a comparison print of it."""

import json
import re
from hashlib import sha256

from toolreplay.records.call import Json
from toolreplay.reports.lines import escaped

__all__ = ["MOST_CHARACTERS", "brief", "content_of", "delivered", "parting"]

MOST_CHARACTERS = 400
"""Characters of a value that are looked at for a line."""

_BEFORE = 20
"""Characters shown in front of the first one that differs."""


def content_of(response: Json) -> Json:
    """Look through the wrapping that imports put around a host's own content."""
    return response["content"] if response.keys() == {"content", "is_error"} else response


def brief(value: Json) -> str:
    """Return a value on one line: a text bare, an object without its outer braces."""
    if isinstance(value, str):
        text = value[:MOST_CHARACTERS]
    else:
        text = json.dumps(value, ensure_ascii=False)[:MOST_CHARACTERS]
        if isinstance(value, dict):
            text = text[1:-1] if len(text) < MOST_CHARACTERS else text[1:]
    return _on_one_line(text)


def delivered(value: Json) -> str:
    """Return a value on one line; of a long one the beginning, with what tells it from any other."""
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(whole) <= MOST_CHARACTERS:
        return brief(value)
    digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{brief(value)}… ({len(whole):,} characters, sha256 {digest})"


def parting(a: Json, b: Json) -> tuple[str, str]:
    """Return two responses, each on one line, from shortly before they differ."""
    texts = _text_of(content_of(a)), _text_of(content_of(b))
    if texts[0] == texts[1]:  # the wrapping differs, or only what became of the calls
        texts = _text_of(a), _text_of(b)
    shared = _shared_start(*texts) if texts[0] != texts[1] else 0
    start = shared - _BEFORE if shared > 2 * _BEFORE else 0
    mark = "…" if start else ""
    first, second = (mark + _on_one_line(text[start : start + MOST_CHARACTERS]) for text in texts)
    return first, second


def _text_of(value: Json) -> str:
    if isinstance(value, str):
        return value
    # Sorted: the order of members is no difference, and must not look like the first one.
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text[1:-1] if isinstance(value, dict) else text


def _shared_start(a: str, b: str) -> int:
    """Return how many characters two texts share from their start, in steps of halves."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _on_one_line(text: str) -> str:
    return re.sub(r"(\\u\{a\}|\s)+", " ", escaped(" ".join(text.split())))
