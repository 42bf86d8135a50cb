"""What a run came to, as JSON with stable keys (documented in the README's section on the host)."""

from __future__ import annotations

import codecs
import json
import sys
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from context_host.projection.firing import UPDATED, What

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_host.hclog import Entry
    from context_host.play import Played
    from context_host.projection import SectionView
    from context_host.session import Turn


class Status(StrEnum):
    """How a section of the chain compares with the session's turn before."""

    NEW = "new"
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    WITHDRAWN = "withdrawn"
    KEPT = "kept"


def statuses(before: Turn | None, turn: Turn) -> list[tuple[SectionView, Status]]:
    """Every section of the turn's chain with its status, then the ones that the turn before had besides."""
    old = _by_name(before.assembled.sections) if before else {}
    new = _by_name(turn.assembled.sections)
    kept = {change.key for change in turn.changes if change.what is What.KEPT}
    rows = [(view, _status(old.get(name), view)) for name, view in new.items()]
    for name, view in old.items():
        if name not in new:
            rows.append((view, Status.KEPT if name in kept else Status.WITHDRAWN))
    return rows


def _status(old: SectionView | None, view: SectionView) -> Status:
    if old is None:
        # A section that tells of a change is new in the chain and an update to whoever reads it.
        return Status.UPDATED if view.label.endswith(UPDATED) else Status.NEW
    return Status.UNCHANGED if old.text == view.text else Status.UPDATED


def _by_name(sections: Iterable[SectionView]) -> dict[tuple[str, str, int], SectionView]:
    twins: Counter[tuple[str, str]] = Counter()
    named: dict[tuple[str, str, int], SectionView] = {}
    for view in sections:
        named[view.provider, view.label, twins[view.provider, view.label]] = view
        twins[view.provider, view.label] += 1
    return named


def print_json(document: dict[str, Any]) -> None:
    """Write ``document`` on stdout; only ASCII where stdout is not in UTF-8, which is what readers of JSON expect."""
    is_utf8 = codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"
    json.dump(document, sys.stdout, ensure_ascii=not is_utf8, indent=2)
    sys.stdout.write("\n")


def section_report(view: SectionView, budget: int) -> dict[str, Any]:
    """One section of a chain."""
    return {
        "provider": view.provider,
        "label": view.label,
        "text": view.text,
        "tokens": view.tokens,
        "budget": budget,
        "stability": view.stability.value,
        "truncated": view.truncated,
    }


def entry_report(entry: Entry) -> dict[str, Any]:
    """One log entry."""
    return {"provider": entry.provider, "level": entry.level, "message": entry.message, "fields": dict(entry.fields)}


def show_report(
    turns: Sequence[Turn], logs: Sequence[Sequence[Entry]], warnings: Sequence[str], prompt: str
) -> dict[str, Any]:
    """What ``show --json`` prints; the warnings are about the configuration and stand in the first turn."""
    return {
        "turns": [
            {
                "touched": list(turn.touched),
                "sections": [
                    section_report(view, turn.assembled.budgets[view.provider]) for view in turn.assembled.sections
                ],
                "log": [entry_report(entry) for entry in log],
                "warnings": list(warnings) if turn is turns[0] else [],
            }
            for turn, log in zip(turns, logs, strict=True)
        ],
        "prompt": prompt,
    }


def demo_report(
    title: str,
    played: Sequence[Played],
    logs: Sequence[Sequence[Entry]],
    warnings: Sequence[str],
    shares: dict[str, float],
) -> dict[str, Any]:
    """What ``demo --json`` prints."""
    before: dict[str, Turn] = {}
    turns = []
    for item, log in zip(played, logs, strict=True):
        turns.append(_played_report(item, before.get(item.plan.session), log))
        before[item.plan.session] = item.turn
    return {
        "title": title,
        "warnings": list(warnings),
        "turns": turns,
        "prefix_share": {name: round(share, 4) for name, share in shares.items()},
    }


def _played_report(played: Played, before: Turn | None, log: Sequence[Entry]) -> dict[str, Any]:
    turn, plan = played.turn, played.plan
    rows = statuses(before, turn)
    chain = len(turn.assembled.sections)
    return {
        "title": plan.title,
        "session": plan.session,
        "parent": played.parent,
        "turn": turn.number,
        "model": {
            "id": turn.model.id,
            "context_window": turn.model.context_window,
            "effective_ceiling": turn.model.effective_ceiling,
        },
        "events": list(played.events),
        "touched": list(turn.touched),
        "sections": [
            {**section_report(view, turn.assembled.budgets[view.provider]), "status": status.value}
            for view, status in rows[:chain]
        ],
        "absent": [
            {"provider": view.provider, "label": view.label, "status": status.value} for view, status in rows[chain:]
        ],
        "budgets": dict(turn.assembled.budgets),
        "tokens": turn.assembled.tokens,
        "history_tokens": turn.history_tokens,
        "prefix": {
            "bytes": turn.prefix.size,
            "known": turn.prefix.known,
            "served": turn.prefix.served,
            "full": turn.repeats.full if turn.repeats else None,
        },
        "log": [entry_report(entry) for entry in log],
        "warnings": list(turn.warnings),
    }
