"""How a run of several is named: a store and a run, a run's name, or the beginning of one."""

import os

from toolreplay.records.run import RunInfo

__all__ = ["FEWEST_CHARACTERS", "is_named", "split_run"]

FEWEST_CHARACTERS = 6
"""Characters that the beginning of a name must have."""


def is_named(info: RunInfo, wanted: str) -> bool:
    """Whether the name of a run is, or begins with, what was asked for."""
    return info.name == wanted or (
        len(wanted) >= FEWEST_CHARACTERS and info.name.startswith(wanted)
    )


def split_run(name: str) -> tuple[str, str | None]:
    """Return the file and the run that `STORE#RUN` names; a file of that very name is one."""
    path, mark, run = name.rpartition("#")
    if not mark or not path or not run or os.path.lexists(name):
        return name, None
    return path, run
