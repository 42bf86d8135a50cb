"""A repository in a temporary directory, and the provider at work in it."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.corpus import World, quarter
from support.patience import stretched

from context_claude_md.config import ClaudeMdConfig
from context_claude_md.provider import ClaudeMdProvider
from context_common.baselines import Baseline
from context_common.config import read
from context_common.provider import Level, Request


@dataclass
class Repository:
    """The provider in a repository; every session has its own baseline."""

    world: World
    provider: ClaudeMdProvider = field(default_factory=ClaudeMdProvider)
    baselines: dict = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.world.top / "repo"

    def write(self, **files):
        for name, text in files.items():
            self.world.write(name, text)

    def configure(self, **values):
        self.provider.log = self.world.log()
        self.provider.configure(read(ClaudeMdConfig, values))

    def drafts(self, *touched, session="s", directory=""):
        """The drafts of one firing, which no repository can make last for 2 s of work."""
        request = Request(
            session_id=session,
            working_directory=self.root / directory,
            files_touched=touched,
            log=self.world.log(session),
        )
        started = time.process_time()
        drafts = self.provider.contribute(request)
        spent = time.process_time() - started
        assert spent < 2 or spent < stretched(2)
        return drafts

    def fire(self, *touched, session="s", budget=1_000_000, count=quarter, directory=""):
        """The sections of one firing as label → text."""
        baseline = self.baselines.setdefault(session, Baseline())
        outcome = baseline.contribute(self.drafts(*touched, session=session, directory=directory), budget, count, "m")
        return {section.label: section.text for section in outcome.sections}

    def warned(self):
        """The reasons of the warnings since the last call."""
        return [entry["reason"] for entry in self.world.logged(Level.WARN)]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    world = World(Path(os.path.realpath(tmp_path)))
    (world.top / "home").mkdir()
    (world.top / "repo" / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(world.top / "home"))
    monkeypatch.chdir(world.top / "repo")
    repository = Repository(world)
    repository.configure()
    return repository
