"""Promise: the commands open no socket and start no process."""

import pathlib
import tempfile
import unittest

from tests.cli.ways import side_by_side
from tests.promises.commands import quick_commands, run_code, seal_sample
from tests.promises.source import ROOT, planted

_REFUSE = """
import os
FORBIDDEN = ("socket.", "subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn",
             "os.spawn", "os.startfile", "os.system", "pty.spawn", "ctypes.", "urllib.Request",
             "http.client.", "ftplib.", "smtplib.", "webbrowser.open", "syslog.")
def refuse(event, arguments):
    if event.startswith(FORBIDDEN):
        os.write(2, f"\\n@{event}\\n".encode())
        os._exit(99)
sys.addaudithook(refuse)
from toolreplay.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def reaches_out(program: pathlib.Path, command: str, arguments: list[str]) -> list[str]:
    """What a command did that leaves the process, as the interpreter's own audit event."""
    ran = run_code(program, _REFUSE, arguments)
    if ran.status == 99:
        return [f"{command}: {ran.err.rpartition(b'@')[2].decode().strip()}"]
    if ran.status not in (0, 1):
        return [f"{command}: did not run: {ran.err.decode(errors='replace')}"]
    return []


class CommandsStayAtHome(unittest.TestCase):
    """Decided by us: a record may be secret, and an audit must work where there is no network."""

    def test_the_five_commands(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            commands = quick_commands(seal_sample(ROOT, folder))
            found = side_by_side(lambda command: reaches_out(ROOT, *command), commands.items())
        self.assertEqual(len(found), 5)
        self.assertEqual([line for lines in found for line in lines], [])

    def test_a_socket_and_a_process_are_named(self) -> None:
        files = {
            "toolreplay/__init__.py": "",
            "toolreplay/cli/__init__.py": "",
            "toolreplay/cli/main.py": """\
                def main(arguments):
                    import os, socket, subprocess, sys
                    try:
                        if arguments == ["replay"]:
                            socket.socket()
                        elif arguments == ["seal"]:
                            subprocess.run([sys.executable, "-c", ""])
                        elif arguments == ["verify"]:
                            os.fork()
                    except Exception:
                        pass
                    return 0
                """,
        }
        with planted(files) as program:
            self.assertEqual(reaches_out(program, "version", ["version"]), [])
            self.assertEqual(reaches_out(program, "replay", ["replay"]), ["replay: socket.__new__"])
            self.assertEqual(reaches_out(program, "seal", ["seal"]), ["seal: subprocess.Popen"])
            self.assertEqual(reaches_out(program, "verify", ["verify"]), ["verify: os.fork"])
