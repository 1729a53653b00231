"""Promise: the same input gives the same bytes, whatever surrounds the process."""

import concurrent.futures
import json
import locale
import os
import pathlib
import tempfile
import unittest

from tests.promises.commands import DIRTY, SAMPLES, SCOPE, Ran, run_command, seal_sample
from tests.promises.source import PACKAGE, ROOT, planted


def _has_locale(name: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return True


BASE = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}

SURROUNDINGS: dict[str, dict[str, str]] = {
    "again": {},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 4242": {"PYTHONHASHSEED": "4242"},
    "locale C, not coerced": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "output encoding ascii": {"PYTHONIOENCODING": "ascii"},
    "time zone": {"TZ": "Asia/Kathmandu"},
    "terminal": {"COLUMNS": "33", "TERM": "dumb", "FORCE_COLOR": "1", "LANGUAGE": "ja"},
    "digits of integers": {"PYTHONINTMAXSTRDIGITS": "640"},
    "working folder": {},
    **{
        f"locale {name}": {"LC_ALL": name}
        for name in ("tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8")
        if _has_locale(name)
    },
}
"""What is changed around the process. All of it is changed in two runs first; only where those
differ is each thing changed alone, to name it."""

TOGETHER = (
    ("hash seed 1", "locale C, not coerced", "time zone", "working folder", "digits of integers"),
    ("hash seed 4242", "output encoding ascii", "terminal", *(name for name in SURROUNDINGS if name.startswith("locale ") and "," not in name)),
)  # fmt: skip


def differences(program: pathlib.Path, arguments: list[str]) -> list[str]:
    """Which of the surroundings change the status or the bytes of a command."""
    with tempfile.TemporaryDirectory() as elsewhere:

        def run(*names: str) -> Ran:
            environment = dict(BASE)
            for name in names:
                environment |= SURROUNDINGS[name]
            folder = elsewhere if "working folder" in names else None
            return run_command(program, arguments, environment=environment, folder=folder)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            first, *joined = pool.map(lambda names: run(*names), [(), *TOGETHER])
            if first.status not in (0, 1, 3) or not first.out:
                return [f"did not run: {first.err.decode(errors='replace')}"]
            if all(other == first for other in joined):
                return []
            alone = zip(SURROUNDINGS, pool.map(run, SURROUNDINGS), strict=True)
            return [name for name, other in alone if other != first] or ["all of it together"]


def awkward_transcript() -> bytes:
    """Calls with names, members and values that a locale, a hash or an encoding could disturb."""
    members = {
        name: number
        for number, name in enumerate(["İ", "i", "I", "ı", "é", "e\u0301", "\ud800", "中", "z"])
    }
    calls = []
    for index in range(12):
        calls.append(
            {
                "index": index,
                "tool": ["lire", "読む", "İşle", "write_file"][index % 4],
                "args": members,
                "response": {
                    "n": index // 8 * 1.5,
                    "text": "\u2028\x7f\x1b[31m",
                    **members,
                    "big": 10**4299,
                },
            }
        )
    return "".join(json.dumps(call) + "\n" for call in calls).encode("ascii")


def commands(folder: str) -> dict[str, list[str]]:
    """Return what is run, by a name; commands that are not built yet are left out."""
    awkward = os.path.join(folder, "awkward.jsonl")
    with open(awkward, "wb") as file:
        file.write(awkward_transcript())
    sealed = seal_sample(ROOT, folder)
    broken = os.path.join(folder, "broken.jsonl")
    with open(sealed, "rb") as file, open(broken, "wb") as copy:
        copy.write(file.read().replace(b'"hits":3', b'"hits":4'))
    found = {
        "replay": ["replay", awkward],
        "scope": ["scope", awkward, SCOPE],
        "seal": ["seal", awkward],
        "verify": ["verify", broken],
    }
    if (PACKAGE / "reports/json/__init__.py").exists():
        found["replay as json"] = ["replay", awkward, "--format", "json"]
    if (PACKAGE / "cli/audit.py").exists():
        found["audit"] = ["audit", awkward, broken, DIRTY, "--scope", SCOPE]
        for form in ("json", "sarif", "junit", "markdown"):
            found[f"audit of a folder as {form}"] = ["audit", str(SAMPLES), "--format", form]
    if (PACKAGE / "cli/diff.py").exists():
        found["diff"] = ["diff", awkward, DIRTY, "--format", "markdown"]
        found["diff of two seals"] = ["diff", sealed, broken]
    return found


class SurroundingsDoNotMatter(unittest.TestCase):
    """Decided by us: a report that differs from machine to machine is no evidence."""

    def test_the_commands_give_the_same_bytes_everywhere(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, arguments in commands(folder).items():
                with self.subTest(name):
                    self.assertEqual(differences(ROOT, arguments), [])

    def test_each_thing_that_changes_the_output_is_named(self) -> None:
        files = {
            "toolreplay/__init__.py": "",
            "toolreplay/cli/__init__.py": "",
            "toolreplay/cli/main.py": """\
                import os, sys, time
                def main(arguments):
                    if arguments == ["unsteady"]:
                        print(list({"a", "b", "c", "d", "e", "f", "g", "h"}))
                        print(time.localtime(0).tm_hour, os.getcwd(), flush=True)
                        sys.stdout.buffer.write("é".encode(sys.stdout.encoding, "replace"))
                        return 1 if "COLUMNS" in os.environ else 0
                    print("steady")
                    return 0
                """,
        }
        with planted(files) as program:
            self.assertEqual(differences(program, ["steady"]), [])
            self.assertEqual(
                [
                    name
                    for name in differences(program, ["unsteady"])
                    if not name.startswith("locale ")
                ],
                [
                    "hash seed 1",
                    "hash seed 4242",
                    "output encoding ascii",
                    "time zone",
                    "terminal",
                    "working folder",
                ],
            )
