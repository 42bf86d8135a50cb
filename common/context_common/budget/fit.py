"""Fitting drafts to a token budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from context_common.budget.layout import is_text, whole
from context_common.budget.ranking import nearest_first, ranking
from context_common.budget.shapes import FLOOR, shape_of
from context_common.markdown.limits import LINE_LIMIT
from context_common.provider import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_common.budget.shapes import Shape
    from context_common.provider import Draft

Count: TypeAlias = Callable[[str], int]
"""The tokens of a text: the kernel's count for the model of the firing."""


def fit(drafts: Sequence[Draft], budget: int, count: Count) -> list[Section]:
    """The sections of ``drafts`` whose counts sum to at most ``budget`` tokens, in the order of ``drafts``.

    Where everything fits, everything is whole. Else units are left out, the nearest draft's last, and a notice says
    so; a draft of which nothing fits is absent. More budget never shows less, whatever ``count`` answers, as long
    as it answers the same for the same text.

    Args:
        drafts: what the provider would like to say; labels differ.
        budget: tokens for all sections together.
        count: asked at most ``len(drafts) * (2 + ceil(log2(units + len(drafts))))`` times, never twice for one text;
            what it raises is passed on.
    """
    if budget <= 0:
        return []
    shown = [(draft, text) for draft in drafts if is_text(text := whole(draft))]
    count = _remembering(count)
    if sum(count(text) for _, text in shown) > budget:
        return _shortened([draft for draft, _ in shown], budget, count)
    return [_section(draft, text, count(text)) for draft, text in shown]


def _shortened(drafts: Sequence[Draft], budget: int, count: Count) -> list[Section]:
    shapes = _shapes(drafts)
    order = ranking(drafts, shapes)
    states = _largest_that_fits(order, shapes, budget, count)
    texts = [shape.text(state) for shape, state in zip(shapes, states, strict=True)]
    spare = budget - sum(count(text) for text in texts if text)
    for index in nearest_first(drafts):
        explained = shapes[index].explained(states[index])
        if texts[index] and explained != texts[index]:
            cost = count(explained) - count(texts[index])
            if cost <= spare:
                texts[index] = explained
                spare -= cost
    return [
        _section(draft, text, count(text), truncated=state < len(shape.steps))
        for draft, text, state, shape in zip(drafts, texts, states, shapes, strict=True)
        if text
    ]


def _shapes(drafts: Sequence[Draft]) -> list[Shape]:
    """The shapes of ``drafts``, which share the lines that one firing looks at, the nearest first."""
    shapes: dict[int, Shape] = {}
    lines = LINE_LIMIT
    for index in nearest_first(drafts):
        shapes[index] = shape_of(drafts[index], max(lines, FLOOR))
        lines -= shapes[index].effort
    return [shapes[index] for index in range(len(drafts))]


def _largest_that_fits(order: Sequence[int], shapes: Sequence[Shape], budget: int, count: Count) -> list[int]:
    """The states of all drafts at the last probe of a bisection of ``order`` that fitted.

    The midpoints depend on neither budget nor counts, so that a larger budget takes the same turns until one that
    it alone can afford.
    """
    fits, too_much = 0, len(order)
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if _cost(_states(order[:middle], shapes), shapes, budget, count) <= budget:
            fits = middle
        else:
            too_much = middle
    return _states(order[:fits], shapes)


def _states(taken: Sequence[int], shapes: Sequence[Shape]) -> list[int]:
    steps = Counter(taken)
    return [steps[index] for index in range(len(shapes))]


def _cost(states: Sequence[int], shapes: Sequence[Shape], budget: int, count: Count) -> int:
    total = 0
    for shape, state in zip(shapes, states, strict=True):
        if state:
            total += count(shape.text(state))
            if total > budget:
                break
    return total


def _section(draft: Draft, text: str, tokens: int, *, truncated: bool = False) -> Section:
    return Section(draft.label, text, tokens, draft.stability, truncated)


def _remembering(count: Count) -> Count:
    known: dict[str, int] = {}

    def remember(text: str) -> int:
        if text not in known:
            known[text] = count(text)
        return known[text]

    return remember
