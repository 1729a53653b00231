"""The evidence of a store, as reports ask for it: of its log as a whole, and of each of its runs.

The log is judged once, from its leaves; each run then as the bundle that would be exported, by the
same checker that an auditor's bundle meets. Of a run the lines `signer`, `time` and `log` are those
of the log it stands in.
"""

from collections.abc import Iterable, Iterator, Sequence

from toolreplay.errors import InputError
from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.record import Asked, Fault
from toolreplay.evidence.tlog.checkpoint import Checkpoint, parse_checkpoint
from toolreplay.evidence.tlog.merkle import seeded_path
from toolreplay.evidence.tlog.note import parse_note
from toolreplay.evidence.tlog.standing import Shown, Standing, Trust, standing_of
from toolreplay.findings.check import NOT_CHECKED, PASSED, Check
from toolreplay.records.call import ToolCall
from toolreplay.stores.sqlite.checking import LogCheck
from toolreplay.stores.sqlite.wal import torn_bytes

__all__ = ["LogEvidence", "RunEvidence"]

_OF_THE_LOG = ("signer", "time", "log")
_LOG_KINDS = frozenset({"broken-inclusion", "head-mismatch", "rolled-back-log", "missing-entry"})


class LogEvidence:
    """The evidence of a store's log (see RecordEvidence). It has no calls.

    `check` has been run. `path` names the store, `is_copy` says that a copy of it was read.
    """

    def __init__(self, path: str, check: LogCheck, *, is_copy: bool) -> None:
        self._path = path
        self._check = check
        self._is_copy = is_copy
        self._asked = Asked()
        self._standing: Standing | None = None
        self._told = False

    def begin(self, asked: Asked) -> None:
        """Say what was handed in."""
        self._asked = asked
        option = asked.signature[0] if asked.signature else ""
        self._standing = standing_of(self._shown(), asked.trust or Trust(), option)

    def take(self) -> Iterable[Fault]:
        """Return what was found, once."""
        if self._told:
            return []
        self._told = True
        standing = self.standing()
        return [*self._check.faults, *(standing.faults if standing is not None else ())]

    def stands(self, fault: Fault) -> bool:  # noqa: ARG002 - none of these is open
        """Every fault stands."""
        return True

    def checks(self) -> Iterator[Check]:
        """Answer `signer`, `time` and `log`."""
        if self._standing is None:
            self.begin(self._asked)
        assert self._standing is not None
        yield from self._standing.checks

    def standing(self) -> Standing | None:
        """Return what came of the head of the log."""
        return self._standing

    def erased(self) -> int:
        """A log has no entries of its own."""
        return 0

    def doubt(self) -> str:
        """Return why nothing can be said of the calls in this log, or nothing."""
        return "the log does not hold" if self._check.faults else ""

    def seconds(self) -> float | None:
        """A log has no duration."""
        return None

    def unbound(self) -> Iterable[tuple[str, str]]:
        """Name nothing: whatever a leaf says is under its hash."""
        return ()

    def notes(self) -> Iterator[str]:
        """Say what is neither a finding nor a check."""
        if self._is_copy:
            yield "a private copy was read: the folder of the store cannot be written to"
        if self._check.tables.is_unscrubbed():
            yield (
                "an erasure was not finished, old pages still hold what was erased: "
                "toolreplay store erase STORE --finish"
            )
        newest = self._check.tables.newest_checkpoint()
        size = self._check.checked.size
        if newest is not None and newest[0] < size:
            behind = size - newest[0]
            yield (
                f"{behind:,} {'entry stands' if behind == 1 else 'entries stand'} behind the last "
                f"head that was signed (size {newest[0]:,}): cut off or put in, nobody would see it"
            )
        torn = torn_bytes(self._path)
        if torn:
            yield (
                f"the write-ahead log ends in {torn:,} bytes of a group that was never whole: a "
                "torn tail, which nobody was told is kept"
            )

    def _shown(self) -> Shown:
        checked, kinds = self._check.checked, {fault.kind for fault in self._check.faults}
        is_broken = not kinds.isdisjoint(_LOG_KINDS)
        # Where a subtree that is kept is wrong, all are computed from the leaves.
        tables = self._check.tables.without_nodes() if kinds else self._check.tables
        size, root, note, misfit = checked.size, checked.root, None, ""
        newest = tables.newest_checkpoint()
        if newest is not None:
            size, root = newest[0], checked.head_root if newest[0] <= checked.size else None
            try:
                note = parse_note(newest[1], self._path)
                signed = parse_checkpoint(note.text, self._path)
                if (signed.origin, signed.size, signed.root) != (tables.origin, size, root):
                    misfit = "the head that was signed is not that of these leaves"
            except InputError as error:
                misfit = error.what

        def path_from(old: int) -> Sequence[bytes] | None:
            if is_broken or not 0 < old < size:
                return None
            return seeded_path(old, size, tables.node)

        head = Checkpoint(tables.origin, size, root or bytes(32))
        return Shown(head, note, path_from, misfit, is_broken=is_broken, is_all=True)


