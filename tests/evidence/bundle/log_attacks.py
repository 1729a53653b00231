"""Changes that somebody who holds the bundle of a run in a log could make to it.

An attack takes the lines of a sound bundle, without the end line, and returns others. Each is made
on a run of four calls on the wire that stands in a log between leaves of others (`base`).
"""

import base64
import functools
import json
from collections.abc import Callable
from typing import Any

from tests.evidence.bundle import made
from tests.evidence.bundle.in_a_log import Log, other_run
from tests.evidence.bundle.made import Value

__all__ = ["base", "base_log", "leaf_of"]

_OTHER = "ab" * 32


def base_log() -> tuple[Log, made.Maker]:
    """Return a log of two runs and other leaves, and the first of the runs."""
    maker = made.on_the_wire()
    return Log().filled(3).take(maker, other_run()).filled(2), maker


@functools.cache
def _data() -> bytes:
    log, maker = base_log()
    return log.bundle(maker, since=[4, 8])


def base() -> list[Value]:
    """Return the lines that an attack is made on."""
    return made.apart(_data())


def leaf_of(value: Value) -> Value:
    """Return what the leaf of an entry line says."""
    found: Value = json.loads(base64.b64decode(value["leaf_b64"]).split(b"\n")[1])
    return found


def _entry(values: list[Value], number: int) -> Value:
    return made.entries_of(values)[number]


def _edit_leaf(values: list[Value], number: int, **members: Any) -> list[Value]:
    line = _entry(values, number)
    leaf = {**leaf_of(line), **members}
    data = b"toolreplay/entry/v1\n" + made.form(leaf) + b"\n"
    line["leaf_b64"] = base64.b64encode(data).decode()
    return values


def _edit(values: list[Value], kind: str, change: Callable[[Value], object]) -> list[Value]:
    (line,) = [value for value in values if kind in value]
    change(line[kind])
    return values


def _spliced(values: list[Value], log: Log, maker: made.Maker, number: int) -> list[Value]:
    """Put an entry of another run in the place of one, under its number."""
    other = made.entries_of(made.apart(log.bundle(maker)))[number]
    place = _entry(values, number)
    return [other if value is place else value for value in values]


# An entry.


def a_gap_edited(values: list[Value]) -> list[Value]:
    made.of_kind(values, "gap")[0]["payload"]["reason"] = "nothing of importance"
    return values


def a_receipt_edited_and_its_digest_mended(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["outputs"]["result"] = made.as_piece({"total": 99}).described

    made.edited(made.of_kind(values, "call")[1], change)
    return values


def the_close_edited_and_its_digest_mended(values: list[Value]) -> list[Value]:
    def change(committed: Value) -> None:
        committed["close"]["goal"] = "another"

    made.edited(made.of_kind(values, "close")[0], change)
    return values


def a_salt_changed(values: list[Value]) -> list[Value]:
    _entry(values, 0)["salt"] = _OTHER
    return values


def the_salt_of_the_close_changed(values: list[Value]) -> list[Value]:
    made.of_kind(values, "close")[0]["salt"] = _OTHER
    return values


def two_salts_swapped(values: list[Value]) -> list[Value]:
    one, other = _entry(values, 0), _entry(values, 3)
    one["salt"], other["salt"] = other["salt"], one["salt"]
    return values


def a_gap_dropped(values: list[Value]) -> list[Value]:
    gap = made.of_kind(values, "gap")[0]
    return [value for value in values if value is not gap]


def a_gap_dropped_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(a_gap_dropped(values))


def a_receipt_dropped_and_renumbered(values: list[Value]) -> list[Value]:
    gone = made.of_kind(values, "call")[1]
    return made.renumbered([value for value in values if value is not gone])


def two_entries_exchanged(values: list[Value]) -> list[Value]:
    one, other = _entry(values, 2), _entry(values, 3)
    places = {id(one): other, id(other): one}
    return [places.get(id(value), value) for value in values]


def two_entries_exchanged_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(two_entries_exchanged(values))


def a_gap_twice(values: list[Value]) -> list[Value]:
    gap = made.of_kind(values, "gap")[0]
    at = next(number for number, value in enumerate(values) if value is gap)
    return [*values[:at], made.twin(gap), *values[at:]]


def a_gap_twice_and_renumbered(values: list[Value]) -> list[Value]:
    return made.renumbered(a_gap_twice(values))


def the_number_of_an_entry_changed(values: list[Value]) -> list[Value]:
    """The last entry says that it is the next but one."""
    _entry(values, -1)["entry"] += 1
    return values


def an_entry_of_another_run(values: list[Value]) -> list[Value]:
    """A gap of a run beside it in the same log takes the place of the gap."""
    run = made.RUN.replace("0001", "0003")
    maker = made.Maker("mcp-wire", seed="third", run=run).open().start(1, "t").start(2, "u").gap()
    log, _ = base_log()
    return _spliced(values, log.take(maker), maker, 3)


def an_entry_of_another_log(values: list[Value]) -> list[Value]:
    """The same run stands in another log too, and the gap comes with its leaf there."""
    maker = made.on_the_wire()
    return _spliced(values, Log("log.example/other").filled(3).take(maker), maker, 3)


# A leaf.


def a_leaf_that_is_none(values: list[Value]) -> list[Value]:
    _entry(values, 3)["leaf_b64"] = base64.b64encode(b"leaf").decode()
    return values


def the_time_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, at=1)


