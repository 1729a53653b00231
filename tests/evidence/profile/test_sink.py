"""toolreplay.evidence.profile.sink"""

import unittest

from tests.evidence.bundle.made import Maker
from toolreplay.evidence.profile import sink
from toolreplay.evidence.profile.making import RunHead
from toolreplay.evidence.profile.sink import Appended
from toolreplay.evidence.tlog.merkle import leaf_hash


class ListSink:
    """The smallest sink: it keeps what makers return, and shows that the protocol is enough."""

    def __init__(self, run: str) -> None:
        self.entries = []
        self.head = RunHead.of_new_run(run)

    def append(self, run: str, kind: str, make: sink.Maker) -> Appended:
        entry, self.head = make(self.head)
        self.entries.append(entry)
        return Appended(len(self.entries) - 1, leaf_hash(entry.payload), self.head)

    def open_positions(self, run: str) -> list[int]:
        return []


class AMaker(unittest.TestCase):
    """Decided by us: it gets the head, and returns the entry and the head behind it."""

    def test_the_functions_that_make_entries_are_makers(self) -> None:
        made = Maker().open().both(1, "t").close()
        kept: sink.Sink = ListSink(made.head.run)
        again = Maker()
        for name, arguments in (("open", ()), ("both", (1, "t")), ("close", ())):
            getattr(again, name)(*arguments)
        heads = []
        for entry in again.entries:
            appended = kept.append(
                made.head.run, entry.kind, lambda head, entry=entry: (entry, head.after(entry))
            )
            heads.append(appended.head.entries)
        self.assertEqual(heads, [1, 2, 3, 4])
        self.assertEqual(
            [one.payload for one in kept.entries], [one.payload for one in made.entries]
        )
        self.assertEqual(kept.open_positions(made.head.run), [])


if __name__ == "__main__":
    unittest.main()
