"""Make the bundles of the cases of the audit `recompute` again, the same bytes every time.

    python3 -m tests.evidence.bundle.cases

Each is an import of two or three calls, some in a log, to which somebody has done one thing, and
closed the file again. What is printed about them is written by UPDATE_GOLDEN=1 and the contract of audits.
"""

import json
import pathlib
from collections.abc import Callable
from typing import NamedTuple
from unittest import mock

from tests.evidence.bundle import attacks, in_a_log, log_attacks, made
from tests.evidence.bundle.in_a_log import SIGNER, Log, sign, signer_of
from tests.evidence.bundle.made import Maker, Value
from toolreplay.evidence.profile import making
from toolreplay.evidence.tlog.checkpoint import Checkpoint
from toolreplay.evidence.tlog.note import note_bytes, parse_note

__all__ = ["CASES", "FOLDER", "LOG_ARGUMENTS", "SEEN", "bundles", "files_beside", "main"]

FOLDER = pathlib.Path(__file__).parents[3] / "toolreplay" / "audits" / "recompute" / "cases"
NAME = "bundle.run.jsonl"


class Case(NamedTuple):
    """What the README says, the bytes, and what is added to the command line."""

    readme: str
    data: Callable[[], bytes]
    arguments: tuple[str, ...] = ()


def _refund(*, erase: bool = False) -> Maker:
    """Return a run of two calls, of which the second moves money."""
    maker = Maker().open(name="refund")
    maker.call(1, "get_order", {"order": "A-1001"}, {"total": 40})
    maker.call(2, "create_refund", {"amount": 40, "order": "A-1001"}, {"refunded": 40})
    maker.close(b"refunded")
    return maker.erase([made.commit_of(maker.entries[1])]) if erase else maker


def _lines(maker: Maker | None = None) -> list[Value]:
    return made.apart((maker or _refund()).bundle())


def _edited_receipt() -> bytes:
    def change(committed: Value) -> None:
        committed["outputs"]["result"] = made.as_piece({"refunded": 90}).described

    values = _lines()
    made.edited(made.of_kind(values, "call")[1], change, mended=False)
    return made.joined(values)


def _three(change: Callable[[list[Value]], list[Value]]) -> Callable[[], bytes]:
    def data() -> bytes:
        return made.joined(change(made.apart(made.imported(3).bundle())))

    return data


def _missing_piece() -> bytes:
    return made.joined(attacks.a_piece_left_out(made.apart(attacks.with_pieces().bundle())))


def _gap_taken_out() -> bytes:
    maker = Maker().open().call(1, "get_order", {}, {"total": 40}).gap().close(b"done")
    return made.joined(attacks.a_gap_dropped_and_renumbered(made.apart(maker.bundle())))


def _behind_the_close() -> bytes:
    values = _lines()
    close, late = made.of_kind(values, "close")[0], made.twin(made.of_kind(values, "call")[1])
    return made.joined(made.renumbered(attacks._behind(values, close, late)))


def _torn() -> bytes:
    data = _refund().bundle()
    return b"".join(line + b"\n" for line in data.splitlines()[:3])


def _closed_again() -> bytes:
    maker = Maker().open(name="refund")
    maker.call(1, "get_order", {"order": "A-1001"}, {"total": 40})
    return maker.close(b"refunded").bundle()


def _with(change: Callable[[list[Value]], list[Value]]) -> Callable[[], bytes]:
    return lambda: made.joined(change(_lines()))


def _erased() -> bytes:
    maker = _refund(erase=True)
    values = _lines(maker)
    commit = made.commit_of(maker.entries[1])
    made.entries_of(values)[1].update(payload=None, salt=None, commit=commit)
    return made.joined(values)


# In a log.

SEEN = "seen"
"""The file with the head remembered, where a case names it."""

_KEY = ("--key", in_a_log.vkey_of())
_REMEMBERED = (*_KEY, "--seen", SEEN)
LOG_ARGUMENTS = (*_REMEMBERED, "--proof", "none")
"""What makes findings of all the cases about logs, beside the file SEEN."""


def _log(before: int = 4, maker: Maker | None = None) -> Log:
    """Return a log of ten leaves, four of which are the run's."""
    log = Log().filled(before).take(maker or _refund())
    return log.filled(10 - log.size)


def _logged(signer: Callable[[Checkpoint], bytes] | None = None, before: int = 4) -> bytes:
    return _log(before).bundle(_refund(), signer)


def _in_log(change: Callable[[list[Value]], list[Value]]) -> Callable[[], bytes]:
    return lambda: made.joined(change(made.apart(_logged())))


def _older_head(values: list[Value]) -> list[Value]:
    older = _log().head(8)
    for value in values:
        if "head" in value:
            value["head"].update(size=8, root=older.root.hex())
    return values


