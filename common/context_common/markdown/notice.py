"""What a reader of Markdown has to say about a source, meant for the log and never for the prompt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning at a 1-based source line."""

    line: int
    message: str
