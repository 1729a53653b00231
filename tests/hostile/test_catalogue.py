"""The tamper catalogue of docs/security.md: each row is done to a store, and seen where it says."""

import os
import pathlib
import re
import shutil
import unittest
from base64 import b64encode

from tests.stores.recording import OTHER_RUN, RUN, Recorded, place, record
from tests.stores.test_forgery import Auditor, exported
from tests.stores.test_sqlite_checking import change_leaf
from tests.stores.verifying import findings_in, line_of, results_of
from toolreplay.evidence.bundle.lines import end_line
from toolreplay.evidence.digest import hex_of
from toolreplay.evidence.record import Asked
from toolreplay.evidence.signatures.sign import sign_note
from toolreplay.evidence.signatures.throwaway import throwaway_signer
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.evidence.tlog.note import vkey_text
from toolreplay.evidence.tlog.policy import parse_policy
from toolreplay.evidence.tlog.standing import Trust
from toolreplay.findings.check import NOT_CHECKED
from toolreplay.stores.sqlite.opening import open_store
from toolreplay.stores.sqlite.publishing import SigningKey

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "security.md"
LEVELS = ("alone", "key", "memory", "witness")


def rows() -> dict[str, list[str]]:
    """Return the rows of the page's table: the attack, and what each level says."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("| attack | alone | key |") :].split("\n\n")[0].splitlines()[2:]
    found = {}
    for line in table:
        attack, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        found[attack] = cells
    return found


class Case:
    """A log that an auditor has seen, and what then becomes of it; `there` is what is judged."""

    def __init__(self, test: unittest.TestCase, *, is_signed: bool = True) -> None:
        self.test = test
        self.there = test.enterContext(place(is_signed=is_signed))
        with self.there.open() as store:
            record(store, RUN, calls=3)
            record(store, OTHER_RUN, calls=3)
        self.auditor = Auditor(self.there)
        self.auditor.look(self.there.path)
        self.name = self.there.path

    def forge(self) -> None:
        """Put another log of this name in its place: other calls, everything else as it must be."""
        self.there = self.test.enterContext(place())
        with self.there.open() as store:
            record(store, RUN, calls=4)
            record(store, OTHER_RUN, calls=3)
        self.name = self.there.path

    def commit(self, index: int) -> str:
        """Return the commitment of a leaf, as SQL spells it."""
        ((data,),) = self.there.sql(f"select bytes from leaf where idx = {index}")
        return f"x'{parse_leaf(data).commit.hex()}'"

    def bundle_with(self, note: bytes) -> None:
        """Export the run, and put another head into the bundle, with a new end line."""
        self.name = exported(self.there)
        with open(self.name, "rb") as file:
            *lines, head, _ = file.read().splitlines(keepends=True)
        self.test.assertTrue(head.startswith(b'{"checkpoint_b64"'))
        lines.append(b'{"checkpoint_b64":"%b"}\n' % b64encode(note))
        whole = b"".join(lines)
        with open(self.name, "wb") as file:
            file.write(whole + end_line(len(lines), hex_of(whole)))


def edited(case: Case, which: str) -> None:
    commit = case.commit(2)
    statement = {
        "payload": f"update payload set bytes = cast(bytes || x'20' as blob) where commit_hash = {commit}",
        "salt": f"update payload set salt = zeroblob(32) where commit_hash = {commit}",
        "leaf": "update leaf set bytes = cast(bytes || x'20' as blob) where idx = 2",
        "head": "update checkpoint set note = cast(replace(note, 'log', 'lug') as blob)",
    }[which]
    case.there.sql(statement, checked=False)


def reordered(case: Case, which: str) -> None:
    statements = {
        "dropped": ["delete from leaf where idx = 3"],
        "exchanged": [
            "update leaf set idx = 99 where idx = 3", "update leaf set idx = 3 where idx = 4",
            "update leaf set idx = 4 where idx = 99",
        ],
        "doubled": [
            "update leaf set idx = -idx where idx > 2", "update leaf set idx = -idx + 1 where idx < 0",
            "insert into leaf select 3, bytes, hash from leaf where idx = 2",
        ],
    }[which]  # fmt: skip
    case.there.sql(*statements, checked=False)


def put_in(case: Case, which: str) -> None:
    if which == "log":
        change_leaf(case.there, 3, log="example.invalid/other")
    else:
        change_leaf(case.there, 3, run=OTHER_RUN)


def taken(case: Case, which: str) -> None:
    case.there.sql(f"delete from payload where commit_hash = {case.commit(2)}")


def cut(case: Case, which: str) -> None:
    case.there.sql("delete from leaf where idx > 9", checked=False)


def older_head(case: Case, which: str) -> None:
    note = case.there.sql("select note from checkpoint where size = 8")[0][0]
    case.bundle_with(note)


def unsigned_rebuild(case: Case, which: str) -> None:
    """Whoever has no key signs with one of their own, or damages the signature that was there."""
    case.forge()
    note = case.there.sql("select note from checkpoint order by size desc")[0][0]
    if which == "own":
        other = throwaway_signer(case.auditor.key.name, bytes([9]) * 32)
        text = note[: note.rindex(b"\n\n") + 1]
        case.bundle_with(sign_note(text, other))
    else:
        line = note[note.rindex(b"\n\n") + 2 :]
        encoded = bytearray(line)
        encoded[-6] = ord("A") if encoded[-6] != ord("A") else ord("B")
        case.bundle_with(note[: note.rindex(b"\n\n") + 2] + bytes(encoded))


def rebuilt(case: Case, which: str) -> None:
    case.forge()


def backup(case: Case, which: str) -> None:
    there = case.there
    shutil.copy(there.path, there.path + ".backup")
    with there.open() as store:
        record(store, RUN.replace("01a2", "01a3"))
    case.auditor.look(there.path)
    os.replace(there.path + ".backup", there.path)


def cut_with_heads(case: Case, which: str) -> None:
    case.there.sql(
        "delete from leaf where idx > 7", "delete from checkpoint where size > 8", checked=False
    )


def new_store(case: Case, which: str) -> None:
    case.there = case.test.enterContext(place())
    with case.there.open() as store:
        record(store, RUN, calls=1 if which == "shorter" else 9)
    case.name = case.there.path


def cut_behind(case: Case, which: str) -> None:
    with case.there.open() as store:
        Recorded(store, RUN.replace("01a2", "01a3")).open().gap()
        store.close = store._connection.close  # type: ignore[method-assign] - it was killed
    case.there.sql("delete from leaf where idx > 15", checked=False)


def put_behind(case: Case, which: str) -> None:
    """Whoever can write the file appends a run, and has no key."""
    with open_store(case.there.path, None, clock=case.there.clock) as store:
        record(store, RUN.replace("01a2", "01a3"))


def unsigned_cut(case: Case, which: str) -> None:
    case.there.sql("delete from leaf where idx > 7", checked=False)


def nothing(case: Case, which: str) -> None:
    """What was never recorded is nowhere."""


ATTACKS = {
    "a byte of a payload, salt, piece, leaf or head edited": (
        edited,
        ["payload", "salt", "leaf", "head"],
    ),
    "an entry dropped, put in, exchanged, doubled": (
        reordered,
        ["dropped", "exchanged", "doubled"],
    ),
    "an entry of another run or log put in; a run renamed": (put_in, ["log", "run"]),
    "a payload or piece taken away without an `erase` entry": (taken, [""]),
    "entries cut behind a head that is still there": (cut, [""]),
    "an older head put into a bundle": (older_head, [""]),
    "all hashes made anew, without the key": (unsigned_rebuild, ["own", "damaged"]),
    "another key in its place": (unsigned_rebuild, ["own"]),
    "all hashes and signatures made anew with the key": (rebuilt, [""]),
    "two histories for two readers": (rebuilt, [""]),
    "a backup put back": (backup, [""]),
    "the tail cut together with its heads": (cut_with_heads, [""]),
    "a new store under the same key": (new_store, ["shorter", "longer"]),
    "entries behind the last head cut": (cut_behind, [""]),
    "entries put in behind the last head": (put_behind, [""]),
    "an unsigned store cut or written anew": (unsigned_cut, [""]),
    "never recorded": (nothing, [""]),
}


class EachRow(unittest.TestCase):
    """Decided by us: the page says no more, and no less, than what is found."""

    def test_the_page_has_these_rows(self) -> None:
        self.assertEqual(list(rows()), list(ATTACKS))

    def test_what_is_seen_is_seen_at_the_level_it_says(self) -> None:
        for attack, cells in rows().items():
            act, ways = ATTACKS[attack]
            named: set[str] = set()
            level = next(
                (at for at, cell in enumerate(cells[:3]) if cell and not cell.startswith("no")),
                None,
            )
            wanted = set(re.findall("`([a-z-]+)`", cells[level])) if level is not None else set()
            for way in ways:
                with self.subTest(attack, way=way):
                    case = Case(self, is_signed="unsigned" not in attack)
                    act(case, way)
                    own = case.auditor
                    asked = [Asked(), Asked(trust=Trust((own.key,), None, None)), own.asked()]
                    for at, one in enumerate(asked):
                        found = {kind for kind, _ in findings_in(case.name, one)}
                        if level is None or at < level:
                            self.assertEqual(found, set(), LEVELS[at])
                        else:
                            self.assertTrue(found & wanted, (LEVELS[at], found))
                            named |= found & wanted
            if len(ways) > 1 or len(wanted) == 1:
                self.assertEqual(named, wanted, attack)

    def test_a_witness_has_not_signed_the_other_history(self) -> None:
        witness = throwaway_signer("example.invalid/witness", bytes([7]) * 32)
        for attack, cells in rows().items():
            if cells[3] != "yes":
                continue
            act, ways = ATTACKS[attack]
            with self.subTest(attack):
                case = Case(self)
                key = case.auditor.key
                lines = [
                    f"log {vkey_text(key.name, key.kind, key.public)}",
                    f"witness w {vkey_text(witness.name, 4, witness.key.public)}", "quorum w",
                ]  # fmt: skip
                policy = parse_policy("\n".join([*lines, ""]).encode(), "policy")
                act(case, ways[0])
                log = results_of(case.name, Asked(trust=Trust((), policy, None)))[0]
                self.assertEqual(line_of(log, "time").result, NOT_CHECKED)
                standing = log.run.evidence.standing()
                self.assertIn("time", standing.required)

    def test_of_a_run_behind_the_last_head_nobody_is_said_to_have_signed_it(self) -> None:
        case = Case(self)
        put_behind(case, "")
        *_, last = results_of(case.name, case.auditor.asked())
        for line in ("signer", "log"):
            self.assertEqual(line_of(last, line).result, NOT_CHECKED)


class TheKeyOfAnotherStore(unittest.TestCase):
    """Decided by us: a store that names another key as its own is judged by the key that was given."""

    def test_it_is_an_unknown_signer(self) -> None:
        with place() as there:
            other = throwaway_signer(there.signer.name, bytes([5]) * 32)
            honest = Auditor(there)
            there.sql(
                f"update meta set value = '{vkey_text(other.name, 1, other.key.public)}' where name = 'signer'"
            )
            there.key = SigningKey(other, there.head_path)
            with there.open() as store:
                record(store)
            kinds = [kind for kind, _ in findings_in(there.path, honest.asked())]
            self.assertEqual(set(kinds), {"unknown-signer"})


if __name__ == "__main__":
    unittest.main()
