"""Repositories in which each of the three providers has something to say."""

from __future__ import annotations

import math
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.patience import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable

_GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "init.defaultBranch=main")


@dataclass(frozen=True)
class World:
    """A directory with a home, a place for temporary files and a repository in it."""

    top: Path

    @property
    def repository(self) -> Path:
        return self.top / "repo"

    @property
    def environment(self) -> dict[str, str]:
        """What the host itself is started with."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.top / "home"), "TMPDIR": str(self.top / "tmp")}

    @property
    def firing(self) -> dict[str, Any]:
        """A request as the public host sends it at the beginning of a session."""
        return {
            "session_id": "01J00000000000000000000001",
            "turn_id": "01J00000000000000000000002",
            "token_budget": 2000,
            "model_target": {"id": "sonnet", "context_window": 200_000, "effective_ceiling": 180_000},
            "working_directory": str(self.repository),
        }

    def git(self, root: Path, *arguments: str) -> None:
        """Run git in ``root``."""
        subprocess.run([*_GIT, *arguments], cwd=root, env=self.environment, check=True)

    def make_repository(self, root: Path, mark: str) -> None:
        """A repository that each provider has something to say about; ``mark`` tells it from another."""
        root.mkdir()
        (root / "CLAUDE.md").write_text(f"# Conventions {mark}\n\nUse four spaces.\n\nNever push to {mark}.\n")
        (root / "AGENTS.md").write_text(f"# Agents {mark}\n\nRun the tests before you finish.\n")
        (root / "changed.txt").write_text("as committed\n")
        self.git(root, "init", "-q", "-b", mark)
        self.git(root, "add", ".")
        self.git(root, "commit", "-q", "-m", "Begin")
        (root / "changed.txt").write_text("changed\n")

    def left_behind(self, temporary: Path | None = None) -> list[Path]:
        """The directories that plugins left among the temporary files; the host's own sockets are no directories."""
        return [path for path in (temporary or self.top / "tmp").iterdir() if path.is_dir()]


def quarter(text: str) -> int:
    """The protocol's fallback count, which the host's kernel answers with."""
    return math.ceil(len(text.encode()) / 4)


def eventually(holds: Callable[[], bool]) -> float:
    """Wait until ``holds``; the seconds that it took on a machine that was there for it, infinite when it never did."""
    watch = Stopwatch()
    patience = time.monotonic() + 30
    while time.monotonic() < patience:
        if holds():
            return watch.seconds
        time.sleep(0.005)
    return math.inf


def children(pid: int) -> list[int]:
    """The processes that ``pid`` started and that still run."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found
