"""Make the bundles of the cases of the audit `recompute` again, the same bytes every time.

    python3 -m tests.evidence.bundle.cases

Each is an import of two or three calls to which somebody has done one thing, and closed the file
again. What is printed about them is written by UPDATE_GOLDEN=1 and the contract of audits.
"""

import pathlib
from collections.abc import Callable
from typing import NamedTuple
from unittest import mock

from tests.evidence.bundle import attacks, made
from tests.evidence.bundle.made import Maker, Value
from toolreplay.evidence.profile import making

__all__ = ["CASES", "FOLDER", "bundles", "main"]

FOLDER = pathlib.Path(__file__).parents[3] / "toolreplay" / "audits" / "recompute" / "cases"
NAME = "bundle.run.jsonl"


class Case(NamedTuple):
    """What the README says, and the bytes."""

    readme: str
    data: Callable[[], bytes]


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


if __name__ == "__main__":
    main()
