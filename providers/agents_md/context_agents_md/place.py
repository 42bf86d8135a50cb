"""Where a session works: its root, and what lies outside of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.conventions import expanded, is_directory, started_in
from context_common.scopes import common_git_dir, find_root, is_wide, locate, signature

if TYPE_CHECKING:
    from context_agents_md.config import AgentsMdConfig


class NoRoot(StrEnum):
    """Why a session has no root."""

    HOME = "home"
    BOUNDARY_MISSING = "boundary_missing"


@dataclass(frozen=True, slots=True)
class Place:
    """A working directory and the root above it, links resolved.

    Attributes:
        root: None where there is none, and ``reason`` tells why.
        outer: the repository around the root, where it takes no part.
    """

    working_directory: Path
    root: Path | None
    outer: Path | None = None
    reason: NoRoot | None = None

    @property
    def home(self) -> tuple[str, ...]:
        """The working directory below the root, by components; ``()`` also where it lies elsewhere."""
        here = self.working_directory
        return here.relative_to(self.root).parts if self.root and here.is_relative_to(self.root) else ()


def find_place(working_directory: Path, config: AgentsMdConfig) -> Place:
    """The place of a session that works in ``working_directory``."""
    here = Path(os.path.realpath(working_directory))
    if config.boundary:
        return Place(here, find_boundary(config.boundary, here), reason=NoRoot.BOUNDARY_MISSING)
    root = find_root(here, config.root_markers)
    if root is None:
        # The home directory and what holds it are nobody's project.
        return Place(here, None if is_wide(here) else here, reason=NoRoot.HOME)
    outer = _outer(root, config)
    while outer and config.include_outer:
        root, outer = outer, _outer(outer, config)
    return Place(here, root, outer)


def find_boundary(boundary: str, working_directory: Path) -> Path | None:
    """The directory that ``boundary`` names, from the working directory first, then from that of this process."""
    for base in (working_directory, started_in()):
        directory = locate(str(expanded(boundary, base)), base)
        if directory is not None and is_directory(directory):
            return directory
    return None


def main_checkout(worktree: Path) -> Path | None:
    """The main checkout above ``worktree``, where that is the top of a linked worktree inside it."""
    marker = signature(worktree / ".git")
    if marker is None or marker.is_directory:
        return None
    common = common_git_dir(worktree)
    if common is None or common.name != ".git" or common.parent not in worktree.parents:
        return None
    return common.parent


def _outer(root: Path, config: AgentsMdConfig) -> Path | None:
    outer = find_root(root.parent, config.root_markers)
    return None if outer is None or outer == main_checkout(root) else outer
