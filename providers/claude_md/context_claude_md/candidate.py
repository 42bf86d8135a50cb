"""A file that may become a section, and what the log says about where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from context_claude_md.imports import Area


class MemoryType(StrEnum):
    """Whose file it is."""

    MANAGED = "Managed"
    USER = "User"
    PROJECT = "Project"
    LOCAL = "Local"


class LoadReason(StrEnum):
    """What brought a file in."""

    SESSION_START = "session_start"
    NESTED_TRAVERSAL = "nested_traversal"
    PATH_GLOB_MATCH = "path_glob_match"
    INCLUDE = "include"


_WORDS = {
    MemoryType.MANAGED: "Managed",
    MemoryType.USER: "Personal",
    MemoryType.PROJECT: "Project",
    MemoryType.LOCAL: "Personal",
}


@dataclass(frozen=True)
class Candidate:
    """A path where a file may be.

    Attributes:
        name: the path as the model reads it.
        directory: the directory whose conventions it holds; None where those of a person or an organization.
        inside: the directories that the file must lie in, links followed.
        imports: where what it imports may lie.
        is_above: whether it lies above the repository.
        nearness: how close to the work.
        trigger: the touched path that brought it in.
        is_rule: whether it may say in its front matter which files it is about.
        is_declared: whether the operator named it, so that its absence is told.
    """

    path: Path
    name: str
    memory_type: MemoryType
    inside: tuple[Path, ...]
    imports: Area
    directory: Path | None = None
    is_above: bool = False
    nearness: int = 0
    load_reason: LoadReason = LoadReason.SESSION_START
    trigger: str = ""
    is_rule: bool = False
    is_declared: bool = False

    @property
    def label(self) -> str:
        """The label of the section."""
        return f"{_WORDS[self.memory_type]} conventions ({self.name})"
