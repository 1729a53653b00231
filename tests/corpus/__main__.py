"""Hold the importers against sessions that are not ours to ship.

TOOLREPLAY_CORPUS=DIR python3 -m tests.corpus [FORMAT…]

DIR holds a folder for each format, named by the importer's word, and may hold INDEX.tsv, whose
columns `file` and `tool_calls` say how many calls another counter found. Each file is read or
named as not recognised, every block is looked for by a count that knows nothing of the importer,
and what is exported must pass the strict reader. A difference from the index is printed with the
lines that hold calls: an argument, not a fault. Exit 1 when a fault was found.
"""

import csv
import importlib
import io
import os
import sys

from toolreplay.errors import ToolReplayError
from toolreplay.records.account import Account
from toolreplay.records.call import Json
from toolreplay.records.limits import DEFAULT
from toolreplay.records.transcript import TranscriptWriter, read_transcript
from toolreplay.reports.text.account import account_line
from toolreplay.sources.head import head_of


def check(name: str, data: bytes, importer: Json, counter: Json, expected: int | None) -> list[str]:
    """Print what one file gives and return its faults."""
    if not importer.sniff(head_of(io.BytesIO(data), DEFAULT)):
        print(f"  {name}: not recognised{f', {expected} calls expected' if expected else ''}")
        return [f"{name}: {expected} calls, and not recognised"] if expected else []
    account = Account()
    runs, calls, faults = 0, [], []
    try:
        for run in importer.read(io.BytesIO(data), DEFAULT, account):
            runs += 1
            out = io.BytesIO()
            writer = TranscriptWriter(out)
            exported = list(run.calls)
            for call in exported:
                writer.call(call.tool, call.args, call.response)
            out.seek(0)
            if len(list(read_transcript(out))) != len(exported):
                faults.append(f"{name}: the export of {run.info.name} loses calls")
            calls += exported
    except ToolReplayError as error:
        return [f"{name}: {error}"]
    faults += [f"{name}: {fault}" for fault in counter.faults(data, calls, account)]
    print(f"  {name}: {runs} run(s), {len(calls)} call(s); {account_line(account)}")
    if expected is not None and expected != len(calls):
        lines = ", ".join(map(str, counter.call_lines(data)[:10])) or "none"
        print(f"    the index has {expected} call(s), read were {len(calls)}; lines: {lines}")
    return faults


def main() -> int:
    """Check every format that has a counter beside this file, or those named."""
    corpus = os.environ.get("TOOLREPLAY_CORPUS")
    if not corpus:
        print("skipped: no corpus given")
        return 0
    index: dict[str, int] = {}
    if os.path.exists(os.path.join(corpus, "INDEX.tsv")):
        with open(os.path.join(corpus, "INDEX.tsv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["tool_calls"].isdigit():
                    index[row["file"]] = int(row["tool_calls"])
    here = sorted(os.listdir(os.path.dirname(os.path.abspath(__file__))))
    formats = sys.argv[1:] or [
        name[:-3] for name in here if name.endswith(".py") and name[0] != "_"
    ]
    faults: list[str] = []
    for word in formats:
        importer = importlib.import_module(f"toolreplay.importers.{word}")
        counter = importlib.import_module(f"tests.corpus.{word}")
        files = sorted(os.listdir(os.path.join(corpus, word)))
        print(f"{word}: {len(files)} file(s)")
        for name in files:
            with open(os.path.join(corpus, word, name), "rb") as file:
                data = file.read()
            faults += check(name, data, importer, counter, index.get(f"{word}/{name}"))
    for fault in faults:
        print(f"fault: {fault}")
    print(f"faults: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
