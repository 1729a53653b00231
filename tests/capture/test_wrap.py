"""Wrapping the servers of a client's configuration: every format, back again, and whatever it may hold."""

import json
import os
import stat
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli import ways
from toolreplay.cli.wrapping.config import config_of, unwrapped, wrapped
from toolreplay.errors import InputError

WORDS = ["/opt/py", "-I", "-S", "/opt/t.pyz", "record", "mcp", "--server", "x", "--"]

CLAUDE = b"""{
  "mcpServers": {
    "orders": {
      "command": "npx",
      "args": ["-y", "@shop/orders"],
      "env": {"TOKEN": "s3cret"}
    },
    "time": {"command": "mcp-server-time"},
    "none": {"args": [], "command": "./a \\u00e9\\"b"},
    "blank": {"command":"x","args":[ ]},
    "multi": {
      "command": "uvx",
      "args": [
        "a",
        "--",
        "b"
      ], "cwd": "."
    },
    "tab": {"command": "x", "args": [\t"a"]},
    "spaced": {"command": "x", "args": [  "a"]},
    "remote": {"type": "http", "url": "https://example.com/mcp"},
    "old": {"url": "https://example.com/sse"}
  }
}
"""
PROJECTS = b"""{"mcpServers": {"a": {"command": "a"}}, "numbers": [1, 1.50, true],
 "projects": {"/home/x": {"mcpServers": {"a": {"command": "b", "args": ["--"]}}}, "/y": {"history": []}}}"""
VS_CODE = b"""// servers of this project
{
  /* "servers": {}, */
  "inputs": [{"id": "key", "type": "promptString",},],
  "servers": {
    "a//b": { // the first
      "type": "stdio",
      "command": "${workspaceFolder}/run", // its program
      "args": [ // none
      ],
    },
    "two": {"command": "x", "args": ["/*", /* one */ "${input:key}", // two
      "three",],},
  },
}
"""
SETTINGS = (
    b"""{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "a", "args": ["b"]}}}}"""
)
CODEX = b"""# settings
model = "m-2"
since = 1979-05-27 07:32:00 # a day
limit = nan

[mcp_servers.orders] # the shop
command = "npx" # its program
args = ["-y", # yes
  '@shop/orders',
]
env = { "TOKEN" = "s3cret" }

[mcp_servers."a.b"]
  command = '''x''y'''
startup_timeout_sec = 20.0

[mcp_servers]
inline = { command = "a\\u00e9", args = [] }
bare = {command="x"}
dotted.command = 'y'
remote = { url = "https://example.com/mcp" }
[[profile]]
name = "]"
"""
FORMS = {
    "claude": CLAUDE,
    "projects": PROJECTS,
    "vs code": VS_CODE,
    "settings": SETTINGS,
    "codex": CODEX,
    "codex, no last line ending": b'[mcp_servers.a]\ncommand = "a"',
    "a byte order mark": b"\xef\xbb\xbf" + CLAUDE,
    "minified": json.dumps(json.loads(CLAUDE), separators=(",", ":")).encode(),
}
FORMS |= {f"{name}, CR LF": data.replace(b"\n", b"\r\n") for name, data in FORMS.items()}


def put(data: bytes) -> bytes:
    return wrapped(config_of("c", data), lambda server: WORDS)


def taken(data: bytes) -> bytes:
    return unwrapped(config_of("c", data))


class EveryForm(unittest.TestCase):
    """Decided by us: nothing else in the file changes, and undoing leaves no trace."""

    def test_undone_the_bytes_are_those_from_before(self) -> None:
        for name, data in FORMS.items():
            with self.subTest(name):
                self.assertNotEqual(put(data), data)
                self.assertEqual(taken(put(data)), data)

    def test_wrapped_twice_is_wrapped_once(self) -> None:
        for name, data in FORMS.items():
            with self.subTest(name):
                self.assertEqual(put(put(data)), put(data))

    def test_what_was_never_wrapped_is_not_undone(self) -> None:
        for name, data in FORMS.items():
            with self.subTest(name):
                self.assertEqual(taken(data), data)

    def test_the_servers_own_command_stands_behind_the_words(self) -> None:
        for name, data in FORMS.items():
            before, after = config_of("c", data), config_of("c", put(data))
            for old, new in zip(before.servers, after.servers, strict=True):
                with self.subTest(name, server=old.path):
                    if old.why_not:
                        self.assertEqual(new, old)
                        continue
                    self.assertEqual(new.command, WORDS[0])
                    self.assertEqual(new.args, (*WORDS[1:], old.command, *old.args))

    def test_comments_and_other_members_stay(self) -> None:
        for name, data in FORMS.items():
            for part in (
                b"s3cret",
                b"// the first",
                b"/* one */",
                b"# its program",
                b"1.50",
                b"nan",
            ):
                with self.subTest(name, part=part):
                    self.assertEqual(put(data).count(part), data.count(part))


