"""The code blocks of a Markdown page, for the test of the README and for .ci/run.

`python3 readme_blocks.py README.md 2` prints the second block.
"""

import re
import sys
from typing import NamedTuple

__all__ = ["Block", "blocks_of"]

RUN_ELSEWHERE = "<!-- run by .ci/run -->"


class Block(NamedTuple):
    """One fenced block: its language, text, and whether .ci/run runs it."""

    language: str
    text: str
    run_elsewhere: bool


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    return [
        Block(match[2], match[3], match[1] is not None)
        for match in re.finditer(
            rf"^({re.escape(RUN_ELSEWHERE)}\n)?```(\w*)\n(.*?)^```$", page, re.M | re.S
        )
    ]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(blocks_of(file.read())[int(sys.argv[2]) - 1].text)
