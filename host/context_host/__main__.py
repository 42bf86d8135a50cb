"""The console script."""

from __future__ import annotations

import os
import sys

from context_host.errors import Exit
from context_host.signals import end_on_signals


def main() -> int:
    """Run the command line; return the exit code."""
    _open_standard_streams()
    end_on_signals()
    try:
        # Importing takes long enough to be interrupted as well.
        from context_host.cli import main as run  # noqa: PLC0415

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("context-host: interrupted\n")
        return Exit.INTERRUPTED


def _open_standard_streams() -> None:
    """Give the numbers of closed streams to nothing else: a socket on the number of stdout would be printed to."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free number is this one.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w" if number else "r"))


if __name__ == "__main__":
    raise SystemExit(main())
