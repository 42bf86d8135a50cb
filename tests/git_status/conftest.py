"""Every test of git status has a home of its own and nobody's git settings."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Repo, settle

if TYPE_CHECKING:
    from collections.abc import Callable
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


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit; modules that need another one define it."""
    return Repo.with_commit(tmp_path / "r")


@pytest.fixture
def instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a git on PATH that first goes through the branches of a shell ``case``."""
    real = shutil.which("git")

    def install(branches: str) -> None:
        fake = tmp_path / "bin" / "git"
        fake.parent.mkdir()
        fake.write_text(f'#!/bin/sh\ncase "$*" in {branches} esac\nexec {real} "$@"\n')
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")

    return install
