"""What every reader of convention files needs on top of `scopes`: excluded files, names to show, entries told once."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.globs import Globs
from context_common.scopes import RefusedError, follow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_common.globs import GlobError
    from context_common.provider import Level, Log


class Excludes:
    """The files that an operator never wants read, as globs in the manner of ``.gitignore``.

    A pattern is relative to the root; one that begins with ``/`` or ``~/`` may also be an absolute path. A file
    outside the root is excluded by an absolute path, or by a pattern for its name.

    Attributes:
        errors: the patterns that are none; they exclude nothing.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Exclude what ``patterns`` match."""
        patterns = tuple(patterns)
        absolute = [pattern for pattern in patterns if pattern.startswith(("/", "~/"))]
        self._relative = Globs(patterns, anchored=False)
        self._absolute = Globs([str(expanded(pattern, Path("/"))) for pattern in absolute], anchored=False)
        self._names = Globs([pattern for pattern in patterns if pattern not in absolute], anchored=False)
        self._empty = not patterns
        self.errors: tuple[GlobError, ...] = self._relative.errors

    def cover(self, path: Path, root: Path | None) -> bool:
        """Whether ``path``, or the file that it leads to, is excluded; no ``root`` means outside of any."""
        if self._empty:
            return False
        return any(self._covers(name, root) for name in (path, _target(path)))

    def _covers(self, path: Path, root: Path | None) -> bool:
        if self._absolute.matches(path.as_posix().lstrip("/")):
            return True
        if root is not None and path.is_relative_to(root):
            return self._relative.matches(path.relative_to(root).as_posix())
        return self._names.matches(path.name)


def _target(path: Path) -> Path:
    try:
        return follow(path)
    except (OSError, RefusedError):  # it will not be read
        return path


class Journal:
    """Log entries that one session is told once each, however often the provider comes across them.

    An entry about a file carries its digest, so it is told again when the file changed.
    """

    def __init__(self, limit: int = 10_000) -> None:
        """Remember the last ``limit`` entries."""
        self._told: OrderedDict[tuple[object, ...], None] = OrderedDict()
        self._limit = limit

    def tell(self, log: Log, level: Level, message: str, /, **fields: object) -> None:
        """Log the entry unless this session has it already."""
        entry = (level, message, *((name, str(value)) for name, value in fields.items()))
        if entry not in self._told:
            log(level, message, **fields)
        self._told[entry] = None
        self._told.move_to_end(entry)
        if len(self._told) > self._limit:
            self._told.popitem(last=False)


def expanded(path: str, base: Path) -> Path:
    """``path`` as an operator writes it: absolute, relative to ``base``, or below a home directory (``~``)."""
    return base / os.path.expanduser(path)  # noqa: PTH111  (Path.expanduser raises where there is no home)


def started_in() -> Path:
    """The directory that this process works in, or ``/`` where that is gone or cannot be told."""
    try:
        return Path.cwd()
    except OSError:
        return Path("/")


def shown(path: str | os.PathLike[str]) -> str:
    """``path`` for a label or a line of text: what is no printable character is escaped.

    Different paths stay different, and the result is valid UTF-8 on one line, whatever the file system holds.
    """
    return "".join(
        character if character.isprintable() and character != "\\" else character.encode("unicode_escape").decode()
        for character in os.fspath(path)
    )


def is_file(path: Path) -> bool:
    """Whether ``path`` leads to a regular file; false, not an error, where it may not be looked at or cannot exist."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises in both cases)


def is_directory(path: Path) -> bool:
    """Whether ``path`` leads to a directory; false, not an error, where it may not be looked at or cannot exist."""
    return os.path.isdir(path)  # noqa: PTH112  (Path.is_dir raises in both cases)
