"""Where the store is that nobody named."""

import os
from collections.abc import Mapping

__all__ = ["usual_store"]


def usual_store(environment: Mapping[str, str]) -> str | None:
    """Return the store below the user's data (XDG Base Directory), None where no folder is known."""
    data = environment.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        home = environment.get("HOME", "")
        if not os.path.isabs(home):
            return None
        data = os.path.join(home, ".local", "share")
    return os.path.join(data, "toolreplay", "store.db")
