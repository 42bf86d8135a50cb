"""What a firing of ``agents-md`` costs in repositories of 100, 10,000 and 100,000 files."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sizes import GOAL, TOUCHED, build, opened, print_row, print_times

from context_agents_md.config import AgentsMdConfig
from context_agents_md.provider import AgentsMdProvider
from context_agents_md.search import find_any
from context_agents_md.selection import Selection

if TYPE_CHECKING:
    from sizes import Repository

ROUNDS = 1500
_sessions = map("session {}".format, count())


def configured() -> AgentsMdProvider:
    provider = AgentsMdProvider()
    provider.configure(AgentsMdConfig())
    return provider


def measure(repository: Repository, lasting: AgentsMdProvider) -> None:
    """One run of every measure; ``lasting`` has answered the unchanged request before."""
    session, provider = next(_sessions), configured()
    repository.measure("first firing, nothing read yet", lambda: provider.contribute(repository.request(session)))
    repository.measure("firing with a new path", lambda: provider.contribute(repository.request(session, TOUCHED)))
    repository.measure("unchanged firing", lambda: lasting.contribute(repository.request("s", TOUCHED)))


def configure(repository: Repository) -> int:
    """How many directories Configure looks into for a declared glob whose first match is four levels down."""
    (repository.root / "AGENTS.md").rename(repository.root / "moved")
    looked = opened(lambda: find_any(repository.root, Selection(AgentsMdConfig(glob="d0/**/AGENTS.md")), ()))
    (repository.root / "moved").rename(repository.root / "AGENTS.md")
    return len(looked)


def main() -> int:
    """Print the table; 1 where a firing's cost follows the size of the repository."""
    with tempfile.TemporaryDirectory() as top:
        repositories = build(Path(top), "AGENTS.md")
        lasting = {repository.files: configured() for repository in repositories}
        for _ in range(ROUNDS):
            for repository in repositories:
                measure(repository, lasting[repository.files])
        unchanged = [
            len(opened(lambda r=r: lasting[r.files].contribute(r.request("s", TOUCHED)))) for r in repositories
        ]
        looked = [configure(repository) for repository in repositories]
    worst = print_times(repositories)
    print_row("files opened by an unchanged firing", unchanged)
    print_row("directories that Configure looks into", looked)
    print(f"\nlargest ratio {worst:.2f}, goal at most {GOAL:.2f}")
    return 0 if worst <= GOAL and not any(unchanged) else 1


if __name__ == "__main__":
    raise SystemExit(main())
