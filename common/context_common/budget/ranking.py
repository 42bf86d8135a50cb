"""The order in which drafts get their units, blind to budget and counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_common.budget.needs import Urgency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_common.budget.shapes import Shape
    from context_common.provider import Draft


def nearest_first(drafts: Sequence[Draft]) -> list[int]:
    """The indexes of ``drafts``, the nearest first; of equally near ones the earlier."""
    return sorted(range(len(drafts)), key=lambda index: (-drafts[index].nearness, index))


def ranking(drafts: Sequence[Draft], shapes: Sequence[Shape]) -> list[int]:
    """Whose step comes next: an index into ``drafts`` for every step of every draft.

    Within each urgency bytes are dealt in rounds: one to every draft, and as many more as there are drafts to the
    nearest that is not yet whole. A step ranks by the round that covers it.
    """
    ranked = []
    near = nearest_first(drafts)
    for urgency in Urgency:
        sizes = {index: [step.size for step in shapes[index].steps if step.urgency is urgency] for index in near}
        favoured = 0
        for place, index in enumerate(near):
            total = max(sizes[index], default=0)
            ranked += [(urgency, _round(size, favoured, len(near)), place, index) for size in sizes[index]]
            favoured = max(favoured, _round(total, favoured, len(near)))
    return [index for *_, index in sorted(ranked)]


def _round(size: int, favoured: int, drafts: int) -> int:
    """The round in which a draft that is the nearest unfinished one from round ``favoured`` on has ``size`` bytes."""
    if size <= favoured:
        return size
    return favoured - (favoured - size) // (drafts + 1)
