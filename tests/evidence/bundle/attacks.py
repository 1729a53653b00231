"""Changes that somebody who holds a bundle could make, each on lines that are put together again.

An attack takes the lines of a sound bundle, without the end line, and returns others; whoever calls
it writes the end line that belongs to them. `ON_THE_WIRE` names those that need a run with intents,
`WITH_PIECES` those that need detached content; all others are made on an import of four calls.
"""

from typing import Any

from tests.evidence.bundle import made
from tests.evidence.bundle.made import Maker, Value

__all__ = ["ON_THE_WIRE", "WITH_PIECES", "base_of", "closed_again", "with_pieces"]

CALLS = 4

ON_THE_WIRE = frozenset({
    "a_gap_dropped", "a_gap_dropped_and_renumbered", "an_unfinished_intent_removed",
    "an_intents_arguments_edited", "the_position_of_another", "an_intent_of_a_call_removed",
    "an_observation_dropped", "two_receipts_swapped_on_the_wire",
    "an_intent_behind_its_receipt", "the_open_of_the_wire_dropped",
})  # fmt: skip
WITH_PIECES = frozenset({
    "pieces_swapped", "a_piece_left_out", "a_piece_cut_short", "a_piece_of_another_length",
})  # fmt: skip


def with_pieces() -> Maker:
    """Return a closed import whose results are detached pieces."""
    maker = Maker().open()
    for position in (1, 2):
        maker.call(position, "read", {"n": position}, made.detached(b"content %d" % position))
    return maker.close(made.detached(b"the answer"))


def base_of(name: str) -> list[Value]:
    """Return the lines that an attack is made on."""
    maker = made.on_the_wire() if name in ON_THE_WIRE else made.imported(CALLS)
    if name in WITH_PIECES:
        maker = with_pieces()
    return made.apart(maker.bundle())


def _call(values: list[Value], number: int) -> Value:
    return made.of_kind(values, "call")[number - 1]


def _without(values: list[Value], gone: Value) -> list[Value]:
    return [value for value in values if value is not gone]


def _behind(values: list[Value], place: Value, new: Value) -> list[Value]:
    at = next(number for number, value in enumerate(values) if value is place)
    return [*values[: at + 1], new, *values[at + 1 :]]


def _exchanged(values: list[Value], one: Value, other: Value) -> list[Value]:
    places = {id(one): other, id(other): one}
    return [places.get(id(value), value) for value in values]


# One receipt.


def _amount(committed: Value) -> None:
    committed["outputs"]["result"] = made.as_piece({"total": 99}).described


def an_amount_edited(values: list[Value]) -> list[Value]:
    made.edited(_call(values, 2), _amount, mended=False)
    return values


def an_amount_edited_and_its_digest_mended(values: list[Value]) -> list[Value]:
    made.edited(_call(values, 2), _amount)
    return values


def the_last_amount_edited_and_its_digest_mended(values: list[Value]) -> list[Value]:
    made.edited(_call(values, CALLS), _amount)
    return values


def the_answer_edited_and_its_digest_mended(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["outputs"]["result"] = made.as_piece(b"gone").described

    made.edited(made.of_kind(values, "close")[0], change)
    return values


def an_inline_result_edited(values: list[Value]) -> list[Value]:
    """The content of an inline piece is another, its digest stays; all around it is mended."""

    def change(committed: Value) -> None:
        committed["outputs"]["result"]["b64"] = made.as_piece({"total": 99}).described["b64"]

    made.edited(_call(values, 2), change)
    return values


def an_outer_time_changed(values: list[Value]) -> list[Value]:
    _call(values, 2)["payload"]["created_at"] = "2026-11-30T09:00:59.000Z"
    return values


def an_outer_tool_renamed(values: list[Value]) -> list[Value]:
    _call(values, 2)["payload"]["tool"]["name"] = "other"
    return values


def an_outer_id_changed(values: list[Value]) -> list[Value]:
    _call(values, 2)["payload"]["id"] = "00000000-0000-4000-8000-000000000000"
    return values


def a_committed_time_changed_and_mended(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["timing"]["started_at"] = "2026-11-30T08:00:00.000Z"

    made.edited(_call(values, 2), change)
    return values


# The order of receipts.


def a_call_dropped(values: list[Value]) -> list[Value]:
    return _without(values, _call(values, 2))


def a_call_dropped_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(a_call_dropped(values))


def the_last_call_dropped_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, _call(values, CALLS)))


