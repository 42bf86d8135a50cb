"""What signals do to the host: whatever ends it, it takes its plugins and its temporary directories along."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, NoReturn

from context_host.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_on_signals() -> None:
    """Let the signals that end a program raise an exception in the main thread."""
    for number in _heeded():
        signal.signal(number, _leave)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Hold signals back until the block ends, which takes something on or leaves it and may not stop half-way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.signal(number, lambda caught, _: came.append(caught)) for number in _heeded()}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for first in came[:1]:
            signal.raise_signal(first)


def _heeded() -> list[signal.Signals]:
    # What is ignored from outside, as nohup does, stays ignored; None is a handler that Python could not put back.
    return [number for number in _ENDING if signal.getsignal(number) not in {signal.SIG_IGN, None}]


def _leave(number: int, _frame: object) -> NoReturn:
    # A second signal would break off the cleaning up after the first, which has time limits of its own.
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(Exit.SIGNALLED + number)
