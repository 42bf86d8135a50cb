"""Following ``@path``: which files belong to a section, in which order, and what was left out."""

from __future__ import annotations

import dataclasses
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from context_claude_md.spelling import Spelling, resolve, spellings
from context_common.scopes import Reason, RefusedError, refused_by_name, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from context_claude_md.allowance import Allowance
    from context_claude_md.loading import File
    from context_claude_md.met import Met
    from context_common.conventions import Excludes
    from context_common.markdown.mentions import Mention

_TOKEN_LIMIT = 4096
_Key: TypeAlias = tuple[tuple[int, int], str]


class Omission(StrEnum):
    """Why a file that is there is not shown."""

    DUPLICATE = "duplicate"
    CYCLE = "cycle"
    TOO_DEEP = "too_deep"
    EXCLUDED = "excluded"
    NO_HEADING = "no_such_heading"


@dataclass(frozen=True)
class Left:
    """An import that is not shown.

    Attributes:
        mention: None where ``importer`` as a whole was not searched for imports.
        target: where it was looked for, if it was.
        digest: of the file, where one was read.
    """

    importer: File
    mention: Mention | None
    reason: Reason | Omission
    target: Path | None = None
    digest: str = ""

    @property
    def names_nothing(self) -> bool:
        """Whether there is no such file, inside or outside of where imports may lead."""
        is_outside = self.reason is Reason.OUTSIDE and self.target is not None and signature(self.target) is None
        return is_outside or self.reason is Reason.MISSING


@dataclass(frozen=True)
class Area:
    """Where imports may lead: to ``shared`` from every file, to ``own`` from the files that lie there only."""

    shared: tuple[Path, ...]
    own: tuple[Path, ...] = ()

    def of(self, file: File) -> tuple[Path, ...]:
        """The directories that ``file`` may import from."""
        return self.shared + self.own if _lies_in(file, self.own) and not _lies_in(file, self.shared) else self.shared


@dataclass
class Expander:
    """What one firing needs to follow imports, with what is left of its allowance and the files it shows."""

    load: Callable[[Path, tuple[Path, ...]], File]
    excludes: Excludes
    root: Path
    max_depth: int
    met: Met
    allowance: Allowance

    def expand(self, top: File, area: Area) -> tuple[list[File], list[Left]]:
        """What ``top`` imports, each file after its importer in the order of mention, and what is left out."""
        walk = _Walk(self, area)
        walk.gather(top)
        files = list(walk.placed(top, (top.key,), {top.key}))
        return files, walk.left


@dataclass
class _Walk:
    firing: Expander
    area: Area
    left: list[Left] = field(default_factory=list)
    edges: dict[_Key, list[tuple[Mention, File]]] = field(default_factory=dict)

    def gather(self, top: File) -> None:
        """Find every file to show, level by level.

        So the shortest route to a file decides its depth, and a limit that is reached leaves out what is farthest.
        """
        self.edges[top.key] = []
        waiting = deque([(top, 0)])
        while waiting:
            importer, depth = waiting.popleft()
            waiting.extend((target, depth + 1) for target in self._new_targets(importer, depth))

    def placed(self, importer: File, trail: tuple[_Key, ...], shown: set[_Key]) -> Iterator[File]:
        """The files below ``importer``, each at the place where it is mentioned first."""
        for mention, target in self.edges[importer.key]:
            if target.key in shown or (target.identity, "") in shown:
                reason = Omission.CYCLE if target.key in trail else Omission.DUPLICATE
                self.left.append(Left(importer, mention, reason, target.path, target.loaded.digest))
                continue
            shown.add(target.key)
            yield target
            yield from self.placed(target, (*trail, target.key), shown)

    def _new_targets(self, importer: File, depth: int) -> Iterator[File]:
        if not self.firing.allowance.searches_in(importer):
            self.left.append(Left(importer, None, Reason.LIMIT))
            return
        for mention in importer.loaded.mentions:
            target = self._admitted(importer, mention, depth)
            if isinstance(target, Left):
                self.left.append(target)
                if target.reason is Reason.LIMIT:
                    return
                continue
            if target.key not in self.edges:
                self.edges[target.key] = []
                yield target
            self.edges[importer.key].append((mention, target))

    def _admitted(self, importer: File, mention: Mention, depth: int) -> File | Left:
        target = self._look_up(importer, mention)
        if isinstance(target, Left) or target.key in self.edges:
            return target
        firing = self.firing
        reason: Reason | Omission | None = None
        if firing.met.has(target):
            reason = Omission.DUPLICATE
        elif depth == firing.max_depth:
            reason = Omission.TOO_DEEP
        elif firing.allowance.imports == 0 or not firing.allowance.takes(target):
            reason = Reason.LIMIT
        else:
            firing.allowance.imports -= 1
            firing.met.add(target)
        return Left(importer, mention, reason, target.path, target.loaded.digest) if reason else target

    def _look_up(self, importer: File, mention: Mention) -> File | Left:
        forbidden = refused_by_name(mention.token, self.area.of(importer))
        if forbidden:
            return Left(importer, mention, forbidden)
        if len(mention.token) > _TOKEN_LIMIT:
            return Left(importer, mention, Reason.MISSING)
        lacking = Left(importer, mention, Reason.MISSING)
        for spelling in spellings(mention.token):
            for base in dict.fromkeys((importer.path.parent, importer.loaded.real.parent)):
                found = self._try(importer, mention, spelling, base)
                if not (isinstance(found, Left) and (found.names_nothing or found.reason is Omission.NO_HEADING)):
                    return found
                if lacking.target is None or found.reason is Omission.NO_HEADING:
                    lacking = found
        return lacking

    def _try(self, importer: File, mention: Mention, spelling: Spelling, base: Path) -> File | Left:
        firing, path = self.firing, resolve(spelling.path, base)
        if firing.allowance.lookups == 0:
            return Left(importer, mention, Reason.LIMIT)
        firing.allowance.lookups -= 1
        forbidden = refused_by_name(str(path), self.area.of(importer))
        if forbidden:
            return Left(importer, mention, forbidden, path)
        if firing.excludes.cover(path, firing.root):
            return Left(importer, mention, Omission.EXCLUDED, path)
        try:
            file = firing.load(path, self.area.of(importer))
        except RefusedError as error:
            return Left(importer, mention, error.reason, path)
        if spelling.heading and not firing.allowance.opens(file):
            return Left(importer, mention, Reason.LIMIT, path, file.loaded.digest)
        section = file.loaded.section(spelling.heading) if spelling.heading else file.loaded
        if section is None:
            return Left(importer, mention, Omission.NO_HEADING, path, file.loaded.digest)
        return dataclasses.replace(file, loaded=section, heading=spelling.heading, importer=importer.path)


def _lies_in(file: File, directories: tuple[Path, ...]) -> bool:
    return any(file.loaded.real.is_relative_to(directory) for directory in directories)
