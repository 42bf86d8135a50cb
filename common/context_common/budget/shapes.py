"""The states that one draft passes through as its budget grows, from nothing to whole."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

from context_common.budget.closing import closer
from context_common.budget.layout import is_text, laid_out, separator, under, whole
from context_common.budget.needs import Needs
from context_common.budget.notices import SHORT, left_out, long_notice
from context_common.markdown.units import outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_common.budget.notices import Range
    from context_common.markdown.units import Outline
    from context_common.provider import Draft, Part


class Urgency(IntEnum):
    """Which units are taken before which, whatever the rounds say."""

    KEEP = 0
    ORDINARY = 1
    DROP = 2


@dataclass(frozen=True, slots=True)
class Step:
    """One more state of a draft: how urgent it is, and the bytes it needs among those as urgent."""

    urgency: Urgency
    size: int


class Shape(Protocol):
    """A draft as a sequence of states; state 0 shows nothing, state ``len(steps)`` the whole draft."""

    @property
    def steps(self) -> Sequence[Step]:
        """Every state but the first, in order."""

    def text(self, state: int) -> str:
        """What is shown in ``state``."""

    def explained(self, state: int) -> str:
        """The same with a notice that names what was left out."""


def shape_of(draft: Draft) -> Shape:
    """The states of ``draft``."""
    return LadderShape(draft) if draft.ladder else MarkdownShape(draft)


class LadderShape:
    """Rungs from the last to the first; one that is no shorter than a fuller one is never shown."""

    def __init__(self, draft: Draft) -> None:
        rungs: list[str] = []
        for rung in draft.ladder:
            text = under(draft.opening, rung)
            if is_text(rung) and (not rungs or _size(text) < _size(rungs[-1])):
                rungs.append(text)
        self._rungs = rungs[::-1]
        self.steps = [Step(Urgency.ORDINARY, _size(rung)) for rung in self._rungs]

    def text(self, state: int) -> str:
        return self._rungs[state - 1] if state else ""

    def explained(self, state: int) -> str:
        return self.text(state)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part, its units, and the state from which on each of them is shown."""

    part: Part
    outline: Outline
    shown_from: list[int]
    closer: str


class MarkdownShape:
    """A notice first, then units breadth-first, each with the headings and definitions that it needs."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._whole = whole(draft)
        self._pieces: list[_Piece] = []
        candidates = []
        for number, part in enumerate(part for part in draft.parts if is_text(part.text)):
            outlined = outline(part.text)
            needs = Needs(outlined, part.marks)
            self._pieces.append(_Piece(part, outlined, [0] * len(outlined.units), closer(outlined.units[-1])))
            candidates += [(urgency, depth, number, index) for index, (urgency, depth) in needs.candidates()]
            self._needs = [*getattr(self, "_needs", []), needs]
        candidates.sort()
        self.steps = self._take(candidates)
        self._skip()

    def _take(self, candidates: list[tuple[int, int, int, int]]) -> list[Step]:
        """The steps of taking ``candidates`` in order; notes from which state on each unit is shown."""
        first = min([Urgency.ORDINARY, *(entry[0] for entry in candidates)])
        sizes = dict.fromkeys(Urgency, 0)
        sizes[Urgency(first)] = _size(SHORT)
        steps = [Step(Urgency(first), _size(SHORT))]
        for urgency, _, number, index in candidates:
            piece = self._pieces[number]
            taken = [unit for unit in self._needs[number].of(index) if not piece.shown_from[unit]]
            if not taken:
                continue
            level = Urgency(urgency)
            sizes[level] += sum(_size(piece.outline.units[unit].text) for unit in taken)
            steps.append(Step(level, sizes[level]))
            for unit in taken:
                piece.shown_from[unit] = len(steps)
        if not all(all(piece.shown_from) for piece in self._pieces):
            # Definitions that nothing uses come with the whole draft only.
            steps.append(Step(steps[-1].urgency, steps[-1].size))
        return steps

    def _skip(self) -> None:
        """Go straight to the whole draft where a shortened one would be no shorter."""
        limit = _size(self._whole)
        states = range(1, len(self.steps))
        last = bisect_left(states, limit, key=lambda state: _size(self._shortened(state, SHORT)))
        self._whole_from = last + 1
        self.steps = self.steps[: self._whole_from]

    def text(self, state: int) -> str:
        if state >= self._whole_from:
            return self._whole
        return self._shortened(state, SHORT) if state else ""

    def explained(self, state: int) -> str:
        if not 0 < state < self._whole_from:
            return self.text(state)
        ranges = [entry for piece in self._pieces for entry in _left_out(piece, state)]
        return self._shortened(state, long_notice(ranges))

    def _shortened(self, state: int, notice: str) -> str:
        shown = [(piece, kept) for piece in self._pieces if (kept := _kept(piece, state))]
        if not shown:
            return notice
        texts = [_text(piece, kept) for piece, kept in shown]
        last, kept = shown[-1]
        stays_open = bool(last.closer) and kept[-1] == len(last.shown_from) - 1
        for number, (piece, indexes) in enumerate(shown[:-1]):
            if indexes[-1] == len(piece.shown_from) - 1:
                texts[number] += piece.closer
        parts = [(piece.part, text) for (piece, _), text in zip(shown, texts, strict=True)]
        if stays_open:
            return laid_out(self._draft.opening, notice, parts)
        text = laid_out(self._draft.opening, "", parts)
        return text + separator(text) + notice


def _kept(piece: _Piece, state: int) -> list[int]:
    return [index for index, shown_from in enumerate(piece.shown_from) if 0 < shown_from <= state]


def _text(piece: _Piece, kept: list[int]) -> str:
    pieces: list[str] = []
    previous = kept[0]
    for index in kept:
        if index > previous + 1:
            pieces.append(separator(pieces[-1]))
        pieces.append(piece.outline.units[index].text)
        previous = index
    return "".join(pieces)


def _left_out(piece: _Piece, state: int) -> list[Range]:
    return left_out(piece.part, piece.outline.units, _kept(piece, state))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
