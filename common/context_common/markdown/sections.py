"""The section of a document that a heading names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from context_common.markdown.units import Kind, beginning

if TYPE_CHECKING:
    from context_common.markdown.document import Document
    from context_common.markdown.units import Unit

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_DROPPED = re.compile(r"[^\w\- ]")


def section_of(document: Document, heading: str) -> Document | None:
    """The heading that ``heading`` names, as in ``file.md#heading``, and everything under it; None without one.

    Headings are named as web views of repositories do it: lower case, blanks as hyphens, punctuation left out, and
    ``-1``, ``-2``, … behind one that comes again.
    """
    found = beginning(document.text).units
    index = _find(found, heading)
    if index is None:
        return None
    level = found[index].level
    after = found[index + 1 :]
    end = next((unit.start for unit in after if unit.kind is Kind.HEADING and unit.level <= level), found[-1].end)
    start = found[index].first
    rows = document.text.split("\n")
    sources = document.lines or tuple(range(1, len(rows) + 1))
    text = "\n".join(rows[start:end]) + ("\n" if end < len(rows) else "")
    kept = text.count("\n") + 1
    lines = (*sources, sources[-1] + 1)[start : start + kept]
    marks = tuple(replace(mark, line=mark.line - start) for mark in document.marks if start <= mark.line < end)
    return replace(document, text=text, lines=lines, marks=marks)


def _find(found: tuple[Unit, ...], heading: str) -> int | None:
    wanted = heading.lower()
    seen: Counter[str] = Counter()
    for index, unit in enumerate(found):
        if unit.kind is Kind.HEADING:
            slug = _slug(unit.title)
            if wanted == (f"{slug}-{seen[slug]}" if seen[slug] else slug):
                return index
            seen[slug] += 1
    return None


def _slug(title: str) -> str:
    text = _LINK.sub(r"\1", title)
    return _DROPPED.sub("", text.lower()).strip().replace(" ", "-")
