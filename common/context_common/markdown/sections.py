"""The sections of a document that its headings name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from context_common.markdown.units import Kind, beginning

if TYPE_CHECKING:
    from context_common.markdown.document import Document

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_DROPPED = re.compile(r"[^\w\- ]")


class Sections:
    """The sections of a document, by what a link to their heading says, as in ``file.md#heading``.

    Headings are named as web views of repositories do it: lower case, blanks as hyphens, punctuation left out, and
    ``-1``, ``-2``, … behind one that comes again.
    """

    def __init__(self, document: Document) -> None:
        """Parse ``document``, once for all its sections."""
        self._document = document
        self._units = beginning(document.text).units
        self._rows = document.text.split("\n")
        self._sources = document.lines or tuple(range(1, len(self._rows) + 1))
        self._headings: dict[str, int] = {}
        seen: Counter[str] = Counter()
        for index, unit in enumerate(self._units):
            if unit.kind is Kind.HEADING:
                slug = _slug(unit.title)
                self._headings.setdefault(f"{slug}-{seen[slug]}" if seen[slug] else slug, index)
                seen[slug] += 1

    def get(self, heading: str) -> Document | None:
        """The heading that is called ``heading``, and everything under it; None without one."""
        index = self._headings.get(heading.lower())
        if index is None:
            return None
        start, end = self._units[index].first, self._end(index)
        text = "\n".join(self._rows[start:end]) + ("\n" if end < len(self._rows) else "")
        kept = text.count("\n") + 1
        lines = (*self._sources, self._sources[-1] + 1)[start : start + kept]
        marks = self._document.marks
        within = tuple(replace(mark, line=mark.line - start) for mark in marks if start <= mark.line < end)
        return replace(self._document, text=text, lines=lines, marks=within)

    def _end(self, index: int) -> int:
        """The line before which the section of heading ``index`` ends."""
        level = self._units[index].level
        after = self._units[index + 1 :]
        ends = (unit.start for unit in after if unit.kind is Kind.HEADING and unit.level <= level)
        return next(ends, self._units[-1].end)


def _slug(title: str) -> str:
    text = _LINK.sub(r"\1", title)
    return _DROPPED.sub("", text.lower()).strip().replace(" ", "-")
