"""What a unit cannot be shown without, and which units are ranked on their own."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from context_common.markdown.marks import Mark, MarkKind, Reach
from context_common.markdown.units import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_common.markdown.units import Outline, Unit

_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])( *)")
_URGENCY = {MarkKind.KEEP: 0, MarkKind.DROP: 2}
_ORDINARY = 1


class Needs:
    """The units of one part: their headings, the definitions they use, and what must stand between them."""

    def __init__(self, outlined: Outline, marks: tuple[Mark, ...]) -> None:
        self._outline = outlined
        self._units = outlined.units
        self._heading = _headings(self._units)
        self._guard = _guards(self._units, self._heading)
        self._urgency = _urgencies(self._units, self._heading, marks)
        self._known: dict[int, list[int]] = {}

    def candidates(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """The units that rank on their own, with their urgency and their place in their section."""
        has_content = set(self._heading)
        places: Counter[int] = Counter()
        for index, unit in enumerate(self._units):
            if unit.kind in (Kind.DEFINITIONS, Kind.BLANK) or index in has_content:
                continue
            section = index if unit.kind is Kind.HEADING else self._heading[index]
            yield index, (self._urgency[index], places[section])
            places[section] += 1

    def of(self, index: int) -> list[int]:
        """``index`` and all units that must be shown with it."""
        found = {index}
        pending = [index]
        while pending:
            unit = pending.pop()
            for needed in (self._heading[unit], self._guard.get(unit, -1), *self._outline.used.get(unit, ())):
                if needed >= 0 and needed not in found:
                    found.add(needed)
                    pending.append(needed)
        return sorted(found)


def _headings(units: tuple[Unit, ...]) -> list[int]:
    """For each unit the index of the heading right above it in the hierarchy, or -1."""
    found = []
    path: list[tuple[int, int]] = []
    for index, unit in enumerate(units):
        if unit.kind is Kind.HEADING:
            while path and path[-1][0] >= unit.level:
                path.pop()
        found.append(path[-1][1] if path else -1)
        if unit.kind is Kind.HEADING:
            path.append((unit.level, index))
    return found


def _guards(units: tuple[Unit, ...], headings: list[int]) -> dict[int, int]:
    """For each unit that something earlier could take in, were all between them left out, one that prevents it.

    A list item takes in what is indented to its content, and indented code takes in indented code.
    """
    guards = {}
    items: dict[int, int] = {}
    last_code = -1
    for index, unit in enumerate(units):
        indent = _indent(unit)
        absorber = max([at for column, at in items.items() if column <= indent], default=-1)
        if unit.kind is Kind.CODE:
            absorber = max(absorber, last_code)
            last_code = index
        heading = headings[index]
        if absorber >= 0 and not (heading > absorber and _indent(units[heading]) <= 1):
            between = range(index - 1, absorber, -1)
            guards[index] = next((at for at in between if units[at].kind is not Kind.DEFINITIONS), index - 1)
        if unit.kind is Kind.ITEM:
            items[_content_column(unit)] = index
    return guards


def _first_line(unit: Unit) -> str:
    return unit.text.lstrip("\n").split("\n", 1)[0].expandtabs(4)


def _indent(unit: Unit) -> int:
    line = _first_line(unit)
    return len(line) - len(line.lstrip(" "))


def _content_column(unit: Unit) -> int:
    match = _ITEM.match(_first_line(unit).lstrip(" "))
    if not match:
        return 2
    blanks = len(match[2])
    return _indent(unit) + len(match[1]) + (blanks if 1 <= blanks <= 4 else 1)


def _urgencies(units: tuple[Unit, ...], headings: list[int], marks: tuple[Mark, ...]) -> list[int]:
    """How urgent each unit is: as its own mark says, else that of the nearest section with one."""
    ends = [unit.end for unit in units]
    own: dict[int, int] = {}
    sections: dict[int, int] = {}
    for mark in marks:
        index = next((at for at, end in enumerate(ends) if mark.line < end), None)
        if index is not None:
            (sections if mark.reach is Reach.SECTION else own)[index] = _URGENCY[mark.kind]
    found = []
    for index in range(len(units)):
        heading = index if index in sections else headings[index]
        while heading >= 0 and heading not in sections:
            heading = headings[heading]
        found.append(own.get(index, sections.get(heading, _ORDINARY)))
    return found
