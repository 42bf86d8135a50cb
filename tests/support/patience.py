"""What a limit in seconds is worth on a machine that is doing something else as well."""

from __future__ import annotations

import os
import time
from pathlib import Path

_ROUNDS = 200_000
_QUIET_SECONDS = 0.012
"""Processor seconds of the yardstick where nothing else runs (CPython 3.11, one core of an ordinary server)."""


def stretched(seconds: float) -> float:
    """``seconds``, stretched by how much slower than a quiet machine this one is right now; never shortened.

    Processor time grows too where cores are shared, so that it alone makes no fair limit.
    """
    return seconds * _slowness()


class Stopwatch:
    """The seconds since it was made, less those that the machine was not there for whoever wanted it.

    A limit in seconds is kept on a machine that is free. While anybody waits for a processor, a disk or memory,
    or the machine itself is kept waiting by those it shares its hardware with, the clock stands still. Where the
    system does not tell of such waiting, what is left is that a slow machine has slow seconds.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waited = _waited() or 0.0

    @property
    def seconds(self) -> float:
        """Seconds that count."""
        return self.counting(time.monotonic() - self._began)

    def counting(self, seconds: float) -> float:
        """What counts of ``seconds`` that another clock measured meanwhile."""
        lost = (_waited() or 0.0) - self._waited
        return max(0.0, seconds - lost) / _slowness()


def _slowness() -> float:
    clock = time.perf_counter if _waited() is None else time.process_time
    started = clock()
    table = {}
    for number in range(_ROUNDS):
        table[number & 1023] = number
    return max(1.0, (clock() - started) / _QUIET_SECONDS)


def _waited() -> float | None:
    """Seconds, ever since the machine started, in which somebody waited for it; None where it does not tell."""
    try:
        pressure = [Path("/proc/pressure", what).read_text() for what in ("cpu", "io", "memory")]
        stolen = int(Path("/proc/stat").read_text().split(maxsplit=9)[8]) / os.sysconf("SC_CLK_TCK")
        waited = sum(int(text.partition("total=")[2].split()[0]) for text in pressure) / 1e6
    except (OSError, ValueError, IndexError):
        return None
    # The pressure is an average of the processors, so that one of them may have kept somebody waiting for longer.
    return waited * (os.cpu_count() or 1) + stolen
