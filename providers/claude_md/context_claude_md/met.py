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
        self._by_text: dict[tuple[str, str], list[File]] = {}

    def has(self, file: File) -> bool:
        """Whether ``file`` was met under any name, or in another worktree of its repository."""
        if file.key in self._keys or (file.identity, "") in self._keys:
            return True
        return any(_are_in_worktrees(file, other) for other in self._by_text.get(_text(file), ()))

    def add(self, file: File) -> None:
        """Remember ``file``."""
        self._keys.add(file.key)
        self._by_text.setdefault(_text(file), []).append(file)


def _text(file: File) -> tuple[str, str]:
    return file.loaded.digest, file.heading


def _are_in_worktrees(one: File, other: File) -> bool:
    """Whether the files lie in different worktrees of one repository."""
    roots = [find_root(file.loaded.real.parent, wide=True) for file in (one, other)]
    shared = [_common_git_dir(root, signature(root / ".git")) for root in roots if root is not None]
    return len(shared) == len(roots) and roots[0] != roots[1] and shared[0] is not None and shared[0] == shared[1]


@lru_cache(maxsize=256)
def _common_git_dir(root: Path, _version: Signature | None) -> Path | None:
    """As `common_git_dir`, looked up again only when ``.git`` changed."""
    return common_git_dir(root)
