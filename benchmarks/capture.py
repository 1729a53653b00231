"""Measure what recording costs a call: the wrapper, the service, the decorator.

    python3 -m benchmarks.capture [--quick] [--only WORD] [--others PYTHON] [--folder FOLDER]
                                  [--write docs/benchmarks-capture.md]

`--others` names an interpreter that has `agent-strace` (whose `record` is the baseline of the
wrapper), `mcp` (the official client) and `aer1kit` (the baseline of the decorator); what it has
not is skipped, with the reason. All sessions are open at once and called in turn, so that
whatever else the machine does befalls them alike. What is recorded is as durable as the disk
below FOLDER makes it.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

from benchmarks.processes import ENVIRONMENT, PRODUCT, ROOT, machine, say
from benchmarks.ratios import Row, ratio_table
from benchmarks.stores import Plan, options_of, sync_milliseconds
from benchmarks.tables import write_page

_SERVER = [sys.executable, "-I", "-S", os.path.join(ROOT, "benchmarks/baseline/echo_server.py")]
_SDK = os.path.join(ROOT, "benchmarks/baseline/sdk_client.py")
ROUNDS, SDK_ROUNDS, STARTS, CALLS = 400, 150, 15, 2_000
REPEATS, QUICK = 5, 8
LONG = 10_000
"""Calls of a long session, after which a call is compared with one at its beginning."""


class Session:
    """One client of one server, over pipes, a line a message."""

    def __init__(self, command: Sequence[str], folder: str) -> None:
        environment = {**ENVIRONMENT, "HOME": folder, "PYTHONPATH": ROOT}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=folder, env=environment,
        )  # fmt: skip
        self._number = 0
        self.ask("initialize", {})
        self.ask("tools/list", {})
        self.call()

    def ask(self, method: str, params: object) -> float:
        """Send a request, and return the seconds until its answer came."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        line = json.dumps(message).encode() + b"\n"
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        started = time.perf_counter()
        self._process.stdin.write(line)
        self._process.stdin.flush()
        if not self._process.stdout.readline():
            raise RuntimeError("a server ended")
        return time.perf_counter() - started

    def call(self) -> float:
        """Call the tool with a hundred bytes."""
        args = {"text": "x" * 90, "n": self._number}
        return self.ask("tools/call", {"name": "echo", "arguments": args})

    def end(self) -> None:
        """End the input, and wait; the baseline stays after that, and is told to go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(30)


class Bench:
    """Runs everything below one folder."""

    def __init__(self, folder: str, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._made = 0

    def rows(self) -> Iterator[Row]:
        """Measure everything."""
        for make in (self._wrapped, self._long, self._start, self._official, self._decorated):
            yield from make()

    def _is_wanted(self, name: str) -> bool:
        if self._plan.only not in name:
            return False
        say(name)
        return True

    def _new(self) -> str:
        self._made += 1
        return os.path.join(self._folder, f"store-{self._made}.db")

    def _recording(self, *options: str) -> list[str]:
        return [*PRODUCT, "record", "mcp", *options, "--", *_SERVER]

    def _lacks(self, module: str) -> bool:
        command = [self._plan.others, "-c", f"import {module}"]
        return subprocess.run(command, capture_output=True, check=False).returncode != 0

    def _wrapped(self) -> Iterator[Row]:
        """Added p50 of the wrapper and of the service, over what `agent-strace record` adds."""
        names = {
            "own": "wrapper, one sync a call: its added p50 over that of agent-strace record",
            "service": "the same with the recorder as a service",
            "microseconds": "microseconds that the wrapper adds (p50)",
        }
        if not any(map(self._is_wanted, names.values())):
            return
        figures: dict[str, list[float]] = {"own": [], "service": [], "microseconds": []}
        baseline = shutil.which("agent-strace", path=os.path.dirname(self._plan.others))
        for _ in range(self._plan.repeats):
            added = self._added(baseline)
            figures["microseconds"].append(added["own"] * 1e6)
            if baseline is not None:
                for name in ("own", "service"):
                    figures[name].append(added[name] / added["baseline"])
        remark = "" if baseline else "agent-strace is not installed there (--others)"
        yield Row(names["own"], figures["own"], 0.25, remark=remark)
        yield Row(names["service"], figures["service"], 0.35, remark=remark)
        yield Row(names["microseconds"], figures["microseconds"])

    def _added(self, baseline: str | None) -> dict[str, float]:
        """Return what each adds to the middle call, in seconds, by paired differences."""
        socket = os.path.join(self._folder, f"socket-{self._made}")
        service = subprocess.Popen(
            [*PRODUCT, "recorder", "run", "--socket", socket, "--store", self._new()],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT,
            env={**ENVIRONMENT, "HOME": self._folder},
        )  # fmt: skip
        assert service.stdout is not None
        service.stdout.readline()
        commands = {
            "direct": _SERVER,
            "own": self._recording("--store", self._new()),
            "service": self._recording("--recorder", socket),
        }
        if baseline is not None:
            commands["baseline"] = [baseline, "record", "--quiet", "--", *_SERVER]
        sessions = {name: Session(words, self._folder) for name, words in commands.items()}
        taken: dict[str, list[float]] = {name: [] for name in sessions}
        for _ in range(ROUNDS // self._plan.share):
            for name, session in sessions.items():
                taken[name].append(session.call())
        for session in sessions.values():
            session.end()
        service.terminate()
        service.communicate()
        return {
            name: statistics.median(a - b for a, b in zip(each, taken["direct"], strict=True))
            for name, each in taken.items()
        }

    def _long(self) -> Iterator[Row]:
        """A call after many of a session, over one at its beginning."""
        name = f"wrapper: a call after {LONG // self._plan.share:,} over one at the beginning (p50)"
        if not self._is_wanted(name):
            return
        figures = []
        for _ in range(max(1, self._plan.repeats // 2)):
            old = Session(self._recording("--store", self._new()), self._folder)
            for _ in range(LONG // self._plan.share):
                old.call()
            new = Session(self._recording("--store", self._new()), self._folder)
            pairs = [(old.call(), new.call()) for _ in range(ROUNDS // self._plan.share)]
            figures.append(
                statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)
            )
            old.end()
            new.end()
        yield Row(name, figures, 1.2)

    def _start(self) -> Iterator[Row]:
        """Milliseconds until the first answer, wrapped less direct."""
        name = "wrapper: milliseconds until the first answer, above direct"
        if not self._is_wanted(name):
            return
        figures = [
            (_first_answer(self._recording("--store", self._new()), self._folder)
            - _first_answer(_SERVER, self._folder)) * 1e3
            for _ in range(STARTS)
        ]  # fmt: skip
        yield Row(name, figures, 60.0)

    def _official(self) -> Iterator[Row]:
        """The middle call of the official client, wrapped over direct."""
        name = "official client: p50 wrapped over direct"
        if not self._is_wanted(name):
            return
        if self._lacks("mcp"):
            yield Row(name, remark="mcp is not installed there (--others)")
            return
        figures = []
        for _ in range(self._plan.repeats):
            store = self._new()
            wrapped = [sys.executable, "-S", os.path.join(ROOT, "benchmarks", "wrapper.py"), store]
            figures.append(self._sdk([*wrapped, *_SERVER]) / self._sdk(_SERVER))
        yield Row(name, figures, 1.35)

    def _sdk(self, command: Sequence[str]) -> float:
        words = [self._plan.others, _SDK, str(SDK_ROUNDS // self._plan.share), *command]
        done = subprocess.run(
            words, capture_output=True, check=True, cwd=self._folder,
            env={**ENVIRONMENT, "HOME": self._folder},
        )  # fmt: skip
        return float(statistics.median(json.loads(done.stdout)))

    def _decorated(self) -> Iterator[Row]:
        """The decorator, with its store, over what aer1kit does in memory alone."""
        name = "decorator with its store (not durable: in memory) over aer1kit record"
        if not self._is_wanted(name):
            return
        if self._lacks("aer1kit"):
            yield Row(name, remark="aer1kit is not installed there (--others)")
            return
        figures, rates = [], []
        for _ in range(self._plan.repeats):
            done = subprocess.run(
                [self._plan.others, "-m", "benchmarks.decorator_work", str(CALLS // self._plan.share)],
                capture_output=True, check=True, cwd=ROOT,
                env={**ENVIRONMENT, "HOME": self._folder},
            )  # fmt: skip
            found = json.loads(done.stdout)
            figures.append(found["ours"] / found["theirs"])
            rates.append(1 / found["ours"])
        yield Row(name, figures, 10.0)
        yield Row("decorator: receipts a second, end to end, in memory", rates)


def _first_answer(command: Sequence[str], folder: str) -> float:
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=folder, env={**ENVIRONMENT, "HOME": folder, "PYTHONPATH": ROOT},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    taken = time.perf_counter() - started
    process.communicate()
    return taken


def page(rows: Sequence[Row], repeats: int, syncs: tuple[float, float]) -> str:
    """Return the page."""
    lines = [
        "# Benchmarks: recording",
        "",
        "What recording costs a call. Direct and recorded sessions are open at once and called in",
        "turn; added is the middle of the paired differences. `python3 -m benchmarks.capture`",
        "measures it anew.",
        "",
        f"Measured on {machine()}; each figure {repeats} times.",
        f"A sync behind 8 KB took {syncs[0]:.2f} ms before this run and {syncs[1]:.2f} ms behind it.",
        "",
        ratio_table(rows),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print the page."""
    options = options_of("benchmarks.capture", REPEATS, arguments)
    others = shutil.which(options.others) or options.others  # a program is started by its path
    plan = Plan(options.repeats, options.only, QUICK if options.quick else 1, others)
    with tempfile.TemporaryDirectory(prefix="toolreplay-benchmarks-", dir=options.folder) as folder:
        before = sync_milliseconds(folder)
        rows = list(Bench(folder, plan).rows())
        syncs = before, sync_milliseconds(folder)
    text = page(rows, options.repeats, syncs)
    print(text, end="")
    if options.write:
        write_page(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
