"""Whatever goes wrong in a command becomes one line and an exit status.

Never status 1, but for a store whose bytes contradict a head that was signed: that was looked at,
and found.
"""

import errno
import os
from collections.abc import Callable

from toolreplay.cli.console import Console
from toolreplay.errors import StoreDamagedError, ToolReplayError

__all__ = ["answered"]


def answered(work: Callable[[], int], console: Console) -> int:
    """Do some work and return its status; print one line for whatever goes wrong with it."""
    status: int | None
    try:
        status = work()
    except StoreDamagedError as error:
        console.fail(str(error))
        status = 1
    except ToolReplayError as error:
        status = console.fail(str(error))
    except KeyboardInterrupt:
        status = 130
    except RecursionError:  # only with a raised --max-depth
        status = console.fail("nested deeper than the interpreter can follow")
    except MemoryError:
        status = None  # answered below, when what the failed command held has been let go
    except OSError as error:  # a disk that breaks or is full: nobody's defect
        status = console.fail(f"{_place_of(error)}{error.strerror or error}")
    except ImportError as error:
        # A module of the interpreter that cannot be loaded: without memory, that says so little.
        status = None if "map segment" in str(error) else console.fail(f"cannot load: {error}")
    # A bug must not look like a finding: whatever it is, the status is 2 and never 1.
    except Exception as error:  # noqa: BLE001
        status = console.fail(
            f"unexpected {type(error).__name__}: {error} "
            "(a defect of toolreplay; please report it with the command)"
        )
    if status is None:
        status = console.fail("not enough memory")
    return status


def _place_of(error: OSError) -> str:
    """Name what an error of the system is about, where it does not say so itself."""
    if isinstance(error.filename, str):
        return f"{error.filename}: "
    try:
        os.getcwd()
    except OSError:
        return "the folder this was started in: "
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return "a temporary file (TMPDIR chooses its folder): "
    return ""
