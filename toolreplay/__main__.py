"""python -m toolreplay, the console script and the zipapp all begin here.

Kept in syntax that older interpreters can read, so that they answer with a line.
"""

import gc
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
    from toolreplay.cli.main import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
