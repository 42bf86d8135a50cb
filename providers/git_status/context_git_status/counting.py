"""Counting the lines of what a section lists, again only where something that decides about them moved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from context_git_status.attributes import attribute_files
from context_git_status.lines import (
    LineCounts,
    Lines,
    parse_numstat,
    staged_arguments,
    staged_key,
    unstaged_arguments,
    unstaged_key,
)
from context_git_status.outline import Entry
from context_git_status.porcelain import UNCHANGED, Change, Status
from context_git_status.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from context_git_status.listings import Levels
    from context_git_status.location import Location
    from context_git_status.runner import Result


class Counting:
    """The lines of one work tree's changes, as they were last counted.

    Attributes:
        staged: the counts of the index.
        unstaged: the counts of the work tree.
    """

    def __init__(self, location: Location) -> None:
        self._location = location
        self._listed: tuple[Levels | None, list[Change], list[Change]] = (None, [], [])
        self.forget()

    def forget(self) -> None:
        """Know nothing: the configuration, or attributes, may make other lines of a file."""
        self.staged, self.unstaged = LineCounts(), LineCounts()
        self._attributes = Watch()

    def update(
        self, status: Status, levels: Levels, attributes_file: str, run: Callable[[Sequence[str]], Result | None]
    ) -> None:
        """Bring the counts up to date.

        Args:
            status: what changed.
            levels: which of it is listed.
            attributes_file: the value of ``core.attributesFile``.
            run: asks git; None when that could not even be tried.
        """
        listed_anew = self._listed[0] is not levels
        if listed_anew:
            self._listed = (levels, *_files(status, levels))
        _levels, staged, unstaged = self._listed
        attributes_moved = self._attributes.moved()
        if attributes_moved:
            self.forget()
        if attributes_moved or listed_anew:
            paths = [change.path for change in (*staged, *unstaged)]
            self._attributes.note(attribute_files(self._location, attributes_file, paths), time.time_ns())

        def ask(arguments: Sequence[str]) -> Mapping[bytes, Lines] | None:
            result = run(arguments)
            if result is None:
                return None
            return parse_numstat(result.output) if result.succeeded else {}

        top = self._location.top
        self.staged.update({c: staged_key(c) for c in staged}, lambda new: ask(staged_arguments(new, status.oid)))
        self.unstaged.update({c: unstaged_key(c, top) for c in unstaged}, lambda new: ask(unstaged_arguments(new)))


def _files(status: Status, levels: Levels) -> tuple[list[Change], list[Change]]:
    """The staged and the unstaged files that stand for themselves on the fullest level."""
    first = levels.listings[0]
    staged = {row.path for row in first.staged if isinstance(row, Entry)}
    unstaged = {row.path for row in first.unstaged if isinstance(row, Entry)}
    files = [change for change in status.changes if not change.submodule.startswith("S")]
    return (
        [change for change in files if change.staged != UNCHANGED and change.path in staged],
        [change for change in files if change.unstaged != UNCHANGED and change.path in unstaged],
    )
