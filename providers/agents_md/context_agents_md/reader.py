"""From a directory to the files that take part there; each of the others is skipped with a reason."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from context_common.conventions import Excludes
from context_common.markdown.decode import NotTextError, Undecodable
from context_common.markdown.document import CommentMode, Document, read_document
from context_common.scopes import FileCache, Reason, RefusedError, View, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_agents_md.config import AgentsMdConfig
    from context_agents_md.selection import Selection
    from context_agents_md.session import Scope
    from context_common.scopes import Source

# Git checks a link out as a file that holds the target, where the file system knows no links.
_POINTER = re.compile(r"[\w./][^\s:*?\"<>|`()\[\]]{0,4095}")
_POINTER_SUFFIXES = frozenset({".md", ".mdc", ".markdown"})
_POINTER_NAMES = frozenset({".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules"})
_HOPS = 8


class Skip(StrEnum):
    """Why a file that could be read takes no part."""

    EMPTY = "empty"
    EXCLUDED = "excluded"
    OVERRIDDEN = "overridden"
    SAME_FILE = "same_file"
    SAME_TEXT = "same_text_as_main_checkout"


@dataclass(frozen=True, eq=False, slots=True)
class Content:
    """What a file held when it was read, compared by identity: the cache gives the same one while it still does.

    Attributes:
        digest: the first digits of the SHA-256 of its bytes.
        identity: the same for every name of one file.
        pointer: the path that it holds, where it holds nothing else.
    """

    digest: str
    identity: tuple[int, int]
    document: Document | Undecodable
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that takes part.

    Attributes:
        name: as it stands in its directory.
        path: where the text is; elsewhere than ``name`` where that holds only a path.
    """

    name: str
    path: Path
    document: Document
    content: Content


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that takes no part.

    Attributes:
        target: the path that it holds, where the reason lies there.
        digest: as in `Content`, where it was read.
    """

    path: Path
    reason: Reason | Undecodable | Skip
    target: Path | None = None
    digest: str = ""


class Reader:
    """Reads convention files, each of them again only when it changed; thread-safe.

    Attributes:
        excludes: the files that are never read.
        takes_one: whether at most one file of a directory takes part.
    """

    def __init__(self, config: AgentsMdConfig, selection: Selection) -> None:
        """Read by ``config`` what ``selection`` selects."""
        self.excludes = Excludes(config.exclude)
        self._selection = selection
        self._comments = CommentMode(config.strip_comments)
        self._cache = FileCache()
        self.takes_one = bool(selection.names)

    def look(self) -> View:
        """The files as they are now, for one firing."""
        return View(self._cache)

    def find(self, scope: Scope, root: Path, view: View) -> Iterator[Found | Skipped]:
        """The files of ``scope``; only the first that can takes part, but all of them where the glob ends in a pattern."""
        try:
            listing = view.names(scope.directory, inside=(root,))
        except RefusedError as refused:
            if refused.reason is Reason.MISSING:
                return
            listing = self._unlisted(scope)
            unseen = refused.reason is Reason.TOO_LARGE and not self._selection.names
            if unseen or refused.reason is Reason.UNREADABLE:
                yield Skipped(scope.directory, refused.reason)
        if listing is not scope.listing:
            scope.listing, scope.chosen = listing, self._selection.choose(scope.parts or (), listing)
        for place, name in enumerate(scope.chosen, start=1):
            found = self.resolve(scope.directory / name, root, root, view)
            if not self.takes_one and isinstance(found, Skipped) and found.reason is Reason.DIRECTORY:
                continue  # A pattern means files; what else it matches is no surprise.
            yield found
            if self.takes_one and isinstance(found, Found):
                yield from (Skipped(scope.directory / other, Skip.OVERRIDDEN) for other in scope.chosen[place:])
                return

    def _unlisted(self, scope: Scope) -> tuple[str, ...]:
        """What a directory holds that may forbid listing, or is too large for it; what nobody can tell is as it was."""
        names = dict.fromkeys((*self._selection.names, *scope.chosen))
        return tuple(
            name
            for name, path in ((name, scope.directory / name) for name in names)
            if os.path.lexists(path) or (name in scope.chosen and is_hidden(path))
        )

    def resolve(self, path: Path, inside: Path, root: Path | None, view: View) -> Found | Skipped:
        """The file at ``path`` or, where that holds only a path, at that one; it must lie ``inside``."""
        target = path
        for _ in range(_HOPS):
            pointed = None if target == path else target
            if self.excludes.cover(target, root):
                return Skipped(path, Skip.EXCLUDED, pointed)
            try:
                content = view.get(target, self._load, inside=(inside,))
            except RefusedError as refused:
                return Skipped(path, refused.reason, pointed)
            if isinstance(content.document, Undecodable):
                return Skipped(path, content.document, pointed, content.digest)
            if not content.document.text.strip():
                return Skipped(path, Skip.EMPTY, pointed, content.digest)
            if not content.pointer:
                return Found(path.name, target, content.document, content)
            target = Path(os.path.normpath(Path(os.path.realpath(target)).parent / content.pointer))
        return Skipped(path, Reason.LINK_LOOP, target)

    def _load(self, source: Source) -> Content:
        digest = hashlib.sha256(source.data).hexdigest()[:12]
        try:
            document = read_document(source.data, self._comments)
        except NotTextError as error:
            return Content(digest, source.signature.identity, error.reason)
        return Content(digest, source.signature.identity, document, _pointer(document.text))


def _pointer(text: str) -> str:
    line = text.removesuffix("\n")
    if not _POINTER.fullmatch(line):
        return ""
    name = PurePosixPath(line)
    return line if name.suffix.lower() in _POINTER_SUFFIXES or name.name in _POINTER_NAMES else ""
