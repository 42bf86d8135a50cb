"""A repository on disk and an AGENTS.md session in this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.corpus import quarter

from context_agents_md.config import AgentsMdConfig
from context_agents_md.provider import AgentsMdProvider
from context_common.baselines import Baseline
from context_common.provider import Log, Request

if TYPE_CHECKING:
    from pathlib import Path

    from context_common.baselines import Outcome
    from context_common.provider import Draft


def write(root: Path, files: dict[str, str]) -> None:
    """Write ``files``, path below ``root`` to text."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def repository(root: Path, files: dict[str, str]) -> Path:
    """A git repository at ``root`` with ``files``."""
    (root / ".git").mkdir(parents=True)
    write(root, files)
    return root


@dataclass
class AgentsSession:
    """One provider and one session in ``root``; ``files`` keeps what was touched, as the runtime does."""

    root: Path
    config: AgentsMdConfig = field(default_factory=AgentsMdConfig)
    budget: int = 1500
    touched: dict[str, None] = field(default_factory=dict)
    baseline: Baseline = field(default_factory=Baseline)
    log: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.provider = AgentsMdProvider()
        self.provider.configure(self.config)

    def drafts(self, *touched: str) -> list[Draft]:
        """What the provider returns at the next firing."""
        self.touched.update(dict.fromkeys(touched))
        request = Request(
            session_id="s",
            working_directory=self.root,
            files_touched=tuple(self.touched),
            log=Log(
                lambda level, message, fields, _: self.log.append({"level": level.name, "message": message} | fields)
            ),
        )
        return self.provider.contribute(request)

    def fire(self, *touched: str) -> Outcome:
        """What the session is sent at the next firing."""
        return self.baseline.contribute(self.drafts(*touched), self.budget, quarter, "m")
