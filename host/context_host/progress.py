"""One line on a terminal's stderr while something takes longer than half a second."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

PATIENCE_SECONDS = 0.5


@contextlib.contextmanager
def progress(console: Console, what: str, seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Show ``what`` after ``seconds``, until the block ends; nothing at all where ``console`` is no terminal."""
    # Not is_terminal, which FORCE_COLOR makes true for a pipe as well.
    if not console.file.isatty():
        yield
        return
    status = console.status(what)
    timer = threading.Timer(seconds, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
