"""What the package carries with it, found and read alike in a checkout, a wheel and a zipapp.

Extension folders are found by listing their room, so that adding one edits no table; `pkgutil`
would do it too, but pulls in `inspect`. Samples, schemas and cases are read through the package's
own loader, so that nothing has to be unpacked.
"""

import os
import sys
from collections.abc import Collection
from types import ModuleType

__all__ = [
    "archive",
    "data_file",
    "data_files",
    "extensions_of",
    "load_extension",
    "module_files",
    "root",
]

_ROOT = os.path.dirname(os.path.abspath(__file__))


def extensions_of(room: str) -> list[str]:
    """Return the names of a room's extension folders, sorted ("audits" -> "loop", "replay"…)."""
    folder = os.path.join(_ROOT, room)
    if os.path.isdir(folder):
        names = [
            name
            for name in os.listdir(folder)
            if os.path.isfile(os.path.join(folder, name, "__init__.py"))
        ]
    else:
        names = _extensions_in_archive(folder)
    return sorted(names)


def load_extension(room: str, name: str) -> ModuleType:
    """Import one extension by the name users type; call it with a name of `extensions_of`."""
    from importlib import import_module

    return import_module(f"toolreplay.{room}.{name}")


def data_file(path: str) -> bytes:
    """Return the bytes of a file the package carries, by its path with `/` ("samples/scope.json").

    In a checkout the samples stand at the root of the repository, beside the package.
    """
    parts = path.split("/")
    loader = sys.modules["toolreplay"].__loader__
    if not os.path.isdir(_ROOT):
        # By the name inside: an archive started as ./x.pyz knows itself by no normal path.
        packed: bytes = loader.get_data(os.path.join("toolreplay", *parts))  # type: ignore[union-attr]
        return packed
    try:
        data: bytes = loader.get_data(os.path.join(_ROOT, *parts))  # type: ignore[union-attr]
    except FileNotFoundError:
        data = loader.get_data(  # type: ignore[union-attr]
            os.path.join(os.path.dirname(_ROOT), *parts)
        )
    return data


def data_files(folder: str) -> list[str]:
    """Return the paths of all files below one of the package's folders, with `/`, sorted."""
    prefix = f"toolreplay{os.sep}{folder.replace('/', os.sep)}{os.sep}"
    paths = [name for name in _names_below(folder) if name.startswith(prefix)]
    return sorted(name.split(os.sep, 1)[1].replace(os.sep, "/") for name in paths)


def archive() -> str | None:
    """Return the absolute path of the zipapp this program runs from, None where it is no zipapp."""
    return None if os.path.isdir(_ROOT) else os.path.abspath(_archive_index()[0])


def root() -> str:
    """Return the absolute path of the folder in which the package is."""
    return os.path.dirname(_ROOT)


def module_files() -> list[tuple[str, bytes]]:
    """Return (path with `/` below the package, bytes) of each module of the program, sorted."""
    prefix = f"toolreplay{os.sep}"
    paths = sorted(
        name.removeprefix(prefix)
        for name in _names_below("")
        if name.startswith(prefix) and name.endswith(".py")
    )
    return [(path.replace(os.sep, "/"), data_file(path.replace(os.sep, "/"))) for path in paths]


def _names_below(folder: str) -> list[str]:
    """List files with the package's name in front; an archive's index has others too."""
    if not os.path.isdir(_ROOT):
        return list(_archive_index()[1])
    names = []
    for place, folders, files in os.walk(os.path.join(_ROOT, folder)):
        folders[:] = [name for name in folders if name != "__pycache__"]
        below = os.path.relpath(place, os.path.dirname(_ROOT))
        names += [os.path.join(below, name) for name in files]
    return names


def _extensions_in_archive(folder: str) -> list[str]:
    """List a room inside the zipapp by the index its loader has read already."""
    archive, files = _archive_index()
    prefix = os.path.relpath(folder, archive) + os.sep
    names = {path[len(prefix) :].partition(os.sep)[0] for path in files if path.startswith(prefix)}
    return [name for name in names if f"{prefix}{name}{os.sep}__init__.py" in files]


def _archive_index() -> tuple[str, Collection[str]]:
    """Return the path of the archive the package was loaded from, and the names in it."""
    loader = sys.modules["toolreplay"].__loader__
    assert loader is not None
    files = loader._get_files() if hasattr(loader, "_get_files") else loader._files  # type: ignore[attr-defined]
    return loader.archive, files  # type: ignore[attr-defined]
