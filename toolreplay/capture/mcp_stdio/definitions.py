"""The tools' definitions as a server last gave them (MCP, Tools, Listing Tools).

A receipt commits to the definition that stood when its call left: one that is changed later under
the same name is seen to be another. Clients may keep lists, so there may be none.
"""

from toolreplay.errors import CanonicalError
from toolreplay.records.call import Json, JsonObject
from toolreplay.records.canonical import toolreplay_1

__all__ = ["Definitions"]

_MOST_BYTES = 16 * 1024 * 1024
"""Bytes kept of all definitions together; the oldest are forgotten beyond that."""


class Definitions:
    """What is known of each tool, by name."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, JsonObject | None]] = {}
        self._size = 0

    def take(self, result: Json) -> None:
        """Take the result of `tools/list`, or a page of it; what is malformed is passed over."""
        tools = result.get("tools") if type(result) is dict else None
        for tool in tools if type(tools) is list else ():
            name = tool.get("name") if type(tool) is dict else None
            if type(name) is not str:
                continue
            self._forget(name)
            try:
                form = toolreplay_1(tool)
            except CanonicalError:
                continue  # it has no form, so no digest: as good as not seen
            annotations = tool.get("annotations")
            kept = annotations if type(annotations) is dict else None
            self._known[name] = form, kept
            self._size += len(form)
            while self._size > _MOST_BYTES:
                self._forget(next(iter(self._known)))

    def of(self, tool: str) -> tuple[bytes | None, JsonObject | None]:
        """Return a tool's definition in form toolreplay-1 and its annotations, None where unseen."""
        return self._known.get(tool, (None, None))

    def _forget(self, tool: str) -> None:
        form, _ = self._known.pop(tool, (b"", None))
        self._size -= len(form)
