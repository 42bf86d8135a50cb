"""Finding the files: managed, the user's, and those of each directory; broad to specific."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from context_claude_md.candidate import Candidate, MemoryType
from context_claude_md.config import Scope
from context_claude_md.imports import Area
from context_claude_md.tree import files_below
from context_common.conventions import shown
from context_common.scopes import home, is_wide, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from context_claude_md.place import Place
    from context_common.scopes import FileCache, RefusedError

MANAGED = Path("/etc/claude-code/CLAUDE.md")
if sys.platform == "darwin":
    MANAGED = Path("/Library/Application Support/ClaudeCode/CLAUDE.md")

EVERYWHERE = (Path("/"),)
_REPOSITORY = 2


@dataclass(frozen=True)
class Discovery:
    """Where files are looked for in one firing.

    Attributes:
        import_roots: directories outside the repository that its files may lead to.
        refused: told of a rules directory that is left out.
    """

    place: Place
    scopes: frozenset[str]
    import_roots: tuple[Path, ...]
    cache: FileCache
    refused: Callable[[RefusedError], None]

    def personal(self) -> Iterator[Candidate]:
        """The managed file and the user's; these are trusted wherever their links lead."""
        if Scope.MANAGED in self.scopes:
            yield self._trusted(MANAGED, MemoryType.MANAGED)
        if Scope.USER in self.scopes:
            folder = home() / ".claude"
            yield self._trusted(folder / "CLAUDE.md", MemoryType.USER)
            for path in self._rules(folder / "rules", EVERYWHERE):
                yield replace(self._trusted(path, MemoryType.USER), is_rule=True)

    def in_directory(self, directory: Path) -> Iterator[Candidate]:
        """The files that ``directory`` itself holds."""
        # What lies in the user's own folder is the user's, not that of a project in the home directory.
        is_project = directory != home()
        if Scope.PROJECT in self.scopes:
            yield self._found(directory, directory / "CLAUDE.md")
            if is_project:
                yield self._found(directory, directory / ".claude" / "CLAUDE.md")
        if Scope.RULES in self.scopes and is_project:
            for path in self._rules(directory / ".claude" / "rules", self._inside(directory)):
                yield replace(self._found(directory, path), is_rule=True)
        if Scope.LOCAL in self.scopes:
            yield self._found(directory, directory / "CLAUDE.local.md", MemoryType.LOCAL)

    def misnamed(self, directory: Path) -> Iterator[tuple[Path, str]]:
        """Files of ``directory`` that nobody reads although somebody thinks so, each with the name that is read."""
        if signature(directory / "CLAUDE.md") is None and signature(directory / "claude.md"):
            yield directory / "claude.md", "CLAUDE.md"
        if signature(directory / ".claude" / "CLAUDE.local.md"):
            yield directory / ".claude" / "CLAUDE.local.md", "CLAUDE.local.md"

    def _inside(self, directory: Path) -> tuple[Path, ...]:
        return (self.place.territory(directory), *self.import_roots)

    def _found(self, directory: Path, path: Path, memory_type: MemoryType = MemoryType.PROJECT) -> Candidate:
        root = self.place.root
        depth = len(directory.relative_to(root).parts) + 1 if directory.is_relative_to(root) else 0
        return Candidate(
            path,
            shown(os.path.relpath(path, root)),
            memory_type,
            self._inside(directory),
            Area((*self.place.import_area(directory), *self.import_roots)),
            directory,
            nearness=_REPOSITORY + depth,
        )

    def _trusted(self, path: Path, memory_type: MemoryType) -> Candidate:
        own = dict.fromkeys((path.parent, Path(os.path.realpath(path)).parent))
        return Candidate(
            path,
            self.place.name(path),
            memory_type,
            EVERYWHERE,
            Area(
                (*self.place.import_area(self.place.root), *self.import_roots),
                tuple(directory for directory in own if not is_wide(directory)),
            ),
            nearness=int(memory_type is MemoryType.USER),
        )

    def _rules(self, folder: Path, inside: tuple[Path, ...]) -> Iterator[Path]:
        files = files_below(self.cache, folder, inside=inside, refused=self.refused)
        return (path for path in files if path.name.endswith(".md"))
