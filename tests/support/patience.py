"""What a limit in seconds is worth on a machine that is doing something else as well."""

from __future__ import annotations

import time

_ROUNDS = 200_000
_QUIET_SECONDS = 0.012
"""Processor seconds of the yardstick where nothing else runs (CPython 3.11, one core of an ordinary server)."""


def stretched(seconds: float) -> float:
    """``seconds``, stretched by how much slower than a quiet machine this one is right now; never shortened.

    Processor time grows too where cores are shared, so that it alone makes no fair limit.
    """
    return seconds * max(1.0, _yardstick() / _QUIET_SECONDS)


def _yardstick() -> float:
    started = time.process_time()
    table = {}
    for number in range(_ROUNDS):
        table[number & 1023] = number
    return time.process_time() - started
