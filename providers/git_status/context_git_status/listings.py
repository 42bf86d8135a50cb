"""The lists of a status at every level of detail, from the fullest that is allowed to counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from context_git_status.names import visible
from context_git_status.outline import HERE, Entry, Group, Outline, Row
from context_git_status.porcelain import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from context_git_status.porcelain import Change, Status

_CONFLICTS: Final = {
    "DD": "both deleted",
    "AU": "added by us",
    "UD": "deleted by them",
    "UA": "added by them",
    "DU": "deleted by us",
    "AA": "both added",
    "UU": "both modified",
}
_SUBMODULE: Final = (("C", "new commits"), ("M", "modified content"), ("U", "untracked content"))
_MODES: Final[Mapping[tuple[bytes, ...], str]] = {
    (b"100644", b"100755"): "made executable",
    (b"100755", b"100644"): "no longer executable",
}
_MOVED: Final = frozenset({"R", "C"})
_MANY: Final = 240
_FINE: Final = 24
_COARSE: Final = 4
"""By which part of its rows a level is shorter than the last: coarser where there are many, by one row at the end."""


class Listing(NamedTuple):
    """What each list shows at one level."""

    staged: tuple[Row, ...] = ()
    unstaged: tuple[Row, ...] = ()
    untracked: tuple[Row, ...] = ()


class Counts(NamedTuple):
    """How long each list is."""

    conflicts: int = 0
    staged: int = 0
    unstaged: int = 0
    untracked: int = 0


class Levels(NamedTuple):
    """Every level, fullest first; the last one of each shows no rows at all."""

    counts: Counts = Counts()
    listings: tuple[Listing, ...] = (Listing(),)
    conflicts: tuple[tuple[Row, ...], ...] = ((),)


NO_LEVELS: Final = Levels()


def levels(status: Status, limit: int) -> Levels:
    """The levels of ``status`` with at most ``limit`` rows on the first; conflicts are served first."""
    lists = [Outline(entries) for entries in (_staged(status), _unstaged(status), map(Entry, status.untracked))]
    conflicts = Outline(_conflicts(status))
    return Levels(
        Counts(conflicts.rows, *(outline.rows for outline in lists)),
        tuple(Listing(*rows) for rows in _levels_of(lists, max(0, limit - conflicts.rows))),
        tuple(rows for (rows,) in _levels_of([conflicts], limit)),
    )


def shares(limit: int, sizes: Sequence[int]) -> list[int]:
    """``limit`` rows dealt to lists of ``sizes``: what a short list leaves goes to longer ones; odd rows go earlier."""
    dealt = [0] * len(sizes)
    shortest_first = sorted(range(len(sizes)), key=lambda place: (sizes[place], -place))
    for hungry, place in zip(range(len(sizes), 0, -1), shortest_first, strict=True):
        dealt[place] = min(sizes[place], limit // hungry)
        limit -= dealt[place]
    return dealt


def _levels_of(outlines: Sequence[Outline], limit: int) -> Iterator[tuple[tuple[Row, ...], ...]]:
    sizes = [outline.rows for outline in outlines]
    limit = min(limit, sum(sizes))
    shown: tuple[tuple[Row, ...], ...] | None = None
    while limit > 0:
        dealt = shares(limit, sizes)
        for outline, share in zip(outlines, dealt, strict=True):
            outline.close_to(share)
        rows = tuple(_rows(outline, share) for outline, share in zip(outlines, dealt, strict=True))
        if rows != shown:
            yield rows
        shown = rows
        limit -= max(1, limit // (_FINE if limit <= _MANY else _COARSE))
    yield ((),) * len(outlines)


def _rows(outline: Outline, share: int) -> tuple[Row, ...]:
    """The rows of ``outline``, or none where they would not say more than the count of the whole list."""
    rows = outline.listing() if share else ()
    nothing_more = len(rows) == 1 and isinstance(rows[0], Group) and rows[0].path == HERE
    return () if nothing_more else rows


def _conflicts(status: Status) -> Iterator[Entry]:
    for conflict in status.conflicts:
        yield Entry(conflict.path, _CONFLICTS.get(conflict.code) or _letter(conflict.code))


def _staged(status: Status) -> Iterator[Entry]:
    for change in status.changes:
        if change.staged != UNCHANGED:
            note = "submodule" if change.submodule.startswith("S") else _MODES.get(change.modes[:2], "")
            yield Entry(change.path, _letter(change.staged), note, _origin(change, change.staged))


def _unstaged(status: Status) -> Iterator[Entry]:
    for change in status.changes:
        if change.unstaged != UNCHANGED:
            yield Entry(change.path, _letter(change.unstaged), _note(change), _origin(change, change.unstaged))


def _note(change: Change) -> str:
    if change.unstaged == "A":
        return "intent to add"
    if not change.submodule.startswith("S"):
        return _MODES.get(change.modes[1:], "")
    return ", ".join(["submodule", *(words for letter, words in _SUBMODULE if letter in change.submodule)])


def _origin(change: Change, code: str) -> bytes:
    return change.origin if code in _MOVED else b""


def _letter(code: str) -> str:
    return visible(code.encode("latin-1"))
