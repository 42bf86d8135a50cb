"""The provider: which repository a firing is about, and its section."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from context_common import __version__
from context_common.errors import SourceUnavailableError
from context_common.provider import Draft, Level, Provider, Request, Stability
from context_common.scopes import names_in
from context_common.sessions import Sessions
from context_git_status.config import GitStatusConfig
from context_git_status.failures import Failure, Reason
from context_git_status.render import ladder
from context_git_status.repository import Repository
from context_git_status.runner import Runner

if TYPE_CHECKING:
    from context_git_status.reading import Reading

_LABEL = "Git status"
_NOTHING_HERE = frozenset({Reason.NOT_A_REPOSITORY, Reason.NO_DIRECTORY})
_NO_WORK_TREE = _NOTHING_HERE | {Reason.BARE, Reason.INSIDE_GIT_DIRECTORY}
_REPOSITORIES = 64


@dataclass
class _Session:
    """What a session was last told, so that an unchanged repository gives the same draft."""

    reading: Reading | None = None
    touched: tuple[Path, tuple[str, ...]] | None = None
    drafts: list[Draft] = field(default_factory=list)
    failure: Failure | None = None


class GitStatusProvider(Provider[GitStatusConfig]):
    """Tells what git says about the work tree, before each model call."""

    name = "git-status"
    source = "github.com/agentco/context-git-status"
    version = __version__
    default_token_budget = 500
    stability = Stability.DYNAMIC
    config_type = GitStatusConfig

    def configure(self, config: GitStatusConfig) -> None:
        """Take the operator's configuration; a ``repository`` that is none is refused.

        Raises:
            SourceUnavailableError: ``repository`` is declared and no work tree.
        """
        self._config = config
        self._runner = Runner()
        self._repositories = Sessions(lambda: Repository(config, self._runner), limit=_REPOSITORIES)
        self._sessions = Sessions(_Session)
        # Not Path.expanduser, which raises where nobody has that name.
        self._declared = Path(os.path.expanduser(config.repository)) if config.repository else None  # noqa: PTH111
        if self._declared is not None:
            directory = self._directory(Path.cwd())
            failure = self._repositories.get(str(directory)).find(directory)
            if failure is not None and failure.reason in _NO_WORK_TREE:
                raise _unavailable(config.repository, failure)

    def contribute(self, request: Request) -> list[Draft]:
        """One section, or none where there is no repository.

        Raises:
            SourceUnavailableError: the declared ``repository`` is gone, and this session never saw it.
        """
        directory = self._directory(request.working_directory)
        repository = self._repositories.get(str(directory))
        reading = repository.read(directory)
        session = self._sessions.get(request.session_id)
        touched = (request.working_directory, request.files_touched)
        if reading is session.reading and touched == session.touched:
            return session.drafts
        self._tell(request, session, reading, repository.processes)
        if reading.failure is not None and reading.failure.reason in _NOTHING_HERE:
            if self._declared is None:
                return []
            if session.reading is None:
                raise _unavailable(self._config.repository, reading.failure)
        texts = ladder(reading, _touched(request, reading.top), self._config.show)
        if not session.drafts or session.drafts[0].ladder != texts:
            session.drafts = [Draft(_LABEL, ladder=texts, stability=Stability.DYNAMIC)] if texts else []
        session.reading, session.touched = reading, touched
        return session.drafts

    def close(self) -> None:
        """End whatever git is still doing."""
        self._runner.close()

    def _directory(self, working_directory: Path) -> Path:
        if self._declared is None:
            return working_directory
        near = working_directory / self._declared
        found = self._declared.is_absolute() or os.path.isdir(near)  # noqa: PTH112  (never raises)
        return near if found else Path.cwd() / self._declared

    def _tell(self, request: Request, session: _Session, reading: Reading, processes: int) -> None:
        request.log.debug("read what moved", processes=processes, top=reading.top or "")
        if reading.failure not in (None, session.failure):
            quiet = reading.failure.reason in _NOTHING_HERE and self._declared is None
            request.log(Level.DEBUG if quiet else Level.WARN, reading.failure.text)
        session.failure = reading.failure


def _unavailable(repository: str, failure: Failure) -> SourceUnavailableError:
    return SourceUnavailableError(f"attribute 'repository' is {repository!r}: {failure.text}")


def _touched(request: Request, top: Path | None) -> frozenset[bytes]:
    """The touched paths as the lists spell them."""
    if top is None:
        return frozenset()
    base = request.working_directory
    return frozenset(os.fsencode(name) for path in request.files_touched for name in names_in(top, path, base))
