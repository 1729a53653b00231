"""The entries of one run in their log: each leaf, its place, and the one root all paths lead to.

A leaf commits to its payload, and names its log, its run, its place in the run and the leaf before
it; its path leads to the root of the log. A cause is reported once: who edits a leaf breaks its
path and the link of the leaf behind it, and is found as what was edited. Checked are leaves
(evidence/tlog/leaf.py), audit paths (RFC 9162 section 2.1.3.2) and consistency paths with their seed
(section 2.1.4.2). `at` is the recorder's claim, which nothing here compares.
"""

from collections.abc import Iterator
from typing import NamedTuple

from toolreplay.evidence.bundle.line_members import decoded
from toolreplay.evidence.bundle.lines import BundleLine
from toolreplay.evidence.bundle.roots import Roots
from toolreplay.evidence.record import Asked, Fault
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.leaf import FIRST_PREV, Leaf, LeafError, parse_leaf
from toolreplay.evidence.tlog.merkle import folded_pair, folded_root, leaf_hash
from toolreplay.evidence.tlog.note import NOTE_BYTES, Note, parse_note
from toolreplay.evidence.tlog.standing import Shown, Standing, Trust, standing_of

__all__ = ["InLog"]

_MOST_NAMED = 20
_MOST_FAULTED = 10_000
"""Entries with a fault of their own that are remembered, so that it is not reported twice."""


class _Taken(NamedTuple):
    """An entry whose leaf could be read and is of this run."""

    entry: int
    hashed: bytes
    index: int  # type: ignore[assignment]  # a field, not the tuple's method
    root: bytes | None


class _Suspected(NamedTuple):
    """A leaf that does not follow the one before it: of one of both the path may be broken too."""

    fault: Fault
    before: bytes | None
    root: bytes | None
    number: int


