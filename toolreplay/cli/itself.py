"""How this very program is started again, in a process of its own."""

import os
import shlex
import sys

from toolreplay.packaged import archive, root

__all__ = ["own_command", "own_environment", "own_line"]


def own_command() -> list[str]:
    """Return the words that start this program: from the zipapp, installed, or from a checkout."""
    packed = archive()
    if packed is not None:
        return [sys.executable, "-I", "-S", packed]
    if _is_installed():
        return [sys.executable, "-I", "-m", "toolreplay"]
    return [sys.executable, "-S", "-m", "toolreplay"]


def own_environment() -> dict[str, str]:
    """Return the environment those words need: from a checkout, where the package is."""
    environment = dict(os.environ)
    if archive() is None and not _is_installed():
        environment["PYTHONPATH"] = root()
    return environment


def own_line() -> str:
    """Return those words as a shell takes them, whatever folder it is in."""
    words = shlex.join(own_command())
    if archive() is None and not _is_installed():
        return f"PYTHONPATH={shlex.quote(root())} {words}"
    return words


def _is_installed() -> bool:
    return os.path.basename(root()) in ("site-packages", "dist-packages")
