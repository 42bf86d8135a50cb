"""What the operator can say about git status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from context_common.config import Config, option

SHOWN: Final = ("state", "changes", "lines", "commits", "stashes")
UNTRACKED: Final = ("no", "normal", "all")


@dataclass(frozen=True)
class GitStatusConfig(Config):
    """The configuration of `GitStatusProvider`."""

    repository: str = option(
        "", "A directory inside the work tree to report on; empty takes the working directory of each request."
    )
    show: tuple[str, ...] = option(
        SHOWN, "What the section holds: any of `state`, `changes`, `lines`, `commits`, `stashes`.", choices=SHOWN
    )
    recent_commits: int = option(5, "How many commits are listed, 1 to 50.", minimum=1, maximum=50)
    untracked: str = option(
        "normal",
        "Untracked files: `no`, `normal` (a new directory is one entry) or `all` (every file).",
        choices=UNTRACKED,
    )
    max_entries: int = option(60, "How many paths are listed before they are rolled up into directories.", minimum=1)
    timeout_ms: int = option(2000, "The time limit of one firing in milliseconds.", minimum=1)
    trust_repository_config: bool = option(
        False, "Let the repository's own filters and fsmonitor run, and look inside its submodules."
    )