class RunEvidence:
    """The evidence of one run of a store: that of its bundle, under the head of its log.

    `edited` are numbers of entries whose payload was no payload any more; the bundle had to leave
    it out, and would otherwise call it missing. `behind` says how many of its entries no head
    covers: of these nobody has signed anything.
    """

    def __init__(
        self, checker: BundleChecker, log: LogEvidence, edited: Sequence[int], behind: str
    ) -> None:
        self._checker = checker
        self._log = log
        self._edited = frozenset(edited)
        self._behind = behind

    def begin(self, asked: Asked) -> None:
        """Say what was handed in; with the head remembered the log is compared, and nobody else."""
        trust = asked.trust and asked.trust._replace(memory=None)
        standing = self._log.standing()
        remembered = 0 if standing is None else standing.remembered
        self._checker.begin(asked._replace(trust=trust, may_be_open=True, remembered=remembered))

    def take(self) -> Iterator[Fault]:
        """Return what was found since the last time."""
        for fault in self._checker.take():
            if fault.kind == "missing-entry" and fault.subject in self._edited:
                text = f"entry {fault.subject}: its payload is not what its leaf commits to"
                yield fault._replace(kind="broken-commitment", detail=text)
            else:
                yield fault

    def calls(self) -> Iterator[ToolCall]:
        """Yield the calls in the order they began."""
        return self._checker.calls()

    def stands(self, fault: Fault) -> bool:
        """Say, after the last call, whether a fault that was open stands."""
        return self._checker.stands(fault)

    def checks(self) -> Iterator[Check]:
        """Answer the lines of the run, and those of the log as the log does."""
        yield from (check for check in self._checker.checks() if check.line not in _OF_THE_LOG)
        for check in self._log.checks():
            if self._behind and check.result == PASSED:
                yield Check(
                    check.line, NOT_CHECKED, None, self._behind, "see: toolreplay store sign"
                )
            else:
                yield check

    def standing(self) -> Standing | None:
        """Return what came of the head of the log; what it taught has been told by the log."""
        standing = self._log.standing()
        return standing and standing._replace(faults=(), learned=None, proof=None)

    def erased(self) -> int:
        """Return how many entries were erased whole."""
        return self._checker.erased()

    def doubt(self) -> str:
        """Return why nothing can be said of these calls as they stand, or nothing."""
        return self._checker.doubt() or self._log.doubt()

    def seconds(self) -> float | None:
        """Return how long the run took."""
        return self._checker.seconds()

    def unbound(self) -> Iterable[tuple[str, str]]:
        """Name what nothing commits to."""
        return self._checker.unbound()

    def notes(self) -> Iterable[str]:
        """Return lines about the record."""
        return self._checker.notes()
