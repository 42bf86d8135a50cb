"""The terminal view: each turn's chain as bars against budgets, and how much of the request was sent before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from context_common.provider import Stability
from context_host.bars import DYNAMIC, STATIC, budget_bar, prefix_strip
from context_host.report import Status, statuses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from context_host.hclog import Entry
    from context_host.play import Played
    from context_host.session import Turn

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STYLES = {
    Status.NEW: "bold green",
    Status.UPDATED: "bold magenta",
    Status.UNCHANGED: "dim",
    Status.KEPT: "blue",
    Status.WITHDRAWN: "red",
}
_LEVEL_STYLES = {"error": "bold red", "warn": "magenta"}
_LOUD = ("warn", "error", "fatal")
_TELLING_FIELDS = ("section", "importer", "line", "target", "reason", "text")
_INDENT = (0, 0, 0, 2)
_NARROW = 70
_PROVIDER_WIDTH = 10
_TOKENS_WIDTH = 11
_STATUS_WIDTH = 9
_TEXT_WIDTH = 68
_NARROWEST_BAR, _WIDEST_BAR = 8, 40


def plain(text: str) -> str:
    """The text as a terminal may show it: what could move the cursor or turn the line around is written out."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def print_turn(console: Console, turn: Turn, before: Turn | None) -> None:
    """The chain of one firing against its budgets."""
    console.print(Padding(_chain(console, turn, before), _INDENT, expand=False))
    ceiling = f" tokens of context; the ceiling is {turn.model.effective_ceiling:,}"
    console.print(Padding(Text.assemble((f"{turn.assembled.tokens:,}", "bold"), ceiling), _INDENT, expand=False))


