"""A chain of signed receipts, made and checked with `obsigna` as its own pages show it.

    python3 benchmarks/baseline/obsigna_chain.py make COUNT FILE
    python3 benchmarks/baseline/obsigna_chain.py verify FILE

The first line of the file is the public key, each other one a receipt.
"""

import json
import sys

# fmt: off
from obsigna.receipt.chain import verify_chain  # type: ignore[import-not-found,import-untyped,unused-ignore]
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

# fmt: on


def make(count: int, path: str) -> None:
    """Sign a chain and write it."""
    keys = generate_key_pair()
    before = None
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(keys.public_key) + "\n")
        for number in range(1, count + 1):
            chain = Chain(sequence=number, previous_receipt_hash=before, chain_id="benchmark")
            unsigned = create_receipt(
                CreateReceiptInput(
                    issuer=Issuer(id="did:example:issuer"),
                    principal=Principal(id="did:example:user"),
                    action=ActionInput(
                        type="filesystem.file.read", risk_level="low", parameters_hash="sha256:" + "0" * 64
                    ),
                    outcome=Outcome(status="success"),
                    chain=chain,
                )
            )  # fmt: skip
            receipt = sign_receipt(unsigned, keys.private_key, "did:example:issuer#key-1")
            before = hash_receipt(receipt)
            file.write(receipt.model_dump_json(by_alias=True) + "\n")


def verify(path: str) -> bool:
    """Read a chain and check it."""
    with open(path, encoding="utf-8") as lines:
        key = json.loads(next(lines))
        receipts = [AgentReceipt.model_validate_json(line) for line in lines]
    found = verify_chain(receipts, key)
    print(f"valid: {found.valid}, {found.length} receipts {found.error}")
    return bool(found.valid)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), sys.argv[3])
        sys.exit(0)
    sys.exit(0 if verify(sys.argv[2]) else 1)
