"""What a run came to, as JSON with stable keys (documented in the README's section on the host)."""

from __future__ import annotations

import codecs
import json
import sys
from typing import TYPE_CHECKING, Any

from context_host.projection.firing import UPDATED, What, keyed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_host.hclog import Entry
    from context_host.play import Played
    from context_host.projection import SectionView
    from context_host.projection.firing import Key
    from context_host.session import Turn


def statuses(before: Turn | None, turn: Turn) -> list[tuple[SectionView, What]]:
    """Every section of the turn's chain with what became of it since the turn before."""
    old = dict(keyed(before.assembled.sections)) if before else {}
    changed = {change.key: change.what for change in turn.changes}
    return [(view, _status(old.get(key), view, changed.get(key))) for key, view in keyed(turn.assembled.sections)]


def absent(before: Turn | None, turn: Turn) -> list[tuple[Key, What]]:
    """What the turn before had besides, and what holds although the turn's chain does not have it."""
    present = {key for key, _ in keyed(turn.assembled.sections)}
    kept = {change.key: What.KEPT for change in turn.changes if change.what is What.KEPT}
    gone = {key: What.WITHDRAWN for key, _ in keyed(before.assembled.sections)} if before else {}
    return [(key, what) for key, what in {**gone, **kept}.items() if key not in present]


def _status(old: SectionView | None, view: SectionView, change: What | None) -> What:
    if old:
        return What.UNCHANGED if old.text == view.text else What.UPDATED
    if change in {What.UNCHANGED, What.UPDATED}:
        # Its provider had failed in the turn before, and the text held all the same.
        return change
    # A section that tells of a change is new in the chain and an update to whoever reads it.
    return What.UPDATED if view.label.endswith(UPDATED) else What.NEW


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
            for view, status in statuses(before, turn)
        ],
        "absent": [
            {"provider": key.provider, "label": key.label, "status": status.value}
            for key, status in absent(before, turn)
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
