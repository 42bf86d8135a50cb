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
    entries: list[Entry] = field(default_factory=list)
    below: list[Row] = field(default_factory=list)
    open_below: int = 0

    def __len__(self) -> int:
        return len(self.entries) + len(self.below)


class Outline:
    """Entries as rows, of which `close_to` makes fewer: one after another, whole directories become one row each.

    Directories close from the bottom up; in one whose directories are still open, its own files can close already.
    The smallest that is enough is taken, else the largest there is: so thousands of new files in one place go long
    before twenty edits in twenty others.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._directories: dict[bytes, _Directory] = {ROOT: _Directory()}
        self._closable: list[tuple[int, bytes, bool]] = []
        self.rows = 0
        for entry in entries:
            self._home_of(entry.path).entries.append(entry)
            self.rows += 1
        bottom = [path for path, directory in self._directories.items() if not directory.open_below]
        for path, directory in self._directories.items():
            if directory.open_below:
                self._offer(len(directory.entries), path, whole=False)
        for path in bottom:
            self._settle(path)

    def close_to(self, limit: int) -> None:
        """Close directories until at most ``limit`` rows are left; at least one is."""
        while self.rows > limit and self._closable:
            enough = bisect_left(self._closable, (self.rows - limit + 1, ROOT, False))
            self._close(*self._closable.pop(min(enough, len(self._closable) - 1)))

    def listing(self) -> tuple[Row, ...]:
        """The rows in the order of their paths."""
        rows = [row for directory in self._directories.values() for row in (*directory.entries, *directory.below)]
        return tuple(sorted(rows, key=lambda row: row.path))

    def _home_of(self, path: bytes) -> _Directory:
        # An untracked directory is an entry of its own: it ends in a slash and lives in its parent.
        parent = _parent(path)
        if parent in self._directories:
            return self._directories[parent]
        home = self._directories[parent] = _Directory()
        while (parent := _parent(parent)) not in self._directories:
            self._directories[parent] = _Directory(open_below=1)
        self._directories[parent].open_below += 1
        return home

    def _offer(self, size: int, path: bytes, *, whole: bool) -> None:
        if size > 1:
            insort(self._closable, (size, path, whole))

    def _settle(self, path: bytes) -> None:
        """Make a directory with nothing open below it closable; a single row is no gain, and moves up instead."""
        while len(directory := self._directories[path]) == 1 and path != ROOT:
            path = self._leave(path, [*directory.entries, *directory.below])
            if self._directories[path].open_below:
                return
        self._offer(len(directory), path, whole=True)

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
            path = self._leave(path, [_group(path, directory.entries + directory.below)])
        if not self._directories[path].open_below:
            self._settle(path)

    def _leave(self, path: bytes, rows: list[Row]) -> bytes:
        """Hand what is left of a directory to its parent, and name that."""
        del self._directories[path]
        parent = _parent(path)
        self._directories[parent].below += rows
        self._directories[parent].open_below -= 1
        return parent


def _parent(path: bytes) -> bytes:
    """The directory that holds ``path``, with its slash; the root is empty."""
    head, slash, _name = path.removesuffix(b"/").rpartition(b"/")
    return head + slash


def _group(path: bytes, rows: Sequence[Row], *, direct: bool = False) -> Group:
    codes = Counter(row.code for row in rows if isinstance(row, Entry))
    for row in rows:
        if isinstance(row, Group):
            codes.update(row.codes)
    return Group(path or HERE, dict(sorted(codes.items())), direct)