def print_request(console: Console, turn: Turn) -> None:
    """How much of the request around that chain the session had sent before."""
    if turn.repeats is None:
        line = Text(f"first request of this session, {turn.prefix.size:,} bytes", "dim")
    else:
        served = turn.prefix.served / turn.prefix.size
        how = " · only adds" if turn.repeats.full else " · new from there on"
        strip = prefix_strip(served, console.width // 4)
        line = Text.assemble(*strip, f" {served:.0%} of {turn.prefix.size:,} bytes sent before", (how, "dim"))
    console.print(Padding(line, _INDENT, expand=False))


def print_played(console: Console, played: Played, before: Turn | None) -> None:
    """One turn of a script, with what happened before it."""
    turn, plan = played.turn, played.plan
    session = f"{plan.session}, sub-agent of {played.parent}" if played.parent else plan.session
    console.print()
    console.rule(Text(plain(plan.title) or f"Turn {turn.number}", "bold"), align="left", style="blue")
    said = f"{turn.history_tokens:,} tokens of conversation"
    console.print(Text(f"{plain(session)} · turn {turn.number} · {plain(turn.model.id)} · {said}", "dim"))
    if plan.note:
        console.print(Text(plan.note.strip()))
    for event in played.events:
        console.print(Text.assemble(("✎ ", "magenta"), plain(event)))
    for path in turn.touched:
        console.print(Text.assemble(("→ ", "magenta"), f"the agent touches {plain(path)}"))
    print_turn(console, turn, before)
    print_request(console, turn)
    print_warnings(console, turn.warnings)


def print_legend(console: Console) -> None:
    """How to read the bars."""
    console.print(Text("bars against the budget: ━ static ╍ dynamic · strips: ━ sent before ╌ new", "dim"))


def print_log(console: Console, entries: Iterable[Entry], *, everything: bool = False) -> None:
    """Log entries, by default the ones that somebody should act on, and of their fields those that say where."""
    for entry in entries:
        if everything or entry.level in _LOUD:
            fields = {name: value for name, value in entry.fields.items() if everything or name in _TELLING_FIELDS}
            line = Text.assemble(
                (f"{entry.level:5} ", _LEVEL_STYLES.get(entry.level, "dim")),
                (f"{plain(entry.provider)}: ", "bold"),
                plain(entry.message),
                ("".join(f"  {plain(name)}={plain(value)}" for name, value in fields.items()), "dim"),
            )
            console.print(Padding(line, _INDENT, expand=False))


def print_warnings(console: Console, warnings: Iterable[str]) -> None:
    """What the user should know about the configuration."""
    for warning in warnings:
        console.print(Text.assemble(("note  ", "blue"), plain(warning)))


def print_shares(console: Console, shares: dict[str, float]) -> None:
    """For each session the share of what had been sent before that a prefix cache would have served."""
    if not shares:
        return
    console.print()
    console.rule(Text("What a prefix cache would have served again", "bold"), align="left", style="blue")
    for name, share in shares.items():
        console.print(Text.assemble(f"  {plain(name):12} ", *prefix_strip(share, 30), f" {share:.1%}"))


def _chain(console: Console, turn: Turn, before: Turn | None) -> Table:
    wide = console.width >= _NARROW
    bar_width = min(_WIDEST_BAR, max(_NARROWEST_BAR, console.width - _TEXT_WIDTH)) if wide else 0
    table = Table.grid(padding=(0, 1), expand=wide)
    table.add_column(no_wrap=True, min_width=_PROVIDER_WIDTH)
    table.add_column(ratio=1 if wide else None, overflow="fold")
    table.add_column(no_wrap=True, justify="right", min_width=_TOKENS_WIDTH if wide else 0)
    table.add_column(no_wrap=True, min_width=bar_width)
    table.add_column(no_wrap=True, min_width=_STATUS_WIDTH)
    for row in _rows(turn, before, bar_width):
        table.add_row(*row)
    return table


def _section_rows(turn: Turn, before: Turn | None, bar_width: int) -> Iterator[list[Text]]:
    used: dict[str, int] = {}
    for view, status in statuses(before, turn):
        style = _STYLES[status]
        provider = Text(plain(view.provider))
        if status in {Status.WITHDRAWN, Status.KEPT}:
            yield [provider, Text(plain(view.label), "dim"), Text(), Text(), Text(status.value, style)]
            continue
        budget = turn.assembled.budgets[view.provider]
        start = used.get(view.provider, 0)
        used[view.provider] = start + view.tokens
        label = Text.assemble(plain(view.label), (" shortened", "bold red") if view.truncated else "")
        mark = DYNAMIC if view.stability is Stability.DYNAMIC else STATIC
        bar = budget_bar(start, view.tokens, budget, width=bar_width, style=style, mark=mark)
        yield [provider, label, Text(f"{view.tokens:,}/{budget:,}"), Text.assemble(*bar), Text(status.value, style)]


def _silent_rows(turn: Turn, bar_width: int) -> Iterator[list[Text]]:
    heard = {view.provider for view in turn.assembled.sections}
    for provider, budget in turn.assembled.budgets.items():
        if provider in turn.assembled.failed:
            yield [
                Text(plain(provider)),
                Text("left out of this turn", "red"),
                Text(),
                Text(),
                Text("failed", "bold red"),
            ]
        elif provider not in heard:
            bar = Text.assemble(*budget_bar(0, 0, budget, width=bar_width))
            yield [Text(plain(provider)), Text("nothing", "dim"), Text(f"0/{budget:,}"), bar, Text()]


def _rows(turn: Turn, before: Turn | None, bar_width: int) -> list[list[Text]]:
    """The chain in its own order, and each provider without a section where it was declared."""
    ranks = {plain(provider): rank for rank, provider in enumerate(turn.assembled.budgets)}
    rows = list(_section_rows(turn, before, bar_width))
    for silent in _silent_rows(turn, bar_width):
        rank = ranks[silent[0].plain]
        later = (index for index, row in enumerate(rows) if ranks.get(row[0].plain, len(ranks)) > rank)
        rows.insert(next(later, len(rows)), silent)
    return rows
