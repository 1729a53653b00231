"""What a command that records is told: where to, whose run, how much is kept."""

import argparse
import os

from toolreplay.capture.modes import MODES
from toolreplay.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:  # a server that is wrapped is on its way before these are loaded
    from toolreplay.capture.observed import Adapter, Agent, Recording
    from toolreplay.recording import KeySource
    from toolreplay.stores.sqlite.publishing import SigningKey

__all__ = ["add_recording", "agent_of", "denies", "key_source", "labels_of", "recorder_of"]


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add the options of whatever records."""
    group = parser.add_argument_group("the run")
    group.add_argument("--run", metavar="NAME", help="the run's name; who names the same feeds it")
    group.add_argument("--agent", metavar="NAME", help="the agent's name")
    group.add_argument("--model", metavar="NAME", help="the model, as far as it is known")
    group.add_argument("--workflow", metavar="NAME", help="the workflow the run belongs to")
    group.add_argument(
        "--label", action="append", default=[], metavar="K=V", help="a label (repeatable)"
    )
    group = parser.add_argument_group("the record")
    group.add_argument(
        "--store",
        metavar="STORE",
        help="the store, made if it is not there (default: $XDG_DATA_HOME/toolreplay/store.db)",
    )
    group.add_argument(
        "--recorder",
        metavar="SOCKET",
        help="record with the service that listens there (toolreplay recorder run), into its store",
    )
    group.add_argument(
        "--redact",
        choices=MODES,
        default="redacted",
        help="full: everything is kept; redacted (default): but what the rules find; hash-only: "
        "only digests",
    )
    group.add_argument(
        "--on-record-failure",
        choices=("allow", "deny"),
        default="allow",
        help="when nothing can be recorded: let calls go on and count them (default), or refuse",
    )
    group.add_argument("--strict", action="store_true", help="short for --on-record-failure deny")
    group.add_argument(
        "--durable-intent", action="store_true", help="sync what is written before a call leaves"
    )
    group.add_argument("--key", metavar="FILE", help="the private key that signs the store's heads")


def denies(arguments: argparse.Namespace) -> bool:
    """Whether calls that cannot be recorded must not be made."""
    return bool(arguments.strict) or arguments.on_record_failure == "deny"


def labels_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the labels that were given. Raises UsageError."""
    labels = {}
    for text in arguments.label:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--label takes NAME=VALUE, not '{text[:40]}'")
        labels[name] = value
    return labels


def agent_of(arguments: argparse.Namespace) -> "Agent":
    """Return what was said of the agent. Raises UsageError."""
    from toolreplay.capture.observed import Agent

    return Agent(
        name=arguments.agent,
        model=arguments.model,
        workflow=arguments.workflow,
        labels=tuple(labels_of(arguments).items()),
    )


def recorder_of(
    arguments: argparse.Namespace,
    adapter: "Adapter",
    *,
    same_process: bool = False,
    own_run: str | None = None,
) -> "Recording":
    """Return the recorder that the options of `add_recording` name. Raises UsageError, InputError.

    `own_run` says that without a name the run is that of this recorder alone, and by what.
    """
    if arguments.recorder is not None:
        return _told_to_service(arguments, adapter)
    from toolreplay.capture.recorder import Plan
    from toolreplay.cli.inputs import default_store
    from toolreplay.recording import (
        folder_of_process,
        recorder_into,
        redactor_here,
        run_key_of,
        writer_of,
    )

    store = default_store(arguments)
    if store is None:
        raise UsageError("no store is known (--store STORE)")
    key, run_by = run_key_of(adapter, arguments.run)
    if own_run is not None and arguments.run is None:
        key, run_by = None, own_run
    plan = Plan(
        adapter=adapter,
        agent=agent_of(arguments),
        key=key,
        run_by=run_by,
        writer=writer_of(same_process=same_process),
        mode=arguments.redact,
        denies=denies(arguments),
        name=arguments.run,
        folder=folder_of_process(),
    )
    return recorder_into(
        os.path.abspath(store),
        plan,
        redactor_here(),
        key=key_source(arguments),
        durable_intents=arguments.durable_intent,
    )


def _told_to_service(arguments: argparse.Namespace, adapter: "Adapter") -> "Recording":
    for flag in ("store", "key", "durable_intent"):
        if getattr(arguments, flag):
            name = f"--{flag.replace('_', '-')}"
            raise UsageError(f"--recorder: {name} is the service's (toolreplay recorder run)")
    from toolreplay.capture.clock import now
    from toolreplay.capture.service.client import ServiceRecording
    from toolreplay.capture.service.wire import Hello
    from toolreplay.recording import folder_of_process

    folder = folder_of_process()
    hello = Hello(adapter, agent_of(arguments), arguments.run, arguments.redact, folder)
    return ServiceRecording(arguments.recorder, hello, now, denies=denies(arguments))


def key_source(arguments: argparse.Namespace) -> "KeySource | None":
    """Return what loads the key of `--key`, None without one."""
    if arguments.key is None:
        return None
    name = arguments.key

    def load() -> "SigningKey | None":
        from toolreplay.cli.signing import read_private_key
        from toolreplay.evidence.signatures.sign import key_signer
        from toolreplay.stores.sqlite.publishing import SigningKey

        return SigningKey(key_signer(read_private_key(name)), f"{os.path.realpath(name)}.head")

    return load
