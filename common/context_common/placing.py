"""Which opening a section has where it joins those that a session has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_common.provider import Draft


def placed(drafts: Iterable[Draft], behind: Iterable[Draft] = ()) -> list[Draft]:
    """``drafts`` as they read in this order behind those of ``behind``.

    One that joins behind a section for a directory below its own has its late opening.
    """
    above = {directory for draft in behind for directory in _above(draft)}
    found = []
    for draft in drafts:
        found.append(late(draft) if draft.directory in above else draft)
        above |= _above(draft)
    return found


def late(draft: Draft) -> Draft:
    """``draft`` under its late opening, if it has one."""
    return replace(draft, opening=draft.late_opening) if draft.late_opening else draft


def _above(draft: Draft) -> set[tuple[str, ...]]:
    """The directories above that of ``draft``."""
    directory = draft.directory or ()
    return {directory[:depth] for depth in range(len(directory))}
