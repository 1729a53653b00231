"""Look for a secret in bytes, however it may be spelt: as it is, in base64 at each offset, twice,
with JSON or percent escapes."""

import base64
import glob
import re
from urllib.parse import unquote_to_bytes

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
_COMMON = bytes.maketrans(b"-_", b"+/")
_ESCAPED = re.compile(rb"\\u00([0-9a-fA-F]{2})")


def holds(data: bytes, secret: bytes, depth: int = 2) -> bool:
    """Whether the secret stands in the bytes, in any of these spellings."""
    for spelt in {data, _unescaped(data), unquote_to_bytes(data) if b"%" in data else data}:
        if secret in spelt:
            return True
        if depth and any(holds(decoded, secret, depth - 1) for decoded in _decoded(spelt)):
            return True
    return False


def _unescaped(data: bytes) -> bytes:
    if b"\\" not in data:
        return data
    plain = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), data)
    return plain.replace(b"\\/", b"/").replace(b'\\"', b'"').replace(b"\\\\", b"\\")


def _decoded(data: bytes):
    """Yield what base64 in the data says, at each offset: all of it, run behind run."""
    runs = [run.translate(_COMMON) for run in _BASE64.findall(data)]
    for offset in range(4) if runs else ():
        yield b"\0".join(_bytes_of(run[offset:]) for run in runs)


def _bytes_of(text: bytes) -> bytes:
    if len(text) % 4 == 1:
        text = text[:-1]
    return base64.b64decode(text + b"=" * (-len(text) % 4))


def files_that_hold(path: str, secret: bytes) -> list[str]:
    """Return which files of a store hold the secret: the database, its logs, whatever is beside."""
    found = []
    for name in sorted(glob.glob(glob.escape(path) + "*")):
        with open(name, "rb") as file:
            if holds(file.read(), secret):
                found.append(name[len(path) :])
    return found
