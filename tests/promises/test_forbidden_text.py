"""Promise: the repository speaks of the product alone: no machine's paths, no stray addresses."""

import os
import pathlib
import re
import unittest

from tests.promises.source import ROOT, planted

NOT_OURS = {".git", ".venv", "build", "dist", "node_modules", "venv"}
CACHES = re.compile(r"__pycache__|\.\w+_cache|\.hypothesis|.*\.egg-info")

MACHINE_PATH = re.compile(r"(?<![\w.~%$}-])/(?:work|root|mnt)/")

WORKPLACE = re.compile(r"\bshared/(?:design|vectors|corpus|hooks)\b|\bdocument [0-9]{2}\b")

ADDRESS = re.compile(r"\b(?:https?|ftp|wss?)://([^\s/\"'`<>)\\\]}|?#,;]+)")

ALLOWED_HOSTS = {
    "toolreplay.invalid",
    # Standards, schemas and licences.
    "c2sp.org",
    "datatracker.ietf.org",
    "docs.oasis-open.org",
    "json-schema.org",
    "json.schemastore.org",
    "spdx.org",
    "www.apache.org",
    "www.rfc-editor.org",
    "www.unicode.org",
    "www.w3.org",
}

RESERVED = re.compile(
    r"(?:.*\.)?(?:example(?:\.(?:com|net|org))?|invalid|test|localhost)|127\.0\.0\.1|\[::1\]"
)
"""Names and addresses that lead nowhere by design (RFC 2606, RFC 6761)."""


def forbidden_text(root: pathlib.Path) -> list[str]:
    """Offending words of every text file, with file and line."""
    offences = []
    for path in _files(root):
        data = path.read_bytes()
        if b"://" not in data and b"/" not in data:
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            offences += [f"{name}:{number}: {fact}" for fact in _facts(line)]
    return offences


def _facts(line: str) -> list[str]:
    facts = [f"a path of one machine: {match[0]}" for match in MACHINE_PATH.finditer(line)]
    facts += [f"not about the product: {match[0]}" for match in WORKPLACE.finditer(line)]
    if "://" in line:
        for match in ADDRESS.finditer(line):
            host = match[1].rpartition("@")[2]
            host = host if host.startswith("[") else host.partition(":")[0]
            host = host.rstrip(".").lower()
            if host not in ALLOWED_HOSTS and not RESERVED.fullmatch(host) and "{" not in host:
                facts.append(f"an address: {match[0]}")
    return facts


def _files(root: pathlib.Path) -> list[pathlib.Path]:
    found = []
    for place, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in NOT_OURS and not CACHES.fullmatch(name)
        )
        found += [
            pathlib.Path(place, name)
            for name in sorted(names)
            if not name.endswith(".pyc") and name != ".git"
        ]
    return sorted(found)


class TheTextIsAboutTheProduct(unittest.TestCase):
    """Decided by us: a reader anywhere can follow every path and address that is written down."""

    def test_no_file_of_the_repository_has_a_forbidden_word(self) -> None:
        self.assertEqual(forbidden_text(ROOT), [])

    def test_each_forbidden_word_is_named(self) -> None:
        # Put together here, so that this file does not offend.
        web, here, there, number = "http", "/" + "work/main", "/" + "root/x", 5
        files = {
            "docs/a.md": f"Read {here} first.\n\nThen `{there}`, not docs{here} or ~{there}.\n",
            "README.md": f"See {web}s://github.com/someone/thing) and {web}://user@10.0.0.1:80/x.\n",
            "docs/b.md": (
                f"As document {number:02} says.\n"
                "https://toolreplay.invalid/docs https://www.rfc-editor.org/rfc/rfc8259\n"
                "http://localhost:8080/ https://api.example.com/v1 http://127.0.0.1:1 https://{host}/x\n"
            ),
            "build/lib.py": f"x = '{here}'\n",
        }
        with planted(files) as root:
            self.assertEqual(
                forbidden_text(root),
                [
                    f"README.md:1: an address: {web}s://github.com",
                    f"README.md:1: an address: {web}://user@10.0.0.1:80",
                    f"docs/a.md:1: a path of one machine: {here[:6]}",
                    f"docs/a.md:3: a path of one machine: {there[:6]}",
                    f"docs/b.md:1: not about the product: document {number:02}",
                ],
            )
