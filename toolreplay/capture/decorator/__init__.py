"""Functions record their own calls: the decorator, and the run it records into.

Whoever decorates decides what is recorded, in the agent's own process: receipts say
`same_process: true` beside EXECUTED BY TOOLREPLAY.
"""

from toolreplay.capture.decorator.calls import RecordedCall
from toolreplay.capture.decorator.run import ADAPTER, RecordedRun

__all__ = ["ADAPTER", "RecordedCall", "RecordedRun"]
