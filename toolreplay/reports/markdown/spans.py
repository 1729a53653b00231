"""Code spans, in which recorded text stands: nothing in them is HTML, a link, a mention or emphasis.

A span ends at a run of backticks as long as its first (CommonMark 0.31, section 6.1), so each fence
is longer than any run inside.
"""

import re

__all__ = ["code_span"]


def code_span(text: str) -> str:
    """Return an escaped text as a code span, nothing for an empty one: there is no empty span."""
    if not text:
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    # A backtick at the edge would join the fence; one blank at each edge is taken off again.
    edge = " " if text.strip(" ") and (text[0] in "` " or text[-1] in "` ") else ""
    return f"{fence}{edge}{text}{edge}{fence}"
