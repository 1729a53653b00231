"""The end that a sealed transcript must have: what was kept of it elsewhere."""

import argparse
import re

from toolreplay.errors import UsageError
from toolreplay.evidence.seal import ExpectedHead, parse_head
from toolreplay.records.limits import Limits
from toolreplay.sources.declared import read_keys, read_small

__all__ = ["expected_head"]


def expected_head(arguments: argparse.Namespace, limits: Limits) -> ExpectedHead | None:
    """Join what --against and the two --expect options say; they must not contradict.

    With --key also who signed the head. Raises UsageError and InputError.
    """
    count, digest, signer = None, None, None
    if arguments.against is not None:
        data = read_small(arguments.against, limits)
        count, digest = parse_head(data, arguments.against)
        if arguments.key or b"\n\n" in data:
            from toolreplay.evidence.seal_signature import head_signer

            keys = [key for given in arguments.key for key in read_keys(given, limits)]
            signer = head_signer(data, keys, arguments.against)
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
    return None if count is None and digest is None else ExpectedHead(count, digest, signer)
