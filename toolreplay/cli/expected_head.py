"""The end that a sealed transcript must have: what was kept of it elsewhere."""

import argparse
import re

from toolreplay.errors import UsageError
from toolreplay.evidence.seal import ExpectedHead
from toolreplay.records.limits import Limits
from toolreplay.sources.declared import read_head

__all__ = ["expected_head"]


def expected_head(arguments: argparse.Namespace, limits: Limits) -> ExpectedHead | None:
    """Join what --against and the two --expect options say; they must not contradict."""
    count, digest = None, None
    if arguments.against is not None:
        count, digest = read_head(arguments.against, limits)
    if arguments.expect_count is not None:
        text = arguments.expect_count
        if not re.fullmatch(r"[0-9]{1,15}", text):
            raise UsageError("--expect-count must be a whole number")
        if count not in (None, int(text)):
            raise UsageError("--expect-count and --against say different counts")
        count = int(text)
    if arguments.expect_head is not None:
        text = arguments.expect_head
        if not re.fullmatch(r"[0-9a-f]{64}", text):
            raise UsageError("--expect-head must be 64 lower-case hex digits")
        if digest not in (None, text):
            raise UsageError("--expect-head and --against say different digests")
        digest = text
    return None if count is None and digest is None else ExpectedHead(count, digest)
