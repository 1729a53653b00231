"""Erasures in random histories: nothing that was erased is in any file, whatever SQLite moved."""

import hashlib
import os
import random

from tests.stores.recording import Recorded, place
from toolreplay.evidence.profile.ids import Ids
from toolreplay.evidence.profile.piece import piece_of
from toolreplay.stores.sqlite.connection import open_reader
from toolreplay.stores.sqlite.erasing import call_entries, erase, pieces_of_run


def word(*parts: object) -> str:
    """Return a text that stands nowhere else."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:48]


def test_no_page_keeps_what_was_erased():
    for seed, longest in ((1009, 300), (3, 50), (7, 1500)):
        chance = random.Random(seed)
        with place(is_signed=False) as there:
            with there.open() as store:
                for run in range(4):
                    recorded = Recorded(store, f"run-{run}")
                    recorded.open()
                    for number in range(1, 11):
                        content = word(seed, run, number) + "y" * chance.randint(10, longest)
                        piece = piece_of(content.encode(), "text/plain", 10)
                        recorded.both(number, "tool", {"pad": "x" * chance.randint(0, 20)}, piece)
                    recorded.close()
            calls = [(run, number) for run in range(4) for number in range(1, 11)]
            chance.shuffle(calls)
            gone = []
            while calls:
                for run, number in [calls.pop() for _ in range(min(4, len(calls)))]:
                    connection = open_reader(there.path)
                    entries = frozenset(call_entries(connection, f"run-{run}")[number])
                    pieces = pieces_of_run(connection, f"run-{run}", entries)
                    connection.close()
                    erase(there.path, pieces, [], "r", Ids(os.urandom), there.clock())
                    gone.append(word(seed, run, number).encode())
                for name in os.listdir(there.folder):
                    with open(os.path.join(there.folder, name), "rb") as file:
                        data = file.read()
                    assert [one for one in gone if one in data] == [], (seed, name)
