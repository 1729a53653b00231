"""This machine's clocks: what time it is, and how long something took."""

import time
from collections.abc import Callable

from toolreplay.capture.observed import Moment

__all__ = ["Clock", "boot_id", "now"]

Clock = Callable[[], Moment]

_FORWARD = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts the time that a machine sleeps, where there is one that does: a closed lid is no stall."""

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def now() -> Moment:
    """Return what time it is."""
    return Moment(time.time_ns() // 1000, time.clock_gettime_ns(_FORWARD))


def boot_id() -> str:
    """Return what tells this start of the machine from others; `unknown` where nothing does.

    Forward times compare within one start only.
    """
    try:
        with open(_BOOT_ID, encoding="ascii") as file:
            return file.read(64).strip() or "unknown"
    except (OSError, ValueError):
        return "unknown"
