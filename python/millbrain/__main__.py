"""The engine's command line: ``python -m millbrain`` and the command ``millbrain`` do what the engine's binary does."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command line of this process; returns the status to exit with."""
    # Python's own handler would wait for Python code to run again. Jobs that end in order bring theirs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["millbrain", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