class ChangedSince(unittest.TestCase):
    """Decided by us: a client that writes its file anew does not take the way back away."""

    def test_other_parts_are_kept(self) -> None:
        data = put(CLAUDE).replace(b"s3cret", b"other").replace(b'"cwd": "."', b'"cwd": "/x"')
        expected = CLAUDE.replace(b"s3cret", b"other").replace(b'"cwd": "."', b'"cwd": "/x"')
        self.assertEqual(taken(data), expected)

    def test_laid_out_anew_it_says_what_it_said(self) -> None:
        value = json.loads(CLAUDE)
        value["mcpServers"]["time"]["args"] = []
        for how in (
            {"indent": 2},
            {"indent": "\t"},
            {"separators": (",", ":")},
            {"sort_keys": True},
        ):
            data = json.dumps(json.loads(put(CLAUDE)), **how).encode()
            undone = json.loads(taken(data))
            undone["mcpServers"]["time"].setdefault("args", [])
            with self.subTest(how):
                self.assertEqual(undone, value)

    def test_laid_out_anew_it_is_laid_out_as_a_client_would_have(self) -> None:
        """A client that indents every element leaves the same text after an undo."""
        value = {"mcpServers": {"a": {"command": "npx", "args": ["-y", "b"]}}}
        data = json.dumps(value, indent=2).encode()
        again = json.dumps(json.loads(put(data)), indent=2).encode()
        self.assertEqual(taken(again), data)

    def test_a_server_that_was_added_since_is_left_as_it_is(self) -> None:
        data = put(SETTINGS).replace(b'"servers": {', b'"servers": {"new": {"command": "n"}, ')
        self.assertIn(b'"new": {"command": "n"}', taken(data))
        self.assertEqual(json.loads(put(data))["mcp"]["servers"]["new"]["command"], WORDS[0])


