"""What is made of one file: decoded, stripped, its imports and its rule found; once per version of the file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from context_claude_md.patterns import Patterns
from context_common.markdown.decode import NotTextError
from context_common.markdown.document import CommentMode, Document, read_document
from context_common.markdown.mentions import Mention, mentions
from context_common.markdown.sections import Sections
from context_common.scopes import FileCache, Reason, RefusedError, Source, View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Loaded:
    """One version of a file, or of one section of it.

    Attributes:
        real: the file, links resolved.
        digest: the SHA-256 (hex) of its bytes.
        size: the bytes that it takes of what a firing may show.
        document: what the model may read of it.
    """

    def __init__(self, real: Path, digest: str, size: int, document: Document) -> None:
        self.real = real
        self.digest = digest
        self.size = size
        self.document = document
        self._found: dict[str, Loaded] = {}

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """What stands behind an ``@``; of equal ones the first."""
        first: dict[str, Mention] = {}
        for mention in mentions(self.document.text):
            first.setdefault(mention.token, mention)
        return tuple(first.values())

    @cached_property
    def patterns(self) -> Patterns | None:
        """The files that the rule in this file is about; None where it is about all."""
        return Patterns.of(self.document.metadata)

    def section(self, heading: str) -> Loaded | None:
        """The section under ``heading``, written as in a link to it."""
        if heading not in self._found:
            document = self._sections.get(heading)
            if document is None:
                return None
            self._found[heading] = Loaded(self.real, self.digest, len(document.text.encode()), document)
        return self._found[heading]

    @cached_property
    def _sections(self) -> Sections:
        return Sections(self.document)

    def source_line(self, line: int) -> int:
        """The 1-based line in the file of line ``line`` (from 0) of the text."""
        return self.document.lines[line] if self.document.lines else line + 1


@dataclass(frozen=True)
class File:
    """A file, or the section under ``heading`` in it, at the path by which it was reached."""

    path: Path
    loaded: Loaded
    identity: tuple[int, int]
    heading: str = ""
    importer: Path | None = None

    @property
    def key(self) -> tuple[tuple[int, int], str]:
        """The same for every name of one file."""
        return self.identity, self.heading


class Loader:
    """Files as `Loaded`, each read and parsed again only when it changed."""

    def __init__(self, strip_comments: CommentMode) -> None:
        self._strip_comments = strip_comments
        self._cache = FileCache()

    def view(self) -> View:
        """The file system as one firing sees it."""
        return View(self._cache)

    def load(self, path: Path, inside: Sequence[Path], view: View) -> File:
        """The file at ``path``, which must lie inside one of ``inside``.

        Raises:
            RefusedError: with the reason.
        """
        loaded = view.get(path, self._read, inside=inside)
        status = view.signature(path)
        if status is None:
            raise RefusedError(Reason.MISSING, path)
        return File(path, loaded, status.identity)

    def _read(self, source: Source) -> Loaded:
        try:
            document = read_document(source.data, self._strip_comments)
        except NotTextError as error:
            raise RefusedError(Reason.BINARY, source.path) from error
        return Loaded(source.real, hashlib.sha256(source.data).hexdigest(), len(source.data), document)
