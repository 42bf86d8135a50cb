"""The terminal view: each turn's chain as bars against budgets, and how much of the request was sent before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from context_host.bars import budget_bar, prefix_strip
from context_host.report import Status, dynamic, statuses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from context_host.hclog import Entry
    from context_host.play import Played
    from context_host.session import Turn

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STYLES = {
    Status.NEW: "bold green",
    Status.UPDATED: "bold yellow",
    Status.UNCHANGED: "dim",
    Status.KEPT: "cyan",
    Status.WITHDRAWN: "red",
}
_LEVEL_STYLES = {"error": "bold red", "warn": "yellow"}
_LOUD = ("warn", "error", "fatal")
_NARROW = 70


def plain(text: str) -> str:
    """The text as a terminal may show it: what could move the cursor or turn the line around is written out."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def print_turn(console: Console, turn: Turn, before: Turn | None) -> None:
    """The chain of one firing, and the request around it."""
    console.print(Padding(_chain(console, turn, before), (0, 0, 0, 2)))
    console.print(Padding(_totals(console, turn), (0, 0, 0, 2)))


def print_played(console: Console, played: Played, before: Turn | None) -> None:
    """One turn of a script, with what happened before it."""
    turn, plan = played.turn, played.plan
    session = f"{plan.session}, sub-agent of {played.parent}" if played.parent else plan.session
    console.print()
    console.rule(Text(f" {plain(plan.title) or f'Turn {turn.number}'} ", "bold"), align="left", style="blue")
    console.print(
        Text(
            f"{plain(session)} · turn {turn.number} · {plain(turn.model.id)}, ceiling {turn.model.effective_ceiling:,}",
            "dim",
        )
    )
    if plan.note:
        console.print(Text(plan.note.strip()))
    for event in played.events:
        console.print(Text.assemble(("✎ ", "magenta"), plain(event)))
    for path in turn.touched:
        console.print(Text.assemble(("→ ", "magenta"), f"the agent touches {plain(path)}"))
    print_turn(console, turn, before)


def print_log(console: Console, entries: Iterable[Entry], *, everything: bool = False) -> None:
    """Log entries, by default the ones that somebody should act on."""
    for entry in entries:
        if everything or entry.level in _LOUD:
            fields = "  ".join(f"{name}={value}" for name, value in entry.fields.items())
            line = Text.assemble(
                (f"{entry.level:5} ", _LEVEL_STYLES.get(entry.level, "dim")),
                (f"{entry.provider}: ", "cyan"),
                plain(entry.message),
                (f"  {plain(fields)}" if fields else "", "dim"),
            )
            console.print(Padding(line, (0, 0, 0, 2)))


def print_warnings(console: Console, warnings: Iterable[str]) -> None:
    """What the user should know about the configuration."""
    for warning in warnings:
        console.print(Text.assemble(("note  ", "yellow"), plain(warning)))


def print_shares(console: Console, shares: dict[str, float]) -> None:
    """For each session the share of what had been sent before that a prefix cache would have served."""
    console.print()
    console.rule(Text(" What a prefix cache would have served again ", "bold"), align="left", style="blue")
    for name, share in shares.items():
        console.print(Text.assemble(f"  {plain(name):12} ", *prefix_strip(share, 30), f" {share:.1%}"))


def _chain(console: Console, turn: Turn, before: Turn | None) -> Table:
    wide = console.width >= _NARROW
    table = Table.grid(padding=(0, 1), expand=wide)
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(ratio=1 if wide else None, overflow="fold")
    table.add_column(no_wrap=True, justify="right")
    if wide:
        table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for row in _rows(turn, before, bar_width=max(8, min(30, console.width // 5)) if wide else 0):
        table.add_row(*row)
    return table


def _rows(turn: Turn, before: Turn | None, bar_width: int) -> Iterator[Sequence[RenderableType]]:
    used: dict[str, int] = {}
    for view, status in statuses(before, turn):
        style = _STYLES[status]
        gone = status in {Status.WITHDRAWN, Status.KEPT}
        budget = turn.assembled.budgets.get(view.provider, 0)
        start = used.get(view.provider, 0)
        tokens = 0 if gone else view.tokens
        used[view.provider] = start + tokens
        words = (
            [status.value] + ["shortened"] * (view.truncated and not gone) + ["dynamic"] * (dynamic(view) and not gone)
        )
        row: list[RenderableType] = [
            Text(plain(view.provider)),
            Text(plain(view.label), "dim" if gone else ""),
            Text("" if gone else f"{view.tokens:,}/{budget:,}"),
        ]
        if bar_width:
            row.append(Text.assemble(*budget_bar(start, tokens, budget, bar_width, style)))
        yield [*row, Text(" · ".join(words), style)]
    for provider in sorted(turn.assembled.failed):
        yield [
            Text(plain(provider)),
            Text("left out of this turn", "red"),
            *[Text("")] * (2 if bar_width else 1),
            Text("failed", "bold red"),
        ]


def _totals(console: Console, turn: Turn) -> RenderableType:
    total = Text.assemble(
        (f"{turn.assembled.tokens:,}", "bold"),
        f" tokens of context, {turn.history_tokens:,} of conversation; the ceiling is {turn.model.effective_ceiling:,}",
    )
    if turn.repeats is None:
        return Group(total, Text(f"first request, {turn.prefix.size:,} bytes", "dim"))
    served = turn.prefix.served / turn.prefix.size if turn.prefix.size else 1.0
    strip = prefix_strip(served, max(10, min(40, console.width // 3)))
    extends = "extends the request before" if turn.repeats.full else "leaves the request before"
    return Group(
        total,
        Text.assemble(*strip, f" {served:.0%} of {turn.prefix.size:,} bytes as sent before", (f", {extends}", "dim")),
    )
