"""A bare loop of SHA-256 over COUNT inputs of 65 bytes: the floor of any tree of as many leaves.

python3 benchmarks/baseline/bare_hashes.py COUNT
"""

import sys
from hashlib import sha256

DATA = b"\x01" + b"x" * 64

for _ in range(int(sys.argv[1])):
    sha256(DATA).digest()
