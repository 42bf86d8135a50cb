#!/usr/bin/env python3
"""A context provider in one file: the team's notes, as a section of the prompt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from context_common.config import Config, option
from context_common.errors import SourceUnavailableError
from context_common.markdown.document import Document, read_document
from context_common.plugin import serve
from context_common.provider import Draft, Level, Part, Provider, Request, Stability
from context_common.scopes import FileCache, RefusedError, Source


@dataclass(frozen=True)
class NotesConfig(Config):
    """The attributes of the block in agent.hcl."""

    path: str = option("", "The notes file, relative to the working directory.", required=True)


class NotesProvider(Provider[NotesConfig]):
    """One Markdown file, shown whole or shortened by whole paragraphs."""

    name = "team-notes"
    version = "0.1.0"
    source = "github.com/example/context-team-notes"
    default_token_budget = 800
    stability = Stability.STATIC
    config_type = NotesConfig

    def configure(self, config: NotesConfig) -> None:
        self.path = Path(config.path).absolute()
        self.cache = FileCache()
        try:
            self._read()
        except RefusedError as refused:
            raise SourceUnavailableError(f"path: {self.path} cannot be read: {refused.reason}") from refused

    def contribute(self, request: Request) -> list[Draft]:
        try:
            document = self._read()
        except RefusedError as refused:
            request.log(Level.WARN, f"{self.path.name} cannot be read any more", reason=refused.reason)
            return []
        return [Draft(f"Team notes ({self.path.name})", parts=(Part.of(self.path.name, document),))]

    def _read(self) -> Document:
        return self.cache.get(self.path, _document, inside=[self.path.parent])


def _document(source: Source) -> Document:
    return read_document(source.data)


if __name__ == "__main__":
    raise SystemExit(serve("team_notes:NotesProvider"))
