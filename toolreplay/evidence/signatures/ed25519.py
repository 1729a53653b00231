"""Ed25519 in pure Python: is a signature valid? (RFC 8032 section 5.1)

A signature is valid when R, as bytes, is the encoding of [S]B - [k]A: the equation without the
cofactor, with S below L, so that there is one answer for every signature. A public key must be a
point in its canonical encoding and of no small order: with one of small order, signatures can be
made that hold for any text.

Nothing here is secret and nothing takes constant time. Points are (X, Y, Z, T) with x = X/Z,
y = Y/Z, xy = T/Z ("extended coordinates", RFC 8032 section 5.1.4); a point that is added often is
kept as (Y - X, Y + X, 2Z, 2dT).
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha512

__all__ = ["ORDER", "base_multiple", "is_usable_key", "is_valid"]

ORDER = 2**252 + 27742317777372353535851937790883648493
"""L, the order of the base point B."""

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_1 = pow(2, (_P - 1) // 4, _P)
_KEY_WINDOW, _BASE_WINDOW = 5, 7
"""Binary digits taken at a time: of multiples of a key, and of the base point, whose table stays."""

_Point = tuple[int, int, int, int]


def is_valid(public: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether a signature of 64 bytes is that of this message under a usable public key."""
    table = _table_of_key(public)
    if table is None or len(signature) != 64:
        return False
    start, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    if scalar >= ORDER:
        return False
    hashed = int.from_bytes(sha512(start + public + message).digest(), "little") % ORDER
    return _combined(scalar, hashed, table) == start


def is_usable_key(public: bytes) -> bool:
    """Say whether bytes are a public key: 32 of them, canonical, on the curve, no small order."""
    return _table_of_key(public) is not None


def base_multiple(scalar: int) -> bytes:
    """Return the encoding of [scalar]B, not in constant time: no scalar that protects anything."""
    return _combined(scalar, 0, ())


@lru_cache(maxsize=64)
def _table_of_key(public: bytes) -> tuple[_Point, ...] | None:
    """Return the odd multiples of -A, or None for a key that is refused."""
    point = _decoded(public)
    if point is None:
        return None
    x, y, z, t = point
    eightfold = point
    for _ in range(3):
        eightfold = _sum(eightfold, _addend(eightfold))
    if eightfold[0] % _P == 0:  # of the points with x = 0 both have a small order
        return None
    return _odd_multiples((-x, y, z, -t), _KEY_WINDOW)


@cache
def _table_of_base() -> tuple[_Point, ...]:
    base = _decoded((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert base is not None
    return _odd_multiples(base, _BASE_WINDOW)


def _decoded(public: bytes) -> _Point | None:
    """Decode a point (RFC 8032 section 5.1.3); None for what is not canonical or on no curve."""
    if len(public) != 32:
        return None
    number = int.from_bytes(public, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if y >= _P:
        return None
    u, v = y * y - 1, _D * y * y + 1
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    square = v * x * x % _P
    if square == -u % _P:
        x = x * _ROOT_OF_MINUS_1 % _P
    elif square != u % _P:
        return None
    if not x and sign:
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _addend(point: _Point) -> _Point:
    x, y, z, t = point
    return (y - x) % _P, (y + x) % _P, 2 * z % _P, 2 * _D * t % _P


def _negated(addend: _Point) -> _Point:
    minus, plus, twice_z, twice_dt = addend
    return plus, minus, twice_z, -twice_dt


def _sum(point: _Point, addend: _Point) -> _Point:
    """Add two points, or a point to itself: the formulas of RFC 8032 section 5.1.4 have no gaps."""
    x, y, z, t = point
    minus, plus, twice_z, twice_dt = addend
    a, b = (y - x) * minus % _P, (y + x) * plus % _P
    c, d = t * twice_dt % _P, z * twice_z % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _odd_multiples(point: _Point, window: int) -> tuple[_Point, ...]:
    """Return [1]P, [3]P, [5]P … as addends: all that digits of this window ask for."""
    twice = _addend(_sum(point, _addend(point)))
    multiples = []
    for _ in range(1 << window - 2):
        multiples.append(_addend(point))
        point = _sum(point, twice)
    return tuple(multiples)


def _digits(scalar: int, window: int) -> Iterator[tuple[int, int]]:
    """Write a scalar as a sum of digit * 2^place: odd digits, window - 1 zeros behind each."""
    place, size = 0, 1 << window
    while scalar:
        zeros = (scalar & -scalar).bit_length() - 1
        scalar >>= zeros
        place += zeros
        digit = scalar & size - 1
        if digit > size >> 1:
            digit -= size
        yield place, digit
        scalar -= digit


def _combined(scalar: int, other: int, table: tuple[_Point, ...]) -> bytes:
    """Encode [scalar]B + [other]P, given the odd multiples of P: one run of doublings for both."""
    addends: dict[int, list[_Point]] = {}
    for number, window, multiples in (
        (scalar, _BASE_WINDOW, _table_of_base()),
        (other, _KEY_WINDOW, table),
    ):
        for place, digit in _digits(number, window):
            addend = multiples[abs(digit) >> 1]
            addends.setdefault(place, []).append(addend if digit > 0 else _negated(addend))
    x, y, z = 0, 1, 1
    for place in range(max(addends, default=0), -1, -1):
        a, b, s = x * x % _P, y * y % _P, x + y
        g, h = b - a, a + b
        e, f = s * s - h, (g - 2 * z * z) % _P
        x, y, z = e * f % _P, -g * h % _P, f * g % _P
        if place in addends:
            point = x, y, z, -e * h % _P  # only what is added to needs T
            for addend in addends[place]:
                point = _sum(point, addend)
            x, y, z, _ = point
    return _encoded(x, y, z)


def _encoded(x: int, y: int, z: int) -> bytes:
    """Encode a point (RFC 8032 section 5.1.2)."""
    inverse = pow(z, -1, _P)
    return (y * inverse % _P | (x * inverse % _P & 1) << 255).to_bytes(32, "little")
