"""Bars made of characters: a section within its provider's budget, and the part of a request that repeats."""

from __future__ import annotations


def budget_bar(start: int, tokens: int, budget: int, width: int, style: str) -> list[tuple[str, str]]:
    """A bar of ``width`` cells for ``tokens`` out of ``budget``, beginning where ``start`` tokens are used already."""
    if budget <= 0:
        return [("·" * width, "dim")]
    first = min(width, round(start * width / budget))
    cells = min(width - first, round(tokens * width / budget))
    if tokens and not cells and first < width:
        cells = 1
    return [("─" * first, "dim"), ("█" * cells, style), ("·" * (width - first - cells), "dim")]


def prefix_strip(share: float, width: int) -> list[tuple[str, str]]:
    """A strip whose full part is ``share`` of it."""
    full = min(width, int(share * width + 0.5)) if share < 1 else width
    return [("█" * full, "green"), ("░" * (width - full), "yellow")]
