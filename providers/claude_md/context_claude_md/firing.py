"""One firing: which files there are, which of them show, and what each becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from context_claude_md.candidate import Candidate, LoadReason
from context_claude_md.config import Scope
from context_claude_md.imports import Expander, Omission
from context_claude_md.met import Met
from context_claude_md.session import Rule
from context_common.provider import Draft, OnChange, Part
from context_common.scopes import Reason, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from context_claude_md.config import ClaudeMdConfig
    from context_claude_md.discovery import Discovery
    from context_claude_md.loading import File, Loader
    from context_claude_md.patterns import Patterns
    from context_claude_md.place import Place
    from context_claude_md.report import Report
    from context_claude_md.session import Session
    from context_common.conventions import Excludes
    from context_common.provider import Request


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

    def discovered(self, discovery: Discovery, request: Request) -> list[Found]:
        """The files that hold from the start, broad to specific, then what touched paths brought in."""
        directories = self.place.directories()
        for path, right in chain.from_iterable(map(discovery.misnamed, directories)):
            self.report.misnamed(path, right)
        first = self.read(chain(discovery.personal(), chain.from_iterable(map(discovery.in_directory, directories))))
        at_start = [found for found in first if found.patterns is None]
        if Scope.NESTED not in self.config.scopes:
            return at_start
        self.session.touch(request.files_touched, request.working_directory, self.place)
        nested = {directory: self.read(discovery.in_directory(directory)) for directory in self.session.reached}
        rules = {found.candidate.path: found for found in chain(first, *nested.values()) if found.patterns is not None}
        self.session.join(
            self._rule(found.candidate, patterns) for found in rules.values() if (patterns := found.patterns)
        )
        return at_start + list(self._joined(nested, rules))

    def read(self, candidates: Iterable[Candidate]) -> list[Found]:
        """The candidates whose files are there and may be read."""
        found = []
        for candidate in candidates:
            if self.excludes.cover(candidate.path, self.place.root):
                self._refuse(candidate, Omission.EXCLUDED)
                continue
            try:
                file = self.loader.load(candidate.path, candidate.inside)
            except RefusedError as error:
                self._refuse(candidate, error.reason)
                continue
            self.report.read(candidate, file)
            found.append(Found(candidate, file))
        return found

    def drafts(self, files: list[Found]) -> list[Draft]:
        """A draft for each of ``files`` that does not show already."""
        met = Met()
        expander = Expander(self.loader, self.excludes, self.place.root, self.config.max_import_depth, met)
        drafts: dict[str, Draft] = {}
        for found in sorted(files, key=self._is_above):
            if met.has(found.file):
                self.report.refused(found.candidate.path, Omission.DUPLICATE)
            elif not expander.allowance.takes(found.file):
                self.report.refused(found.candidate.path, Omission.LIMIT)
            else:
                met.add(found.file)
                drafts[found.candidate.label] = self._draft(found, expander)
        self.session.drafts = drafts
        return [drafts[found.candidate.label] for found in files if found.candidate.label in drafts]

    def _is_above(self, found: Found) -> bool:
        """Whether a file lies above the repository: that of a main checkout gives way to that of its worktree."""
        directory = found.candidate.directory
        return directory is not None and not directory.is_relative_to(self.place.root)

    def _draft(self, found: Found, expander: Expander) -> Draft:
        candidate, top = found
        self.report.loaded(candidate, top)
        files, left = expander.expand(top, candidate.imports) if self.config.imports == "expand" else ([], [])
        for omission in left:
            self.report.left_out(omission)
        parts = [Part.of(candidate.name, top.loaded.document)]
        for file in files:
            expander.met.add(file)
            self.report.included(candidate, file)
            name = self.place.name(file.path) + (f"#{file.heading}" if file.heading else "")
            parts.append(Part.of(name, file.loaded.document, f"Contents of {name}:"))
        draft = Draft(
            candidate.label,
            tuple(parts),
            nearness=candidate.nearness,
            on_change=OnChange(self.config.on_change),
            facts=(("file_path", candidate.name), ("scope", candidate.memory_type), ("digest", top.loaded.digest)),
        )
        before = self.session.drafts.get(candidate.label)
        return before if before == draft else draft

    def _joined(self, nested: dict[Path, list[Found]], rules: dict[Path, Found]) -> Iterator[Found]:
        for path, trigger in self.session.joined.items():
            if path in rules:
                candidate = replace(rules[path].candidate, load_reason=LoadReason.PATH_GLOB_MATCH, trigger=trigger)
                yield rules[path]._replace(candidate=candidate)
            for found in nested.get(path, ()):
                if found.patterns is None:
                    candidate = replace(found.candidate, load_reason=LoadReason.NESTED_TRAVERSAL, trigger=trigger)
                    yield found._replace(candidate=candidate)

    def _rule(self, candidate: Candidate, patterns: Patterns) -> Rule:
        depth = len(candidate.directory.parts) if candidate.directory else 0
        return Rule(candidate.path, patterns, self.place.prefix(candidate.directory), depth)

    def _refuse(self, candidate: Candidate, reason: Reason | Omission) -> None:
        # A path that was only guessed need not be there; a link that leads nowhere was put there by somebody.
        if reason is not Reason.MISSING or candidate.is_declared or candidate.path.is_symlink():
            self.report.refused(candidate.path, reason)
