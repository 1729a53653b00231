"""A loop over `aer1_verify.verify`: what its user writes to check many receipts in one process.

    python3 benchmarks/baseline/aer1_loop.py FILE|FOLDER

A receipt is a line of the file, or a file of the folder. Prints how many passed, of how many.
"""

import json
import os
import sys
from collections.abc import Iterator

import aer1_verify  # type: ignore[import-not-found,import-untyped,unused-ignore]


def texts(path: str) -> Iterator[bytes]:
    """Yield the receipts."""
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                yield file.read()
    else:
        with open(path, "rb") as lines:
            yield from lines


def main(path: str) -> int:
    """Check them all."""
    count = passed = 0
    for text in texts(path):
        count += 1
        passed += bool(aer1_verify.verify(json.loads(text))[0])
    print(f"{passed} of {count}")
    return 0 if passed == count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
