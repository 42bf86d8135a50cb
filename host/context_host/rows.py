"""The chain of one firing as rows of text: every section with its tokens against the budget, and what became of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from context_common.provider import Stability
from context_host.bars import DYNAMIC, STATIC, Gauge
from context_host.projection.firing import What
from context_host.report import absent, statuses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_host.session import Turn

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_STYLES = {
    What.NEW: "bold green",
    What.UPDATED: "bold magenta",
    What.UNCHANGED: "dim",
    What.KEPT: "magenta",
    What.WITHDRAWN: "red",
}
_NARROW = 70
_PROVIDER_WIDTH, _LONGEST_PROVIDER = 10, 18
_FIGURES_WIDTH = 11
_STATUS_WIDTH = 9
_LABEL_START = 20
_NARROWEST_LABEL, _WIDEST_LABEL = 16, 60
_BELOW = "  "
_NARROWEST_BAR, _WIDEST_BAR = 8, 40


@dataclass(frozen=True)
class _Row:
    provider: str
    label: str
    status: str
    style: str
    label_style: str = ""
    figures: str = ""
    bar: Text | None = None
    shortened: bool = False


def plain(text: str) -> str:
    """The text as a terminal may show it: what could move the cursor or turn the line around is written out."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def fitted(text: str, width: int) -> str:
    """The text in at most ``width`` cells; of a longer one its beginning and its end."""
    if cell_len(text) <= width:
        return text
    head, tail = text[:width], text[-width:]
    while (head or tail) and cell_len(head) + 1 + cell_len(tail) > width:
        if head and cell_len(head) >= cell_len(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
    return f"{head}…{tail}"


def chain_rows(turn: Turn, before: Turn | None, width: int) -> list[Text]:
    """The chain in its own order, and where it was declared each provider that has nothing in it, at most ``width`` wide.

    Where that leaves no room for labels, they stand below.
    """
    room = width - _PROVIDER_WIDTH - _FIGURES_WIDTH - _STATUS_WIDTH - 4
    # Beyond what a short label takes, label and bar share.
    bar_width = min(_WIDEST_BAR, max(_NARROWEST_BAR, (room - _LABEL_START) // 2)) if width >= _NARROW else 0
    rows = _in_place(turn, list(_sections(turn, before, bar_width)), list(_absent(turn, before, bar_width)))
    return _aligned(rows, width, bar_width)


def _sections(turn: Turn, before: Turn | None, bar_width: int) -> Iterator[_Row]:
    gauges = {name: Gauge(budget, bar_width) for name, budget in turn.assembled.budgets.items()}
    for view, status in statuses(before, turn):
        gauge = gauges[view.provider]
        style = _STYLES[status]
        mark = DYNAMIC if view.stability is Stability.DYNAMIC else STATIC
        yield _Row(
            provider=view.provider,
            label=view.label,
            status=status.value,
            style=style,
            figures=f"{view.tokens:,}/{gauge.budget:,}",
            bar=Text.assemble(*gauge.bar(view.tokens, style=style, mark=mark)),
            shortened=view.truncated,
        )


def _absent(turn: Turn, before: Turn | None, bar_width: int) -> Iterator[_Row]:
    """What the turn before had besides, and every provider that has nothing to show."""
    for key, status in absent(before, turn):
        yield _Row(key.provider, key.label, status.value, _STYLES[status], label_style="dim")
    heard = {view.provider for view in turn.assembled.sections}
    for provider, budget in turn.assembled.budgets.items():
        if provider in turn.assembled.failed:
            yield _Row(provider, "left out of this turn", "failed", "bold red", label_style="red")
        elif provider not in heard:
            bar = Text.assemble(*Gauge(budget, bar_width).bar(0))
            yield _Row(provider, "nothing", "", "", label_style="dim", figures=f"0/{budget:,}", bar=bar)


def _in_place(turn: Turn, rows: list[_Row], absent: Sequence[_Row]) -> list[_Row]:
    ranks = {provider: rank for rank, provider in enumerate(turn.assembled.budgets)}
    for row in absent:
        rank = ranks.get(row.provider, len(ranks))
        later = (index for index, other in enumerate(rows) if ranks.get(other.provider, len(ranks)) > rank)
        rows.insert(next(later, len(rows)), row)
    return rows


def _aligned(rows: Sequence[_Row], width: int, bar_width: int) -> list[Text]:
    providers = [fitted(plain(row.provider), _LONGEST_PROVIDER) for row in rows]
    provider_width = max([_PROVIDER_WIDTH, *map(cell_len, providers)])
    figures_width = max([_FIGURES_WIDTH if bar_width else 0, *(len(row.figures) for row in rows)])
    gaps = 4 if bar_width else 3
    label_width = width - provider_width - figures_width - bar_width - _STATUS_WIDTH - gaps
    is_beside = label_width >= _NARROWEST_LABEL
    if is_beside:
        # On a wide terminal figures stay near what they belong to.
        label_width = min(label_width, max([_WIDEST_LABEL, *(_label(row, label_width).cell_len for row in rows)]))
    lines = []
    for row, provider in zip(rows, providers, strict=True):
        bar = (row.bar or Text(" " * bar_width), " ") if bar_width else ()
        beside = (_padded(_label(row, label_width), label_width), " ") if is_beside else ()
        below = () if is_beside else (f"\n{_BELOW}", _label(row, max(1, width - len(_BELOW))))
        lines.append(
            Text.assemble(
                _padded(Text(provider), provider_width),
                " ",
                *beside,
                f"{row.figures:>{figures_width}} ",
                *bar,
                (row.status, row.style),
                *below,
            )
        )
    return lines


def _label(row: _Row, width: int) -> Text:
    suffix = " shortened" if row.shortened else ""
    label = fitted(plain(row.label), max(1, width - len(suffix)))
    return Text.assemble((label, row.label_style), (suffix, "bold red"))


def _padded(text: Text, width: int) -> Text:
    text.pad_right(max(0, width - text.cell_len))
    return text
