"""One firing: from what a session has reached to its drafts, and to what its log is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_agents_md.reader import Skip, Skipped
from context_agents_md.sections import draft_of, scope_of
from context_agents_md.session import Made
from context_common.conventions import shown
from context_common.provider import Level, OnChange
from context_common.scopes import SIZE_LIMIT, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from enum import StrEnum

    from context_agents_md.reader import Found, Reader
    from context_agents_md.session import Scope, Session
    from context_common.provider import Draft, Log


_LEVELS: Mapping[StrEnum, Level] = {
    Skip.EMPTY: Level.DEBUG,
    Skip.EXCLUDED: Level.INFO,
    Skip.OVERRIDDEN: Level.INFO,
    Skip.SAME_FILE: Level.INFO,
    Skip.SAME_TEXT: Level.INFO,
}


_TOLD = 500
"""Characters of a description or of tags that the log is told."""


class Gatherer:
    """Reads what one firing shows; a file with two names shows under the one that was reached first."""

    def __init__(self, reader: Reader, session: Session, on_change: OnChange, log: Log) -> None:
        """Gather for ``session``."""
        self._reader = reader
        self._view = reader.look()
        self._session = session
        self._on_change = on_change
        self._log = log
        self._labels: dict[tuple[tuple[int, int], str], str] = {}
        self._shown: dict[Path, Draft] = {}
        self._room = SIZE_LIMIT

    def user_file(self, path: Path) -> Iterator[Draft]:
        """The draft of the user's own file; it was declared, so it may be a link to anywhere."""
        root = Path(os.path.realpath(path)).parent
        teller = _Teller(self._session, self._session.user, root, self._log)
        return self._show([self._reader.resolve(path, root, None, self._view)], teller)

    def scopes(self, root: Path) -> Iterator[Draft]:
        """The drafts of all that the session has reached, in the order of first touch."""
        for scope in self._session.scopes.values():
            files = self._reader.find(scope, root, self._view)
            yield from self._show(files, _Teller(self._session, scope, root, self._log))

    def _show(self, files: Iterable[Found | Skipped], teller: _Teller) -> Iterator[Draft]:
        for found in files:
            if isinstance(found, Skipped):
                teller.skipped(found)
                yield from (known := _last_read(found, teller.scope))
                if known and self._reader.takes_one:
                    return
                continue
            made = self._made(found, teller)
            reason, label = self._reason_against(made, teller.scope)
            if reason:
                teller.skipped(Skipped(found.path, reason, digest=found.content.digest), section=label)
                continue
            self._room -= len(found.document.text)
            teller.loaded(made)
            self._shown[teller.scope.directory] = made.draft
            yield made.draft

    def _made(self, found: Found, teller: _Teller) -> Made:
        """The same object as at the last firing, while the file is as it was."""
        scope = teller.scope
        made = scope.made.get(found.name)
        if not scope.made:
            scope.twin = self._session.twin_of(scope)
        if made is None or made.found.content is not found.content or made.found.path != found.path:
            made = Made(found, draft_of(found, scope, teller.name_of(found.path), self._on_change))
            scope.made[found.name] = made
        return made

    def _reason_against(self, made: Made, scope: Scope) -> tuple[Skip | Reason | None, str]:
        """Why the session is not shown the draft, and the label of the section in which it sees the same."""
        document, content = made.found.document, made.found.content
        twin = self._shown.get(scope.twin) if scope.twin else None
        if twin and twin.parts[0].text == document.text:
            return Skip.SAME_TEXT, twin.label
        # A file put in another's place may have its inode: only with the same text is it the same file.
        label = made.draft.label
        first = self._labels.setdefault((content.identity, content.digest), label)
        if first != label:
            return Skip.SAME_FILE, first
        return Reason.LIMIT if len(document.text) > self._room else None, label


def _last_read(skipped: Skipped, scope: Scope) -> list[Draft]:
    """What a file said that now cannot be read: that does not unsay it."""
    made = scope.made.get(skipped.path.name)
    return [made.draft] if made and skipped.reason is Reason.UNREADABLE else []


class _Teller:
    """What the log is told about the files of one scope."""

    def __init__(self, session: Session, scope: Scope, root: Path, log: Log) -> None:
        self.scope = scope
        self._tell = session.journal.tell
        self._root = root
        self._log = log

    def name_of(self, path: Path) -> str:
        """``path`` as notices and entries show it: relative to the root where it lies below."""
        below = self.scope.parts is not None and path.is_relative_to(self._root)
        return shown(path.relative_to(self._root) if below else path)

    def skipped(self, skipped: Skipped, **fields: object) -> None:
        level = _LEVELS.get(skipped.reason, Level.WARN)
        if skipped.target:
            fields["target"] = self.name_of(skipped.target)
        if skipped.digest:
            fields["digest"] = skipped.digest
        path, scope = self.name_of(skipped.path), scope_of(self.scope.parts)
        self._tell(self._log, level, "skipped", file_path=path, scope=scope, reason=skipped.reason, **fields)

    def loaded(self, made: Made) -> None:
        if made.is_told:
            return
        made.is_told = True
        document, facts = made.found.document, dict(made.draft.facts)
        told = {name: _line(document.metadata[name]) for name in ("description", "tags") if name in document.metadata}
        self._tell(self._log, Level.INFO, "loaded", section=made.draft.label, **facts, **told)
        for notice in document.warnings:
            self._tell(self._log, Level.WARN, notice.message, **facts, line=notice.line)


def _line(value: object) -> str:
    return (", ".join(map(str, value)) if isinstance(value, list) else str(value))[:_TOLD]
