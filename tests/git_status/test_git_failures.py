"""Every failure has a sentence of its own."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from support.git_repos import NOTHING, Asked, lines, section

from context_common.provider import Level
from context_git_status.failures import explain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from support.git_repos import Repo


def test_dubious_ownership_names_the_path(repo: Repo, instead: Callable[[str], None]) -> None:
    """A git that takes the repository for somebody else's, as it does where the owner differs."""
    instead("*) export GIT_TEST_ASSUME_DIFFERENT_OWNER=1;;")
    asked = Asked.about(repo)
    assert asked.fire() == (
        "git refuses this repository because somebody else owns it (dubious ownership): "
        f"detected dubious ownership in repository at '{repo.path}'"
    )
    assert asked.log[-1][0] is Level.WARN
    assert "safe.directory" not in repo.git("config", "--list")


def test_an_unknown_extension_asks_for_a_newer_git(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.futureThing", "true")
    assert section(repo).startswith("This repository needs a newer git: unknown repository extension")


def test_a_format_from_the_future_asks_for_a_newer_git(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "99")
    assert section(repo).startswith("This repository needs a newer git: Expected git repo version")


def test_what_git_warns_of_is_not_why_it_failed() -> None:
    """A file of the user's that may not be read is nothing that it needs."""
    failure = explain(
        128,
        b"warning: unable to access '/home/u/.config/git/attributes': Permission denied\n"
        b"fatal: unable to open object pack directory: .git/objects/pack: Permission denied\n",
    )
    assert failure.text == (
        "git cannot read this repository: unable to open object pack directory: .git/objects/pack: Permission denied"
    )


def test_a_corrupt_configuration(repo: Repo) -> None:
    (repo.git_dir / "config").write_text("[core\n")
    assert section(repo) == (
        "On branch main\ngit cannot read this repository's configuration: bad config line 1 in file .git/config"
    )


def test_a_corrupt_index_leaves_branch_and_commits(repo: Repo) -> None:
    (repo.git_dir / "index").write_bytes(b"garbage" * 10)
    shown = section(repo).splitlines()
    assert shown[0] == "On branch main"
    assert shown[1].startswith("git cannot read this repository: bad signature")
    assert shown[-1].endswith("First")


def test_a_head_that_is_garbage(repo: Repo) -> None:
    (repo.git_dir / "HEAD").write_text("garbage\n")
    assert section(repo).startswith("git cannot read this repository: it does not take ")


def test_a_missing_head_commit(repo: Repo) -> None:
    objects = repo.git_dir / "objects"
    shutil.rmtree(objects)
    objects.mkdir()
    shown = section(repo).splitlines()
    assert shown[0] == "On branch main"
    assert shown[1].startswith("git cannot read this repository:")


def test_a_german_locale_changes_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the section nor the words by which a failure is told from another."""
    for name, value in {"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8", "LANGUAGE": "de"}.items():
        monkeypatch.setenv(name, value)
    assert lines(repo)[2] == NOTHING
    (repo.git_dir / "config").write_text("[core\n")
    assert section(repo) == (
        "On branch main\ngit cannot read this repository's configuration: bad config line 1 in file .git/config"
    )


def test_git_missing_leaves_the_branch(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repo.git("switch", "--quiet", "--create", "topic")
    repo.git("worktree", "add", "--quiet", str(tmp_path / "w"), "-b", "linked")
    monkeypatch.setenv("PATH", str(tmp_path))
    sentence = "git was not found on PATH outside the work tree, so nothing but the branch is known."
    assert section(repo) == f"On branch topic\n{sentence}"
    assert section(tmp_path / "w") == f"On branch linked\n{sentence}"


def test_git_missing_and_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert section(tmp_path) == ""


def test_git_that_comes_later_is_found(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    asked = Asked.about(repo)
    asked.fire()
    monkeypatch.setenv("PATH", path)
    assert NOTHING in asked.fire()


def test_a_git_that_is_too_old_leaves_the_branch(repo: Repo, instead: Callable[[str], None]) -> None:
    instead("*--show-scope*) echo 'error: unknown option `show-scope' >&2; exit 129;;")
    assert section(repo) == (
        "On branch main\nThe git on PATH is too old (2.35 or newer is needed), so nothing but the branch is known."
    )


def test_a_git_that_crashes_says_so(repo: Repo, instead: Callable[[str], None]) -> None:
    instead("*porcelain*) kill -SEGV $$;;")
    assert lines(repo)[0] == "git ended abnormally: signal 11"


def test_a_directory_that_cannot_be_opened_is_told(repo: Repo, instead: Callable[[str], None]) -> None:
    """Git only warns of it, and would have the tree look clean."""
    instead("*porcelain*) echo \"warning: could not open directory 'no/': Permission denied\" >&2;;")
    assert lines(repo)[2:4] == [
        "Nothing staged or modified, untracked incomplete",
        "A directory could not be opened, so untracked files in it are not counted.",
    ]


def test_files_that_cannot_be_looked_at_are_told(repo: Repo, instead: Callable[[str], None]) -> None:
    """As in a directory that may be read and not searched."""
    instead("*porcelain*) echo 'no/file: Permission denied' >&2;;")
    assert lines(repo)[2:4] == [
        "Nothing staged or untracked, unstaged incomplete",
        "Some tracked files could not be looked at, so whether they changed is not known.",
    ]
    repo.write("new")
    assert lines(repo)[2] == "1 untracked, unstaged incomplete"


def test_a_users_file_that_may_not_be_read_casts_no_doubt_on_the_counts(
    repo: Repo, instead: Callable[[str], None]
) -> None:
    instead("*porcelain*) echo \"warning: unable to access '/h/ignore': Permission denied\" >&2;;")
    assert lines(repo)[2] == NOTHING
