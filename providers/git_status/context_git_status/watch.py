"""Files that something was made of, and whether one of them moved since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_common.scopes import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_TICK_NS: Final = 10_000_000
"""Two writes within one tick of the file system's clock can look like one."""


def look(path: Path) -> Signature | None:
    """The signature of what git opens as ``path``, or None: it follows links, but not in place of ``.gitattributes``."""
    try:
        return Signature.of(path.stat(follow_symlinks=path.name != ".gitattributes"))
    except (OSError, ValueError):
        return None


def is_settled(seen: Signature | None, since: int) -> bool:
    """Whether a look begun at ``since`` (``time.time_ns``) can tell what it saw from whatever comes later."""
    return seen is None or since - seen.ctime_ns > _TICK_NS


class Watch:
    """Some files, present or not; before the first `note` they have moved."""

    def __init__(self) -> None:
        self._seen: dict[Path, Signature | None] = {}
        self._settled = False

    def moved(self) -> bool:
        """Whether one of the files may be another one than at the last `note`."""
        return not self._settled or any(look(path) != seen for path, seen in self._seen.items())

    def note(self, paths: Iterable[Path], since: int) -> None:
        """Remember ``paths``, which were looked into from ``since`` (``time.time_ns``) on.

        What changed during that look, or too shortly before it to be told from a later change, makes the next
        `moved` say so.
        """
        self._seen = {path: look(path) for path in paths}
        self._settled = all(is_settled(seen, since) for seen in self._seen.values())
