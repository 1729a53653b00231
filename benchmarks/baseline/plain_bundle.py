"""What a plain program does at least to make or check a bundle: each line once.

    python3 benchmarks/baseline/plain_bundle.py make TRANSCRIPT OUT
    python3 benchmarks/baseline/plain_bundle.py verify BUNDLE

It is fixed and never tuned. `make` parses each call, encodes and hashes arguments and response,
encodes and hashes what would be committed, and writes it in base64. `verify` parses each line,
decodes and hashes the committed bytes, parses them, and encodes them again to compare. Neither
looks at members, links, places, times, pieces or the end: it is a yardstick, no verifier.
"""

import base64
import hashlib
import json
import sys


def canonical(value: object) -> bytes:
    """Encode a value in sorted, compact JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def piece(value: object) -> dict[str, object]:
    """Encode, hash and carry a value."""
    data = canonical(value)
    return {"digest": hashlib.sha256(data).hexdigest(), "b64": base64.b64encode(data).decode()}


def make(source: str, target: str) -> int:
    """Write a receipt of each call."""
    with open(source, "rb") as lines, open(target, "wb") as out:
        for line in lines:
            call = json.loads(line)
            committed = canonical(
                {
                    "tool": call["tool"],
                    "inputs": piece(call["args"]),
                    "outputs": piece(call["response"]),
                }
            )
            receipt = {
                "canonical_bytes": base64.b64encode(committed).decode(),
                "output_hash": "sha256:" + hashlib.sha256(committed).hexdigest(),
            }
            out.write(canonical(receipt) + b"\n")
    return 0


def verify(path: str) -> int:
    """Check the committed bytes of each receipt, and the content of each piece."""
    wrong = 0
    with open(path, "rb") as lines:
        for line in lines:
            value = json.loads(line)
            receipt = value.get("payload") or {}
            if "canonical_bytes" in receipt:
                data = base64.b64decode(receipt["canonical_bytes"])
                digest = "sha256:" + hashlib.sha256(data).hexdigest()
                form = canonical(json.loads(data))
                wrong += digest != receipt["output_hash"] or form != data
            elif "piece" in value:
                content = base64.b64decode(value["b64"])
                wrong += (
                    value["part"] == 0
                    and value["last"]
                    and hashlib.sha256(content).hexdigest() != value["piece"]
                )
    print(f"wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        sys.exit(make(sys.argv[2], sys.argv[3]))
    sys.exit(verify(sys.argv[2]))
