"""Link a run to a session of the agent's own program, which knows the model that made the calls.

What is recorded on the wire between an agent and its tools names no model. The program that ran the agent
keeps a file of its own for each session (toolreplay sessions lists them): from it are taken the session's
id, agent, model and version, with the digest of the bytes read. Nothing is read again later.

The link is kept beside the run and travels in its bundle. It is that program's word, and yours that both
belong together: nothing commits to it, and reports print it under `unbound, as delivered:`.
"""

import argparse
import os

from toolreplay.cli.arguments import add_limits, limits_of
from toolreplay.cli.console import Console
from toolreplay.cli.inputs import add_store, place_of_run
from toolreplay.errors import InputError
from toolreplay.evidence.profile.members import spelt
from toolreplay.findings.gate import CLEAN
from toolreplay.records.call import JsonObject
from toolreplay.records.run import RunInfo
from toolreplay.records.times import utc_of
from toolreplay.reports.lines import escaped
from toolreplay.sources.source import FileSource
from toolreplay.stores.sqlite.links import link_run
from toolreplay.stores.sqlite.opening import microseconds

__all__ = ["add_arguments", "run"]

_MOST_NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs link`."""
    parser.add_argument(
        "run", metavar="RUN",
        help="the run: STORE#RUN, or its name in the default store, or @last",
    )  # fmt: skip
    parser.add_argument("session", metavar="SESSION", help="the file of the session")
    parser.add_argument(
        "--of", metavar="NAME",
        help="which session or agent of the file, where it holds several (default: the one that no "
        "other agent started)",
    )  # fmt: skip
    add_store(parser)
    add_limits(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Keep the link, and say what it says."""
    path, run_id = place_of_run(arguments.run, arguments, "runs link")
    link = _link_to(arguments)
    link_run(path, run_id, link)
    said = [f"{name} {link[name]}" for name in ("agent", "model", "host_version") if name in link]
    console.write_lines(
        map(
            escaped,
            [
                f"linked: run {run_id} to session {link['session']} ({link['form']})",
                f"it says: {', '.join(said) or 'neither agent nor model'}",
                f"next: toolreplay runs show {path}#{run_id}",
            ],
        )
    )
    return CLEAN


def _link_to(arguments: argparse.Namespace) -> JsonObject:
    """Return what the session's file says of itself. Raises InputError."""
    source = FileSource(arguments.session, limits_of(arguments))
    try:
        if not source.is_import:
            fact = f"is a {source.form}, and no session of an agent's program"
            raise InputError(arguments.session, f"{fact} (see: toolreplay sessions)")
        chosen = _chosen([found.info for found in source.runs()], arguments)
        digest = source.sha256()
    finally:
        source.close()
    said = {"agent": chosen.agent, "model": chosen.model, "host_version": chosen.host_version}
    return {
        "session": spelt(chosen.name),
        "form": source.form,
        "file": spelt(os.path.basename(arguments.session)),
        "sha256": digest,
        "linked_at": utc_of(microseconds()),
        **{name: spelt(word) for name, word in said.items() if word is not None},
    }


def _chosen(found: list[RunInfo], arguments: argparse.Namespace) -> RunInfo:
    """Return the session that is meant."""
    if arguments.of is not None:
        meant = [info for info in found if info.name == arguments.of]
    else:
        meant = [info for info in found if info.agent is None] or found
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(info.name for info in found[:_MOST_NAMED])
    more = " and more" if len(found) > _MOST_NAMED else ""
    if arguments.of is not None:
        raise InputError(arguments.session, f"has no '{arguments.of[:100]}': {listed}{more}")
    raise InputError(arguments.session, f"holds several: choose one by --of: {listed}{more}")
