"""The commands of two words: about stores and keys, and for whoever knows AER-1."""

from itertools import chain

from toolreplay.cli.console import Console
from toolreplay.cli.nearest import did_you_mean
from toolreplay.errors import UsageError

__all__ = ["FURTHER", "command_of", "every_command"]

FURTHER = {
    "Recording": {
        "record mcp": "run an MCP server and record the calls of its tools",
        "record exec": "run one command and record it",
    },
    "Runs": {
        "runs list": "the runs of a store, or those that a filter means",
        "runs show": "what is known of one run",
        "runs close": "close a run that was left open",
        "runs link": "say which session of the agent's program a run was",
    },
    "The recorder": {
        "recorder run": "record for others, as a service on a socket",
        "recorder status": "what a service does at the moment",
    },
    "A store": {
        "store init": "make an empty store",
        "store status": "what is in it, who signs it, does it record?",
        "store check": "hold everything in it against its own leaves",
        "store sign": "give it a key, or publish its head now",
        "store prove": "prove an entry, or that the log only grew",
        "store export": "copy it, or write it as tiles for static serving",
        "store erase": "erase content; what commits to it stays",
        "store repair": "build the tables for finding again",
    },
    "AER-1 documents": {
        "receipt verify": "check one receipt, or a workflow close, rule by rule",
        "receipt make": "turn a transcript or session into a bundle of receipts",
        "chain verify": "check a timeline of chained entries, rule by rule",
        "chain export": "write the timeline of a bundle",
        "workflow verify": "check a workflow close, rule by rule",
        "workflow export": "write the workflow close of a bundle",
    },
    "Keys": {
        "key new": "make a private key in a file of its own",
        "key show": "print the public key of a key file",
    },
}
"""These commands by group; each is a module of this folder, but for `receipt make` (making.py)."""


def every_command() -> dict[str, str]:
    """Return every command that can be run, with what it does: those of one word first."""
    from toolreplay.cli.main import COMMANDS, PAIRED

    groups = chain(COMMANDS.values(), FURTHER.values())
    return {name: what for group in groups for name, what in group.items() if name not in PAIRED}


def command_of(arguments: list[str], known: list[str], console: Console) -> tuple[str, list[str]]:
    """Return the command that two words name, and what stands behind it.

    Asked for help on the first word it prints the commands that begin so, and returns no name.
    Raises UsageError for words that name none.
    """
    first, *rest = arguments
    commands = dict(chain.from_iterable(group.items() for group in FURTHER.values()))
    seconds = [name.partition(" ")[2] for name in commands if name.partition(" ")[0] == first]
    if not seconds:
        near = did_you_mean(first, [*known, *(name.partition(" ")[0] for name in commands)])
        raise UsageError(f"no command '{first}'{near} (see: toolreplay --help)")
    if rest and rest[0] in seconds:
        return f"{first} {rest[0]}", rest[1:]
    if rest and rest[0] in ("-h", "--help", "help"):
        lines = [f"usage: toolreplay {first} COMMAND …", ""]
        lines += [
            f"  {name:<16} {what}"
            for name, what in commands.items()
            if name.startswith(f"{first} ")
        ]
        console.write_lines([*lines, "", f"toolreplay {first} COMMAND --help says more."])
        return "", []
    near = did_you_mean(rest[0], seconds) if rest else ""
    what = f"no command '{first} {rest[0]}'" if rest else f"{first} takes one more word"
    raise UsageError(f"{what}{near} (there are: {', '.join(seconds)})")
