"""Which files one firing shows already, whatever name they go by."""

from __future__ import annotations

from collections import defaultdict
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
        self._worktrees: defaultdict[tuple[str, str, Path | None], set[Path | None]] = defaultdict(set)
        self._checkouts: dict[Path, tuple[Path | None, Path | None]] = {}

    def has(self, file: File) -> bool:
        """Whether ``file`` was met under any name, or in another worktree of its repository."""
        if file.key in self._keys or (file.identity, "") in self._keys:
            return True
        common, root = self._checkout(file)
        met_in = self._worktrees.get((file.loaded.digest, file.heading, common), set())
        return common is not None and not met_in <= {root}

    def add(self, file: File) -> None:
        """Remember ``file``."""
        self._keys.add(file.key)
        common, root = self._checkout(file)
        self._worktrees[file.loaded.digest, file.heading, common].add(root)

    def _checkout(self, file: File) -> tuple[Path | None, Path | None]:
        """The git directory that the worktrees of the file's repository share, and the root of the one it is in."""
        directory = file.loaded.real.parent
        if directory not in self._checkouts:
            root = find_root(directory, wide=True)
            common = None if root is None else _common_git_dir(root, signature(root / ".git"))
            self._checkouts[directory] = common, root
        return self._checkouts[directory]


@lru_cache(maxsize=256)
def _common_git_dir(root: Path, _version: Signature | None) -> Path | None:
    """As `common_git_dir`, looked up again only when ``.git`` changed."""
    return common_git_dir(root)
