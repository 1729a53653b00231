"""Receipts into the store of `obsigna`, each committed before the next of its producer.

    python3 benchmarks/baseline/obsigna_store.py append|made COUNT PRODUCERS FOLDER

With `append` the receipts are made and signed before the clock starts, with `made` each before it
is inserted. A store may only be used by the thread that opened it, so each producer has its own on
the same file; with more than one of them a lock takes turns, which is faster than letting the
database refuse and try again. Prints the seconds, and those of the middle and the slowest hundredth
of the receipts, as JSON.
"""

import gc
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator

# fmt: off
from obsigna.receipt.create import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    ActionInput,
    CreateReceiptInput,
    create_receipt,
)
from obsigna.receipt.hash import hash_receipt  # type: ignore[import-not-found,import-untyped,unused-ignore]
from obsigna.receipt.signing import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    generate_key_pair,
    sign_receipt,
)
from obsigna.receipt.types import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    AgentReceipt,
    Chain,
    Issuer,
    Outcome,
    Principal,
)
from obsigna.store.store import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    open_store,
)

# fmt: on


def chain_of(name: str, count: int) -> Iterator[tuple[AgentReceipt, str]]:
    """Make the receipts of one chain, each with its hash."""
    keys = generate_key_pair()
    before = None
    for number in range(1, count + 1):
        unsigned = create_receipt(
            CreateReceiptInput(
                issuer=Issuer(id="did:example:issuer"),
                principal=Principal(id="did:example:user"),
                action=ActionInput(
                    type="filesystem.file.read", risk_level="low", parameters_hash="sha256:" + "0" * 64
                ),
                outcome=Outcome(status="success"),
                chain=Chain(sequence=number, previous_receipt_hash=before, chain_id=name),
            )
        )  # fmt: skip
        receipt = sign_receipt(unsigned, keys.private_key, "did:example:issuer#key-1")
        before = hash_receipt(receipt)
        yield receipt, before


def append(what: str, count: int, producers: int, folder: str) -> tuple[float, list[float]]:
    """Insert `count` receipts from so many threads; return the seconds, and those of each."""
    path = os.path.join(folder, "obsigna.db")
    chains: list[Iterable[tuple[AgentReceipt, str]]] = []
    for each in range(producers):
        chain = chain_of(f"chain-{each}", count // producers)
        chains.append(list(chain) if what == "append" else chain)
    open_store(path).close()
    start, turn = threading.Barrier(producers + 1), threading.Lock()
    waits: list[float] = []

    def produce(chain: Iterable[tuple[AgentReceipt, str]]) -> None:
        store, own = open_store(path), []
        start.wait()
        began = time.perf_counter()
        for receipt, digest in chain:
            with turn:
                store.insert(receipt, digest)
            ended = time.perf_counter()
            own.append(ended - began)
            began = ended
        store.close()
        waits.extend(own)

    threads = [threading.Thread(target=produce, args=(chain,)) for chain in chains]
    for thread in threads:
        thread.start()
    gc.collect()
    gc.freeze()  # what was made before is no work of the collector's
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began, sorted(waits)


def main(arguments: list[str]) -> int:
    """Insert what was asked for, and print what it took."""
    what, count, producers, folder = arguments
    seconds, waits = append(what, int(count), int(producers), folder)
    middle, slow = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    print(json.dumps({"seconds": seconds, "middle": middle, "slow": slow, "count": len(waits)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
