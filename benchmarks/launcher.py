"""Start one process, wait for it, and write what it cost to a pipe.

    python3 -I -S benchmarks/launcher.py PIPE MEMORY PROGRAM [ARGUMENT…]

A process inherits the high-water mark of the memory of the one that starts it, so measured
processes are started from one that is smaller than they are. It measures the time as well: its
own start is then not counted. MEMORY limits the address space in bytes; 0 is no limit. Writes
exit status (negative: signal), seconds by the clock, seconds of processor time and peak (in the
unit of wait4) in one line.
"""

import os
import resource
import sys
import time


def main(pipe: int, memory: int, command: list[str]) -> None:
    """Run the command with this process's own input, output and folder."""
    os.set_inheritable(pipe, False)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    worked = usage.ru_utime + usage.ru_stime
    line = f"{os.waitstatus_to_exitcode(status)} {seconds!r} {worked!r} {usage.ru_maxrss}\n"
    os.write(pipe, line.encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
