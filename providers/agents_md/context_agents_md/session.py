"""What one session has reached: its directories, in the order of first touch."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from context_agents_md.place import find_place, main_checkout
from context_agents_md.touched import directories_for
from context_common.conventions import Journal
from context_common.provider import Level
from context_common.scopes import chain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_agents_md.config import AgentsMdConfig
    from context_agents_md.place import Place
    from context_agents_md.reader import Content
    from context_agents_md.selection import Parts, Selection
    from context_common.provider import Draft, Log, Request


@dataclass(slots=True)
class Scope:
    """A directory whose files apply to what was touched.

    Attributes:
        parts: its way down from the root; None for the user's own file.
        rank: how many were reached before it.
        twin: the directory above that it is a second checkout of, where it lies in a linked worktree.
        drafts: the draft last made of each file name, with the content and the source name that it was made of.
    """

    directory: Path
    parts: Parts | None
    rank: int = 0
    twin: Path | None = None
    drafts: dict[str, tuple[Content, str, Draft]] = field(default_factory=dict)


class Session:
    """One session's place and scopes, and what its log was told."""

    def __init__(self, config: AgentsMdConfig, selection: Selection) -> None:
        """A session that has reached nothing yet."""
        self.journal = Journal()
        self.user = Scope(Path(), None)
        self.scopes: dict[Path, Scope] = {}
        self._config = config
        self._selection = selection
        self._place: Place | None = None
        self._working_directory: Path | None = None
        self._bases: dict[str, Path] = {}
        self._absent: list[str] = []
        self._checkouts: dict[Path, Path | None] = {}

    def follow(self, request: Request) -> Path | None:
        """Take in where the session works now and what it has touched since; its root, where it has one."""
        moved = request.working_directory != self._working_directory and self._arrive(request)
        place = self._place
        if place is None or place.root is None:
            return None
        new = [path for path in request.files_touched if path and path not in self._bases]
        # A relative path stays bound to the working directory of its first firing.
        self._bases.update(dict.fromkeys(new, place.working_directory))
        waiting = [*self._absent, *new]
        self._absent = [path for path in waiting if not self._exists(path)]
        appeared = set(waiting).difference(self._absent)
        self._visit(self._bases if moved else appeared.union(new), place.root)
        return place.root

    def _arrive(self, request: Request) -> bool:
        """Enter another working directory; whether its root is another one too."""
        before, place = self._place, find_place(request.working_directory, self._config)
        self._place, self._working_directory = place, request.working_directory
        moved = before is not None and before.root != place.root
        if moved:
            # Labels are relative to the root: under another one, everything begins anew.
            self.scopes = {}
        self._announce(place, request.log)
        if place.root is not None:
            self._enter(chain(place.root, place.working_directory), place.root)
        return moved

    def _announce(self, place: Place, log: Log) -> None:
        """Tell what an operator may wonder about: no root, or files above it."""
        if place.root is None:
            self.journal.tell(
                log,
                Level.WARN,
                "no root, so no file takes part",
                working_directory=place.working_directory,
                reason=place.reason,
            )
        elif place.outer is not None:
            for directory in chain(place.outer, place.root.parent):
                for name in self._selection.names:
                    if os.path.lexists(directory / name):
                        self.journal.tell(
                            log,
                            Level.INFO,
                            "an outer repository's file takes no part",
                            file_path=directory / name,
                            attribute="include_outer",
                        )

    def _visit(self, paths: Iterable[str], root: Path) -> None:
        """Enter what ``paths`` reach, root-most first and siblings by name, however the host ordered them."""
        reached = {directory for path in paths for directory in directories_for(path, self._bases[path], root)}
        self._enter(sorted(reached, key=lambda directory: (len(directory.parts), directory.parts)), root)

    def _enter(self, directories: Iterable[Path], root: Path) -> None:
        home = self._place.home if self._place else ()
        for directory in directories:
            parts = directory.relative_to(root).parts
            takes_part = self._selection.includes(parts) and not self._selection.prunes(parts, home)
            if takes_part and directory not in self.scopes:
                self.scopes[directory] = Scope(directory, parts, len(self.scopes), self._twin(directory, root))

    def _twin(self, directory: Path, root: Path) -> Path | None:
        for step in (directory, *directory.parents):
            if step == root:
                return None
            if step not in self._checkouts:
                self._checkouts[step] = main_checkout(step)
            main = self._checkouts[step]
            if main is not None:
                twin = main / directory.relative_to(step)
                return twin if step.is_relative_to(twin) else None
        return None

    def _exists(self, path: str) -> bool:
        return os.path.exists(self._bases[path] / path)  # noqa: PTH110  (Path.exists raises on a name that is too long)