def the_time_of_the_last_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, -1, at=1)


def the_kind_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, kind="observe")


def the_log_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, log="log.example/other")


def the_run_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, run="other")


def the_prev_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, prev=_OTHER)


def the_prev_of_the_first_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 0, prev=_OTHER)


def the_commit_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, commit=_OTHER)


def the_size_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    return _edit_leaf(values, 3, size=7)


def the_place_of_a_leaf_changed(values: list[Value]) -> list[Value]:
    """The leaf of the fourth entry says that it is the third, which stands there already."""
    return _edit_leaf(values, 3, seq=2)


def a_payload_edited_and_its_leaf_with_it(values: list[Value]) -> list[Value]:
    """Whoever mends the leaf too breaks its path."""
    line = made.of_kind(values, "gap")[0]
    line["payload"]["reason"] = "nothing of importance"
    payload = made.form(line["payload"])
    data = b"toolreplay/commit/v1\n" + bytes.fromhex(line["salt"]) + payload
    commit = made.hashlib.sha256(data).hexdigest()
    return _edit_leaf(values, line["entry"], commit=commit, size=len(payload))


# A path.


def a_hash_of_a_path_changed(values: list[Value]) -> list[Value]:
    _entry(values, 3)["path"][1] = _OTHER
    return values


def a_path_cut_short(values: list[Value]) -> list[Value]:
    _entry(values, 3)["path"].pop()
    return values


def a_path_of_another_size(values: list[Value]) -> list[Value]:
    log, maker = base_log()
    path = log.logged(maker.head.run, 3, log.size - 2).path
    _entry(values, 3)["path"] = [one.hex() for one in path]
    return values


def the_paths_of_two_entries_swapped(values: list[Value]) -> list[Value]:
    one, other = _entry(values, 2), _entry(values, 5)
    one["path"], other["path"] = other["path"], one["path"]
    return values


def an_index_changed(values: list[Value]) -> list[Value]:
    _entry(values, 3)["index"] += 1
    return values


def every_path_changed(values: list[Value]) -> list[Value]:
    for number, value in enumerate(made.entries_of(values)):
        value["path"][0] = f"{number:064x}"
    return values


def a_consistency_path_changed(values: list[Value]) -> list[Value]:
    next(value for value in values if "consistency" in value)["consistency"]["path"][0] = _OTHER
    return values


# The head.


def the_size_of_the_log_changed(values: list[Value]) -> list[Value]:
    values[0]["size"] += 1
    return values


def the_origin_of_the_head_changed(values: list[Value]) -> list[Value]:
    return _edit(values, "head", lambda head: head.update(origin="log.example/other"))


def the_size_of_the_head_changed(values: list[Value]) -> list[Value]:
    return _edit(values, "head", lambda head: head.update(size=head["size"] + 1))


def the_root_of_the_head_changed(values: list[Value]) -> list[Value]:
    return _edit(values, "head", lambda head: head.update(root=_OTHER))


def an_older_head_put_in(values: list[Value]) -> list[Value]:
    log, _ = base_log()
    older = log.head(8)
    return _edit(values, "head", lambda head: head.update(size=8, root=older.root.hex()))


def the_head_dropped(values: list[Value]) -> list[Value]:
    return [value for value in values if "head" not in value]
