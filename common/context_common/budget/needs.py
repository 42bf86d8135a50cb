"""What the units of a part cannot be shown without, and how urgent each of them is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING

from context_common.markdown.indentation import content_column, indent_of
from context_common.markdown.marks import Mark, MarkKind, Reach
from context_common.markdown.units import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_common.markdown.units import Unit

NONE = -1


class Urgency(IntEnum):
    """Which units come before which, whatever their size."""

    KEEP = 0
    ORDINARY = 1
    DROP = 2


_ASKED = {MarkKind.KEEP: Urgency.KEEP, MarkKind.DROP: Urgency.DROP}


def headings_of(units: Sequence[Unit]) -> list[int]:
    """For each unit the heading that it stands under, for a heading the one above it, or NONE."""
    found = []
    path: list[int] = []
    for index, unit in enumerate(units):
        if unit.kind is Kind.HEADING:
            while path and units[path[-1]].level >= unit.level:
                path.pop()
        found.append(path[-1] if path else NONE)
        if unit.kind is Kind.HEADING:
            path.append(index)
    return found


def candidates(units: Sequence[Unit], headings: Sequence[int], marks: Sequence[Mark]) -> list[tuple[Urgency, int, int]]:
    """The units that rank on their own: urgency, place among the equally urgent of their section, index.

    Headings with something under them and definitions do not: they come with what needs them.
    """
    urgencies = _urgencies(units, headings, marks)
    have_content = set(headings)
    places: Counter[tuple[int, Urgency]] = Counter()
    found = []
    for index, unit in enumerate(units):
        if unit.kind in (Kind.DEFINITIONS, Kind.BLANK, Kind.REST) or index in have_content:
            continue
        section = (index if unit.kind is Kind.HEADING else headings[index], urgencies[index])
        found.append((urgencies[index], places[section], index))
        places[section] += 1
    return found


def guards_of(units: Sequence[Unit], headings: Sequence[int]) -> dict[int, int]:
    """For each unit that one before it would take in if all between them were left out, one that prevents that.

    A list item takes in what is indented as far as its content, and indented code takes in indented code.
    """
    guards = {}
    items: dict[int, int] = {}
    last_code = NONE
    for index, unit in enumerate(units):
        indent = indent_of(unit.head)
        taker = max([item for column, item in items.items() if column <= indent], default=NONE)
        if unit.kind is Kind.CODE:
            taker = max(taker, last_code)
            last_code = index
        elif unit.kind is Kind.ITEM:
            items[content_column(unit.head)] = index
        heading = headings[index]
        if taker >= 0 and not (heading > taker and indent_of(units[heading].head) <= 1):
            between = range(index - 1, taker, -1)
            guards[index] = next((at for at in between if units[at].kind is not Kind.DEFINITIONS), index - 1)
    return guards


def _urgencies(units: Sequence[Unit], headings: Sequence[int], marks: Sequence[Mark]) -> list[Urgency]:
    """As a unit's own mark says, else as that of the nearest section around it with one."""
    starts = [unit.start for unit in units]
    own: dict[int, Urgency] = {}
    sections: dict[int, Urgency] = {}
    for mark in marks:
        index = bisect_right(starts, mark.line) - 1
        holds_for_section = mark.reach is Reach.SECTION or units[index].kind is Kind.HEADING
        (sections if holds_for_section else own)[index] = _ASKED[mark.kind]
    found: list[Urgency] = []
    inherited: list[Urgency] = []
    for index in range(len(units)):
        around = inherited[headings[index]] if headings[index] >= 0 else Urgency.ORDINARY
        inherited.append(sections.get(index, around))
        found.append(own.get(index, inherited[index]))
    return found
