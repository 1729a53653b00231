"""OneRun: one input of which one run is read, as often as is wanted.

An input with a single run is that run. Of several, `wanted` chooses: the name of a run, or the
beginning of it, at least six characters that no other name begins with. A folder is refused.
"""

import os
from collections import deque
from collections.abc import Iterator

from toolreplay.errors import InputError
from toolreplay.records.account import Account
from toolreplay.records.limits import Limits
from toolreplay.records.run import STORE, Run
from toolreplay.sources.folder import refuse_other_inputs
from toolreplay.sources.naming import is_named, split_run
from toolreplay.sources.source import FileSource

__all__ = ["OneRun"]


class OneRun:
    """The run of one input. `account` is that of the import, None where there is none.

    Raises InputError, which names the input, for what cannot be opened or chosen.
    """

    def __init__(self, name: str, limits: Limits, forced: str | None, wanted: str | None) -> None:
        refuse_other_inputs(name)
        if name != "-" and os.path.isdir(name):
            raise InputError(name, "is a folder, not one run")
        self.name = name
        self._source = FileSource(name, limits, forced)
        self.form = self._source.form
        if self.form == STORE and wanted is not None and split_run(name)[1] is None:
            self._source.close()
            self._source = FileSource(f"{name}#{wanted}", limits, forced)
        self.account: Account | None = None
        self._place = 0
        if self._source.is_import or self.form == STORE:
            self._place = self._chosen(wanted)
            self.account = self._source.account if self._source.is_import else None

    def run(self) -> Iterator[Run]:
        """Yield the run; it can be asked for again, and is then read anew."""
        self._source.account = Account()
        for place, run in enumerate(self._source.runs()):
            if place == self._place:
                yield run
                return
            _read_past(run)

    def close(self) -> None:
        """Close the input."""
        self._source.close()

    def _chosen(self, wanted: str | None) -> int:
        """Return which of the runs is meant; their names are not kept, there may be very many."""
        count = 0
        exact: list[int] = []
        begun: list[int] = []
        for run in self._source.runs():
            if wanted is not None and is_named(run.info, wanted):
                found = exact if run.info.name == wanted else begun
                if len(found) < 2:
                    found.append(count)
            count += 1
            _read_past(run)
        if count < 2:
            return 0
        several = f"holds {count:,} runs"
        if wanted is None:
            raise InputError(self.name, f"{several}; name one with --run (see: toolreplay show)")
        found = exact or begun
        if not found:
            raise InputError(self.name, f"{several}, none of them named '{wanted[:100]}'")
        if len(found) > 1:
            raise InputError(self.name, f"{several}, more than one of them named '{wanted[:100]}'")
        return found[0]


def _read_past(run: Run) -> None:
    """Read the calls of a run that is not wanted: a source may need them read in turn."""
    deque(run.calls, maxlen=0)
