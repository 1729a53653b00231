"""Have a store verified by the command itself, with the key, and with the head that it remembers."""

import gc
import json
import os
import tempfile
from typing import NamedTuple

from toolreplay.evidence.tlog.note import vkey_text

from tests.faults.golden import IN_MEMORY
from tests.faults.writer import signer
from tests.hostile.running import Ran, run_here

_KEY = signer().key
_VKEY = vkey_text(_KEY.name, _KEY.kind, _KEY.public)


class Verdict(NamedTuple):
    """What a verification came to: its exit status, the kinds it found, and the whole report."""

    status: int
    kinds: tuple[str, ...]
    report: bytes
    error: bytes


def verified(path: str, *, seen: bytes | None, with_key: bool, form: str = "json") -> Verdict:
    """Verify a store, with the key, and with the head that somebody remembers, if any."""
    arguments = ["verify", path, "--format", form]
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        if with_key:
            memory = os.path.join(folder, "seen")
            if seen is not None:
                with open(memory, "wb") as file:
                    file.write(seen)
            arguments += ["--key", _VKEY, "--seen", memory, "--proof", "none"]
        ran = run_here(arguments)
    gc.enable()
    return Verdict(ran.status, _kinds(ran) if form == "json" else (), ran.out, ran.err)


def _kinds(ran: Ran) -> tuple[str, ...]:
    if not ran.out:
        return ()
    runs = json.loads(ran.out)["runs"]
    return tuple(found["kind"] for run in runs for found in run["findings"])
