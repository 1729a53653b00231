"""Doctor: what it says of a machine whose servers are wrapped, and of one where something is wrong."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli import ways
from toolreplay.cli.checkup.round_trip import round_trip
from toolreplay.cli.checkup.stores import store_checks
from toolreplay.findings.check import FAILED, PASSED

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
SERVER = f"import sys\nfor _ in sys.stdin: print({ANSWER.decode().strip()!r}, flush=True)"
SERVERS = {"mcpServers": {"echo": {"command": sys.executable, "args": ["-c", SERVER]}}}


class AMachine(unittest.TestCase):
    """A home, a working folder and a program of its own."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()
        self.program = ways.build_zipapp(self.top)
        self.home, self.work, self.temp = (self.top / name for name in ("home", "work", "temp"))
        for path in (self.home, self.work, self.temp):
            path.mkdir()
        self.config = self.work / ".mcp.json"
        self.store = self.home / ".local/share/toolreplay/store.db"

    def ran(self, *words: str) -> ways.Ran:
        environment = {"HOME": os.fspath(self.home), "TMPDIR": os.fspath(self.temp)}
        return ways.run(self.program, *words, folder=self.work, environment=environment)

    def wrap(self, *words: str, config: object = SERVERS) -> None:
        self.config.write_text(json.dumps(config))
        ran = self.ran("wrap", ".mcp.json", "--write", *words)
        self.assertEqual(ran.status, 0, ran.error)

    def call(self) -> None:
        """Let the server that is wrapped answer a call, as a client would."""
        entry = json.loads(self.config.read_bytes())["mcpServers"]["echo"]
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n'
        ran = ways.run([entry["command"], *entry["args"]], stdin=line, folder=self.work)
        self.assertEqual(ran.out, ANSWER, ran.error)

    def found(self, *words: str, status: int) -> dict[str, tuple[str, str]]:
        """Run doctor; return result and words of each line."""
        ran = self.ran("doctor", *words, "--format", "json")
        self.assertEqual(ran.status, status, ran.text + ran.error)
        document = json.loads(ran.out)
        self.assertEqual(document["exit"], status)
        return {each["line"]: (each["result"], each["what"]) for each in document["checks"]}

    def state(self) -> list[tuple[str, bytes, int]]:
        return [
            (
                os.fspath(path),
                path.read_bytes() if path.is_file() else b"",
                path.lstat().st_mtime_ns,
            )
            for path in sorted(self.top.rglob("*"))
            if path != self.temp
        ]


