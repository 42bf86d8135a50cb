"""One firing: which files there are, which of them show, and what each becomes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from context_claude_md.allowance import Allowance
from context_claude_md.candidate import Candidate, LoadReason
from context_claude_md.config import Scope
from context_claude_md.imports import Expander, Omission
from context_claude_md.met import Met
from context_claude_md.session import Rule
from context_claude_md.tree import Walker
from context_common.provider import Draft, OnChange, Part
from context_common.scopes import Reason, RefusedError, is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from context_claude_md.config import ClaudeMdConfig
    from context_claude_md.discovery import Discovery
    from context_claude_md.imports import Left
    from context_claude_md.loading import File, Loader
    from context_claude_md.patterns import Patterns
    from context_claude_md.place import Place
    from context_claude_md.report import Report
    from context_claude_md.session import Session, Trail
    from context_common.conventions import Excludes
    from context_common.provider import Request
    from context_common.scopes import Signature, View

T = TypeVar("T")


class Found(NamedTuple):
    """A candidate whose file is there."""

    candidate: Candidate
    file: File

    @property
    def patterns(self) -> Patterns | None:
        """The touched files that it waits for; None where it holds at once."""
        return self.file.loaded.patterns if self.candidate.is_rule else None


@dataclass(frozen=True)
class Firing:
    """What one call of ``contribute`` works with."""

    config: ClaudeMdConfig
    loader: Loader
    excludes: Excludes
    place: Place
    session: Session
    report: Report
    view: View
    allowance: Allowance = field(default_factory=Allowance)

    def discovered(self, discovery: Discovery, request: Request) -> list[Found]:
        """The files that hold from the start, broad to specific, then what touched paths brought in."""
        directories = self.place.directories()
        for directory in directories:
            for path, right in discovery.misnamed(directory, self.view):
                self.report.misnamed(path, right)
        first = self.read(discovery.personal(self.walker))
        for directory in directories:
            first += self._read_directory(discovery, directory)
        at_start = [found for found in first if found.patterns is None]
        if Scope.NESTED not in self.config.scopes:
            return at_start
        trail = self.session.trail(request, self.place)
        there = [directory for directory in trail.reached if self.signature(directory)]
        nested = {directory: self._read_directory(discovery, directory) for directory in there}
        rules = {found.candidate.path: found for found in chain(first, *nested.values()) if found.patterns is not None}
        trail.join(self._rule(found.candidate, patterns) for found in rules.values() if (patterns := found.patterns))
        return at_start + list(_joined(trail, nested, rules))

    def read(self, candidates: Iterable[Candidate]) -> list[Found]:
        """The candidates whose files are there and may be read."""
        found: list[Found] = []
        for candidate in candidates:
            if self.excludes.cover(candidate.path, self.place.root):
                reason = Omission.EXCLUDED if self.view.signature(candidate.path) else Reason.MISSING
                self._refuse(candidate, reason)
                continue
            try:
                found.append(self._find(candidate))
            except RefusedError as error:
                self._refuse(candidate, error.reason)
        return found

    def _find(self, candidate: Candidate) -> Found:
        found = Found(candidate, self.load(candidate.path, candidate.inside))
        if found.patterns and not self.allowance.matches(found.patterns):
            raise RefusedError(Reason.LIMIT, candidate.path)
        self.report.read(candidate, found.file)
        return found

    def load(self, path: Path, inside: tuple[Path, ...]) -> File:
        """The file at ``path``.

        Raises:
            RefusedError: with the reason.
        """
        return self._or_as_before(path, self.session.files, lambda: self.loader.load(path, inside, self.view))

    def signature(self, path: Path) -> Signature | None:
        """That of what ``path`` leads to, or None; the last one while nobody can tell what is there."""
        known = self.session.signatures
        status = self.view.signature(path)
        if status is not None:
            known[path] = status
        elif path in known and not is_hidden(path):
            del known[path]
        return known.get(path)

    def names(self, directory: Path, inside: tuple[Path, ...]) -> tuple[str, ...]:
        """The names in ``directory``.

        Raises:
            RefusedError: with the reason.
        """
        return self._or_as_before(directory, self.session.names, lambda: self.view.names(directory, inside=inside))

    def drafts(self, files: list[Found]) -> list[Draft]:
        """A draft for each of ``files`` that does not show already."""
        met = Met()
        expander = Expander(
            self.load, self.excludes, self.place.root, self.config.max_import_depth, met, self.allowance
        )
        sections = {}
        # A file above the repository comes last here: that of a main checkout gives way to its worktree's.
        for found in sorted(files, key=lambda found: found.candidate.is_above):
            if met.has(found.file):
                self.report.refused(found.candidate.path, Omission.DUPLICATE)
            elif not self.allowance.takes(found.file):
                self.report.refused(found.candidate.path, Reason.LIMIT)
            else:
                met.add(found.file)
                sections[found.candidate.label] = self._section(found, expander)
        self.session.sections = sections
        labels = dict.fromkeys(found.candidate.label for found in files)
        return [sections[label][0] for label in labels if label in sections]

    def _or_as_before(self, path: Path, before: dict[Path, T], read: Callable[[], T]) -> T:
        try:
            before[path] = read()
        except RefusedError as error:
            # A lack of rights or descriptors takes back nothing that this session was told.
            if error.reason is not Reason.UNREADABLE or path not in before:
                raise
            self.report.kept(path, error.reason)
        return before[path]

    def _section(self, found: Found, expander: Expander) -> tuple[Draft, list[Left]]:
        candidate, top = found
        files, left = expander.expand(top, candidate.imports) if self.config.imports == "expand" else ([], [])
        parts = [Part.of(candidate.name, top.loaded.document)]
        for file in files:
            name = self.place.name(file.path) + (f"#{file.heading}" if file.heading else "")
            parts.append(Part.of(name, file.loaded.document, f"Contents of {name}:"))
        draft = Draft(
            candidate.label,
            tuple(parts),
            nearness=candidate.nearness,
            on_change=OnChange(self.config.on_change),
            facts=(("file_path", candidate.name), ("scope", candidate.memory_type), ("digest", top.loaded.digest)),
        )
        before = self.session.sections.get(candidate.label)
        if before == (draft, left):
            return before
        self.report.section(candidate, top, files, left)
        return (before[0] if before and before[0] == draft else draft), left

    def _rule(self, candidate: Candidate, patterns: Patterns) -> Rule:
        depth = len(candidate.directory.parts) if candidate.directory else 0
        return Rule(candidate.path, patterns, self.place.prefix(candidate.directory), depth)

    @property
    def walker(self) -> Walker:
        """Walks as far as this user may, and where that was further before, as far as then."""
        return Walker(self.signature, self.names, lambda error: self.report.refused(error.path, error.reason))

    def _read_directory(self, discovery: Discovery, directory: Path) -> list[Found]:
        return self.read(discovery.in_directory(directory, self.walker))

    def _refuse(self, candidate: Candidate, reason: Reason | Omission) -> None:
        # A path that was only guessed need not be there; a link that leads nowhere was put there by somebody.
        if reason is not Reason.MISSING or candidate.is_declared or os.path.islink(candidate.path):  # noqa: PTH114  (Path.is_symlink raises for a name that is too long)
            self.report.refused(candidate.path, reason)


def _joined(trail: Trail, nested: dict[Path, list[Found]], rules: dict[Path, Found]) -> Iterator[Found]:
    for path, trigger in trail.joined.items():
        if path in rules:
            candidate = replace(rules[path].candidate, load_reason=LoadReason.PATH_GLOB_MATCH, trigger=trigger)
            yield rules[path]._replace(candidate=candidate)
        for found in nested.get(path, ()):
            if found.patterns is None:
                candidate = replace(found.candidate, load_reason=LoadReason.NESTED_TRAVERSAL, trigger=trigger)
                yield found._replace(candidate=candidate)
