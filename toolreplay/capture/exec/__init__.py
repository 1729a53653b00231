"""Run one command and record it: what it was called with, how it ended, what it printed.

The call is the command as it stands on the command line, so its receipt says EXECUTED BY
TOOLREPLAY. It proves the command and what came back, not what the command did to the world.
"""

from toolreplay.capture.exec.running import ADAPTER, run_recorded
from toolreplay.capture.exec.spawning import Ended

__all__ = ["ADAPTER", "Ended", "run_recorded"]
