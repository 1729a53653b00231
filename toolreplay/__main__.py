"""python -m toolreplay, the console script and the zipapp all begin here.

Kept in syntax that older interpreters can read, so that they answer with a line.
"""

import gc
import os
import sys


def main():  # type: () -> int
    """Run the command line and return its exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this is the check that says so
        sys.stderr.write(
            "error: toolreplay needs Python 3.11 or newer, this is %d.%d\n"  # noqa: UP031
            % sys.version_info[:2]
        )
        return 2
    # Nothing here makes cycles: modules stay, and parsed values are trees that the collector would
    # walk again and again.
    gc.disable()
    # What fails while something is thrown away has nobody to be told: no traceback for it.
    sys.unraisablehook = lambda _: None
    try:
        from toolreplay.cli.main import main as run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        pass  # what it held is let go here, outside the handler
    # Nothing more is asked of an interpreter without memory, not even to end in its own way.
    os.write(2, b"error: not enough memory\n")
    os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
