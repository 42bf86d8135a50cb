"""The line that says what was left out of a shortened draft."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_common.markdown.parser import BLANKS
from context_common.markdown.units import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_common.markdown.units import Unit
    from context_common.provider import Part

SHORT = "[Shortened to fit.]"
MAX_RANGES = 8
MAX_TITLE = 60
EN_DASH = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Range:
    """Source lines that were left out, the last one included, and the heading they stand under."""

    source: str
    first: int
    last: int
    title: str


def long_notice(ranges: Sequence[Range]) -> str:
    """The notice that names what was left out, at most eight stretches of it."""
    shown = ranges[:MAX_RANGES]
    sentences: list[str] = []
    for source in dict.fromkeys(entry.source for entry in shown):
        entries = [entry for entry in shown if entry.source == source]
        alone = len(entries) == 1 and entries[0].first == entries[0].last
        listed = ", ".join(_range(entry) for entry in entries)
        sentences.append(f"{_plain(source)}: {'line' if alone else 'lines'} {listed}")
    more = f" and {len(ranges) - MAX_RANGES} more" if len(ranges) > MAX_RANGES else ""
    # "]:" could make the notice a link reference definition.
    return f"[Shortened to fit. Left out of {'; of '.join(sentences)}{more}.]".replace("]:", "] :")


def left_out(part: Part, units: Sequence[Unit], kept: Iterable[int]) -> list[Range]:
    """The stretches of ``part`` without the ``kept`` units, each in one section."""
    shown = set(kept)
    ranges: list[Range] = []
    path: list[Unit] = []
    under: Unit | None = None
    running = False
    for index, unit in enumerate(units):
        if unit.kind is Kind.HEADING:
            path = [heading for heading in path if heading.level < unit.level] + [unit]
        if index in shown:
            running = False
            continue
        last = _source_line(part, unit.last)
        begins = unit.kind is Kind.HEADING and (under is None or unit.level <= under.level)
        if running and not begins:
            ranges[-1] = Range(part.source, ranges[-1].first, last, ranges[-1].title)
        else:
            under = path[-1] if path else None
            title = under.title if under else ""
            ranges.append(Range(part.source, _source_line(part, unit.first), last, title))
        running = True
    return ranges


def _source_line(part: Part, line: int) -> int:
    return part.lines[line] if part.lines else part.first_line + line


def _range(entry: Range) -> str:
    lines = str(entry.first) if entry.first == entry.last else f"{entry.first}{EN_DASH}{entry.last}"
    title = _plain(entry.title).replace('"', "'")
    if len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1].rstrip(BLANKS) + "…"
    return f'{lines} "{title}"' if title else lines


def _plain(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\u2028\u2029]+", " ", text)
