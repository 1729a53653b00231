"""What `diff` reads: each input once for its digests, and again for the calls that are listed."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from toolreplay.cli.console import Console
from toolreplay.errors import InputError
from toolreplay.evidence.run_digests import RunDigests
from toolreplay.findings.difference import CHANGED, Difference
from toolreplay.records.call import ToolCall
from toolreplay.records.limits import Limits
from toolreplay.records.run import SEALED, RunInfo
from toolreplay.reports.difference import Entry, Mark
from toolreplay.reports.text.account import account_line
from toolreplay.sources.one_run import OneRun

__all__ = ["Side", "entries_of"]


class Side:
    """One of the two inputs: read once for its digests, and again for the calls that are listed."""

    info: RunInfo

    def __init__(self, name: str, limits: Limits, arguments: argparse.Namespace) -> None:
        with _named(name):
            self._source = OneRun(name, limits, arguments.form, arguments.run)
        self._name = name
        self._calls: Iterator[ToolCall] | None = None

    @property
    def is_sealed(self) -> bool:
        """Whether it is a sealed transcript."""
        return self._source.form == SEALED

    def read(self, *, with_links: bool) -> None:
        """Read the run to its end and keep what is needed to compare it."""
        self.digests = RunDigests(with_links=with_links)
        with _named(self._name):
            for shown in self._source.run():
                self.info = shown.info
                for call in shown.calls:
                    self.digests.add(call)

    def call(self, index: int) -> ToolCall:
        """Return a call again; what is asked for only goes up."""
        if self._calls is None:
            self._calls = (call for shown in self._source.run() for call in shown.calls)
        with _named(self._name):
            for call in self._calls:
                if call.index == index:
                    if self.digests.is_at(index, call):
                        return call
                    break
            raise InputError(self._name, "the file changed while it was read")

    def mark(self, index: int) -> Mark:
        """Return where a call stands and what came of it."""
        digests = self.digests
        return Mark(index, digests.line(index), digests.outcome(index), digests.result(index).hex())

    def note_account(self, console: Console) -> None:
        """Print the account of an import to standard error."""
        if self._source.account is not None:
            console.note(account_line(self._source.account, self._name))

    def close(self) -> None:
        """Close the input."""
        self._source.close()


def entries_of(difference: Difference, a: Side, b: Side, most: int | None) -> Iterator[Entry]:
    """Yield the calls that differ in the order of a diff, of each kind the first `most`.

    Both runs are read again side by side: one call of each is held at a time.
    """
    listed = dict.fromkeys(difference.counts, 0)
    for step in difference.steps():
        listed[step.kind] += 1
        if most is not None and listed[step.kind] > most:
            continue
        marks = (
            None if step.a is None else a.mark(step.a),
            None if step.b is None else b.mark(step.b),
        )
        if step.b is None:
            assert step.a is not None
            yield Entry(step.kind, *marks, a.call(step.a))
            continue
        before = a.call(step.a) if step.a is not None and step.kind == CHANGED else None
        yield Entry(step.kind, *marks, b.call(step.b), before, step.same_result)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the input in whatever is wrong with it: a line number alone would not say whose."""
    try:
        yield
    except InputError as error:
        if error.where == name:
            raise
        raise InputError(name, str(error)) from None
