"""The terminal view: each turn's chain as bars against budgets, and how much of the request was sent before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from context_host.bars import percentage, prefix_strip
from context_host.rows import chain_rows, fitted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from context_host.hclog import Entry
    from context_host.play import Played
    from context_host.session import Turn

_LEVEL_STYLES = {"error": "bold red", "warn": "magenta"}
_LOUD = ("warn", "error", "fatal")
_WHERE = ("section", "file", "importer", "line", "target", "attribute", "pattern", "directory")
_WHY = ("reason", "text")
_MOST_ENTRIES = 50
_LONGEST_TEXT = 500
_INDENT = (0, 0, 0, 2)
_SHARE_WIDTH = 30
_SESSION_WIDTH = 12


def print_turn(console: Console, turn: Turn, before: Turn | None) -> None:
    """The chain of one firing against its budgets."""
    for row in chain_rows(turn, before, console.width - _INDENT[-1]):
        console.print(Padding(row, _INDENT))
    ceiling = f" tokens of context; the ceiling is {turn.model.effective_ceiling:,}"
    console.print(Padding(Text.assemble((f"{turn.assembled.tokens:,}", "bold"), ceiling), _INDENT))


def print_request(console: Console, turn: Turn) -> None:
    """How much of the request around that chain the session had sent before."""
    if turn.repeats is None:
        line = Text(f"first request of this session, {turn.prefix.size:,} bytes", "dim")
    else:
        served = turn.prefix.served / turn.prefix.size
        how = " · only adds" if turn.repeats.full else " · new from there on"
        strip = prefix_strip(served, console.width // 4)
        line = Text.assemble(*strip, f" {percentage(served)} of {turn.prefix.size:,} bytes sent before", (how, "dim"))
    console.print(Padding(line, _INDENT))


def print_played(console: Console, played: Played, before: Turn | None) -> None:
    """One turn of a script, with what happened before it."""
    turn, plan = played.turn, played.plan
    session = f"{plan.session}, sub-agent of {played.parent}" if played.parent else plan.session
    console.print()
    console.rule(Text(plain(plan.title) or f"Turn {turn.number}", "bold"), align="left", style="blue")
    said = f"{turn.history_tokens:,} tokens of conversation"
    console.print(Text(f"{plain(session)} · turn {turn.number} · {plain(turn.model.id)} · {said}", "dim"))
    if plan.note:
        console.print(Text("\n".join(map(plain, plan.note.strip().splitlines()))))
    for event in played.events:
        console.print(_hanging(Text("✎", "magenta"), Text(plain(event))))
    for path in turn.touched:
        console.print(_hanging(Text("→", "magenta"), Text(f"the agent touches {plain(path)}")))
    print_turn(console, turn, before)
    print_request(console, turn)
    print_warnings(console, turn.warnings)


def print_legend(console: Console) -> None:
    """How to read the bars."""
    console.print(Text("budgets: ━ static ╍ dynamic ─ used above · free; strips: ━ sent before ╌ new", "dim"))


def is_loud(entry: Entry) -> bool:
    """Whether somebody should act on it."""
    return entry.level in _LOUD


def print_log(console: Console, entries: Iterable[Entry], *, everything: bool = False) -> None:
    """Log entries, by default the ones that somebody should act on, and of their fields those that say where."""
    shown = [entry for entry in entries if everything or is_loud(entry)]
    most = len(shown) if everything else _MOST_ENTRIES
    for entry in shown[:most]:
        _print_entry(console, entry, everything=everything)
    if shown[most:]:
        console.print(Padding(Text(f"and {len(shown) - most:,} more, which -v shows", "dim"), _INDENT))


def _print_entry(console: Console, entry: Entry, *, everything: bool) -> None:
    telling = [name for name, value in entry.fields.items() if value and (everything or _tells(name, entry))]
    fields = "".join(f"  {plain(name)}={plain(entry.fields[name])}" for name in telling)
    message = plain(entry.message)
    if not everything:
        message, fields = fitted(message, _LONGEST_TEXT), fitted(fields, _LONGEST_TEXT)
    line = Text.assemble((f"{plain(entry.provider)}: ", "bold"), message, (fields, "dim"))
    level = Text(f"{entry.level:5}", _LEVEL_STYLES.get(entry.level, "dim"))
    console.print(Padding(_hanging(level, line), _INDENT))


def _tells(name: str, entry: Entry) -> bool:
    """Whether the field ``name`` says where or why; a section's label names its file already."""
    return name in (*_WHERE, *_WHY) or (name == "file_path" and not entry.fields.get("section"))


def print_warnings(console: Console, warnings: Iterable[str]) -> None:
    """What the user should know about the configuration."""
    for warning in warnings:
        console.print(_hanging(Text("note ", "bold"), Text(plain(warning))))


def print_shares(console: Console, shares: dict[str, float]) -> None:
    """For each session the share of what had been sent before that a prefix cache would have served."""
    if not shares:
        return
    console.print()
    console.rule(Text("What a prefix cache would have served again", "bold"), align="left", style="blue")
    for name, share in shares.items():
        named = f"{fitted(plain(name), _SESSION_WIDTH):{_SESSION_WIDTH}} "
        console.print(
            Padding(Text.assemble(named, *prefix_strip(share, _SHARE_WIDTH), f" {percentage(share, 1)}"), _INDENT)
        )


def _hanging(head: Text, body: Text) -> Table:
    """A line that goes on below its own text, not below what stands before it."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(head, body)
    return grid
