"""claude_code: sessions as Claude Code keeps them, and the web export of the same.

A session is JSON Lines below `~/.claude/projects`, written by the host while it
runs. Calls are blocks `tool_use` of assistant lines, results are blocks
`tool_result` of user lines; what else the host knows of a result stands beside
it in `toolUseResult`. The web export is one JSON document `{"loglines": [...]}`
of the same lines. There is no published specification; what is read and how
each thing maps is written down in docs/formats/claude_code.md.

One run is what one agent did in one session. `read` goes over the file twice:
`survey.py` counts every unit and pairs calls with results, `calls.py` reads
each call again where it stands.

What it cannot tell us
* when a call began: a line bears the time it was written, and these run
  backwards now and then;
* whether a denied or failed call had changed something before;
* what a shell command or a tool of an MCP server did;
* the calls of a sub-agent that stand in a file of its own, or were not kept;
* what the host cut from long output before writing it down;
* whether lines were left out, altered or made up: the agent's own program wrote
  them.
"""

from collections.abc import Iterator
from typing import BinaryIO

from toolreplay.importers.claude_code import tools
from toolreplay.importers.claude_code.calls import calls_of
from toolreplay.importers.claude_code.files import SessionFile
from toolreplay.importers.claude_code.sniffing import fit_of
from toolreplay.importers.claude_code.survey import Survey
from toolreplay.importers.claude_code.threads import Thread
from toolreplay.records.account import Account
from toolreplay.records.flow import Head
from toolreplay.records.limits import Limits
from toolreplay.records.run import Run, RunInfo, ToolEffects

__all__ = ["MISSING", "MUTATORS", "READERS", "SESSION_FOLDERS", "TITLE", "read", "sniff"]

TITLE = "Claude Code session"
MISSING = "no line has a type with sessionId, uuid or message blocks"
SESSION_FOLDERS = (("CLAUDE_CONFIG_DIR", "projects"), ("HOME", ".claude/projects"))
MUTATORS = tools.MUTATORS
READERS = tools.READERS


def sniff(head: Head) -> int:
    """Say how well the beginning of an input fits: 3, 2, 1, or 0 for no session."""
    return fit_of(head)


def read(file: BinaryIO, limits: Limits, account: Account) -> Iterator[Run]:
    """Yield the runs of a session file in order of first appearance; at least one.

    The account is complete before the first run. `file` of a RunInfo is left empty, and `name` is
    empty or begins with `.agent-` where the session has no id: only the caller knows the file's
    name. Raises InputError where the file must be refused, or changes while it is read.
    """
    session = SessionFile(file, limits)
    for thread in Survey(session, account).threads():
        yield Run(_info_of(thread), calls_of(thread, session), session.raw)


def _info_of(thread: Thread) -> RunInfo:
    return RunInfo(
        name=thread.name,
        file="",
        form="claude_code",
        agent=thread.agent,
        model=_the_one(thread.models),
        host_version=_the_one(thread.versions),
        effects=ToolEffects(MUTATORS, READERS),
    )


def _the_one(words: set[str]) -> str | None:
    """Return the word where there is exactly one: a session may go over to another model."""
    return next(iter(words)) if len(words) == 1 else None
