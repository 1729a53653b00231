"""One command run becomes one call: the intent before it starts, the receipt when it ended.

    arguments  {"argv": [...], "cwd": folder or null, "stdin": "not captured"}
    result     {"exit_code": N or null, "signal": N or null, "stdout": text, "stderr": text}

Both in form toolreplay-1. A stream that is no UTF-8 is `stdout_base64` in place of `stdout`. Of one
that is longer than what is kept, `stdout_whole` says the length of all of it, and the
receipt has the flag `truncated`. What could not be started has a member `error`, and is a
protocol_error: no tool ever saw the call.
"""

import codecs
import os
from base64 import b64encode
from collections.abc import Sequence

from toolreplay.capture.exec.spawning import Ended, run_command
from toolreplay.capture.exec.teeing import Printed
from toolreplay.capture.observed import Adapter, Intent, Outcome, Recording
from toolreplay.capture.signals import holding_signals
from toolreplay.evidence.profile.members import spelt
from toolreplay.records.call import JsonObject
from toolreplay.records.canonical import toolreplay_1

__all__ = ["ADAPTER", "intent_of", "outcome_of", "run_recorded"]

ADAPTER = Adapter("exec", "exec")
_FIDELITY = "parsed"


def run_recorded(
    argv: Sequence[str], folder: str | None, streams: Sequence[int], recording: Recording
) -> Ended:
    """Run a command and record it as one call; `argv` has one word at least.

    `streams` are those of descriptors 1 and 2 that were open when this program was started.
    Signals are held back until the receipt is written. Raises RecordingError, before anything has
    run, where a call that is not recorded must not be made.
    """
    with holding_signals() as held:
        call = recording.begin(intent_of(argv, folder))
        ended = run_command(argv, streams, held)
        recording.end(call, outcome_of(argv, ended))
        return ended


def intent_of(argv: Sequence[str], folder: str | None) -> Intent:
    """Return the call of a command that is about to be run."""
    args: JsonObject = {"argv": list(argv), "cwd": folder, "stdin": "not captured"}
    return Intent(tool=_tool_of(argv), args=toolreplay_1(args), scope="exec", fidelity=_FIDELITY)


def outcome_of(argv: Sequence[str], ended: Ended) -> Outcome:
    """Return what came of a command."""
    result: JsonObject = {"exit_code": ended.exit_code, "signal": ended.signal}
    if ended.error:
        result["error"] = ended.error
    for name, printed in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        result |= _members_of(name, printed)
    flags = []
    if any(each is not None and each.is_cut for each in (ended.stdout, ended.stderr)):
        flags.append("truncated")
    tool = _tool_of(argv)
    if spelt(tool) != tool:
        flags.append("name_escaped")
    status = "protocol_error" if ended.error else "tool_error" if ended.exit_code != 0 else "ok"
    return Outcome(status, toolreplay_1(result), fidelity=_FIDELITY, flags=tuple(flags))


def _tool_of(argv: Sequence[str]) -> str:
    return os.path.basename(argv[0].rstrip("/")) or argv[0]


def _members_of(name: str, printed: Printed | None) -> JsonObject:
    if printed is None:
        return {name: None}
    members: JsonObject = {}
    try:
        # A letter that what is kept ends in the midst of is left out.
        decoder = codecs.getincrementaldecoder("utf-8")()
        members[name] = decoder.decode(printed.kept, final=not printed.is_cut)
    except UnicodeDecodeError:
        members[f"{name}_base64"] = b64encode(printed.kept).decode("ascii")
    if printed.is_cut:
        members[f"{name}_whole"] = {"length": printed.length, "ended": printed.is_whole}
    return members
