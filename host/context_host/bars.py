"""Bars made of characters: what sections take of their provider's budget, and the part of a request that repeats.

The characters differ as well as the colours, so that nothing is lost without colour.
"""

from __future__ import annotations

from dataclasses import dataclass

STATIC, DYNAMIC = "━", "╍"
_USED, _FREE, _NEW = "─", "·", "╌"


@dataclass
class Gauge:
    """The budget of one provider, filled section by section: each bar begins where the one before it ended."""

    budget: int
    width: int
    tokens: int = 0
    cells: int = 0

    def bar(self, tokens: int, *, style: str = "", mark: str = STATIC) -> list[tuple[str, str]]:
        """The bar of the next section; what takes anything is seen, while there is room."""
        if self.budget <= 0:
            return [(_FREE * self.width, "dim")]
        first = self.cells
        self.tokens += tokens
        reached = round(self.tokens * self.width / self.budget)
        self.cells = min(self.width, max(reached, first + bool(tokens)))
        return [
            (_USED * first, "dim"),
            (mark * (self.cells - first), style),
            (_FREE * (self.width - self.cells), "dim"),
        ]


def percentage(share: float, digits: int = 0) -> str:
    """The share in per cent, ``100%`` only where nothing is missing."""
    most = 100 - 10.0**-digits
    return f"{100 if share >= 1 else min(most, 100 * share):.{digits}f}%"


def prefix_strip(share: float, width: int) -> list[tuple[str, str]]:
    """A strip whose full part is ``share`` of it; it is full only where the share is."""
    full = width if share >= 1 else min(width - 1, round(share * width))
    return [(STATIC * full, "green"), (_NEW * (width - full), "magenta")]
