"""Bars made of characters: a section within its provider's budget, and the part of a request that repeats.

The characters differ as well as the colours, so that nothing is lost without colour.
"""

from __future__ import annotations

STATIC, DYNAMIC = "━", "╍"
_USED, _FREE, _NEW = "─", "·", "╌"


def budget_bar(
    start: int, tokens: int, budget: int, *, width: int, style: str = "", mark: str = STATIC
) -> list[tuple[str, str]]:
    """A bar of ``width`` cells for ``tokens`` out of ``budget``, beginning where ``start`` tokens are used already."""
    if budget <= 0:
        return [(_FREE * width, "dim")]
    first = min(width, round(start * width / budget))
    cells = min(width - first, round(tokens * width / budget))
    if tokens and not cells and first < width:
        cells = 1
    return [(_USED * first, "dim"), (mark * cells, style), (_FREE * (width - first - cells), "dim")]


def prefix_strip(share: float, width: int) -> list[tuple[str, str]]:
    """A strip whose full part is ``share`` of it; it is full only where the share is."""
    full = width if share >= 1 else min(width - 1, round(share * width))
    return [(STATIC * full, "green"), (_NEW * (width - full), "magenta")]
