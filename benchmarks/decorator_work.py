"""Seconds a call of the decorator with a store in memory, and of aer1kit's `record`: decorator_work N."""

import json
import os
import sys
import tempfile
import time

from aer1kit import ReceiptEmitter

from toolreplay.recording import record


def main() -> None:
    """Measure both in turn, and print the middle of their batches."""
    count = int(sys.argv[1])
    emitter = ReceiptEmitter(goal="measure")
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        run = record(store=os.path.join(folder, "store.db"))

        @run.tool
        def echo(text: str, n: int) -> dict[str, object]:
            return {"text": text, "n": n}

        with run:
            echo("x" * 90, 0)
            ours, theirs = [], []
            for batch in range(10):
                started = time.perf_counter()
                for number in range(count // 10):
                    echo("x" * 90, number)
                between = time.perf_counter()
                for number in range(count // 10):
                    emitter.record("echo", {"text": "x" * 90, "n": number})
                ended = time.perf_counter()
                ours.append((between - started) / (count // 10))
                theirs.append((ended - between) / (count // 10))
                del batch
    print(json.dumps({"ours": sorted(ours)[5], "theirs": sorted(theirs)[5]}))


main()
