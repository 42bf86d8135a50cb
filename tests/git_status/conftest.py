"""Every test of git status has a home of its own and nobody's git settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from support.git_repos import settle

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory, beside and not above the test's own directory."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = settle(tmp_path_factory.mktemp("home"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home