class InLog:
    """Takes the entries of a run, and then the lines about the head of its log.

    `head` is what the checkpoint or head line says; `note` is the signed note, None for a head
    line.
    """

    def __init__(self, run: str, origin: str, size: int) -> None:
        self.origin, self.size = origin, size
        self.head: Checkpoint | None = None
        self.note: Note | None = None
        self.consistency: dict[int, list[bytes]] = {}
        self._run = run
        self._roots = Roots()
        self._last: _Taken | None = None
        self._leaf: Leaf | None = None
        self._fault: Fault | None = None
        self._number = 0
        self._last_index = -1
        self._faulted: set[int] = set()
        self._strangers: set[str] = set()
        self._suspected: list[_Suspected] = []
        self._renumbered: tuple[int, int] | None = None
        self._wanted: bytes | None = None
        self._misfit = ""
        self._is_broken = False

    def take(self, line: BundleLine, commit: bytes) -> int:
        """Take the line of an entry with the commitment to its payload; return its place in the run.

        That is what its leaf says, where this is a leaf of the run, else the number of the line.
        """
        logged, number = line.logged, int(line.value["entry"])
        assert logged is not None
        self._number, self._leaf, self._fault = number, None, None
        hashed = leaf_hash(logged.leaf)
        self._last_index = max(self._last_index, logged.index)
        root = folded_root(hashed, logged.index, self.size, logged.path)
        try:
            leaf = parse_leaf(logged.leaf)
        except LeafError as error:
            self._note("broken-commitment", f"its leaf cannot be read: {error}", "leaf")
            leaf = None
        if leaf is None or (leaf.log, leaf.run) != (self.origin, self._run):
            if leaf is not None:
                self._note_stranger(leaf)
            self._last = None
            self._roots.add(root, number)
            return number
        entry, last = leaf.entry, self._last
        if last is not None and leaf.prev == last.hashed:
            entry = last.entry + 1  # it follows the last one, whatever place it says it has
        if number != entry and self._renumbered is None:
            self._renumbered = number, entry
        self._number, self._leaf = entry, leaf
        self._roots.add(root, entry)
        if leaf.commit != commit:
            text = "its payload and salt are not what its leaf commits to"
            if line.payload is None:
                text = "it was erased, and its commitment is not that of its leaf"
            self._note("broken-commitment", text, "leaf")
        elif line.payload is not None and len(line.payload) != leaf.size:
            text = f"its leaf says {leaf.size} bytes, its payload has {len(line.payload)}"
            self._note("broken-commitment", text, "leaf")
        elif leaf.entry != entry:
            text = f"its leaf says that it is entry {leaf.entry}, and follows entry {entry - 1}"
            self._note("broken-link", text, "seq")
        self._follow(leaf.prev, _Taken(entry, hashed, logged.index, root))
        return entry

    def _note_stranger(self, leaf: Leaf) -> None:
        """Take a leaf of another log or run; of each of these the first is named."""
        text = f"its leaf is of another run ({leaf.run})"
        if leaf.log != self.origin:
            text = f"its leaf is of another log ({leaf.log[:100]})"
        self._note("broken-link", text, "log" if leaf.log != self.origin else "run")
        if text in self._strangers:
            self._fault = None
        elif len(self._strangers) < _MOST_NAMED:
            self._strangers.add(text)

    def _follow(self, prev: bytes, taken: _Taken) -> None:
        """Compare with the leaf before it, where that is the one it must follow."""
        last, text, before = self._last, "", taken.root
        if taken.entry == 0:
            if prev != FIRST_PREV:
                text = "it is the first of its run, and its leaf names one before it"
        elif last is not None and taken.entry == last.entry + 1 and prev != last.hashed:
            text, before = "its leaf does not name the leaf of the entry before it", last.root
        if not text and last is not None and taken.entry > last.entry and taken.index <= last.index:
            text, before = "it stands in the log before the entry that it follows", last.root
        if text and len(self._suspected) < _MOST_NAMED:
            fault = Fault("broken-link", f"entry {taken.entry}: {text}", taken.entry)
            self._suspected.append(_Suspected(fault, before, taken.root, taken.entry))
        self._last = taken

    def _note(self, kind: str, text: str, subject: str) -> None:
        self._fault = Fault(kind, f"entry {self._number}: {text}", subject)
        if len(self._faulted) < _MOST_FAULTED:
            self._faulted.add(self._number)

    @property
    def kind_of_last(self) -> str | None:
        """The kind of the entry taken last, as its leaf says; None where that is in doubt."""
        return None if self._leaf is None or self._fault is not None else self._leaf.kind

    def faults_of_last(self, kind: str | None) -> list[Fault]:
        """Return what is wrong with the leaf of the entry taken last; `kind` is its payload's.

        None where the payload does not say, or is gone.
        """
        leaf = self._leaf
        if self._fault is None and leaf is not None and kind not in (None, leaf.kind):
            text = f"its leaf is of the kind {leaf.kind}, its payload of the kind {kind}"
            self._note("broken-link", text, "kind")
        return [] if self._fault is None else [self._fault]

    def take_line(self, line: BundleLine) -> None:
        """Take a consistency, checkpoint or head line. Raises InputError for what is no note."""
        where = f"line {line.number}"
        if line.kind == "consistency":
            value = line.value["consistency"]
            self.consistency[value["from"]] = [bytes.fromhex(one) for one in value["path"]]
        elif line.kind == "head":
            value = line.value["head"]
            self.head = Checkpoint(value["origin"], value["size"], bytes.fromhex(value["root"]))
        else:
            data = decoded(line.value["checkpoint_b64"], NOTE_BYTES, "checkpoint_b64")
            self.note = parse_note(data, where)
            self.head = parse_checkpoint(self.note.text, where)

    # The end.

    def faults(self, *, is_cut: bool, is_doubted: bool) -> Iterator[Fault]:
        """Yield what does not hold of links, paths and head, behind the last line.

        Of a file that was cut (`is_cut`) nothing is said about a head that may have stood there.
        Where entries are missing or moved (`is_doubted`) their numbers are others than their leaves
        say, which is no second cause.
        """
        if self._renumbered is not None and not is_doubted:
            number, entry = self._renumbered
            text = f"the line of entry {number} has the leaf of entry {entry}"
            yield Fault("broken-link", text, entry)
        mismatch = self._mismatch(is_cut=is_cut)
        if mismatch is not None:
            self._misfit = mismatch.detail
            yield mismatch
        yield from self._link_faults()
        if mismatch is None or self._roots.usual is not None:
            yield from self._inclusion_faults()
        if mismatch is None:
            yield from self._consistency_faults()

    def _mismatch(self, *, is_cut: bool) -> Fault | None:
        """Find which root is the right one; return how the head contradicts the entries, if so."""
        head, usual, text, subject = self.head, self._roots.usual, "", "head"
        self._wanted = usual
        if head is None:
            if not is_cut:
                text = "the run is of a log, and neither checkpoint nor head of it stands here"
        elif head.origin != self.origin:
            text, subject = f"the head is that of another log ({head.origin[:100]})", "origin"
        elif head.size != self.size:
            text = f"the head is that of size {head.size}, the paths are those of size {self.size}"
            subject = "size"
        elif head.root in self._roots or not self._roots.entries:
            self._wanted = head.root
        elif usual is not None:
            text = f"the entries lead to the root {usual.hex()}, the head has {head.root.hex()}"
            subject = "root"
        return Fault("head-mismatch", text, subject) if text else None

    def _link_faults(self) -> Iterator[Fault]:
        """Yield the links that are broken themselves, and not by an edit of one of their leaves."""
        for one in self._suspected:
            if one.number in self._faulted:
                continue
            if one.root == self._wanted and one.before != self._wanted:
                continue  # the leaf before it was edited, which its path says
            self._faulted.add(one.number)
            yield one.fault

    def _inclusion_faults(self) -> Iterator[Fault]:
        """Yield the entries that are not under the root, but for those that were named already."""
        told = 0
        for number in sorted(self._roots.others(self._wanted)):
            if number in self._faulted:
                continue
            if told == _MOST_NAMED:
                break
            told += 1
            self._is_broken = True
            text = f"entry {number}: its path does not lead from its leaf to the root of the log"
            yield Fault("broken-inclusion", text, number)

    def _consistency_faults(self) -> Iterator[Fault]:
        if self.head is None:
            return
        for older, path in self.consistency.items():
            pair = folded_pair(older, self.size, path)
            if pair is None or pair[1] != self.head.root:
                self._is_broken = True
                text = f"the consistency path from size {older} does not lead to the head"
                yield Fault("broken-inclusion", text, f"consistency {older}")

    def standing(self, asked: Asked) -> Standing:
        """Answer who signed the head and what is remembered of its log, after `faults`.

        Raises InputError for a memory that is damaged.
        """
        option = asked.signature[0] if asked.signature else ""
        trust = asked.trust or Trust()
        if self.head is None:
            # A head of nothing: what is missing is named, and compared with nothing.
            nothing = Shown(Checkpoint(self.origin, 0, b""), None, self.consistency.get)
            doubt = "the record is cut before the head of its log"
            return standing_of(nothing._replace(misfit=self._misfit, doubt=doubt), trust, option)
        doubt = ""
        if self._faulted or self._suspected:
            doubt = "an entry is not what its leaf says"
        elif self._roots.count_of_others(self._wanted):
            doubt = "not every entry is under the head"
        shown = Shown(
            self.head, self.note, self.consistency.get, self._misfit, doubt, self._is_broken
        )
        standing = standing_of(shown, trust, option)
        remembered = max(standing.remembered, asked.remembered)
        return standing._replace(is_remembered=self._last_index < remembered)
