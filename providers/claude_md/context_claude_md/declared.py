"""The files that the operator named, in place of those that are discovered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from context_claude_md.candidate import Candidate, MemoryType
from context_claude_md.discovery import everywhere
from context_claude_md.imports import Area
from context_claude_md.spelling import resolve
from context_common.globs import Globs
from context_common.scopes import Reason, find_root, is_wide, names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_claude_md.place import Place
    from context_claude_md.tree import Walker
    from context_common.scopes import RefusedError

_MAGIC = frozenset("*?[{")
_NAME_LIMIT = 10_000
_PASSED_OVER = (Reason.GIT_METADATA, Reason.OUTSIDE)


@dataclass(frozen=True)
class Declared:
    """Paths and globs as the operator wrote them, and the working directory of the process at Configure."""

    texts: tuple[str, ...]
    started_in: Path
    import_roots: tuple[Path, ...]

    def candidates(self, place: Place, working_directory: Path, walker: Walker) -> Iterator[Candidate]:
        """The declared files, looked up from ``working_directory`` first."""
        for text in self.texts:
            yield from self.named(text, place, walker, working_directory)

    def named(self, text: str, place: Place, walker: Walker, *nearer: Path) -> Iterator[Candidate]:
        """The files that ``text`` names, looked up from the directories ``nearer`` first."""
        return (self._candidate(path, place) for path in _paths(text, (*nearer, self.started_in), walker))

    def _candidate(self, path: Path, place: Place) -> Candidate:
        names = names_in(place.root, str(path), place.root)
        if names:
            # Named by the operator, but the repository decides where the name leads: nothing is trusted.
            path = place.root / names[0]
            inside = (place.territory(path.parent), *self.import_roots)
            imports = Area((*place.import_area(path.parent), *self.import_roots))
        else:
            own = find_root(path.parent) or path.parent
            inside = everywhere(path.parent)
            imports = Area((*place.import_area(place.root), *self.import_roots), () if is_wide(own) else (own,))
        return Candidate(path, place.name(path), MemoryType.PROJECT, inside, imports, is_declared=True)


def _paths(text: str, bases: tuple[Path, ...], walker: Walker) -> list[Path]:
    """The paths that ``text`` names from the first of ``bases`` where it names any that exist."""
    for base in bases:
        path = resolve(text, base)
        if walker.signature(path) is not None:
            return [path]
        matching = list(_matching(path, walker)) if _MAGIC.intersection(text) else []
        if matching:
            return matching
    return [] if _MAGIC.intersection(text) else [resolve(text, bases[-1])]


def _matching(pattern: Path, walker: Walker) -> Iterator[Path]:
    fixed = next(index for index, part in enumerate(pattern.parts) if _MAGIC.intersection(part))
    top = Path(*pattern.parts[:fixed])
    globs = Globs(["/".join(pattern.parts[fixed:])], anchored=True)

    def refused(error: RefusedError) -> None:
        if error.reason not in _PASSED_OVER:
            walker.refused(error)

    for path in replace(walker, refused=refused, limit=_NAME_LIMIT).files_below(top, (top,)):
        if globs.matches(path.relative_to(top).as_posix()):
            yield path