def two_calls_swapped(values: list[Value]) -> list[Value]:
    return _exchanged(values, _call(values, 2), _call(values, 3))


def two_calls_swapped_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(two_calls_swapped(values))


def _forged(values: list[Value], number: int, receipt_id: str | None = None) -> Value:
    """Return a receipt that says it is the one of that number, with an id of its own."""
    forged = made.twin(_call(values, number))

    def change(committed: Value) -> None:
        committed["binding"]["receipt_id"] = forged["payload"]["id"]
        _amount(committed)

    forged["payload"]["id"] = receipt_id or "11111111-1111-4111-8111-111111111111"
    made.edited(forged, change)
    return forged


def a_call_inserted(values: list[Value]) -> list[Value]:
    """A new receipt behind the second, which says that it is the third."""
    return made.renumbered(_behind(values, _call(values, 2), _forged(values, 3)))


def a_fork(values: list[Value]) -> list[Value]:
    """Two receipts of one seq, the second of which nobody followed."""
    return made.renumbered(_behind(values, _call(values, 3), _forged(values, 3)))


def a_receipt_twice(values: list[Value]) -> list[Value]:
    place = _call(values, 2)
    return made.renumbered(_behind(values, place, made.twin(place)))


def an_id_twice(values: list[Value]) -> list[Value]:
    """The third receipt has the id of the second, and says so inside and outside."""
    forged = _forged(values, 3, _call(values, 2)["payload"]["id"])
    place = _call(values, 3)
    return [forged if value is place else value for value in values]


def a_receipt_of_another_run(values: list[Value]) -> list[Value]:
    other = made.imported(CALLS, seed="other", run=made.RUN.replace("0001", "0002"))
    spliced = _call(made.apart(other.bundle()), 2)
    spliced["entry"] = 2
    place = _call(values, 2)
    return [spliced if value is place else value for value in values]


# Entries that no chain covers.


def the_model_changed(values: list[Value]) -> list[Value]:
    made.of_kind(values, "open")[0]["payload"]["agent"]["model"] = "model-2"
    return values


def a_salt_changed(values: list[Value]) -> list[Value]:
    made.of_kind(values, "open")[0]["salt"] = "ab" * 32
    return values


def a_gap_dropped(values: list[Value]) -> list[Value]:
    return _without(values, made.of_kind(values, "gap")[0])


def a_gap_dropped_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(a_gap_dropped(values))


def an_observation_dropped(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, made.of_kind(values, "observe")[0]))


def an_unfinished_intent_removed(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, _intent(values, 3)))


def an_intent_of_a_call_removed(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, _intent(values, 4)))


def an_intents_arguments_edited(values: list[Value]) -> list[Value]:
    _intent(values, 4)["payload"]["args"] = made.as_piece({"q": 5}).described
    return values


def the_position_of_another(values: list[Value]) -> list[Value]:
    """The receipt of the fourth call says that it is the outcome of the second."""

    def change(committed: Value) -> None:
        committed["binding"]["position"] = 2

    made.edited(_call(values, 3), change)
    return values


def _intent(values: list[Value], position: int) -> Value:
    return next(
        value for value in made.of_kind(values, "start") if value["payload"]["position"] == position
    )


def an_entry_behind_the_close(values: list[Value]) -> list[Value]:
    place = made.of_kind(values, "close")[0]
    return made.renumbered(_behind(values, place, _forged(values, CALLS)))


def a_gap_behind_the_close(values: list[Value]) -> list[Value]:
    gap = made.of_kind(base_of("a_gap_dropped"), "gap")[0]
    return made.renumbered(_behind(values, made.of_kind(values, "close")[0], gap))


# Pieces.


def pieces_swapped(values: list[Value]) -> list[Value]:
    """The content of two pieces is exchanged under their digests."""
    one, other = [value for value in values if "piece" in value][:2]
    one["b64"], other["b64"] = other["b64"], one["b64"]
    return values