class WhatItSays(AMachine):
    """Decided by us: passed only where it was tried."""

    def test_with_nothing_wrapped_it_says_so(self) -> None:
        found = self.found(status=3)
        self.assertEqual(found["wrapped"][0], "not checked")
        self.assertEqual(found["round trip"][0], "passed")
        self.assertEqual(found["store"], ("passed", f"{self.store} is made by the first call"))
        self.assertFalse(self.store.exists())

    def test_with_everything_wrapped_it_is_satisfied(self) -> None:
        self.wrap()
        found = self.found(status=0)
        self.assertEqual(found["wrapped"], ("passed", "1 of 1 servers"))
        self.call()
        found = self.found(status=0)
        self.assertEqual(found["store"], ("passed", f"{self.store}, 4 entries"))
        self.assertEqual(found["open runs"], ("passed", "0, none abandoned"))
        self.assertEqual(found["signer"][0], "not checked")
        self.assertIn("nobody signs", found["signer"][1])
        self.assertEqual(found["tampering"][0], "not checked")
        whose = "root" if os.getuid() == 0 else "only mistakes"
        self.assertIn(whose, found["tampering"][1])

    def test_nothing_is_written_outside_temporary_folders(self) -> None:
        """Reading a store where it stands may leave files beside it."""
        self.wrap()
        self.call()
        before = self.state()
        self.found(status=0)
        self.ran("doctor")
        self.assertEqual(self.state(), before)
        self.assertEqual(list(self.temp.iterdir()), [])

    def test_the_text_has_each_server_and_the_lines_of_a_report(self) -> None:
        self.wrap()
        ran = self.ran("doctor")
        self.assertEqual(ran.lines[0], f"Claude Code  {self.config}")
        self.assertTrue(ran.lines[1].startswith("  echo  is wrapped (into "))
        self.assertRegex(ran.text, r"\npassed       wrapped \(1 of 1 servers\) ·\s+round trip \(")

    def test_a_server_that_is_not_wrapped_is_not_passed_over(self) -> None:
        self.wrap()
        value = json.loads(self.config.read_bytes())
        value["mcpServers"]["new"] = {"command": "x"}
        self.config.write_text(json.dumps(value))
        self.assertEqual(self.found(status=3)["wrapped"][0], "not checked")

    def test_a_program_that_is_gone_has_failed(self) -> None:
        self.wrap()
        data = self.config.read_text()
        self.config.write_text(data.replace(self.program[3], "/nowhere/t.pyz"))
        found = self.found(status=1)
        self.assertEqual(found["wrapped"][0], "failed")
        self.assertIn("/nowhere/t.pyz", found["wrapped"][1])

    def test_no_other_program_is_started(self) -> None:
        """A configuration that came with a project may name any."""
        self.wrap()
        mark, other = self.top / "started", self.top / "other.pyz"
        other.write_text(f"open({os.fspath(mark)!r}, 'w')")
        self.config.write_text(self.config.read_text().replace(self.program[3], os.fspath(other)))
        found = self.found(status=3)
        self.assertEqual(found["round trip"][0], "not checked")
        self.assertFalse(mark.exists())

    def test_a_configuration_that_cannot_be_read_is_named(self) -> None:
        self.config.write_text("{")
        found = self.found(status=3)
        self.assertIn("not valid JSON", found["wrapped"][1])
        self.assertIn("No such file", self.found("gone.json", status=3)["wrapped"][1])

    def test_a_folder_in_which_none_can_be_made(self) -> None:
        blocked = self.top / "file"
        blocked.write_text("")
        result, what = self.found("--store", os.fspath(blocked / "store.db"), status=1)["store"]
        self.assertEqual((result, "cannot be written to" in what), ("failed", True))

    def test_a_further_configuration_may_be_named(self) -> None:
        other = self.top / "elsewhere.json"
        other.write_text(json.dumps(SERVERS))
        found = self.found(os.fspath(other), status=3)
        self.assertTrue(found["wrapped"][1].startswith("0 of 1 servers"))


