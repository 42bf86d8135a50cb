"""The console script, and what signals do to it: whatever ends the host, it takes its plugins along."""

from __future__ import annotations

import os
import signal
import sys

from context_host.errors import Exit

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Run the command line; return the exit code."""
    _open_standard_streams()
    for number in _ENDING:
        # What is ignored from outside, as nohup does, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
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


def _leave(number: int, _frame: object) -> None:
    # A second signal would break off the cleaning up after the first, which has time limits of its own.
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(Exit.SIGNALLED + number)


if __name__ == "__main__":
    raise SystemExit(main())