def _damaged(head: Checkpoint) -> bytes:
    note = parse_note(sign(head, SIGNER), "")
    (line,) = note.signatures
    return note_bytes(note.text, [line._replace(signature=bytes(64))])


def files_beside(name: str) -> dict[str, bytes]:
    """Return the files of a case beside its README, its bundle and what is printed."""
    arguments = CASES[name].arguments
    if not arguments:
        return {}
    files = {"options.json": json.dumps({"arguments": arguments}).encode() + b"\n"}
    if SEEN in arguments:
        with mock.patch.object(making, "__version__", "1"):
            files[SEEN] = sign(_log().head())
    return files


CASES = {
    "receipts-intact": Case("Two receipts and all that follows from them come out.", lambda: _refund().bundle()),
    "receipts-in-parallel": Case(
        "Calls in parallel, one without outcome, and a gap: all as the close receipt says.",
        lambda: made.on_the_wire().bundle(),
    ),
    "receipt-edited": Case("The amount that was refunded was changed in a receipt's bytes.", _edited_receipt),
    "receipt-taken-out": Case(
        "The second of three receipts was taken out, and the entries numbered anew.",
        _three(attacks.a_call_dropped_and_renumbered),
    ),
    "receipts-exchanged": Case("Two receipts change places: the chain says in which order they were.", _three(attacks.two_calls_swapped_and_renumbered)),
    "receipt-twice": Case(
        "One receipt stands twice, as if its call had been made twice.",
        _three(attacks.a_receipt_twice),
    ),
    "piece-left-out": Case("The content of a result was left out of the file; its digest is still there.", _missing_piece),
    "gap-taken-out": Case("The entry that says when nothing was recorded was taken out.", _gap_taken_out),
    "call-behind-the-close": Case("A receipt stands behind the close receipt, which ends a record.", _behind_the_close),
    "close-taken-out": Case("The close receipt was taken out: nothing says how long the run was.", _with(attacks.the_close_dropped)),
    "receipts-torn": Case("The file ends behind its first receipt, as a crash leaves it.", _torn),
    "root-replaced": Case("The workflow close has another root than the receipts give.", _with(attacks.the_root_replaced)),
    "step-renamed": Case("A step of the workflow names another tool than its receipt.", _with(attacks.a_step_renamed)),
    "commitment-replaced": Case("The commitment is over another chain than the one in the file.", _with(attacks.the_commitment_replaced)),
    "receipts-closed-again": Case(
        "The last call was cut off and the run closed again: nothing in the file shows it.\n\n"
        "The report says so under `ending`; a root or commitment kept elsewhere would show it.",
        _closed_again,
    ),
    "receipt-erased": Case(
        "The content of a receipt was erased, and an entry says so: what is left still stands.",
        _erased,
    ),
    "log-intact": Case(
        "The head of the log is signed by the key given, and is the one that was remembered.",
        lambda: _logged(sign),
        _REMEMBERED,
    ),
    "log-without-a-key": Case(
        "A run in a log, of which nobody brought the key: it agrees with itself, and no more.",
        lambda: _logged(sign),
    ),
    "log-path-changed": Case(
        "The leaf of a call says that it stands elsewhere in the log than its path shows.",
        _in_log(log_attacks.an_index_changed),
    ),
    "log-older-head": Case(
        "The head of an earlier state of the log was put in the place of its own.",
        _in_log(_older_head),
    ),
    "log-signature-damaged": Case(
        "The head says that the key given has signed it, and the signature is not its own.",
        lambda: _logged(_damaged),
        (*_KEY, "--seen", "none"),
    ),
    "log-foreign-key": Case(
        "Somebody else wrote all of it anew and signed it with a key of the same name.",
        lambda: _logged(lambda head: sign(head, signer_of(seed="foreign"))),
        (*_KEY, "--seen", "none"),
    ),
    "log-forked": Case(
        "The same run in a log of another past, signed by the same key: it was seen before.",
        lambda: _logged(sign, before=5),
        LOG_ARGUMENTS,
    ),
}  # fmt: skip
"""Each case by the name of its folder."""


def bundles() -> dict[str, bytes]:
    """Return the bytes of each case; they do not depend on the version of the program."""
    with mock.patch.object(making, "__version__", "1"):
        return {name: case.data() for name, case in CASES.items()}


def main() -> None:
    """Write README and bundle of each case."""
    for name, data in bundles().items():
        folder = FOLDER / name
        folder.mkdir(exist_ok=True)
        (folder / "README").write_text(f"{CASES[name].readme}\n", encoding="utf-8")
        (folder / NAME).write_bytes(data)
        for file, content in files_beside(name).items():
            (folder / file).write_bytes(content)


if __name__ == "__main__":
    main()
