"""Where a firing happens: its repository, how far up to look, and what each file may reach."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from context_claude_md.config import Ancestors
from context_common.conventions import shown
from context_common.scopes import below, chain, find_root, home, is_wide


@dataclass(frozen=True)
class Place:
    """A working directory in its repository, links resolved.

    Attributes:
        root: the repository root, or the working directory where there is none.
        is_open: whether ``root`` is no project at all (the home directory, or one above it): what lies below
            it then is not taken to belong together.
    """

    directory: Path
    root: Path
    ancestors: Ancestors
    is_open: bool

    @classmethod
    def of(cls, working_directory: Path, ancestors: Ancestors) -> Place:
        """The place that ``working_directory`` is."""
        directory = Path(os.path.realpath(working_directory))
        root = find_root(directory, wide=True)
        if root is None or not _may_be_root(root, ancestors):
            root = directory
        return cls(directory, root, ancestors, not _may_be_root(root, ancestors))

    def directories(self) -> tuple[Path, ...]:
        """The directories whose files hold from the start, broad to specific."""
        if self.ancestors is Ancestors.NONE:
            return (self.directory,)
        tops = {Ancestors.HOME: home(), Ancestors.FILESYSTEM: Path(self.directory.anchor)}
        top = tops.get(self.ancestors, self.root)
        return chain(top if self.root.is_relative_to(top) else self.root, self.directory)

    def territory(self, directory: Path) -> Path:
        """The directory that files found in ``directory`` must not lead out of."""
        if below(directory, self.root) is not None and not self.is_open:
            return self.root
        return find_root(directory) or directory

    def import_area(self, directory: Path) -> tuple[Path, ...]:
        """Where files found in ``directory`` may import from."""
        if below(directory, self.root) is None:
            return () if self.is_open else (self.root,)
        territory = self.territory(directory)
        return () if is_wide(territory) and self.is_open else (territory,)

    def prefix(self, directory: Path | None) -> str:
        """What the names of files in ``directory`` begin with; empty for the root and what is not below it."""
        if directory is None or directory == self.root or not directory.is_relative_to(self.root):
            return ""
        return f"{directory.relative_to(self.root).as_posix()}/"

    def relative(self, path: Path) -> str:
        """``path`` relative to the root; a directory of the repository that is named ``~`` is not taken for home."""
        name = shown(os.path.relpath(path, self.root))
        return f"./{name}" if name.startswith("~/") else name

    def name(self, path: Path) -> str:
        """``path`` as the model reads it: relative to the root, to the home directory, or absolute."""
        if path.is_relative_to(self.root):
            return self.relative(path)
        return shown(Path("~", path.relative_to(home()))) if path.is_relative_to(home()) else shown(path)


def _may_be_root(directory: Path, ancestors: Ancestors) -> bool:
    if ancestors is Ancestors.FILESYSTEM or not is_wide(directory):
        return True
    return ancestors is Ancestors.HOME and directory == home()
