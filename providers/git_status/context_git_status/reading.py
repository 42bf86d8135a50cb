"""What one firing found out about a repository, as values; `render` turns them into text."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from context_git_status.heads import NO_HEAD, Head
from context_git_status.listings import NO_LEVELS, Levels

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from context_git_status.commits import Commit
    from context_git_status.failures import Failure
    from context_git_status.lines import Lines
    from context_git_status.operations import Operation
    from context_git_status.porcelain import Status


class Gap(StrEnum):
    """What was not looked at, or cannot be known; the value is what the section says."""

    CUT = "git listed more than was read, so the counts are the least there is."
    ODD = "Some records in git's answer were not understood."
    UNTRACKED_BY_REPOSITORY = "Untracked files were not scanned: status.showUntrackedFiles=no."
    UNTRACKED_BY_OPERATOR = 'Untracked files were not scanned: untracked = "no".'
    UNTRACKED_TOO_SLOW = "Untracked files were not scanned: the full scan exceeded the time limit."
    UNREADABLE = "A directory could not be opened, so untracked files in it are not counted."
    UNSEARCHABLE = "Some tracked files could not be looked at, so whether they changed is not known."
    SUBMODULES = "Only the recorded commits of submodules were compared, not their contents."
    BROKEN_SUBMODULE = "A submodule cannot be read, so only the recorded commits of submodules were compared."
    OBJECTS = "Objects are missing, so renames show as a deletion and an addition."
    PARTIAL = "Partial clone: only exact renames are recognised."
    SPARSE = "Sparse checkout: tracked files outside it are absent on purpose."
    FILTERS = "This repository's own filters were not run; files that need them may show as modified."


UNSCANNED: Final = frozenset({Gap.UNTRACKED_BY_REPOSITORY, Gap.UNTRACKED_BY_OPERATOR, Gap.UNTRACKED_TOO_SLOW})
"""Gaps because of which nothing is known of untracked files."""
CAREFUL: Final = frozenset({Gap.BROKEN_SUBMODULE, Gap.OBJECTS})
"""Gaps that are left where git failed when asked for everything."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that a section is made from; equal readings give equal bytes.

    Attributes:
        top: the work tree's root; None when it was not found.
        below: the directory reported for, relative to ``top`` and with a slash at its end; empty for ``top`` itself.
        failure: why ``status`` is None.
        levels: the lists of ``status``, rolled up.
        main_branch: the branch that ``origin`` calls its own, ``""`` when that is not known.
        staged_lines: lines added and removed in the index, by path.
        unstaged_lines: the same in the work tree.
        shallow: whether history ends early, so that ahead and behind are guesses.
        jujutsu: whether the repository is shared with jj, which keeps HEAD detached.
    """

    top: Path | None = None
    below: bytes = b""
    failure: Failure | None = None
    status: Status | None = None
    levels: Levels = NO_LEVELS
    head: Head = NO_HEAD
    operations: tuple[Operation, ...] = ()
    main_branch: bytes = b""
    commits: tuple[Commit, ...] = ()
    staged_lines: Mapping[bytes, Lines] = field(default_factory=dict)
    unstaged_lines: Mapping[bytes, Lines] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    shallow: bool = False
    jujutsu: bool = False
