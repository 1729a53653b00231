"""The cases of AER-1 about a command line, run as `receipt verify` in this process."""

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

from toolreplay.cli.answers import STATUS, answers_of_work
from toolreplay.cli.console import KeptConsole
from toolreplay.records.call import JsonObject

__all__ = ["differences_of_command"]

_NO_OPTION = "--no-such-option"
"""Stands for `--strict` in a case about an option that the program asked did not have."""


def differences_of_command(case: JsonObject) -> list[str]:
    """Run the command line of a case and return where its answers differ, each in a few words.

    The program that was asked has one command, and other words for two of its options; what is
    compared is the exit status and the verdict. Raises KeyError and its like for what is no case.
    """
    expect: JsonObject = case["ours"] if "ours" in case else case["expect"]
    words = [*case.get("args", ())]
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.json")
        with open(path, "wb") as file:
            file.write(_input_of(case))
        if "path" in case:
            path = os.path.join(folder, "is-not-there.json")
        if "resolved_record_text" in case:
            record = os.path.join(folder, "record.json")
            with open(record, "wb") as file:
                file.write(case["resolved_record_text"].encode())
            words += ["--resolved-record", record]
        named = "-" if case.get("stdin") else path
        with _input_from(path if case.get("stdin") else os.devnull):
            status, out = _ran(_command(named, words))
    found = []
    if status != expect["exit"]:
        found.append(f"exit: expected {expect['exit']}, found {status}")
    if "verdict" in expect:
        verdict = json.loads(out or b"{}").get("verdict")
        if verdict != expect["verdict"]:
            found.append(f"verdict: expected {expect['verdict']}, found {verdict}")
    return found


def _command(named: str, words: list[str]) -> list[str]:
    if words == ["--version"]:
        return words
    translated = []
    for word in words:
        if word == "--json":
            translated += ["--format", "json"]
        else:
            translated.append(_NO_OPTION if word == "--strict" else word)
    return ["receipt", "verify", named, *translated]


def _input_of(case: JsonObject) -> bytes:
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    data: bytes = case["input"].encode()
    return data


def _ran(command: list[str]) -> tuple[int, bytes]:
    from toolreplay.cli.main import run_command

    console = KeptConsole()

    def work() -> int:
        try:
            return run_command(command, console)
        except SystemExit as ended:  # the help of a command
            return ended.code if isinstance(ended.code, int) else 0

    status = int(answers_of_work(work, console)[STATUS])
    return status, bytes(console.out)


@contextmanager
def _input_from(path: str) -> Iterator[None]:
    """Make standard input that file for a while; it may have been closed before the start."""
    kept = None
    with suppress(OSError):
        kept = os.dup(0)
    try:
        file = os.open(path, os.O_RDONLY)
        if file:
            os.dup2(file, 0)
            os.close(file)
        yield
    finally:
        if kept is None:
            os.close(0)
        else:
            os.dup2(kept, 0)
            os.close(kept)
