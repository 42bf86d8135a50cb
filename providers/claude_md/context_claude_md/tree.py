"""Walking a directory of an untrusted repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_common.scopes import Reason, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from context_common.scopes import Signature

_DEPTH_LIMIT = 16


@dataclass(frozen=True)
class Walker:
    """How directories are walked.

    Attributes:
        signature: that of what a path leads to, or None.
        names: lists a directory, which must lie inside one of some others.
        refused: is told of every directory that is not listed in full.
        limit: how many names are looked at.
    """

    signature: Callable[[Path], Signature | None]
    names: Callable[[Path, tuple[Path, ...]], tuple[str, ...]]
    refused: Callable[[RefusedError], None]
    limit: int = 1_000

    def files_below(self, top: Path, inside: tuple[Path, ...]) -> Iterator[Path]:
        """The files below ``top`` by path components, links followed; a directory met again is passed over.

        Ends after ``limit`` names, 16 levels down.
        """
        met: set[tuple[int, int]] = set()
        left = self.limit

        def walk(directory: Path, depth: int) -> Iterator[Path]:
            nonlocal left
            status = self.signature(directory)
            if status is None or status.identity in met or depth > _DEPTH_LIMIT:
                return
            met.add(status.identity)
            try:
                names = self.names(directory, inside)
            except RefusedError as error:
                self.refused(error)
                return
            for name in names:
                if left == 0:
                    self.refused(RefusedError(Reason.LIMIT, directory))
                    return
                left -= 1
                path = directory / name
                status = self.signature(path)
                if status is not None and status.is_directory:
                    yield from walk(path, depth + 1)
                else:
                    yield path

        return walk(top, 0)
