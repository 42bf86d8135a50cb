"""From a path that was touched to the directories whose files apply to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from context_common.conventions import is_directory
from context_common.scopes import below, locate


@dataclass(frozen=True, slots=True)
class Way:
    """What applies to a touched path.

    Attributes:
        directories: from the root to the path, itself where it is one, up to the first that is not there.
        missing: the first step of the path that is not there; None where all are.
    """

    directories: tuple[Path, ...] = ()
    missing: Path | None = None


def way_to(path: str, base: Path, root: Path) -> Way:
    """The way from ``root`` to ``path``, links resolved; none where the path lies outside.

    A path that leads through a link belongs to where the link stands and to where it leads, so both chains
    count.

    Args:
        path: absolute, or relative to ``base``; it need not exist.
        base: a directory, links resolved.
        root: the same.
    """
    place = locate(path, base)
    if place is None or below(place, root) is None:
        return Way()
    missing = _first_missing(place, root)
    itself = path.endswith("/") or is_directory(place)
    ends = [place if itself else place.parent]
    given = Path(os.path.normpath(base / path))
    if given != place:
        steps = (given, *given.parents)[0 if itself else 1 :]
        ends += [end for step in steps if (end := locate(str(step), root))]
    # What is not there has nothing in it: no need to look further than that before it appears.
    ends = [missing if missing and below(end, missing) is not None else end for end in ends]
    return Way(tuple(dict.fromkeys(directory for end in ends for directory in _down(root, end))), missing)


def _first_missing(place: Path, root: Path) -> Path | None:
    """The first step from ``root`` to ``place`` that is not there, ``root`` itself at the earliest."""
    if os.path.lexists(place):
        return None
    return place if place == root else _first_missing(place.parent, root) or place


def _down(root: Path, end: Path) -> tuple[Path, ...]:
    """The directories from ``root`` to ``end``, both without links; none where that lies outside."""
    parts = below(end, root)
    return () if parts is None else (end, *end.parents)[len(parts) :: -1]
