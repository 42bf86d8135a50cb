"""Rolling a list of paths up into directories, a little at a time and never further than asked."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT: Final = b""
HERE: Final = b"./"
"""The root as it is shown."""


class Entry(NamedTuple):
    """One path of a list.

    ``code`` is counted when the entry is rolled up, ``note`` and ``origin`` are shown while it stands for itself.
    """

    path: bytes
    code: str = ""
    note: str = ""
    origin: bytes = b""


@dataclass(frozen=True, slots=True)
class Group:
    """A directory that stands for entries: all below it, or only those directly in it.

    ``path`` ends in a slash, and is ``./`` for the root.
    """

    path: bytes
    codes: Mapping[str, int]
    direct: bool = False

    def covers(self, path: bytes) -> bool:
        """Whether ``path``, which is in the list, is one of those that this stands for."""
        place = b"" if self.path == HERE else self.path
        return path.startswith(place) and not (self.direct and b"/" in path[len(place) : -1])


Row: TypeAlias = Entry | Group


@dataclass(slots=True)
class _Directory:
    parent: bytes = ROOT
    entries: list[Entry] = field(default_factory=list)
    below: list[Row] = field(default_factory=list)
    open_below: int = 0

    def __len__(self) -> int:
        return len(self.entries) + len(self.below)


class Outline:
    """Entries as rows, of which `close_to` makes fewer: one after another, whole directories become one row each.

    Directories close from the bottom up; in one whose directories are still open, its own files can close already.
    The smallest that is enough is taken, else the largest there is: so thousands of new files in one place go long
    before twenty edits in twenty others. A directory with a single row is none of them, because closing it is no
    gain; so there are never more than there are entries, however deep these lie.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._directories: dict[bytes, _Directory] = {ROOT: _Directory()}
        self._closable: list[tuple[int, bytes, bool]] = []
        ordered = sorted(entries, key=lambda entry: entry.path)
        self.rows = len(ordered)
        self._place(ordered)
        for path, directory in self._directories.items():
            if directory.open_below or directory.below:
                self._offer(len(directory.entries), path, whole=False)
            if not directory.open_below:
                self._offer(len(directory), path, whole=True)

    def close_to(self, limit: int) -> None:
        """Close directories until at most ``limit`` rows are left; at least one is."""
        while self.rows > limit and self._closable:
            enough = bisect_left(self._closable, (self.rows - limit + 1, ROOT, False))
            self._close(*self._closable.pop(min(enough, len(self._closable) - 1)))

    def listing(self) -> tuple[Row, ...]:
        """The rows in the order of their paths."""
        rows = [row for directory in self._directories.values() for row in (*directory.entries, *directory.below)]
        return tuple(sorted(rows, key=lambda row: row.path))

    def _place(self, entries: Sequence[Entry]) -> None:
        """Put every one of the sorted ``entries`` into the deepest directory that it shares with a neighbour."""
        # An untracked directory is an entry of its own: it ends in a slash and lives in its parent.
        parents = [_parent(entry.path) for entry in entries]
        around = [ROOT]
        for entry, parent, following in zip(entries, parents, [*parents[1:], ROOT], strict=False):
            shared = parent if parent == following else _shared(parent, following)
            if len(shared) > len(around[-1]):
                around.append(self._open(shared))
            home = self._directories[around[-1]]
            (home.entries if parent == around[-1] else home.below).append(entry)
            while len(around[-1]) > len(shared):
                path = around.pop()
                if len(shared) > len(around[-1]):
                    around.append(self._open(shared))
                self._directories[path].parent = around[-1]
                self._directories[around[-1]].open_below += 1

    def _open(self, path: bytes) -> bytes:
        self._directories[path] = _Directory()
        return path

    def _offer(self, size: int, path: bytes, *, whole: bool) -> None:
        if size > 1:
            insort(self._closable, (size, path, whole))

    def _close(self, size: int, path: bytes, whole: bool) -> None:
        directory = self._directories.get(path, _Directory())
        if size != (len(directory) if whole else len(directory.entries)):
            return  # offered before something else changed it
        self.rows -= size - 1
        if not whole:
            directory.below.append(_group(path, directory.entries, direct=True))
            directory.entries = []
        elif path == ROOT:
            self._directories[ROOT] = _Directory(below=[_group(path, directory.entries + directory.below)])
            return
        else:
            del self._directories[path]
            path, group = directory.parent, _group(path, directory.entries + directory.below)
            directory = self._directories[path]
            directory.below.append(group)
            directory.open_below -= 1
        if not directory.open_below:
            self._offer(len(directory), path, whole=True)


def _parent(path: bytes) -> bytes:
    """The directory that holds ``path``, with its slash; the root is empty."""
    head, slash, _name = path.removesuffix(b"/").rpartition(b"/")
    return head + slash


def _shared(one: bytes, other: bytes) -> bytes:
    """The deepest directory that both directories are or lie in; halving, as a path may have any length."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return one[: one.rfind(b"/", 0, low) + 1]


def _group(path: bytes, rows: Sequence[Row], *, direct: bool = False) -> Group:
    codes = Counter(row.code for row in rows if isinstance(row, Entry))
    for row in rows:
        if isinstance(row, Group):
            codes.update(row.codes)
    return Group(path or HERE, dict(sorted(codes.items())), direct)