class WhatIsRefused(unittest.TestCase):
    """Decided by us: one line that says what and where, and nothing is guessed."""

    def test_each_of_them(self) -> None:
        deep = b'{"a":' * 300 + b"1" + b"}" * 300
        table = (
            (b"", "c: is empty"),
            (b" \r\n", "c: is empty"),
            (b"{", "c: not valid JSON (line 1, column 2)"),
            (b'{\n"a": 1,\n"b" 2}', "c: not valid JSON (line 3, column 5)"),
            (b'{"a": 1} /* no end', "c: more text after the value (line 1, column 10)"),
            (b"// nothing", "c: not valid JSON (line 1, column 11)"),
            (b"[1, 2]", "c: not valid TOML: "),
            (b"hello", "c: not valid TOML: "),
            (b'{"mcpServers": {}, "mcpServers": {}}', "c: duplicate field 'mcpServers'"),
            (b'{"mcpServers": {"a": {"command": "x", "command": "y"}}}', "c: duplicate field 'command'"),
            (b'{"mcpServers": []}', "c: mcpServers is no object of servers"),
            (b'{"mcpServers": {"a": 1}}', "c: mcpServers.a is no object that describes a server"),
            (b'{"servers": {"a": {"command": ["x"]}}}', "c: servers.a.command is no text"),
            (b'{"servers": {"a": {"command": ""}}}', "c: servers.a.command is no text"),
            (b'{"servers": {"a": {"command": "x", "args": "y"}}}', "c: servers.a.args is no list of texts"),
            (b'{"servers": {"a": {"command": "x", "args": [1]}}}', "c: servers.a.args is no list of texts"),
            (b'{"servers": {"a": {"command": "x", "args": null}}}', "c: servers.a.args is no list of texts"),
            (b'{"mcpServers": {"a\xff": {"command": "x"}}}', "c: not UTF-8 (byte 19 of the line)"),
            (b'\xff\xfe{\x00', "c: not UTF-8"),
            (deep, "c: nested deeper than 200 levels"),
            (b"[" * 5000, "c: "),
            (b"mcp_servers = 1", "c: mcp_servers is no table of servers"),
            (b"mcp_servers = [[1]]", "c: mcp_servers is no table of servers"),
            (b"[[mcp_servers.a]]\ncommand = 'x'", "c: mcp_servers.a is no object that describes"),
            (b"[mcp_servers.a]\ncommand = 1", "c: mcp_servers.a.command is no text"),
            (b"[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'", "c: not valid TOML: "),
            (b"\xef\xbb\xbf[mcp_servers.a]\ncommand = 'x'", "c: is no JSON object, and TOML has no"),
            (b"a" + b".a" * 40 + b" = 1", "c: a name of more than 16 parts"),
        )  # fmt: skip
        for data, what in table:
            for work in (put, taken):
                with self.subTest(data[:60], work=work.__name__):
                    with self.assertRaises(InputError) as caught:
                        work(data)
                    self.assertTrue(str(caught.exception).startswith(what), str(caught.exception))

    def test_no_bytes_make_it_fail_otherwise(self) -> None:
        """Each form is cut, and each of its bytes replaced: refused, or undone to the same bytes."""
        for name, data in FORMS.items():
            for at in range(0, len(data), 1 + len(data) // 150):
                for bad in (
                    data[:at],
                    *(data[:at] + new + data[at + 1 :] for new in (b'"', b"]", b"\\")),
                ):
                    with self.subTest(name, at=at):
                        try:
                            again = taken(put(bad))
                        except InputError:
                            continue
                        self.assertEqual(again, bad)


class TheCommand(unittest.TestCase):
    """The program as it is carried away, in a home of its own."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.program = ways.build_zipapp(self.folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.config = self.folder / ".mcp.json"
        self.config.write_bytes(CLAUDE)

    def run_wrap(self, *words: str, stdin: bytes = b"") -> ways.Ran:
        environment = {"HOME": os.fspath(self.home)}
        return ways.run(
            self.program, "wrap", *words, folder=self.folder, environment=environment, stdin=stdin
        )

    def state(self) -> list[tuple[str, bytes, int, int]]:
        """Everything below the folder: name, bytes, mode and time of each file."""
        found = []
        for path in sorted(self.folder.rglob("*")):
            status = path.lstat()
            data = path.read_bytes() if path.is_file() else b""
            found.append((os.fspath(path), data, status.st_mode, status.st_mtime_ns))
        return found

    def test_without_write_nothing_is_touched(self) -> None:
        before = self.state()
        for words in ([".mcp.json"], [".mcp.json", "--check"], [".mcp.json", "--undo"], []):
            self.run_wrap(*words)
            with self.subTest(words):
                self.assertEqual(self.state(), before)

    def test_the_difference_is_shown_and_what_stands_beside_it_is_not(self) -> None:
        """Lines around a change may hold credentials."""
        ran = self.run_wrap(".mcp.json", "--agent", "bot")
        self.assertEqual(ran.status, 0)
        self.assertEqual(ran.lines[:2], ["--- .mcp.json", "+++ .mcp.json (wrapped)"])
        self.assertIn('-      "command": "npx",', ran.lines)
        self.assertIn('"--agent", "bot", "--", "npx", "-y", "@shop/orders"],', ran.text)
        self.assertNotIn("s3cret", ran.text)
        self.assertIn("is reached by its URL", ran.text)
        self.assertIn("--write does it", ran.error)

    def test_written_it_names_interpreter_program_and_store_by_absolute_paths(self) -> None:
        self.assertEqual(self.run_wrap(".mcp.json", "--write").status, 0)
        entry = json.loads(self.config.read_bytes())["mcpServers"]["orders"]
        store = os.fspath(self.home / ".local/share/toolreplay/store.db")
        self.assertEqual(
            [entry["command"], *entry["args"]],
            [*self.program, "record", "mcp", "--server", "orders", "--store", store, "--", "npx",
             "-y", "@shop/orders"],
        )  # fmt: skip
        self.assertEqual(entry["env"], {"TOKEN": "s3cret"})

    def test_every_option_of_a_recording_is_handed_on(self) -> None:
        """Those that look like an option, or like the end of them, too."""
        words = ["--store", "s.db", "--run=-r", "--label", "a=1", "--label", "b=--", "--strict",
                 "--model=-m", "--redact", "full", "--key", "k", "--durable-intent"]  # fmt: skip
        self.assertEqual(self.run_wrap(".mcp.json", "--write", *words).status, 0)
        args = json.loads(self.config.read_bytes())["mcpServers"]["time"]["args"]
        store, key = (os.fspath(self.folder / name) for name in ("s.db", "k"))
        self.assertEqual(
            args[7:],
            ["--store", store, "--run=-r", "--model=-m", "--label", "a=1", "--label", "b=--",
             "--redact", "full", "--strict", "--durable-intent", "--key", key, "--",
             "mcp-server-time"],
        )  # fmt: skip
        self.assertEqual(self.run_wrap(".mcp.json", "--undo").status, 0)
        self.assertEqual(self.config.read_bytes(), CLAUDE)

    def test_written_and_undone_mode_link_and_bytes_are_as_before(self) -> None:
        os.chmod(self.config, 0o640)
        link = self.folder / "link.json"
        link.symlink_to(self.config)
        for words in (["--write"], ["--undo"]):
            self.assertEqual(self.run_wrap("link.json", *words).status, 0)
            self.assertTrue(link.is_symlink())
            self.assertEqual(stat.S_IMODE(self.config.stat().st_mode), 0o640)
        self.assertEqual(self.config.read_bytes(), CLAUDE)
        self.assertEqual([p.name for p in self.folder.iterdir() if "partial" in p.name], [])

    def test_a_second_time_changes_nothing(self) -> None:
        self.run_wrap(".mcp.json", "--write")
        before = self.state()
        ran = self.run_wrap(".mcp.json", "--write", "--agent", "other")
        self.assertEqual((ran.status, self.state()), (0, before))
        self.assertIn("nothing to wrap", ran.text)

    def test_check_says_which_are_wrapped(self) -> None:
        self.config.write_bytes(SETTINGS)
        self.assertEqual(self.run_wrap(".mcp.json", "--check").status, 1)
        self.run_wrap(".mcp.json", "--write")
        ran = self.run_wrap(".mcp.json", "--check")
        self.assertEqual(ran.status, 0, ran)
        self.assertTrue(ran.lines[0].startswith("passed  a  is wrapped (into "))

    def test_check_sees_a_program_that_is_gone(self) -> None:
        self.config.write_bytes(SETTINGS)
        self.run_wrap(".mcp.json", "--write")
        data = self.config.read_bytes()
        for old, new in (
            (self.program[0], "/nowhere/python3"),
            (self.program[3], "/nowhere/t.pyz"),
        ):
            self.config.write_bytes(data.replace(old.encode(), new.encode()))
            ran = self.run_wrap(".mcp.json", "--check")
            with self.subTest(new):
                self.assertEqual(ran.status, 1)
                self.assertIn(new, ran.text)
                self.assertTrue(ran.text.startswith("failed"))

    def test_check_does_not_count_what_cannot_be_wrapped_as_passed(self) -> None:
        self.config.write_bytes(b'{"mcpServers": {"r": {"url": "https://example.com"}}}')
        self.assertEqual(self.run_wrap(".mcp.json", "--check").status, 3)
        self.config.write_bytes(b'{"mcpServers": {}}')
        self.assertEqual(self.run_wrap(".mcp.json", "--check").status, 3)

    def test_a_name_that_steers_a_terminal_is_escaped(self) -> None:
        self.config.write_bytes(b'{"mcpServers": {"\\u001b[2J": {"command": "\\u202ex"}}}')
        for words in (["--check"], [], ["--write"], ["--undo"]):
            ran = self.run_wrap(".mcp.json", *words)
            self.assertNotIn(b"\x1b", ran.out)
            self.assertNotIn("\u202e".encode(), ran.out)

    def test_a_server_is_called_by_its_name_where_that_can_be_handed_on(self) -> None:
        """The names are those of no argument, or of one that would be taken for another."""
        servers = {name: {"command": "x"} for name in ("--", "-a", "\0", "\ud800", "", "a b")}
        self.config.write_text(json.dumps({"servers": servers}))
        self.assertEqual(self.run_wrap(".mcp.json", "--write").status, 0)
        found = json.loads(self.config.read_bytes())["servers"]
        named = {name: entry["args"][5:7] for name, entry in found.items()}
        store = "--store"
        self.assertEqual([words for words in named.values() if words[0] != store],
                         [["--server=-a", store], ["--server", "a b"]])  # fmt: skip

    def test_what_is_no_file_is_refused_in_one_line(self) -> None:
        os.mkfifo(self.folder / "pipe")
        (self.folder / "big.json").write_bytes(b'{"mcpServers": {}, "x": "' + b"a" * (17 << 20))
        table = ((".", "is a folder"), ("pipe", "is no file"), ("gone", "No such file or directory"),
                 ("/dev/null", "is no file"), ("big.json", "longer than 16777216 bytes"),
                 ("-", "wrap takes the name of a file"))  # fmt: skip
        for name, what in table:
            for words in ([], ["--write"], ["--undo"], ["--check"]):
                ran = self.run_wrap(name, *words)
                with self.subTest(name, words=words):
                    self.assertEqual((ran.status, ran.out, ran.err.count(b"\n")), (2, b"", 1))
                    self.assertIn(what, ran.error)

    def test_ten_megabytes_are_wrapped_and_undone(self) -> None:
        history = [{"display": "x" * 100, "pasted": {}} for _ in range(80_000)]
        data = json.dumps({"history": history, "mcpServers": {"a": {"command": "b"}}}).encode()
        self.assertGreater(len(data), 10_000_000)
        self.config.write_bytes(data)
        self.assertEqual(self.run_wrap(".mcp.json", "--write").status, 0)
        self.assertEqual(self.run_wrap(".mcp.json", "--undo").status, 0)
        self.assertEqual(self.config.read_bytes(), data)

    def test_a_file_of_several_names_is_left_alone(self) -> None:
        os.link(self.config, self.folder / "other.json")
        ran = self.run_wrap(".mcp.json", "--write")
        self.assertEqual(ran.status, 2)
        self.assertIn("has several names", ran.error)
        self.assertEqual(self.config.read_bytes(), CLAUDE)

    def test_without_a_configuration_those_of_the_machine_are_listed(self) -> None:
        codex = self.home / ".codex" / "config.toml"
        codex.parent.mkdir()
        codex.write_bytes(CODEX)
        (self.home / ".claude.json").write_bytes(b"{")
        ran = self.run_wrap()
        self.assertEqual(ran.status, 0)
        shown = [line.split("  ", 1)[0] for line in ran.lines]
        self.assertEqual(shown, ["Claude Code", "Claude Code", "Codex"])
        self.assertIn("0 of 6 wrapped", ran.text)
        self.assertIn("cannot be read: not valid JSON", ran.text)
        self.assertEqual(self.run_wrap("--write").status, 2)

    def test_from_a_checkout_it_says_what_to_build(self) -> None:
        words = (os.fspath(self.config), "--write", "--store", "s.db")
        ran = ways.run(ways.as_module(), "wrap", *words)
        self.assertEqual(ran.status, 2)
        self.assertIn(".ci/build-pyz", ran.error)
        self.assertEqual(self.config.read_bytes(), CLAUDE)

    def test_a_server_that_is_wrapped_answers_and_is_recorded(self) -> None:
        """As a client would start it: the words of the configuration, and its environment."""
        server = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n"
        data = {"mcpServers": {"echo": {"command": self.program[0], "args": ["-c", server]}}}
        self.config.write_text(json.dumps(data))
        self.run_wrap(".mcp.json", "--write", "--run", "r-1")
        entry = json.loads(self.config.read_bytes())["mcpServers"]["echo"]
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n'
        ran = ways.run([entry["command"], *entry["args"]], stdin=line, folder="/")
        self.assertEqual((ran.status, ran.out), (0, line), ran.error)
        store = os.fspath(self.home / ".local/share/toolreplay/store.db")
        ran = ways.run(self.program, "runs", "list", "--store", store)
        self.assertIn("r-1", ran.text, ran.error)


if __name__ == "__main__":
    unittest.main()
