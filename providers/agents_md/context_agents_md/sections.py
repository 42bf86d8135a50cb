"""From a file that takes part to its draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_common.conventions import shown
from context_common.provider import Draft, OnChange, Part

if TYPE_CHECKING:
    from context_agents_md.reader import Found
    from context_agents_md.selection import Parts
    from context_agents_md.session import Scope

USER = "user"
ROOT = "root"
_RANKS = 1 << 20


def label_of(name: str, parts: Parts | None) -> str:
    """The label of the file ``name`` in the directory ``parts`` of the root; None stands for the user's own file.

    No two files have one label, and none has that of another's update.
    """
    # So the first " (" always ends the name, and nothing behind it looks like " (updated)".
    name, scope = shown(name).replace(" (", r"\x20("), scope_of(parts).replace(") (", r")\x20(")
    return f"{name} ({scope})"


def scope_of(parts: Parts | None) -> str:
    """The directory as labels show it; one that is really called ``root`` or ``user`` is told apart."""
    if parts is None:
        return USER
    path = shown("/".join(parts))
    return f"./{path}" if path in (ROOT, USER) else path or ROOT


def draft_of(found: Found, scope: Scope, source: str, on_change: OnChange) -> Draft:
    """The draft of ``found``; ``source`` is its path as notices and log entries show it."""
    parts = scope.parts
    return Draft(
        label_of(found.name, parts),
        parts=(Part.of(shown(source), found.document),),
        nearness=_nearness(scope),
        opening=_opening(parts),
        directory=parts,
        late_opening=_late_opening(parts),
        on_change=on_change,
        facts=(("file_path", shown(source)), ("scope", scope_of(parts)), ("digest", found.content.digest)),
    )


def _opening(parts: Parts | None) -> str:
    """What a file of the directory ``parts`` applies to, where sections for those above it stand above."""
    return f"[{_claim(parts)}.]" if parts else ""


def _late_opening(parts: Parts | None) -> str:
    """The same where nearer sections stand above as well."""
    if parts:
        return f"[{_claim(parts)}, except those for directories in it.]"
    return "[Applies everywhere; the sections above for a directory take precedence there.]"


def _claim(parts: Parts) -> str:
    return f"Applies to {shown('/'.join(parts))}/** and takes precedence there over the sections above"


def _nearness(scope: Scope) -> int:
    """The deeper the nearer; of equally deep directories the one touched last, where work is now."""
    return -1 if scope.parts is None else len(scope.parts) * _RANKS + min(scope.rank, _RANKS - 1)
