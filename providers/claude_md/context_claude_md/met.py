"""Which files one firing shows already, whatever name they go by."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from context_common.scopes import Signature, common_git_dir, find_root, signature

if TYPE_CHECKING:
    from pathlib import Path

    from context_claude_md.loading import File


class Met:
    """The files met so far: one file by device and inode, its copy in another worktree by its bytes."""

    def __init__(self) -> None:
        self._keys: set[tuple[tuple[int, int], str]] = set()
        self._checkouts: dict[tuple[str, str], list[Path]] = {}

    def has(self, file: File) -> bool:
        """Whether ``file`` was met under any name, or in another worktree of its repository."""
        if file.key in self._keys or (file.identity, "") in self._keys:
            return True
        others = self._checkouts.get((file.loaded.digest, file.heading), [])
        return any(_are_worktrees(_checkout(file), other) for other in others)

    def add(self, file: File) -> None:
        """Remember ``file``."""
        self._keys.add(file.key)
        checkout = _checkout(file)
        if checkout is not None:
            self._checkouts.setdefault((file.loaded.digest, file.heading), []).append(checkout)


def _checkout(file: File) -> Path | None:
    return find_root(file.loaded.real.parent, wide=True)


def _are_worktrees(one: Path | None, other: Path) -> bool:
    if one is None or one == other:
        return False
    shared = _common_git_dir(one, signature(one / ".git"))
    return shared is not None and shared == _common_git_dir(other, signature(other / ".git"))


@lru_cache(maxsize=256)
def _common_git_dir(root: Path, _version: Signature | None) -> Path | None:
    """As `common_git_dir`, looked up again only when ``.git`` changed."""
    return common_git_dir(root)
