"""Bytes of a stream cut into lines, each with its line ending; none is collected beyond a limit.

Lines end at LF and nowhere else (MCP, Transports, stdio). What is longer than the limit is handed on
in parts, so that it may pass without ever standing in memory whole.
"""

from collections.abc import Iterator

__all__ = ["LINE", "LONG", "LONG_END", "Lines"]

LINE, LONG, LONG_END = "line", "long", "long end"
"""A whole line; a part of one that is too long; the part that ends it."""


class Lines:
    """Cuts one stream; `most_bytes` is the longest line that is handed on whole."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held: list[bytes] = []
        self._size = 0
        self.in_long = False
        """Whether a part of a long line was handed on, and its end was not."""

    def feed(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield what bytes complete: a kind (LINE, LONG, LONG_END) and the bytes, in their order."""
        start = 0
        while (end := data.find(b"\n", start) + 1) > 0:
            piece = data[start:end]
            start = end
            if self.in_long:
                self.in_long = False
                yield LONG_END, piece
                continue
            whole = b"".join([*self._held, piece]) if self._held else piece
            self._held, self._size = [], 0
            yield LONG_END if len(whole) - 1 > self._most else LINE, whole
        rest = data[start:] if start else data
        if not rest:
            return
        if self.in_long:
            yield LONG, rest
            return
        self._held.append(rest)
        self._size += len(rest)
        if self._size > self._most:
            self.in_long = True
            yield LONG, self.rest()

    def rest(self) -> bytes:
        """Return what is held of a line without its end, and hold it no more."""
        held, self._held, self._size = b"".join(self._held), [], 0
        return held
