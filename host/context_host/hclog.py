"""Lines that a plugin writes on stderr, read as go-plugin reads them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS = ("trace", "debug", "info", "warn", "error")
LINE_LIMIT = 64 * 1024
_PREFIXES = {f"[{level.upper()}]": level for level in LEVELS}
_OWN_KEYS = {"@level", "@message", "@timestamp", "@module"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was logged: by a plugin, or by the host about a plugin."""

    provider: str
    level: str
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)


def read_line(provider: str, line: str) -> Entry:
    """The entry that one stderr line stands for; what is not hclog's JSON is kept as it is, at debug."""
    if line.startswith("{"):
        entry = _read_json(provider, line)
        if entry:
            return entry
    prefix, _, rest = line.partition(" ")
    if prefix in _PREFIXES:
        return Entry(provider, _PREFIXES[prefix], rest.strip())
    return Entry(provider, "debug", line)


def _read_json(provider: str, line: str) -> Entry | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    level, message = record.get("@level"), record.get("@message")
    if level not in LEVELS or not isinstance(message, str):
        return None
    fields = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in record.items()
        if key not in _OWN_KEYS
    }
    return Entry(provider, level, message, fields)
