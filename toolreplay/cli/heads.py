"""Whom one believes about signed heads: options, and what is remembered once a head was judged."""

import argparse
import os

from toolreplay.cli.console import Console
from toolreplay.errors import OutputError, UsageError
from toolreplay.records.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:  # what a quick command does not declare it does not load
    from toolreplay.evidence.record import Asked
    from toolreplay.evidence.tlog.standing import Proof, Standing, Trust
    from toolreplay.records.run import Run
    from toolreplay.sources.seen import SeenHeads

__all__ = ["add_trust", "files_of_trust", "remember", "standing_in", "trust_of"]

_NO_MEMORY = "none"


def add_trust(group: argparse._ActionsContainer) -> None:
    """Add the options about who must have signed, and what was seen before."""
    group.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="VKEY",
        help="a public key that may have signed (name+hash+base64), or a file with one on each line "
        "(repeatable)",
    )
    group.add_argument(
        "--policy", metavar="FILE", help="who must have signed and cosigned (C2SP tlog-policy)"
    )
    group.add_argument(
        "--seen",
        metavar="FILE",
        help="where the last head of a log is remembered, or none "
        "(default: a file below $XDG_STATE_HOME/toolreplay/seen)",
    )
    group.add_argument(
        "--proof",
        metavar="FILE",
        help="where a proof of two histories is written, or none (default: beside the head that "
        "was remembered)",
    )


def files_of_trust(arguments: argparse.Namespace) -> list[str | None]:
    """Return the files that are read for it, which no report may replace."""
    seen = getattr(arguments, "seen", None)
    given = [*getattr(arguments, "key", ()), getattr(arguments, "policy", None)]
    return [*given, None if seen == _NO_MEMORY else seen]


def trust_of(arguments: argparse.Namespace, limits: Limits) -> "Trust | None":
    """Read the keys and the policy that were given. Raises InputError and UsageError.

    None where nothing about signatures was asked.
    """
    keys, policy = getattr(arguments, "key", []), getattr(arguments, "policy", None)
    seen, proof = getattr(arguments, "seen", None), getattr(arguments, "proof", None)
    if not keys and policy is None and seen is None:
        if proof is not None:
            raise UsageError("--proof is about the head of a log: it needs --key or --policy")
        return None
    from toolreplay.evidence.tlog.standing import Trust
    from toolreplay.sources.declared import read_keys, read_policy
    from toolreplay.sources.seen import SeenHeads, seen_folder

    written = [os.path.abspath(name) for _, name in getattr(arguments, "report", ())]
    if seen is not None and os.path.abspath(seen) in written:  # also where it is not there yet
        raise UsageError(f"{seen}: is where a head is remembered, and would be replaced")
    memory = None
    if seen != _NO_MEMORY:
        memory = SeenHeads(seen, seen_folder(os.environ))
    return Trust(
        tuple(dict.fromkeys(key for text in keys for key in read_keys(text, limits))),
        None if policy is None else read_policy(policy, limits),
        memory,
    )


def standing_in(run: "Run") -> "Standing | None":
    """Return what came of the signed head that a run showed, once it was judged."""
    return None if run.info.evidence is None else run.info.evidence.standing()


def remember(
    standing: "Standing | None",
    asked: "Asked | None",
    arguments: argparse.Namespace,
    console: Console,
) -> None:
    """Remember the head that was judged, or write the proof that its log has shown two histories.

    Raises OutputError where the memory that was named cannot be written.
    """
    from toolreplay.sources.seen import SeenHeads

    memory = None if asked is None or asked.trust is None else asked.trust.memory
    if not isinstance(memory, SeenHeads):
        return
    try:
        if standing is not None and standing.learned is not None:
            console.note(memory.learn(standing.learned))
        elif standing is not None and standing.proof is not None:
            _keep_proof(memory, standing.proof, arguments, console)
    finally:
        memory.release()


def _keep_proof(
    memory: "SeenHeads", proof: "Proof", arguments: argparse.Namespace, console: Console
) -> None:
    """Write a proof and say how somebody else checks it; the finding stands without it too."""
    from shlex import quote

    given = getattr(arguments, "proof", None)
    if given == _NO_MEMORY:
        return
    try:
        name = memory.keep_proof(proof.origin, proof.data, given)
    except OutputError as error:
        console.note(f"the proof of two histories was not written: {error}")
        return
    console.note(f"proof of two histories: {name}")
    console.note(f"for anyone: toolreplay verify {quote(name)} --key {quote(proof.vkey)}")
