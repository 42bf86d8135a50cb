"""The states that one draft passes through as its budget grows, from nothing to whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from context_common.budget.closing import closer
from context_common.budget.layout import is_text, laid_out, separator, under, whole
from context_common.budget.needs import NONE, Urgency, candidates, guards_of, headings_of
from context_common.budget.notices import SHORT, Range, left_out, long_notice
from context_common.markdown.limits import LINE_LIMIT
from context_common.markdown.units import Kind, Outline, Unit, beginning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_common.provider import Draft, Part


FLOOR: Final = 200
"""Lines of every draft that are looked at all the same."""


@dataclass(frozen=True, slots=True)
class Step:
    """One more state of a draft: how urgent it is, and the bytes that it and those before it as urgent take."""

    urgency: Urgency
    size: int


class Shape(Protocol):
    """A draft as states: 0 shows nothing, ``len(steps)`` the whole draft, each one more than the one before."""

    @property
    def steps(self) -> Sequence[Step]:
        """The states but the first."""

    @property
    def effort(self) -> int:
        """What it took to look at it, in lines."""

    def text(self, state: int) -> str:
        """What is shown in ``state``."""

    def explained(self, state: int) -> str:
        """The same, with a notice that names what was left out."""


def shape_of(draft: Draft, lines: int = LINE_LIMIT) -> Shape:
    """The states of ``draft``; of its parts the first ``lines`` lines are looked at, the rest comes with the whole."""
    return LadderShape(draft) if draft.ladder else MarkdownShape(draft, lines)


class LadderShape:
    """Rungs from the last to the first, without those that are no shorter than a fuller one."""

    def __init__(self, draft: Draft) -> None:
        rungs: list[str] = []
        for rung in draft.ladder:
            text = under(draft.opening, rung)
            if is_text(rung) and (not rungs or _size(text) < _size(rungs[-1])):
                rungs.append(text)
        self._rungs = rungs[::-1]
        self.steps = [Step(Urgency.ORDINARY, _size(rung)) for rung in self._rungs]
        self.effort = 0

    def text(self, state: int) -> str:
        return self._rungs[state - 1] if state else ""

    def explained(self, state: int) -> str:
        return self.text(state)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part in units; ``shown_from`` holds the state from which on each is shown, 0 for never but whole.

    ``definitions`` are the units that define a label, as long as no unit that is shown uses it.
    """

    part: Part
    units: tuple[Unit, ...]
    headings: list[int]
    guards: dict[int, int]
    labels: dict[int, set[str]]
    definitions: dict[str, list[int]]
    shown_from: list[int]
    closer: str
    effort: int

    @classmethod
    def of(cls, part: Part, outlined: Outline) -> _Piece:
        units = outlined.units
        headings = headings_of(units)
        guards = guards_of(units, headings)
        return cls(
            part,
            units,
            headings,
            guards,
            outlined.used,
            dict(outlined.defined),
            [0] * len(units),
            closer(units[-1]),
            outlined.effort,
        )

    def take(self, index: int, state: int) -> int:
        """Show unit ``index`` from ``state`` on, and what it needs; the bytes that this takes."""
        size = 0
        pending = [index]
        while pending:
            unit = pending.pop()
            if unit == NONE or self.shown_from[unit]:
                continue
            self.shown_from[unit] = state
            size += _size(self.units[unit].text)
            pending += (self.headings[unit], self.guards.get(unit, NONE))
            for label in self.labels.get(unit, ()):
                pending += self.definitions.pop(label, ())
        return size

    def shown(self, state: int) -> list[int]:
        return [index for index, shown_from in enumerate(self.shown_from) if 0 < shown_from <= state]

    def text(self, shown: list[int]) -> str:
        pieces: list[str] = []
        previous = shown[0]
        for index in shown:
            if index > previous + 1:
                pieces.append(separator(pieces[-1]))
            pieces.append(self.units[index].text)
            previous = index
        return "".join(pieces)

    def closing(self, shown: list[int]) -> str:
        """What closes the last of the ``shown`` units, empty unless the part leaves it open."""
        return self.closer if shown[-1] == len(self.units) - 1 else ""


class MarkdownShape:
    """A notice, then units breadth-first, each with the headings and definitions that it needs."""

    def __init__(self, draft: Draft, lines: int) -> None:
        self._opening = draft.opening
        self._whole = whole(draft)
        self._pieces: list[_Piece] = []
        order: list[tuple[Urgency, int, int, int]] = []
        for number, part in enumerate(part for part in draft.parts if is_text(part.text)):
            piece = _Piece.of(part, beginning(part.text, lines))
            lines -= min(lines, piece.effort)
            self._pieces.append(piece)
            ranked = candidates(piece.units, piece.headings, part.marks)
            order += [(urgency, place, number, index) for urgency, place, index in ranked]
        self.effort = sum(piece.effort for piece in self._pieces)
        self.steps = self._take(sorted(order))
        limit = _size(self._whole)
        while len(self.steps) > 1 and _size(self._shortened(len(self.steps) - 1, SHORT)) >= limit:
            self.steps.pop()

    def _take(self, order: list[tuple[Urgency, int, int, int]]) -> list[Step]:
        """The steps of showing the notice and then units in ``order``, the last of them the whole draft."""
        urgency = min([Urgency.ORDINARY, *(entry[0] for entry in order[:1])])
        sizes = {urgency: _size(SHORT)}
        steps = [Step(urgency, _size(SHORT))]
        for urgency, _, number, index in order:
            if size := self._pieces[number].take(index, len(steps) + 1):
                sizes[urgency] = sizes.get(urgency, 0) + size
                steps.append(Step(urgency, sizes[urgency]))
        if not all(all(piece.shown_from) for piece in self._pieces):
            # Definitions that nothing uses, and what was not looked at, come with the whole draft only.
            rest = sum(_size(piece.units[-1].text) for piece in self._pieces if piece.units[-1].kind is Kind.REST)
            steps.append(Step(steps[-1].urgency, steps[-1].size + rest))
        return steps

    def text(self, state: int) -> str:
        if state == len(self.steps):
            return self._whole
        return self._shortened(state, SHORT) if state else ""

    def explained(self, state: int) -> str:
        if not 0 < state < len(self.steps):
            return self.text(state)
        ranges: list[Range] = []
        for piece in self._pieces:
            ranges += left_out(piece.part, piece.units, piece.shown(state))
        return self._shortened(state, long_notice(ranges))

    def _shortened(self, state: int, notice: str) -> str:
        shown = [(piece, units) for piece in self._pieces if (units := piece.shown(state))]
        if not shown:
            return notice
        *others, (last, units) = shown
        parts = [(piece.part, piece.text(kept) + piece.closing(kept)) for piece, kept in others]
        parts.append((last.part, last.text(units)))
        if last.closing(units):
            return laid_out(self._opening, notice, parts)
        text = laid_out(self._opening, "", parts)
        return text + separator(text) + notice


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
