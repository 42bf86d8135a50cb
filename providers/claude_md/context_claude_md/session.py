"""What a session has touched, and what joined it because of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_common.conventions import Journal, is_directory
from context_common.scopes import chain, locate, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from context_claude_md.discovery import Discovery
    from context_claude_md.imports import Left
    from context_claude_md.loading import File
    from context_claude_md.patterns import Patterns
    from context_claude_md.place import Place
    from context_common.provider import Draft, Request
    from context_common.scopes import Signature, View


@dataclass(frozen=True)
class Touch:
    """One touched path: the directories from below the working directory to it, and its names in the repository."""

    spelled: str
    directories: tuple[Path, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, spelled: str, base: Path, place: Place) -> Touch:
        """The touch of ``spelled``, relative to ``base``; it need not exist."""
        path = locate(spelled, base)
        if path is None:
            return cls(spelled, (), ())
        directory = path if is_directory(path) else path.parent
        return cls(spelled, chain(place.directory, directory)[1:], names_in(place.root, spelled, base))


@dataclass(frozen=True)
class Rule:
    """A rule that is about some files only; ``below`` is the directory that it lies in, ``""`` for everywhere."""

    path: Path
    patterns: Patterns
    below: str
    depth: int


@dataclass(frozen=True)
class Answer:
    """The drafts of a firing, and everything that they rest on."""

    place: Place
    working_directory: Path
    files_touched: tuple[str, ...]
    view: View
    drafts: list[Draft]

    def holds(self, request: Request, place: Place) -> bool:
        """Whether the answer to ``request`` is the same; nothing is opened to tell."""
        asked = (place, request.working_directory, request.files_touched)
        return asked == (self.place, self.working_directory, self.files_touched) and self.view.holds()


@dataclass
class Trail:
    """What a session touched, as one repository sees it.

    Attributes:
        reached: the directories that touched paths lie in.
        joined: directories and rules that touched paths brought in, with that path, in the order of joining.
    """

    reached: dict[Path, None] = field(default_factory=dict)
    joined: dict[Path, str] = field(default_factory=dict)
    _touches: dict[str, Touch] = field(default_factory=dict)
    _settled: int = 0
    _matched: dict[Path, tuple[Patterns, int]] = field(default_factory=dict)

    def touch(self, paths: Mapping[str, Path], place: Place) -> None:
        """Take in the touched paths that are new, each relative to its directory."""
        for path in [path for path in paths if path not in self._touches]:
            self._touches[path] = Touch.of(path, paths[path], place)
            self.reached.update(dict.fromkeys(self._touches[path].directories))

    def join(self, rules: Iterable[Rule]) -> None:
        """Let join what was touched since the last call, in the order of touch, root-most first within one."""
        touches = tuple(self._touches.values())
        joining = [
            (index, len(directory.parts), False, directory)
            for index in range(self._settled, len(touches))
            for directory in touches[index].directories
        ]
        for rule in rules:
            index = self._first_match(rule, touches)
            if index is not None:
                joining.append((index, rule.depth, True, rule.path))
        for index, _depth, _is_rule, path in sorted(joining):
            self.joined.setdefault(path, touches[index].spelled)
        self._settled = len(touches)

    def _first_match(self, rule: Rule, touches: tuple[Touch, ...]) -> int | None:
        """The first touch that ``rule`` is about, of those that it was not compared with before."""
        patterns, start = self._matched.get(rule.path, (None, 0))
        if patterns is not rule.patterns:
            start = 0
        self._matched[rule.path] = rule.patterns, len(touches)
        matching = (i for i in range(start, len(touches)) if rule.patterns.match(touches[i].names, rule.below))
        return next(matching, None)


@dataclass
class Session:
    """The memory of one session.

    Attributes:
        answer: the last firing's.
        discovery: where files are looked for, as long as the place is the same.
        sections: the drafts of the last firing by label, each with the imports that it lacks.
        files: those that were read, by path.
        names: those in the directories that were listed, by directory.
        signatures: those of the directories that were searched, and of what is in them.
    """

    answer: Answer | None = None
    discovery: Discovery | None = None
    sections: dict[str, tuple[Draft, list[Left]]] = field(default_factory=dict)
    files: dict[Path, File] = field(default_factory=dict)
    names: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    signatures: dict[Path, Signature] = field(default_factory=dict)
    journal: Journal = field(default_factory=Journal)
    _touched: dict[str, Path] = field(default_factory=dict)
    _trails: dict[Path, Trail] = field(default_factory=dict)

    def trail(self, request: Request, place: Place) -> Trail:
        """What was touched so far, as seen from ``place``.

        A path stays relative to the directory in which the session worked when it was touched first.
        """
        for path in request.files_touched:
            self._touched.setdefault(path, request.working_directory)
        trail = self._trails.setdefault(place.root, Trail())
        trail.touch(self._touched, place)
        return trail