def a_piece_left_out(values: list[Value]) -> list[Value]:
    return _without(values, next(value for value in values if "piece" in value))


def a_piece_cut_short(values: list[Value]) -> list[Value]:
    next(value for value in values if "piece" in value)["b64"] = "Y29udGVudA=="
    return values


# The end.


def the_tail_cut(values: list[Value]) -> list[Value]:
    """The last two calls are gone, the close, and all that stands behind it."""
    return values[: values.index(_call(values, CALLS - 1))]


def closed_again(calls: int = 2) -> list[Value]:
    """Return the run with fewer calls, closed by the same program as if no more had come."""
    return made.apart(made.imported(calls).bundle())


def a_step_renamed(values: list[Value]) -> list[Value]:
    values[_steps(values)[1]]["step"]["tool"] = "other"
    return values


def a_steps_time_changed(values: list[Value]) -> list[Value]:
    values[_steps(values)[1]]["step"]["ended_at"] = "2026-11-30T09:00:59.000Z"
    return values


def a_step_dropped(values: list[Value]) -> list[Value]:
    return _without(values, values[_steps(values)[1]])


def _steps(values: list[Value]) -> list[int]:
    return [number for number, value in enumerate(values) if "step" in value]


def _line(values: list[Value], kind: str) -> Any:
    return next(value[kind] for value in values if kind in value)


def the_root_replaced(values: list[Value]) -> list[Value]:
    _line(values, "workflow")["merkle_root"] = "ab" * 32
    return values


def the_goal_replaced(values: list[Value]) -> list[Value]:
    _line(values, "workflow")["goal"] = "another"
    return values


def the_workflow_dropped(values: list[Value]) -> list[Value]:
    return [value for value in values if "workflow" not in value]


def the_commitment_replaced(values: list[Value]) -> list[Value]:
    _line(values, "commitment")["final_entry_digest"] = "ab" * 32
    return values


def the_commitment_dropped(values: list[Value]) -> list[Value]:
    return [value for value in values if "commitment" not in value]


def the_close_dropped(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, made.of_kind(values, "close")[0]))


def the_close_edited(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["close"]["goal"] = "another"

    made.edited(made.of_kind(values, "close")[0], change, mended=False)
    return values


def a_member_put_into_the_close(values: list[Value]) -> list[Value]:
    made.of_kind(values, "close")[0]["payload"]["note"] = "seen by nobody"
    return values


def the_close_given_a_position(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["binding"]["position"] = 9

    made.edited(made.of_kind(values, "close")[0], change)
    return values


def the_open_dropped(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, made.of_kind(values, "open")[0]))


def a_piece_of_another_length(values: list[Value]) -> list[Value]:
    """Let the close refer to a piece that an earlier receipt had, with a length it has not."""
    earlier = made.committed_of(_call(values, 1))["outputs"]["result"]

    def change(committed: Value) -> None:
        committed["outputs"]["result"] = {**earlier, "length": earlier["length"] + 1}

    close = made.of_kind(values, "close")[0]
    answer = made.committed_of(close)["outputs"]["result"]["digest"]
    made.edited(close, change)
    return [value for value in values if value.get("piece") != answer]


def two_receipts_swapped_on_the_wire(values: list[Value]) -> list[Value]:
    return _exchanged(values, _call(values, 2), _call(values, 3))


def an_intent_behind_its_receipt(values: list[Value]) -> list[Value]:
    return made.renumbered(_exchanged(values, _intent(values, 4), _call(values, 3)))


def the_open_of_the_wire_dropped(values: list[Value]) -> list[Value]:
    return made.renumbered(_without(values, made.of_kind(values, "open")[0]))


def a_call_that_calls_itself_the_close(values: list[Value]) -> list[Value]:
    receipt = _call(values, 2)["payload"]
    receipt["tool"] = {**receipt["tool"], "name": "toolreplay.close"}
    receipt["canonical_bytes"] = "!" + receipt["canonical_bytes"][1:]
    return values


def other_bytes_under_an_id(values: list[Value]) -> list[Value]:
    """Put a receipt of another content with the id and seq of one behind it in front of that."""
    honest = _call(values, 3)
    return _behind(values, _call(values, 2), _forged(values, 3, honest["payload"]["id"]))
