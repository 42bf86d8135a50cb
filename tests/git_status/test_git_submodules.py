"""Repositories inside a repository."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from support.git_repos import NOTHING, Asked, Repo, lines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def super_repo(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a submodule ``libs/x``."""
    outer = Repo.with_commit(tmp_path / "super")
    outer.git("submodule", "--quiet", "add", repo.path.as_uri(), "libs/x")
    outer.commit("Add a submodule")
    return outer


def test_a_submodule_that_is_clean(super_repo: Repo) -> None:
    assert lines(super_repo)[2:4] == [
        NOTHING,
        "Only the recorded commits of submodules were compared, not their contents.",
    ]


def test_a_submodule_with_a_new_commit(super_repo: Repo) -> None:
    Repo(super_repo.path / "libs/x").commit("More")
    assert "  M (submodule, new commits) libs/x" in lines(super_repo)


def test_what_changed_inside_a_submodule_is_seen_only_with_trust(super_repo: Repo) -> None:
    """Looking would run the filters of the submodule's own configuration."""
    Repo(super_repo.path / "libs/x").write("file.txt", "changed\n")
    Repo(super_repo.path / "libs/x").write("new")
    assert lines(super_repo)[2] == NOTHING
    trusted = lines(super_repo, trust_repository_config=True)
    assert "  M (submodule, modified content, untracked content) libs/x" in trusted


def test_inside_a_submodule(super_repo: Repo) -> None:
    inner = Repo(super_repo.path / "libs/x")
    inner.write("new")
    assert lines(inner)[2:5] == ["1 untracked", "Untracked:", "  new"]


def test_a_broken_submodule_costs_only_its_own_contents(super_repo: Repo) -> None:
    shutil.rmtree(super_repo.path / ".git/modules")
    super_repo.write("new")
    untrusted = lines(super_repo)
    assert untrusted[2:6] == [
        "1 untracked",
        "Only the recorded commits of submodules were compared, not their contents.",
        "Untracked:",
        "  new",
    ]
    asked = Asked.about(super_repo, trust_repository_config=True)
    assert asked.fire().splitlines()[3:7] == [
        "1 untracked",
        "A submodule cannot be read, so only the recorded commits of submodules were compared.",
        "Untracked:",
        "  new",
    ]
    assert asked.verbs.count("status") == 2


def test_a_submodule_that_was_mended_is_looked_into_again(super_repo: Repo) -> None:
    modules = super_repo.path / ".git/modules"
    modules.rename(super_repo.path / ".git/away")
    asked = Asked.about(super_repo, trust_repository_config=True)
    asked.fire()
    (super_repo.path / ".git/away").rename(modules)
    assert "A submodule cannot be read" not in asked.fire()
