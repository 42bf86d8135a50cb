"""Keep and drop marks: HTML comments in which an author tells the budget what matters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class MarkKind(StrEnum):
    """What a mark asks for when the budget is too small for everything."""

    KEEP = "keep"
    DROP = "drop"


class Reach(StrEnum):
    """How much a mark holds for."""

    UNIT = "unit"
    SECTION = "section"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark, as ``<!-- context: keep -->`` or ``<!-- context: drop -->`` set it.

    Attributes:
        line: the 0-based line of the stripped text that it holds for: a heading's for a section, else the first
            line of text after the mark.
    """

    line: int
    kind: MarkKind
    reach: Reach = Reach.UNIT


_MARK = re.compile(r"<!--\s*context:\s*(keep|drop)\s*-->")


def mark_kind(comment: str) -> MarkKind | None:
    """What the mark ``comment`` asks for; None if it is no mark."""
    match = _MARK.fullmatch(comment)
    return MarkKind(match[1]) if match else None


def has_marks(text: str) -> bool:
    """Whether anything in ``text`` looks like a mark."""
    return _MARK.search(text) is not None
