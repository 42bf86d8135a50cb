"""From a path that was touched to the directories whose files apply to it."""

from __future__ import annotations

import os
from pathlib import Path

from context_common.conventions import is_directory
from context_common.scopes import locate

_LONGEST = 4096


def directories_for(path: str, base: Path, root: Path) -> tuple[Path, ...]:
    """The directories from ``root`` to ``path``, itself where it is one, links resolved.

    A path that leads through a link belongs to where the link stands and to where it leads, so both chains
    count. Empty where the path, links resolved, lies outside ``root``.

    Args:
        path: absolute, or relative to ``base``; it need not exist.
        base: a directory, links resolved.
        root: the same.
    """
    place = locate(path, base) if len(path) <= _LONGEST else None
    if place is None or not place.is_relative_to(root):
        return ()
    itself = path.endswith("/") or is_directory(place)
    ends = [place if itself else place.parent]
    given = Path(os.path.normpath(base / path))
    if given != place:
        ends += [Path(os.path.realpath(step)) for step in (given, *given.parents)[0 if itself else 1 :]]
    return tuple(dict.fromkeys(directory for end in ends for directory in _down(root, end)))


def _down(root: Path, end: Path) -> tuple[Path, ...]:
    """The directories from ``root`` to ``end``, both without links; none where that lies outside."""
    if not end.is_relative_to(root):
        return ()
    return (end, *end.parents)[len(end.parts) - len(root.parts) :: -1]
