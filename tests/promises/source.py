"""Reading a tree of Python source for the promises, and planting a small one that breaks them.

A check is a function that takes a folder and returns its offences, one line each, in the order
of the files: `rates/tally.py:3: what is wrong`. An empty list means the promise is kept.
"""

import ast
import contextlib
import functools
import os
import pathlib
import tempfile
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "toolreplay"

EXTENSION_ROOMS = frozenset({"audits", "capture", "importers", "reports", "stores", "world"})
"""Rooms in which each folder is one extension, and its `__init__.py` is the extension itself."""


class Source(NamedTuple):
    """One Python file. `parts` is its path inside the package, without suffix or `__init__`."""

    name: str
    parts: tuple[str, ...]
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The room it stands in; empty for the modules at the top of the package."""
        return self.name.split("/")[0] if "/" in self.name else ""

    @property
    def top(self) -> str:
        """Its name when it stands at the top of the package (`__init__` for the package's own)."""
        return self.parts[0] if self.parts else "__init__"

    @property
    def is_init(self) -> bool:
        return self.name.rsplit("/", 1)[-1] == "__init__.py"

    @property
    def is_extension(self) -> bool:
        """Whether this is the `__init__.py` of one extension folder."""
        return self.is_init and len(self.parts) == 2 and self.room in EXTENSION_ROOMS


def files_below(folder: pathlib.Path, suffix: str = "") -> list[pathlib.Path]:
    """Return the files below a folder in byte order of their path, caches left out."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        found += [pathlib.Path(place, name) for name in names if name.endswith(suffix)]
    return sorted(found)


@functools.lru_cache(maxsize=32)
def sources_of(folder: pathlib.Path) -> list[Source]:
    """Parse every Python file of a package's folder."""
    sources = []
    for path in files_below(folder, ".py"):
        name = path.relative_to(folder).as_posix()
        parts = tuple(name.removesuffix(".py").split("/"))
        if parts[-1] == "__init__":
            parts = parts[:-1]
        text = path.read_text(encoding="utf-8")
        sources.append(Source(name, parts, text, ast.parse(text)))
    return sources


@functools.lru_cache(maxsize=1024)
def nodes_of(source: Source) -> list[ast.AST]:
    """Return every node of a source's tree, as `ast.walk` gives them; most checks look at all."""
    return list(ast.walk(source.tree))


@contextlib.contextmanager
def planted(files: dict[str, str]) -> Iterator[pathlib.Path]:
    """Write a small tree into a temporary folder and give that folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(textwrap.dedent(text), encoding="utf-8")
        yield folder
