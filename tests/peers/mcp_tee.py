"""Runs a command and keeps a copy of all it reads and prints: IN OUT CMD ARG…"""

import os
import signal
import subprocess
import sys
import threading


def copy(source: int, target: int, kept: str) -> None:
    """Copy a stream to its end, as it comes."""
    with open(kept, "ab", buffering=0) as file:
        while data := os.read(source, 65536):
            file.write(data)
            left = data
            while left:
                left = left[os.write(target, left) :]
    os.close(target)


def main() -> int:
    """Run the command; whoever ends us ends it."""
    came, gone, *command = sys.argv[1:]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    assert child.stdin is not None and child.stdout is not None
    threading.Thread(target=copy, args=(0, child.stdin.fileno(), came), daemon=True).start()
    printer = threading.Thread(target=copy, args=(child.stdout.fileno(), 1, gone), daemon=True)
    printer.start()
    status = child.wait()
    printer.join(5)
    sys.stdout = None
    os._exit(status & 0xFF)


if __name__ == "__main__":
    main()
