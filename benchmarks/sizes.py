"""Repositories that differ in nothing but size, and what is measured in all of them in one run.

The directories on the way to what is touched are alike. Each measure is taken in turns, so that what else the
machine does falls on all of them; the fastest of many runs counts.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from context_common.provider import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SIZES = (100, 10_000, 100_000)
TOUCHED = "d0/d0/d0/s0/deep/f.py"
GOAL = 1.10
_opened: list[str] = []
_watching: list[bool] = []


@dataclass
class Repository:
    """A repository with a convention file of one name in many directories, and the fastest run of each measure in it."""

    files: int
    root: Path
    name: str
    conventions: int = 0
    best: dict[str, float] = field(default_factory=dict)

    def build(self) -> None:
        """Leaves of ten directories with ten files each, ten leaves to a directory, 1,001 convention files at most."""
        (self.root / ".git").mkdir(parents=True)
        leaves = self.files // 100
        self._write(self.root / self.name)
        for leaf in range(leaves):
            top = self.root / f"d{leaf // 100}/d{leaf // 10 % 10}/d{leaf % 10}"
            for number in range(10):
                directory = top / f"s{number}"
                directory.mkdir(parents=True)
                for name in range(10):
                    (directory / f"f{name}.py").touch()
                if leaves < 1000 or number == 0:
                    self._write(directory / self.name)

    def _write(self, path: Path) -> None:
        path.write_text(f"Rules of {path.parent.name}.\n" * 20)
        self.conventions += 1

    def measure(self, name: str, run: Callable[[], object]) -> None:
        """Time ``run`` and keep the fastest."""
        start = time.perf_counter()
        run()
        taken = time.perf_counter() - start
        self.best[name] = min(taken, self.best.get(name, taken))

    def request(self, session: str, *touched: str) -> Request:
        """A firing in this repository."""
        return Request(session_id=session, working_directory=self.root, files_touched=touched)


def build(top: Path, name: str) -> list[Repository]:
    """One repository of each size below ``top``."""
    repositories = [Repository(files, top.resolve() / str(files), name) for files in SIZES]
    for repository in repositories:
        repository.build()
    return repositories


def opened(run: Callable[[], object]) -> list[str]:
    """What is opened or listed in the course of ``run``."""
    _hook()
    _opened.clear()
    _watching.append(True)
    run()
    _watching.clear()
    return list(_opened)


@cache
def _hook() -> None:
    sys.addaudithook(_watch)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in {"open", "os.listdir", "os.scandir"}:
        _opened.append(str(arguments[0]))


def print_times(repositories: Sequence[Repository]) -> float:
    """The table of all measures, each repository beside the smallest; the largest ratio is returned."""
    print("| measure |" + "".join(f" {r.files:,} files ({r.conventions:,} {r.name}) |" for r in repositories))
    print("|---|" + "---|" * len(repositories))
    worst = 0.0
    for name, base in repositories[0].best.items():
        ratios = [repository.best[name] / base for repository in repositories]
        worst = max(worst, *ratios)
        print_row(
            name, [f"{r.best[name] * 1e6:.0f} µs ({ratio:.2f}x)" for r, ratio in zip(repositories, ratios, strict=True)]
        )
    return worst


def print_row(name: str, values: Sequence[object]) -> None:
    """One more line of the table."""
    print(f"| {name} |" + "".join(f" {value} |" for value in values))
