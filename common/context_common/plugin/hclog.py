"""Log lines on standard error, in the JSON form that a go-plugin host reads as its own entries."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS: Final = {1: "trace", 2: "debug", 3: "info", 4: "warn", 5: "error"}
"""Levels as the host spells them, by their number on the wire; it takes any other word for plain text."""
_LINE_LIMIT: Final = 60_000
"""Bytes; the host cuts lines at 64 KiB, and half a JSON line is no entry."""
_TEXT_LIMIT: Final = 4_000
_FIELD_LIMIT: Final = 32
_NAME_LIMIT: Final = 200


def line(level: int, message: str, fields: Mapping[str, str] | None = None, module: str = "") -> bytes:
    """One entry as a line of JSON, newline included.

    Every value is a string: a host that meets any other type in an ``@`` field stops with a panic.
    """
    entry = {
        "@level": LEVELS.get(level, "info"),
        "@message": bounded(message) or "(no message)",
        "@timestamp": datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }
    if module:
        entry["@module"] = module[:_NAME_LIMIT]
    for name, value in list((fields or {}).items())[:_FIELD_LIMIT]:
        entry[name.lstrip("@")[:_NAME_LIMIT] or "field"] = bounded(value)
    data = json.dumps(entry).encode()
    if len(data) > _LINE_LIMIT:
        return line(level, message, {"fields": "left out, too long"}, module)
    return data + b"\n"


def bounded(text: str) -> str:
    """``text``, cut where it is too long for an entry."""
    return text if len(text) <= _TEXT_LIMIT else text[:_TEXT_LIMIT] + "…"


def write(level: int, message: str, fields: Mapping[str, str] | None = None, module: str = "") -> None:
    """Write one entry to standard error; a host that has gone is no reason to fail."""
    try:
        os.write(2, line(level, message, fields, module))
    except OSError:
        return


class _Lines(io.TextIOBase):
    """A text stream that makes an entry of every line, so that no text reaches the host raw."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._rest = ""
        self._lock = threading.Lock()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self._lock:
            *whole, self._rest = (self._rest + text).split("\n")
        for one in whole:
            if one.strip():
                write(self._level, one)
        return len(text)


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        level = min(5, max(1, record.levelno // 10 + 1))
        message = record.getMessage()
        if record.exc_info:
            message += "\n" + logging.Formatter().formatException(record.exc_info)
        write(level, message, module=record.name)


def capture() -> None:
    """Send prints, warnings, uncaught exceptions and the logging module through `write` from here on."""
    sys.stdout = _Lines(2)
    sys.stderr = _Lines(4)
    logging.basicConfig(handlers=[_Handler()], level=logging.WARNING, force=True)
