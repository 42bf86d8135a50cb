"""How many lines of a path were added and removed, asked of git only for contents that are new."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from context_common.scopes import Signature
from context_git_status.watch import is_settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from context_git_status.porcelain import Change

_DIFF: Final = ("--numstat", "-z", "--find-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
_EMPTY_TREES: Final = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_FILE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of a file whose lines are still counted."""
_ARGUMENTS_LIMIT: Final = 128 * 1024
"""Bytes of paths in one command."""


class Lines(NamedTuple):
    """Lines added and removed; both are None for a binary file."""

    added: int | None
    removed: int | None


def staged_arguments(changes: Iterable[Change], oid: str) -> tuple[str, ...]:
    """The command that counts lines between the commit ``oid`` (or nothing) and the index."""
    changes = tuple(changes)
    length = len(changes[0].index_oid) if changes else 0
    start = oid or _EMPTY_TREES.get(length, _EMPTY_TREES[40])
    return ("--literal-pathspecs", "diff-index", "--cached", *_DIFF, start, "--", *_paths(changes))


def unstaged_arguments(changes: Iterable[Change]) -> tuple[str, ...]:
    """The command that counts lines between the index and the work tree."""
    return ("--literal-pathspecs", "diff-files", *_DIFF, "--", *_paths(changes))


def parse_numstat(output: bytes) -> Mapping[bytes, Lines]:
    """Lines by path; a renamed file goes by its new name."""
    found: dict[bytes, Lines] = {}
    fields = iter(output.split(b"\0"))
    for field in fields:
        added, _, rest = field.partition(b"\t")
        removed, tab, path = rest.partition(b"\t")
        if tab and not path:
            next(fields, b"")
            path = next(fields, b"")
        if path:
            found[path] = Lines(_count(added), _count(removed))
    return found


class LineCounts:
    """The lines of the paths that one list shows, as they were counted for contents that are still the same."""

    def __init__(self) -> None:
        self._counted: dict[bytes, tuple[object, Lines | None]] = {}
        self.lines: Mapping[bytes, Lines] = {}

    def update(
        self, keys: Mapping[Change, object], ask: Callable[[Sequence[Change]], Mapping[bytes, Lines] | None]
    ) -> None:
        """Bring `lines` up to date.

        Args:
            keys: every change to count, with what its lines depend on; None where they are not to be counted.
            ask: counts the lines of some changes; None when that could not even be tried.
        """
        counted = {
            change.path: self._counted[change.path]
            for change, key in keys.items()
            if key is not None and change.path in self._counted and self._counted[change.path][0] == key
        }
        new = [change for change, key in keys.items() if key is not None and change.path not in counted]
        if new and (answer := ask(new)) is not None:
            counted |= {change.path: (keys[change], answer.get(change.path)) for change in new}
        if counted != self._counted:
            self._counted = counted
            self.lines = {path: lines for path, (_key, lines) in counted.items() if lines is not None}


def staged_key(change: Change) -> object:
    """What the staged lines of ``change`` depend on."""
    return change.origin, change.head_oid, change.index_oid


def unstaged_key(change: Change, top: Path) -> object:
    """What the unstaged lines of ``change`` depend on; None where they are not counted, for a very large file."""
    now = time.time_ns()
    try:
        status = os.lstat(f"{top}/{os.fsdecode(change.path)}")
    except (OSError, ValueError):
        return change.origin, change.index_oid
    if status.st_size > _FILE_LIMIT:
        return None
    seen = Signature.of(status)
    return change.origin, change.index_oid, seen if is_settled(seen, now) else _Unsettled()


class _Unsettled:
    """Equal to nothing else: what was written a moment ago is counted again at the next look."""


def _paths(changes: Iterable[Change]) -> Iterable[str]:
    room = _ARGUMENTS_LIMIT
    for change in changes:
        for path in filter(None, (change.path, change.origin)):
            room -= len(path) + 1
            if room > 0:
                yield os.fsdecode(path)


def _count(text: bytes) -> int | None:
    return int(text) if text.isdigit() and len(text) < 19 else None  # noqa: PLR2004  (what int is asked to read)
