"""The CLAUDE.md provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import context_common
from context_claude_md.config import Ancestors, ClaudeMdConfig
from context_claude_md.declared import Declared
from context_claude_md.discovery import Discovery
from context_claude_md.firing import Firing
from context_claude_md.imports import Omission
from context_claude_md.loading import Loader
from context_claude_md.place import Place
from context_claude_md.report import Report
from context_claude_md.session import Answer, Session
from context_claude_md.tree import Walker
from context_common.conventions import Excludes, expanded, is_directory, started_in
from context_common.errors import SourceUnavailableError
from context_common.markdown.document import CommentMode
from context_common.provider import Draft, Level, Provider, Request, Stability
from context_common.scopes import RefusedError, locate
from context_common.sessions import Sessions

if TYPE_CHECKING:
    from context_claude_md.candidate import Candidate
    from context_claude_md.firing import Found
    from context_common.scopes import View


class ClaudeMdProvider(Provider[ClaudeMdConfig]):
    """Reads CLAUDE.md files the way Claude Code documents it, inside the limits of a context provider."""

    name = "claude-md"
    source = "github.com/agentco/context-claude-md"
    version = context_common.__version__
    default_token_budget = 2000
    stability = Stability.STATIC
    config_type = ClaudeMdConfig

    def configure(self, config: ClaudeMdConfig) -> None:
        """Take the configuration; a declared file must be there and readable."""
        self._config = config
        self._ancestors = Ancestors(config.ancestors)
        self._loader = Loader(CommentMode(config.strip_comments))
        self._excludes = Excludes(config.exclude)
        self._sessions = Sessions(Session)
        here = started_in()
        roots = {root: locate(str(expanded(root, here)), here) for root in config.import_roots}
        self._import_roots = tuple(root for root in roots.values() if root is not None)
        self._declared = Declared(config.declared, here, self._import_roots)
        for root, path in roots.items():
            if path is None or not is_directory(path):
                self.log(
                    Level.WARN, "an entry of `import_roots` is no directory", directory=root, reason="not_a_directory"
                )
        for error in self._excludes.errors:
            message = f"a pattern in `exclude` matches nothing: {error.reason}"
            self.log(Level.WARN, message, pattern=error.pattern, reason="invalid_pattern")
        self._check_declared()

    def contribute(self, request: Request) -> list[Draft]:
        """One draft per file, broad to specific, then in the order of joining."""
        session = self._sessions.get(request.session_id)
        place = Place.of(request.working_directory, self._ancestors)
        if session.answer is not None and session.answer.holds(request, place):
            return session.answer.drafts
        view = self._loader.view()
        report = Report(session.journal, request.log, place)
        firing = Firing(self._config, self._loader, self._excludes, place, session, report, view)
        drafts = firing.drafts(self._found(firing, request))
        if self._config.declared and not drafts and session.answer is None:
            raise SourceUnavailableError(f"none of the declared files can be read: {', '.join(self._config.declared)}")
        session.answer = Answer(place, request.working_directory, request.files_touched, view, drafts)
        return drafts

    def _found(self, firing: Firing, request: Request) -> list[Found]:
        if self._config.declared:
            return firing.read(self._declared.candidates(firing.place, request.working_directory, firing.walker))
        session = firing.session
        if session.discovery is None or session.discovery.place != firing.place:
            session.discovery = Discovery(firing.place, frozenset(self._config.scopes), self._import_roots)
        return firing.discovered(session.discovery, request)

    def _check_declared(self) -> None:
        place = Place.of(self._declared.started_in, self._ancestors)
        view = self._loader.view()
        for text in self._config.declared:
            unseen: list[RefusedError] = []
            walker = Walker(
                view.signature, lambda directory, inside: view.names(directory, inside=inside), unseen.append
            )
            candidates = self._declared.named(text, place, walker)
            refusals = [self._refusal(candidate, place, view) for candidate in candidates]
            if all(refusals):
                attribute = "path" if text == self._config.path else "paths"
                found = "; ".join(refusals) or "; ".join(["it matches nothing", *map(str, unseen)])
                raise SourceUnavailableError(
                    f"attribute {attribute!r} names {text!r}, looked up from {self._declared.started_in}: {found};"
                    " accepted is the path of a text file, or a glob that matches one"
                )

    def _refusal(self, candidate: Candidate, place: Place, view: View) -> str:
        if self._excludes.cover(candidate.path, place.root):
            return f"{candidate.path} is {Omission.EXCLUDED}"
        try:
            self._loader.load(candidate.path, candidate.inside, view)
        except RefusedError as error:
            return f"{candidate.path} is {error.reason}"
        return ""
