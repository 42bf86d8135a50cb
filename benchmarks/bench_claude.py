"""What a firing of ``claude-md`` costs in repositories of 100, 10,000 and 100,000 files, and while nothing changes."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sizes import GOAL, TOUCHED, build, opened, print_row, print_times

from context_claude_md.config import ClaudeMdConfig
from context_claude_md.provider import ClaudeMdProvider

if TYPE_CHECKING:
    from sizes import Repository

ROUNDS = 1000
SHARE = 0.25
_sessions = map("session {}".format, count())
FIRST, TOUCH, UNCHANGED = "first firing, nothing read yet", "firing with a new path", "unchanged firing"


def configured() -> ClaudeMdProvider:
    provider = ClaudeMdProvider()
    provider.configure(ClaudeMdConfig())
    return provider


def furnish(repository: Repository) -> None:
    """Imports, a rule for some files and one for all: the same in every repository."""
    rules = repository.root / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "python.md").write_text("---\npaths: '**/*.{py,pyi}'\n---\nFour spaces.\n")
    (rules / "review.md").write_text("Two people read every change.\n")
    (repository.root / "style.md").write_text("Plain words.\n" * 20)
    (repository.root / "CLAUDE.md").write_text("<!-- for people -->\nWrite as in @style.md.\n" + "Test first.\n" * 20)


def measure(repository: Repository, lasting: ClaudeMdProvider) -> None:
    """One run of every measure; ``lasting`` has answered the unchanged request before."""
    session, provider = next(_sessions), configured()
    repository.measure(FIRST, lambda: provider.contribute(repository.request(session)))
    repository.measure(TOUCH, lambda: provider.contribute(repository.request(session, TOUCHED)))
    repository.measure(UNCHANGED, lambda: lasting.contribute(repository.request("s", TOUCHED)))


def main() -> int:
    """Print the table; 1 where cost follows the size of the repository, or an unchanged firing does more than look."""
    with tempfile.TemporaryDirectory() as top:
        repositories = build(Path(top), "CLAUDE.md")
        lasting = {repository.files: configured() for repository in repositories}
        for repository in repositories:
            furnish(repository)
        for _ in range(ROUNDS):
            for repository in repositories:
                measure(repository, lasting[repository.files])
        unchanged = [
            len(opened(lambda r=r: lasting[r.files].contribute(r.request("s", TOUCHED)))) for r in repositories
        ]
    worst = print_times(repositories)
    shares = [repository.best[UNCHANGED] / repository.best[FIRST] for repository in repositories]
    print_row("unchanged firing as a share of the first", [f"{share:.0%}" for share in shares])
    print_row("files opened by an unchanged firing", unchanged)
    print(f"\nlargest ratio {worst:.2f}, goal at most {GOAL:.2f}; largest share {max(shares):.0%}, goal {SHARE:.0%}")
    return 0 if worst <= GOAL and max(shares) <= SHARE and not any(unchanged) else 1


if __name__ == "__main__":
    raise SystemExit(main())
