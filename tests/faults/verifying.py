"""Have a store verified by the command itself, with the key, and with the head that it remembers."""

import gc
import json
import os
import re
import tempfile
from typing import NamedTuple

from tests.faults.golden import IN_MEMORY
from tests.faults.writer import signer
from tests.hostile.running import Ran, run_here
from toolreplay.evidence.tlog.note import vkey_text

_KEY = signer().key
_VKEY = vkey_text(_KEY.name, _KEY.kind, _KEY.public)

_DIGEST = re.compile(rb'("name": "STORE", "sha256": ")[0-9a-f]{64}')


class Verdict(NamedTuple):
    """What a verification came to: its exit status, the kinds it found, and the whole report."""

    status: int
    kinds: tuple[str, ...]
    report: bytes
    error: bytes


def verified(path: str, *, seen: bytes | None, with_key: bool, form: str = "json") -> Verdict:
    """Verify a store, with the key, and with the head that somebody remembers, if any.

    In what was printed the names of the store and of a folder that was made for it are words,
    and so is the digest of the file.
    """
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
    names = ((folder.encode(), b"FOLDER"), (path.encode(), b"STORE"))
    out, error = ran.out, ran.err
    for name, word in names:
        out, error = out.replace(name, word), error.replace(name, word)
    out = _DIGEST.sub(rb"\1DIGEST", out)
    return Verdict(ran.status, _kinds(ran) if form == "json" else (), out, error)


def _kinds(ran: Ran) -> tuple[str, ...]:
    if not ran.out:
        return ()
    runs = json.loads(ran.out)["runs"]
    return tuple(found["kind"] for run in runs for found in run["findings"])
