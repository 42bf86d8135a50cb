"""What a firing of ``agents-md`` costs in repositories of 100, 10,000 and 100,000 files.

The three differ in size only: the directories on the way to what is touched are alike. Measured side by side, in
turns, so that what else the machine does falls on all of them; the fastest of many runs counts.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from context_agents_md.config import AgentsMdConfig
from context_agents_md.provider import AgentsMdProvider
from context_agents_md.search import find_any
from context_agents_md.selection import Selection
from context_common.provider import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOAL = 1.10
ROUNDS = 1500
TOUCHED = "d0/d0/d0/s0/deep/f.py"
_opened: list[str] = []
_names = count()


@dataclass
class Repository:
    """A repository of a size, and the fastest run of each measure in it."""

    files: int
    root: Path
    provider: AgentsMdProvider = field(default_factory=AgentsMdProvider)
    agents: int = 0
    best: dict[str, float] = field(default_factory=dict)

    def build(self) -> None:
        """Leaves of ten directories with ten files each, ten leaves to a directory, 1,000 AGENTS.md at most."""
        (self.root / ".git").mkdir(parents=True)
        leaves = self.files // 100
        self._write(self.root / "AGENTS.md")
        for leaf in range(leaves):
            top = self.root / f"d{leaf // 100}/d{leaf // 10 % 10}/d{leaf % 10}"
            for number in range(10):
                directory = top / f"s{number}"
                directory.mkdir(parents=True)
                for name in range(10):
                    (directory / f"f{name}.py").touch()
                if leaves < 1000 or number == 0:
                    self._write(directory / "AGENTS.md")

    def _write(self, path: Path) -> None:
        path.write_text(f"Rules of {path.parent.name}.\n" * 20)
        self.agents += 1

    def measure(self, name: str, run: Callable[[], object]) -> None:
        """Time ``run`` and keep the fastest."""
        start = time.perf_counter()
        run()
        taken = time.perf_counter() - start
        self.best[name] = min(taken, self.best.get(name, taken))

    def request(self, session: str, *touched: str) -> Request:
        """A firing in this repository."""
        return Request(session_id=session, working_directory=self.root, files_touched=touched)


def measure(repository: Repository) -> None:
    """One run of every measure."""
    session = f"session {next(_names)}"
    provider = AgentsMdProvider()
    provider.configure(AgentsMdConfig())
    repository.measure("first firing, nothing read yet", lambda: provider.contribute(repository.request(session)))
    repository.measure("firing with a new path", lambda: provider.contribute(repository.request(session, TOUCHED)))
    repository.measure("unchanged firing", lambda: repository.provider.contribute(repository.request("s", TOUCHED)))


def configure(repository: Repository) -> int:
    """How many directories Configure looks into for a declared glob whose first match is four levels down."""
    (repository.root / "AGENTS.md").rename(repository.root / "moved")
    looked = list(opened(lambda: find_any(repository.root, Selection(AgentsMdConfig(glob="d0/**/AGENTS.md")), ())))
    (repository.root / "moved").rename(repository.root / "AGENTS.md")
    return len(looked)


def opened(run: Callable[[], object]) -> Iterator[str]:
    """What is opened or listed in the course of ``run``."""
    _opened.clear()
    _watching.append(True)
    run()
    _watching.clear()
    return iter(_opened)


_watching: list[bool] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in {"open", "os.listdir", "os.scandir"}:
        _opened.append(str(arguments[0]))


def main() -> int:
    """Print the table; 1 where a firing's cost follows the size of the repository."""
    sys.addaudithook(_watch)
    with tempfile.TemporaryDirectory() as top:
        repositories = [Repository(files, Path(top).resolve() / str(files)) for files in (100, 10_000, 100_000)]
        for repository in repositories:
            repository.build()
            repository.provider.configure(AgentsMdConfig())
            repository.provider.contribute(repository.request("s", TOUCHED))
        for _ in range(ROUNDS):
            for repository in repositories:
                measure(repository)
        unchanged = [list(opened(lambda r=r: r.provider.contribute(r.request("s", TOUCHED)))) for r in repositories]
        looked = [configure(repository) for repository in repositories]
    return report(repositories, unchanged, looked)


def report(repositories: list[Repository], unchanged: list[list[str]], looked: list[int]) -> int:
    """The table of all measures, each repository beside the smallest."""
    print("| measure |" + "".join(f" {r.files:,} files ({r.agents:,} AGENTS.md) |" for r in repositories))
    print("|---|" + "---|" * len(repositories))
    worst = 0.0
    for name, base in repositories[0].best.items():
        ratios = [repository.best[name] / base for repository in repositories]
        worst = max(worst, *ratios)
        cells = [
            f" {r.best[name] * 1e6:.0f} µs ({ratio:.2f}x) |" for r, ratio in zip(repositories, ratios, strict=True)
        ]
        print(f"| {name} |" + "".join(cells))
    print("| files opened by an unchanged firing |" + "".join(f" {len(names)} |" for names in unchanged))
    print("| directories that Configure looks into |" + "".join(f" {number} |" for number in looked))
    print(f"\nlargest ratio {worst:.2f}, goal at most {GOAL:.2f}")
    return 0 if worst <= GOAL and not any(unchanged) else 1


if __name__ == "__main__":
    raise SystemExit(main())
