"""Everything that was logged during a run, by plugins and by the host, with its time."""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

from context_common.wire import kernel_pb2, log_pb2
from context_host.callbacks import RefusedError
from context_host.enums import enum_name
from context_host.errors import UnusableError
from context_host.hclog import Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_host.counting import Counter

_SETTLE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Record:
    """An entry and when it was made, seconds since the epoch."""

    when: float
    entry: Entry


class Journal:
    """A growing list of records; safe to fill from several threads."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._lock = threading.Lock()
        self._told = 0

    def add(self, entry: Entry, when: float | None = None) -> None:
        """Keep ``entry``; now, unless ``when`` says otherwise."""
        with self._lock:
            self._records.append(Record(time.time() if when is None else when, entry))

    def news(self) -> list[Entry]:
        """The entries that came since this was asked last; waits a moment for those on their way."""
        time.sleep(_SETTLE_SECONDS)
        with self._lock:
            fresh, self._told = self._records[self._told :], len(self._records)
        return [record.entry for record in sorted(fresh, key=lambda record: record.when)]

    def slices(self, starts: Sequence[float]) -> list[list[Entry]]:
        """The entries from each of ``starts`` up to the next one, in the order they were made.

        Plugins send their entries when they find the time, so what counts is when one was made, and the slices
        are complete only once the plugins have ended. What came before the first start belongs to the first slice.
        """
        with self._lock:
            records = sorted(self._records, key=lambda record: record.when)
        slices: list[list[Entry]] = [[] for _ in starts]
        for record in records:
            if starts:
                slices[max(0, bisect_right(starts, record.when) - 1)].append(record.entry)
        return slices


class PluginKernel:
    """The kernel as one plugin sees it: the host's counter, and the journal under the plugin's name."""

    def __init__(self, plugin: str, counter: Counter, journal: Journal) -> None:
        self._plugin = plugin
        self._counter = counter
        self._journal = journal

    def count_tokens(self, request: kernel_pb2.CountTokensRequest, /) -> kernel_pb2.CountTokensResult:
        """The host's count, which is also the one that decides."""
        try:
            return kernel_pb2.CountTokensResult(
                count=self._counter.of_blocks(request.content), exact=self._counter.exact
            )
        except UnusableError as error:
            raise RefusedError(grpc.StatusCode.INTERNAL, str(error)) from error

    def log(self, request: kernel_pb2.LogRequest, /) -> kernel_pb2.LogResult:
        """Keep the entries, all or none."""
        entries = list(request.entries)
        if not entries or not all(entry.level and entry.message and entry.HasField("time") for entry in entries):
            raise RefusedError(grpc.StatusCode.INVALID_ARGUMENT, "every log entry needs a level, a message and a time")
        for entry in entries:
            self._journal.add(self._read(entry), entry.time.ToNanoseconds() / 1e9)
        return kernel_pb2.LogResult()

    def _read(self, entry: log_pb2.LogEntry) -> Entry:
        level = enum_name(log_pb2.LogLevel, entry.level)
        fields = {name: value if isinstance(value, str) else str(value) for name, value in sorted(entry.fields.items())}
        return Entry(self._plugin, level, entry.message, fields)
