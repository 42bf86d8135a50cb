"""Log entries on their way to the host: queued, sent in batches by a thread of their own."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

import grpc

from context_common.plugin import hclog
from context_common.plugin.callbacks import CallbackError, Callbacks
from context_common.wire.kernel_pb2 import LegacyLogRequest, LogRequest, LogResult
from context_common.wire.log_pb2 import LogEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_QUEUE_LIMIT: Final = 2000
_BATCH: Final = 200
_REFUSED: Final = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as the provider wrote it; ``when`` is seconds since the epoch."""

    level: int
    message: str
    fields: Mapping[str, str]
    session_id: str
    when: float

    def wire(self, logger: str) -> LogEntry:
        """The entry as the host reads it."""
        entry = LogEntry(level=self.level, logger=logger, message=_clean(self.message) or "(no message)")  # type: ignore[arg-type]  # the numbers are the wire's
        entry.fields.update({_clean(name): _clean(value) for name, value in self.fields.items()})
        entry.time.FromNanoseconds(int(self.when * 1e9))
        return entry


class LogPump:
    """A bounded queue whose oldest entries give way; nothing that is put into it ever waits."""

    def __init__(self, callbacks: Callbacks) -> None:
        self.logger = ""
        self._callbacks = callbacks
        self._queue: deque[Entry] = deque()
        self._dropped = 0
        self._changed = threading.Condition()
        self._sending = False
        self._legacy = False
        self._thread: threading.Thread | None = None

    def put(self, entry: Entry) -> None:
        """Queue an entry; returns at once."""
        with self._changed:
            if len(self._queue) >= _QUEUE_LIMIT:
                self._queue.popleft()
                self._dropped += 1
            self._queue.append(entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="log", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def drain(self, seconds: float) -> None:
        """Wait until everything was sent, at most ``seconds``."""
        with self._changed:
            self._changed.wait_for(lambda: not self._queue and not self._sending, timeout=seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue)
                batch = [self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))]
                dropped, self._dropped = self._dropped, 0
                self._sending = True
            if dropped:
                batch.append(
                    Entry(4, f"{dropped} log entries were dropped: the host reads them too slowly", {}, "", time.time())
                )
            for session_id, entries in groupby(batch, key=lambda entry: entry.session_id):
                self._send(session_id, list(entries))
            with self._changed:
                self._sending = False
                self._changed.notify_all()

    def _send(self, session_id: str, entries: list[Entry]) -> None:
        """Send in the newest form that the host takes; standard error is the second way out."""
        try:
            if not self._legacy:
                try:
                    request = LogRequest(entries=[entry.wire(self.logger) for entry in entries])
                    if session_id:
                        request.session_id = session_id
                    self._callbacks.call("Log", request, LogResult)
                except CallbackError as failure:
                    if failure.code not in _REFUSED:
                        raise
                    self._send_legacy(session_id, entries)
                    self._legacy = True
            else:
                self._send_legacy(session_id, entries)
        except CallbackError:
            self._write(entries)

    def _send_legacy(self, session_id: str, entries: Iterable[Entry]) -> None:
        for entry in entries:
            request = LegacyLogRequest(entry=entry.wire(self.logger))
            if session_id:
                request.session_id = session_id
            self._callbacks.call("Log", request, LogResult)

    def _write(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            fields = {**entry.fields, "session_id": entry.session_id} if entry.session_id else entry.fields
            hclog.write(entry.level, entry.message, fields, self.logger)


def _clean(text: str) -> str:
    """The text as UTF-8 and one message can carry it: names read from disk may hold stray bytes, and no host takes 4 MiB."""
    return hclog.bounded(text).encode("utf-8", "backslashreplace").decode()
