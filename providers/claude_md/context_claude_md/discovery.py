"""Finding the files: managed, the user's, and those of each directory; broad to specific."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from context_claude_md.candidate import Candidate, MemoryType
from context_claude_md.config import Scope
from context_claude_md.imports import Area
from context_common.scopes import below, home, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_claude_md.place import Place
    from context_claude_md.tree import Walker
    from context_common.scopes import View

MANAGED = Path("/etc/claude-code/CLAUDE.md")
if sys.platform == "darwin":
    MANAGED = Path("/Library/Application Support/ClaudeCode/CLAUDE.md")

_REPOSITORY = 2


def everywhere(directory: Path) -> tuple[Path, ...]:
    """The directories that hold whatever there is on this machine, and on the host that ``directory`` is on."""
    return (Path("/"), directory)


@dataclass(frozen=True)
class _Spots:
    """Where the files of one directory are; ``rules`` is the folder of its rules."""

    project: tuple[Candidate, ...]
    rules: Path | None
    local: tuple[Candidate, ...]


@dataclass(frozen=True)
class Discovery:
    """Where files are looked for from one place.

    Attributes:
        import_roots: directories outside the repository that its files may lead to.
    """

    place: Place
    scopes: frozenset[str]
    import_roots: tuple[Path, ...]
    _spots: dict[Path, _Spots] = field(default_factory=dict)
    _rules: dict[Path, Candidate] = field(default_factory=dict)

    def personal(self, walker: Walker) -> Iterator[Candidate]:
        """The managed file and the user's; these are trusted wherever their links lead."""
        if Scope.MANAGED in self.scopes:
            yield self._trusted(MANAGED, MemoryType.MANAGED)
        if Scope.USER in self.scopes:
            folder = home() / ".claude"
            yield self._trusted(folder / "CLAUDE.md", MemoryType.USER)
            for path in _rule_files(walker, folder / "rules", everywhere(home())):
                yield replace(self._trusted(path, MemoryType.USER), is_rule=True)

    def in_directory(self, directory: Path, walker: Walker) -> Iterator[Candidate]:
        """The files that ``directory`` itself holds."""
        if directory not in self._spots:
            self._spots[directory] = self._spots_in(directory)
        spots = self._spots[directory]
        yield from spots.project
        if spots.rules is not None:
            for path in _rule_files(walker, spots.rules, self._inside(directory)):
                if path not in self._rules:
                    self._rules[path] = replace(self._found(directory, path), is_rule=True)
                yield self._rules[path]
        yield from spots.local

    def misnamed(self, directory: Path, view: View) -> Iterator[tuple[Path, str]]:
        """Files of ``directory`` that nobody reads although somebody thinks so, each with the name that is read."""
        right, wrong = directory / "CLAUDE.md", directory / "claude.md"
        if Scope.PROJECT in self.scopes and view.signature(right) is None and view.signature(wrong):
            yield wrong, "CLAUDE.md"
        wrong = directory / ".claude" / "CLAUDE.local.md"
        if Scope.LOCAL in self.scopes and view.signature(wrong):
            yield wrong, "CLAUDE.local.md"

    def _spots_in(self, directory: Path) -> _Spots:
        folder = directory / ".claude"
        # What lies in the user's own folder is the user's, not that of a project in the home directory.
        is_project = directory != home()
        paths = (directory / "CLAUDE.md", folder / "CLAUDE.md") if is_project else (directory / "CLAUDE.md",)
        project = tuple(self._found(directory, path) for path in paths) if Scope.PROJECT in self.scopes else ()
        local = self._found(directory, directory / "CLAUDE.local.md", MemoryType.LOCAL)
        return _Spots(
            project,
            folder / "rules" if Scope.RULES in self.scopes and is_project else None,
            (local,) if Scope.LOCAL in self.scopes else (),
        )

    def _inside(self, directory: Path) -> tuple[Path, ...]:
        return (self.place.territory(directory), *self.import_roots)

    def _found(self, directory: Path, path: Path, memory_type: MemoryType = MemoryType.PROJECT) -> Candidate:
        parts = below(directory, self.place.root)
        depth = 0 if parts is None else len(parts) + 1
        return Candidate(
            path,
            self.place.relative(path),
            memory_type,
            self._inside(directory),
            Area((*self.place.import_area(directory), *self.import_roots)),
            directory,
            is_above=parts is None,
            nearness=_REPOSITORY + depth,
        )

    def _trusted(self, path: Path, memory_type: MemoryType) -> Candidate:
        own = dict.fromkeys((path.parent, Path(os.path.realpath(path)).parent))
        return Candidate(
            path,
            self.place.name(path),
            memory_type,
            everywhere(home()),
            Area(
                (*self.place.import_area(self.place.root), *self.import_roots),
                tuple(directory for directory in own if not is_wide(directory)),
            ),
            nearness=int(memory_type is MemoryType.USER),
        )


def _rule_files(walker: Walker, folder: Path, inside: tuple[Path, ...]) -> Iterator[Path]:
    return (path for path in walker.files_below(folder, inside) if path.name.endswith(".md"))
