"""What the log is told of a firing; nothing of it reaches the prompt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from context_claude_md.candidate import LoadReason
from context_claude_md.imports import Omission
from context_claude_md.spelling import is_nameless, is_optional, is_prose
from context_common.provider import Level

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from context_claude_md.candidate import Candidate
    from context_claude_md.imports import Left
    from context_claude_md.loading import File
    from context_claude_md.place import Place
    from context_common.conventions import Journal
    from context_common.provider import Log
    from context_common.scopes import Reason

_TARGET_LIMIT = 200
_PROBLEM_LIMIT = 20
_QUIET = (Omission.DUPLICATE, Omission.CYCLE, Omission.EXCLUDED)


@dataclass(frozen=True)
class Report:
    """The log of one session; each thing is told once."""

    journal: Journal
    log: Log
    place: Place

    def read(self, candidate: Candidate, file: File) -> None:
        """Tell what the author of a file that was read should mend, whether it is shown or not."""
        self._mend(file)
        if candidate.is_rule:
            self._mend_rule(file)

    def section(self, candidate: Candidate, top: File, imports: Iterable[File], left: Iterable[Left]) -> None:
        """Tell what a section was made of and which imports it lacks."""
        self._loaded(candidate, top, candidate.load_reason)
        for file in imports:
            self._loaded(candidate, file, LoadReason.INCLUDE)
            self._mend(file)
        for omission in left:
            self._left_out(omission)

    def refused(self, path: Path, reason: Reason | Omission) -> None:
        """Tell that a file that was found is not shown."""
        level = Level.DEBUG if reason in _QUIET else Level.WARN
        self._tell(level, "file not loaded", file=self.place.name(path), reason=reason)

    def kept(self, path: Path, reason: Reason) -> None:
        """Tell that a file cannot be read now, and shows as it was read before."""
        self._tell(Level.WARN, "file not read again; it shows as it was", file=self.place.name(path), reason=reason)

    def misnamed(self, path: Path, right: str) -> None:
        """Tell that ``path`` is read by nobody and which name would be."""
        message = f"this name is not read; {right} is"
        self._tell(Level.WARN, message, file=self.place.name(path), reason="misnamed")

    def _loaded(self, candidate: Candidate, file: File, reason: LoadReason) -> None:
        patterns = file.loaded.patterns if reason is LoadReason.PATH_GLOB_MATCH else None
        self._tell(
            Level.INFO,
            "instructions loaded",
            file_path=file.path,
            memory_type=candidate.memory_type,
            load_reason=reason,
            globs=", ".join(patterns.given) if patterns else "",
            trigger_file_path=candidate.trigger,
            parent_file_path=file.importer or "",
            digest=file.loaded.digest,
        )

    def _left_out(self, left: Left) -> None:
        self._tell(
            _level(left),
            "import not loaded",
            importer=self.place.name(left.importer.path),
            line=left.importer.loaded.source_line(left.mention.line) if left.mention else "",
            target=left.mention.token[:_TARGET_LIMIT] if left.mention else "",
            reason=left.reason,
            tried=str(left.target or "")[:_TARGET_LIMIT],
            digest=left.digest,
        )

    def _mend(self, file: File) -> None:
        for notice in file.loaded.document.warnings:
            self._tell(Level.WARN, notice.message, file=self.place.name(file.path), line=notice.line, reason="content")

    def _mend_rule(self, file: File) -> None:
        name = self.place.name(file.path)
        if "globs" in file.loaded.document.metadata:
            message = "`globs:` is unknown here and is ignored; `paths:` says which files a rule is about"
            self._tell(Level.WARN, message, file=name, reason="unknown_key")
        problems = file.loaded.patterns.problems if file.loaded.patterns else {}
        for pattern, reason in islice(problems.items(), _PROBLEM_LIMIT):
            message = f"a pattern in `paths:` matches nothing: {reason}"
            self._tell(Level.WARN, message, file=name, pattern=pattern[:_TARGET_LIMIT], reason="invalid_pattern")

    def _tell(self, level: Level, message: str, **fields: object) -> None:
        self.journal.tell(self.log, level, message, **fields)


def _level(left: Left) -> Level:
    is_expected = left.mention is not None and _is_expected(left, left.mention.token)
    return Level.DEBUG if is_expected or left.reason in _QUIET else Level.WARN


def _is_expected(left: Left, token: str) -> bool:
    return is_nameless(token) or (left.names_nothing and (is_optional(token) or is_prose(token)))
