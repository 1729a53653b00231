"""What a command that records is told: where to, whose run, how much is kept."""

import argparse
import os

from toolreplay.capture.choosing import MODES
from toolreplay.capture.observed import Adapter, Agent
from toolreplay.capture.recorder import Plan, Recorder
from toolreplay.cli.inputs import default_store
from toolreplay.errors import UsageError
from toolreplay.evidence.redaction.redactor import Redactor
from toolreplay.recording import KeySource, recorder_into, run_key_of, writer_of

__all__ = ["add_recording", "agent_of", "recorder_of"]


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


def agent_of(arguments: argparse.Namespace) -> Agent:
    """Return what was said of the agent. Raises UsageError."""
    labels = {}
    for text in arguments.label:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--label takes NAME=VALUE, not '{text[:40]}'")
        labels[name] = value
    return Agent(
        name=arguments.agent,
        model=arguments.model,
        workflow=arguments.workflow,
        labels=tuple(labels.items()),
    )


def recorder_of(
    arguments: argparse.Namespace, adapter: Adapter, *, same_process: bool = False
) -> Recorder:
    """Return the recorder that the options of `add_recording` name. Raises InputError."""
    from toolreplay.sources.project import redaction_of_project

    store = default_store(arguments)
    if store is None:
        raise UsageError("no store is known (--store STORE)")
    key, run_by = run_key_of(adapter, arguments.run)
    plan = Plan(
        adapter=adapter,
        agent=agent_of(arguments),
        key=key,
        run_by=run_by,
        writer=writer_of(same_process=same_process),
        mode=arguments.redact,
        denies=arguments.strict or arguments.on_record_failure == "deny",
        name=arguments.run,
        folder=_folder(),
    )
    return recorder_into(
        os.path.abspath(store),
        plan,
        Redactor(redaction_of_project(getattr(arguments, "config", None))),
        key=_key_source(arguments),
        durable_intents=arguments.durable_intent,
    )


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _key_source(arguments: argparse.Namespace) -> KeySource | None:
    if arguments.key is None:
        return None
    name = arguments.key

    def load() -> "SigningKey | None":
        from toolreplay.cli.signing import read_private_key
        from toolreplay.evidence.signatures.sign import key_signer
        from toolreplay.stores.sqlite.publishing import SigningKey

        return SigningKey(key_signer(read_private_key(name)), f"{os.path.realpath(name)}.head")

    return load


TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolreplay.stores.sqlite.publishing import SigningKey
