"""The AGENTS.md provider: the root's file at once, the others when work reaches their directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_agents_md.accepted import require_path
from context_agents_md.config import AgentsMdConfig
from context_agents_md.gather import Gatherer
from context_agents_md.place import find_boundary, find_place
from context_agents_md.reader import Reader
from context_agents_md.search import find_any
from context_agents_md.selection import Selection
from context_agents_md.session import Session
from context_common import __version__
from context_common.baselines import Sessions
from context_common.conventions import expanded, is_file, started_in
from context_common.errors import SourceUnavailableError
from context_common.provider import Draft, Level, OnChange, Provider, Request, Stability

if TYPE_CHECKING:
    from pathlib import Path


class AgentsMdProvider(Provider[AgentsMdConfig]):
    """Contributes the AGENTS.md files that apply to what a session has touched."""

    name = "agents-md"
    source = "github.com/agentco/context-agents-md"
    version = __version__
    default_token_budget = 1500
    stability = Stability.STATIC
    config_type = AgentsMdConfig

    def configure(self, config: AgentsMdConfig) -> None:
        """Take the configuration; what it declares must be there."""
        selection = Selection(config)
        here = started_in()
        _require_declared(config, selection, here)
        self._on_change = OnChange(config.on_change)
        self._user_file = expanded(config.user_file, here) if config.user_file else None
        self._reader = Reader(config, selection)
        self._sessions = Sessions(lambda: Session(config, selection))
        for error in self._reader.excludes.errors:
            self.log(
                Level.WARN, "pattern excludes nothing", attribute="exclude", pattern=error.pattern, reason=error.reason
            )

    def contribute(self, request: Request) -> list[Draft]:
        """The user's file, then the root's chain, then what was touched, in the order of first touch."""
        session = self._sessions.get(request.session_id)
        root = session.follow(request)
        gatherer = Gatherer(self._reader, session, self._on_change, request.log)
        drafts = [*gatherer.user_file(self._user_file)] if self._user_file else []
        return [*drafts, *gatherer.scopes(root)] if root else drafts


def _require_declared(config: AgentsMdConfig, selection: Selection, here: Path) -> None:
    for marker in config.root_markers:
        require_path("root_markers", marker.rstrip("/"), "names of files or directories, such as '.git'")
    if config.boundary and find_boundary(config.boundary, here) is None:
        raise SourceUnavailableError(f"attribute 'boundary' is {config.boundary!r}, and no such directory is there")
    if config.user_file and not is_file(expanded(config.user_file, here)):
        raise SourceUnavailableError(f"attribute 'user_file' is {config.user_file!r}, and no such file is there")
    if not config.glob:
        return
    place = find_place(here, config)
    if place.root is None:
        raise SourceUnavailableError(
            f"attribute 'glob' is declared, but {here} has no root; declare 'boundary' to make it one"
        )
    if find_any(place.root, selection, place.home) is None:
        raise SourceUnavailableError(
            f"attribute 'glob' is {config.glob!r}, and no file below {place.root} matches it; 'prune' leaves directories out"
        )
