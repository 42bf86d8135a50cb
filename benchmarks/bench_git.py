"""What a firing of ``git-status`` costs beside the bare command, in repositories of 100, 10,000 and 100,000 files.

Both are run in turns, and git is started in the same way for both, so that what else the machine does falls on
both; medians and the fastest runs are compared. Some files are changed, staged and untracked in each repository.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.provider import Request
from context_git_status.config import GitStatusConfig
from context_git_status.provider import GitStatusProvider
from context_git_status.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable

GOAL = 1.15
ROUNDS = {100: 600, 10_000: 200, 100_000: 60}
BARE = ("status", "--porcelain=v2", "-z", "--branch", "--show-stash")
GIT = shutil.which("git") or sys.exit("git was not found")


@dataclass
class Repository:
    """A repository of a size, its provider, and what was measured."""

    files: int
    root: Path
    provider: GitStatusProvider = field(default_factory=GitStatusProvider)
    runner: Runner = field(default_factory=Runner)
    times: dict[str, list[float]] = field(default_factory=dict)

    def build(self) -> None:
        """Sixteen files to a directory, sixteen directories to one above; a few of them at work."""
        self.root.mkdir()
        self._git("init", "--quiet")
        # Nothing of git's own is to work in the background.
        self._git("config", "gc.auto", "0")
        for number in range(self.files):
            path = self.root / f"d{number // 256}" / f"s{number // 16 % 16}" / f"f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{number}\n")
        self._git("add", "--all")
        self._git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "--message", "First")
        for number in range(5):
            (self.root / "d0" / "s0" / f"f{number}.py").write_text("changed\n")
        self._git("add", "d0/s0/f0.py", "d0/s0/f1.py")
        (self.root / "d0" / "new.py").touch()
        # Once without a limit on locks: from here on the index has the times of all files.
        self._git("status")
        self.provider.configure(GitStatusConfig(timeout_ms=60_000))

    def bare(self) -> None:
        """The command that every firing contains, started as the provider starts it."""
        self.runner.run(
            (GIT, *BARE), directory=self.root, environment=os.environ, deadline=time.monotonic() + 60, limit=1 << 30
        )

    def fire(self) -> object:
        """A firing of the provider."""
        return self.provider.contribute(Request(session_id="b", working_directory=self.root))

    def edit(self) -> None:
        """Change a file that is listed already."""
        with (self.root / "d0" / "s0" / "f3.py").open("a") as file:
            file.write("more\n")

    def measure(self, name: str, run: Callable[[], object]) -> None:
        start = time.perf_counter()
        run()
        self.times.setdefault(name, []).append(time.perf_counter() - start)

    def median(self, name: str) -> float:
        return statistics.median(self.times[name]) * 1000

    def ratio(self, name: str) -> float:
        """Of the fastest tenth: noise only ever adds."""
        return self._fast(name) / self._fast("bare")

    def _fast(self, name: str) -> float:
        times = sorted(self.times[name])
        return statistics.mean(times[: max(1, len(times) // 10)])

    def _git(self, *arguments: str) -> None:
        subprocess.run([GIT, *arguments], cwd=self.root, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    # Git may still be writing when the directory goes.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:
        repositories = [Repository(files, Path(top, str(files))) for files in ROUNDS]
        for repository in repositories:
            repository.build()
            repository.measure("first firing", repository.fire)
            time.sleep(0.05)
            repository.fire()
            for number in range(ROUNDS[repository.files]):
                # Whoever goes first in a pair may find colder caches.
                pair = [("bare", repository.bare), ("unchanged", repository.fire)]
                for name, run in pair if number % 2 else pair[::-1]:
                    repository.measure(name, run)
                if number % 10 == 0:
                    repository.edit()
                    repository.measure("after an edit", repository.fire)
        report(repositories)
    return 0 if all(repository.ratio("unchanged") <= GOAL for repository in repositories) else 1


def report(repositories: list[Repository]) -> None:
    names = ("bare", "unchanged", "after an edit", "first firing")
    print("| files | `git status` | unchanged firing | ratio | firing after an edit | first firing |")
    print("|---|---|---|---|---|---|")
    for repository in repositories:
        bare, unchanged, edit, first = (f"{repository.median(name):.1f} ms" for name in names)
        ratio = repository.ratio("unchanged")
        print(f"| {repository.files:,} | {bare} | {unchanged} | {ratio:.2f} | {edit} | {first} |")


if __name__ == "__main__":
    sys.exit(main())
