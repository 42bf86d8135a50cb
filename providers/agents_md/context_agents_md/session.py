"""What one session has reached: its directories, in the order of first touch."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from context_agents_md.place import find_place, main_checkout
from context_agents_md.touched import way_to
from context_common.conventions import Journal, shown
from context_common.provider import Level, Log
from context_common.scopes import below, chain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_agents_md.config import AgentsMdConfig
    from context_agents_md.place import Place
    from context_agents_md.reader import Found
    from context_agents_md.selection import Parts, Selection
    from context_common.provider import Draft, Request


_TOLD = 200
"""Characters of a touched path that the log is told."""


class Left(StrEnum):
    """Why a file or a touched path was never looked at."""

    OUTER_REPOSITORY = "outer_repository"
    OUTSIDE = "outside"
    PRUNED = "pruned"


@dataclass(slots=True)
class Made:
    """A draft, the file that it was made of, and whether the log was told that it was loaded."""

    found: Found
    draft: Draft
    is_told: bool = False


@dataclass(slots=True)
class Scope:
    """A directory whose files apply to what was touched.

    Attributes:
        parts: its way down from the root; None for the user's own file.
        rank: how many were reached before it.
        twin: as of `Session.twin_of`, from its first file on.
        made: the draft last made for each file name.
        listing: the names that were there at the last look, and ``chosen`` those of them that may take part.
    """

    directory: Path
    parts: Parts | None
    rank: int = 0
    twin: Path | None = None
    made: dict[str, Made] = field(default_factory=dict)
    listing: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()


class Session:
    """One session's place and scopes, and what its log was told."""

    def __init__(self, config: AgentsMdConfig, selection: Selection) -> None:
        """A session that has reached nothing yet."""
        self.journal = Journal()
        self.user = Scope(Path(), None)
        self.scopes: dict[Path, Scope] = {}
        self._log = Log()
        self._config = config
        self._selection = selection
        self._place: Place | None = None
        self._working_directory: Path | None = None
        self._home: Parts = ()
        self._bases: dict[str, Path] = {}
        self._awaited: dict[Path, list[str]] = {}
        self._checkouts: dict[Path, Path | None] = {}

    def follow(self, request: Request) -> Path | None:
        """Take in where the session works now and what it has touched since; its root, where it has one."""
        self._log = request.log
        before = self._place
        if before is None or before.root is None or request.working_directory != self._working_directory:
            self._arrive(request.working_directory)
        place = self._place
        if place is None or place.root is None:
            return None
        new = [path for path in request.files_touched if path and path not in self._bases]
        # A relative path stays bound to the working directory of its first firing.
        self._bases.update(dict.fromkeys(new, place.working_directory))
        there = [step for step in self._awaited if os.path.lexists(step)]
        appeared = [path for step in there for path in self._awaited.pop(step)]
        moved = before is not None and before.root != place.root
        self._visit(self._bases if moved else [*appeared, *new], place.root)
        return place.root

    def twin_of(self, scope: Scope) -> Path | None:
        """The directory above ``scope`` that it is a second checkout of, where it lies in a linked worktree."""
        for step in (scope.directory, *scope.directory.parents)[: len(scope.parts or ())]:
            if step not in self._checkouts:
                self._checkouts[step] = main_checkout(step)
            main = self._checkouts[step]
            if main is not None:
                twin = main / scope.directory.relative_to(step)
                return twin if step.is_relative_to(twin) else None
        return None

    def _arrive(self, working_directory: Path) -> None:
        """Enter a working directory; under another root everything begins anew, because labels are relative to it."""
        before, place = self._place, find_place(working_directory, self._config)
        self._place, self._working_directory, self._home = place, working_directory, place.home
        if before is not None and before.root != place.root:
            self.scopes, self._awaited = {}, {}
        if place.root is None:
            self._tell(Level.WARN, "no root, so no file takes part", directory=working_directory, reason=place.reason)
        else:
            self._tell_outer(place)
            self._enter(chain(place.root, place.working_directory), place.root)

    def _tell_outer(self, place: Place) -> None:
        if place.root is None or place.outer is None:
            return
        for directory in chain(place.outer, place.root.parent):
            for name in self._present(directory):
                self._tell(Level.INFO, "skipped", file_path=directory / name, reason=Left.OUTER_REPOSITORY)

    def _visit(self, paths: Iterable[str], root: Path) -> None:
        """Enter what ``paths`` reach, root-most first and siblings by name, however the host ordered them."""
        reached: set[Path] = set()
        for path in paths:
            way = way_to(path, self._bases[path], root)
            if not way.directories:
                self._tell(Level.DEBUG, "skipped", touched=shown(path[:_TOLD]), reason=Left.OUTSIDE)
            if way.missing:
                self._awaited.setdefault(way.missing, []).append(path)
            reached.update(way.directories)
        self._enter(sorted(reached, key=lambda directory: (len(directory.parts), directory.parts)), root)

    def _enter(self, directories: Iterable[Path], root: Path) -> None:
        for directory in directories:
            parts = below(directory, root) or ()
            if directory in self.scopes or not self._selection.includes(parts):
                continue
            if self._selection.prunes(parts, self._home):
                for name in self._present(directory):
                    self._tell(Level.INFO, "skipped", file_path=shown("/".join((*parts, name))), reason=Left.PRUNED)
            else:
                self.scopes[directory] = Scope(directory, parts, len(self.scopes))

    def _present(self, directory: Path) -> list[str]:
        return [name for name in self._selection.names if os.path.lexists(directory / name)]

    def _tell(self, level: Level, message: str, **fields: object) -> None:
        self.journal.tell(self._log, level, message, **fields)
