"""Runs with a finding of every kind, and recordings that try to act in a report."""

import json
from pathlib import Path

from tests.cli import ways
from tests.evidence.bundle.cases import LOG_ARGUMENTS, SEEN, bundles, files_beside
from toolreplay.packaged import data_file

__all__ = [
    "BROKEN",
    "INERT",
    "hostile_run",
    "write_all_audits",
    "write_every_kind",
    "write_hostile",
]

BROKEN = '{"index": 0, "tool": "t", "args": {}, "response": {}}\n{"index": 1}\n'
"""A transcript that ends in a line that is none."""

INERT = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[link](https://example.org/)",
    "![image](https://example.org/x.png)",
    "https://example.org/auto",
    "<https://example.org/>",
    "a|b|c",
    "`code` and ``more``",
    "```\nfence\n```",
    "* list\n# heading\n---",
    "</details><details open>",
    "]]> <!-- comment -->",
    "&lt;b&gt; &amp; &#x41;",
    "@everyone #1 user/repo#2",
    "\x1b[31mred\x07",
    "\u202eright to left\u2066",
    "\ud800 lone \ufffe",
    "{0} {toolreplay} %s ${x}",
    "\\[escaped\\](x) \\` \\|",
    "'); DROP TABLE x; --",
    "\ttab\rreturn",
)
"""Texts that mean something to a reader of HTML, Markdown, XML, SARIF or a terminal."""


def _line(index: int, tool: str, args: object, response: object) -> str:
    return json.dumps({"index": index, "tool": tool, "args": args, "response": response}) + "\n"


def write_every_kind(folder: Path) -> list[str]:
    """Write runs that together have a finding of every kind; return the arguments of `audit`.

    Beside the run of all audits they are bundles to which one thing was done each, and a store.
    """
    arguments = write_all_audits(folder)
    names = []
    for name, data in bundles().items():
        names.append(f"{name}.run.jsonl")
        (folder / names[-1]).write_bytes(data)
    store = "audits/recompute/cases/store-changed/store.db"
    names.append("changed.db")
    (folder / names[-1]).write_bytes(data_file(store))
    (folder / SEEN).write_bytes(files_beside("log-forked")[SEEN])
    return [*arguments[:2], *names, *arguments[2:], *LOG_ARGUMENTS]


def write_all_audits(folder: Path) -> list[str]:
    """Write the run and its scope; return the arguments of `audit` for them.

    It has a redundant call, a difference, a tool outside its scope, a loop and, once sealed, a
    broken link.
    """
    steps = [
        ("read_file", {"path": "a"}, {"n": 1}),
        ("read_file", {"path": "a"}, {"n": 1}),
        ("search", {"q": "x"}, {"hits": 1}),
        ("read_file", {"path": "b"}, {"n": 2}),
        ("search", {"q": "x"}, {"hits": 2}),
        ("delete_file", {"path": "b"}, {}),
        *[("poll", {}, {"state": "wait"})] * 4,
    ]
    plain = folder / "every.jsonl"
    plain.write_text("".join(_line(number, *step) for number, step in enumerate(steps)))
    (folder / "scope.json").write_text(
        json.dumps({"agent": "reader", "allowed_tools": ["read_file", "search", "poll"]})
    )
    ran = ways.in_process("seal", "every.jsonl", "-o", "every.sealed.jsonl", folder=str(folder))
    assert ran.status == 0, ran
    sealed = folder / "every.sealed.jsonl"
    lines = sealed.read_text().splitlines(keepends=True)
    lines[3] = lines[3].replace('"b"', '"c"')
    sealed.write_text("".join(lines))
    return ["audit", "every.sealed.jsonl", "--scope", "scope.json"]


def hostile_run(text: str) -> str:
    """Return a transcript whose tool, arguments and responses hold the text."""
    return "".join(
        _line(index, text, {text: text}, {"said": text, "n": index}) for index in range(3)
    )


def write_hostile(folder: Path) -> list[str]:
    """Write a run for each hostile text; return the arguments of `audit` for them."""
    (folder / "runs").mkdir()
    for number, text in enumerate(INERT):
        (folder / "runs" / f"{number:02}.jsonl").write_text(hostile_run(text))
    odd = "<b>&'\"`|[x](y)"
    (folder / "runs" / f"{odd}.jsonl").write_text(hostile_run("t"))
    (folder / "runs" / f"broken {odd}.jsonl").write_text(BROKEN)
    return ["audit", "runs"]
