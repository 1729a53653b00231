"""Make what can go wrong go wrong, for real, and count what the store lost: it must be nothing.

    python3 -m tests.faults [--quick] [--only NAME] [--seed N] [--point POINT]

Exits with 1 where an acknowledged record was lost, a verdict was wrong or a repair was needed. Each
failure is printed with the point that shows it again (--only, --point and the same --seed).
"""

import argparse
import sys
import time

from tests.faults import (
    clock,
    crowd,
    cut_log,
    flips,
    full_disk,
    kill,
    lost_writes,
    proofs,
    turns,
    writers,
)
from tests.faults.outcome import Outcome

SCENARIOS = {
    "kill": kill.run,
    "lost-writes": lost_writes.run,
    "cut-log": cut_log.run,
    "flips": flips.run,
    "full-disk": full_disk.run,
    "clock": clock.run,
    "writers": writers.run,
    "crowd": crowd.run,
    "turns": turns.run,
    "vectors": proofs.vectors,
    "world": proofs.world,
    "oracle": proofs.oracle,
    "catalogue": proofs.catalogue,
}


def main(arguments: list[str]) -> int:
    """Run the scenarios, print a line each, and say whether all of them hold."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.faults")
    parser.add_argument(
        "--quick", action="store_true", help="a sample of the points: a minute or two"
    )
    parser.add_argument("--only", choices=SCENARIOS, metavar="NAME", help=", ".join(SCENARIOS))
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--point", default="", metavar="POINT", help="one point, as it was printed")
    given = parser.parse_args(arguments)
    holds = True
    for name in [given.only] if given.only else SCENARIOS:
        outcome = Outcome(name, given.point)
        start = time.monotonic()
        SCENARIOS[name](outcome, given.seed, is_quick=given.quick)
        print(*outcome.lines(time.monotonic() - start), sep="\n", flush=True)
        holds = holds and outcome.holds
    print("nothing was lost" if holds else "not everything holds", flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