class WhatIsWrong(AMachine):
    """The store's own troubles, each of them real."""

    def setUp(self) -> None:
        super().setUp()
        self.wrap()
        self.call()

    def test_not_recording_since(self) -> None:
        text = "not recording since 2026-11-30T09:00:00.000Z: database or disk is full"
        Path(f"{self.store}-state").write_bytes(text.encode().ljust(511) + b"\n")
        result, what = self.found(status=1)["store"]
        self.assertEqual(result, "failed")
        self.assertIn("since 2026-11-30T09:00:00.000Z: database or disk is full", what)

    def test_a_run_whose_writer_was_killed(self) -> None:
        """A wrapper that is killed says nothing any more."""
        entry = json.loads(self.config.read_bytes())["mcpServers"]["echo"]
        process = subprocess.Popen(
            [entry["command"], *entry["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n'
        )
        process.stdin.flush()
        self.assertTrue(process.stdout.readline())
        self.assertEqual(self.found(status=0)["open runs"], ("passed", "1, none abandoned"))
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        result, what = self.found(status=1)["open runs"]
        self.assertEqual(result, "failed")
        self.assertIn("1 run", what)
        self.call()
        self.assertEqual(self.found(status=0)["open runs"][0], "passed")

    def test_a_store_that_is_none(self) -> None:
        self.store.write_bytes(b"no database")
        self.assertEqual(self.found(status=1)["store"][0], "failed")

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_a_store_that_cannot_be_written_to(self) -> None:
        self.store.chmod(0o400)
        result, what = self.found(status=1)["store"]
        self.assertEqual(result, "failed")
        self.assertIn("cannot be written to by this user", what)


class WhoCouldTamper(AMachine):
    """Decided by us: measured by the user that runs the agent, which must not be that of the store."""

    def judged(
        self, owner: int, mode: int, folder_mode: int, user: int, line: str = "tampering"
    ) -> tuple[str, str]:
        """Return what is said of a store to a user; a child takes on that user, for good."""
        os.chown(self.store, owner, owner)
        self.store.chmod(mode)
        self.store.parent.chmod(folder_mode)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            found = [(check.result, check.count or check.reason)
                     for check in store_checks(os.fspath(self.store), [])
                     if check.line == line]  # fmt: skip
            os.write(writing, json.dumps(found).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with open(reading, "rb") as file:
            ((result, what),) = json.loads(file.read())
        return result, what

    @unittest.skipIf(os.getuid() != 0, "only root may be somebody else")
    def test_by_owner_and_mode(self) -> None:
        self.wrap()
        self.call()
        for path in (self.top, *self.store.parents[:-1]):
            if self.top in (path, *path.parents):
                path.chmod(0o755)
        table = (
            (65534, 0o600, 0o755, 65534, "not checked", "only mistakes are defended against"),
            (0, 0o644, 0o755, 65534, "passed", "user 0 has the store, mode 0644"),
            (0, 0o666, 0o755, 65534, "failed", "is another user's, and this one can write it"),
            (0, 0o644, 0o777, 65534, "failed", "is another user's, and this one can write it"),
            (0, 0o600, 0o755, 0, "not checked", "is root"),
        )
        for owner, mode, folder_mode, user, result, what in table:
            with self.subTest(owner=owner, mode=f"{mode:o}", folder=f"{folder_mode:o}"):
                found = self.judged(owner, mode, folder_mode, user)
                self.assertEqual(found[0], result, found)
                self.assertIn(what, found[1])

    @unittest.skipIf(os.getuid() != 0, "only root may be somebody else")
    def test_what_this_user_cannot_read_is_not_checked(self) -> None:
        """That is how it should be: a recorder of its own user."""
        self.wrap()
        self.call()
        for path in (self.top, *self.store.parents[:-1]):
            if self.top in (path, *path.parents):
                path.chmod(0o755)
        for folder_mode in (0o755, 0o700):
            found = self.judged(0, 0o600, folder_mode, 65534, line="store")
            self.assertEqual(found[0], "not checked", found)
            self.assertIn("cannot be read by this user", found[1])


class Signed(AMachine):
    """A store with a key: who signs, and who can read the key."""

    def test_who_signs_and_who_can_read_the_key(self) -> None:
        try:
            import cryptography  # noqa: F401
        except ImportError:
            self.skipTest("needs the extra sign")
        program = [sys.executable, "-m", "toolreplay"]
        key = self.work / "log.key"
        store = self.work / "s.db"
        for words in (["key", "new", "--name", "example.com/log", "-o", os.fspath(key)],
                      ["store", "init", os.fspath(store), "--key", os.fspath(key)]):  # fmt: skip
            self.assertEqual(ways.run(program, *words).status, 0)
        self.wrap("--store", os.fspath(store), "--key", os.fspath(key))
        found = self.found(status=0)
        self.assertEqual(found["signer"], ("passed", "example.com/log, all entries"))
        self.assertEqual(found["key"][0], "not checked")
        self.assertIn("and so could an agent", found["key"][1])
        key.unlink()
        self.assertEqual(self.found(status=1)["key"][0], "failed")


class TheRoundTrip(unittest.TestCase):
    """Each way in which a call may be lost, by a program that loses it."""

    def tried(self, code: str) -> tuple[str, str]:
        check = round_trip([sys.executable, "-c", code], dict(os.environ))
        return check.result, check.count or ""

    def test_a_program_that_ends_with_an_error(self) -> None:
        self.assertEqual(self.tried("import sys; sys.exit('no room')"), (FAILED, "no room"))
        self.assertEqual(self.tried("import os; os._exit(7)"), (FAILED, "it ended with 7"))

    def test_a_program_that_is_not_there(self) -> None:
        check = round_trip(["/nowhere/python3"], {})
        self.assertEqual(check.result, FAILED)
        self.assertIn("/nowhere/python3", check.count or "")

    def test_a_program_that_answers_nothing(self) -> None:
        result, what = self.tried("import sys; sys.stdin.read()")
        self.assertEqual((result, what), (FAILED, "the server's answer did not come through"))

    def test_a_program_that_passes_on_and_records_nothing(self) -> None:
        code = (
            "import os, sys; at = sys.argv.index('--') + 1; os.execv(sys.argv[at], sys.argv[at:])"
        )
        result, what = self.tried(code)
        self.assertEqual(result, FAILED)
        self.assertTrue(what.startswith("the call was answered, and not recorded: "), what)

    def test_our_own_program(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.fspath(ways.ROOT)}
        check = round_trip(ways.as_module(), environment)
        self.assertEqual(check.result, PASSED, check)


if __name__ == "__main__":
    unittest.main()
