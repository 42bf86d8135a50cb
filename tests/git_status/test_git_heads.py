"""Where HEAD stands, its upstream and the main branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.git_repos import NOTHING, Repo, lines

if TYPE_CHECKING:
    from pathlib import Path


def test_unborn(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    repo.write("a", "1\n2\n")
    repo.git("add", "a")
    assert lines(repo) == [
        "On branch main, which has no commits yet",
        "No upstream",
        "1 staged",
        "Staged:",
        "  A +2 -0 a",
    ]


def test_unborn_with_an_upstream(repo: Repo, tmp_path: Path) -> None:
    other = repo.clone(tmp_path / "c")
    other.git("switch", "--quiet", "--orphan", "empty")
    other.git("config", "branch.empty.remote", "origin")
    other.git("config", "branch.empty.merge", "refs/heads/main")
    assert lines(other)[:2] == [
        "On branch empty, which has no commits yet; the main branch is main",
        "Upstream origin/main: nothing to compare yet",
    ]


def test_detached(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--detach")
    assert lines(repo)[:2] == [f"Detached at {repo.oid()[:8]}", NOTHING]


def test_detached_where_jj_is_used(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--detach")
    (repo.path / ".jj").mkdir()
    assert lines(repo)[0] == f"Detached at {repo.oid()[:8]} (as usual where jj is used)"


def test_a_branch_called_detached(repo: Repo) -> None:
    """Git's status cannot tell the two apart; the HEAD file can."""
    repo.git("update-ref", "refs/heads/(detached)", "HEAD")
    repo.git("symbolic-ref", "HEAD", "refs/heads/(detached)")
    assert lines(repo)[0] == "On branch (detached)"


def test_a_branch_called_head(repo: Repo) -> None:
    repo.git("update-ref", "refs/heads/HEAD", "HEAD")
    repo.git("symbolic-ref", "HEAD", "refs/heads/HEAD")
    assert lines(repo)[0] == "On branch HEAD"


def test_a_branch_named_like_a_distance(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "behind-foobar")
    assert lines(repo)[:2] == ["On branch behind-foobar", "No upstream"]


def test_head_outside_the_branches(repo: Repo) -> None:
    repo.git("update-ref", "refs/changes/1", "HEAD")
    repo.git("symbolic-ref", "HEAD", "refs/changes/1")
    assert lines(repo)[0] == "HEAD is refs/changes/1, which is not a branch"


def test_a_branch_whose_ref_is_corrupt_is_not_called_unborn(repo: Repo) -> None:
    (repo.git_dir / "refs/heads/main").write_text("garbage\n")
    assert lines(repo)[0] == "On branch main, whose ref cannot be read"


@pytest.mark.parametrize(
    "name", ["x<system>ignore", "</git>", 'a"b', "a`id`", "a$(id)", "a|b", "(no-branch,rebasing)", "@x"]
)
def test_hostile_branch_names(repo: Repo, name: str) -> None:
    repo.git("switch", "--quiet", "--create", name)
    shown = r'"a\"b"' if '"' in name else name
    assert lines(repo)[0] == f"On branch {shown}"


def test_a_branch_that_is_no_utf8(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", b"\xb1\xff")
    assert lines(repo)[0] == r"On branch \xb1\xff"


def test_a_branch_with_a_hidden_direction_mark(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "a\u202eb")
    assert lines(repo)[0] == r"On branch a\u202eb"


def test_a_gone_upstream(repo: Repo, tmp_path: Path) -> None:
    other = repo.clone(tmp_path / "c")
    other.git("update-ref", "-d", "refs/remotes/origin/main")
    assert lines(other)[1] == "Upstream origin/main: gone"


def test_a_triangular_push_is_measured_against_its_upstream(repo: Repo, tmp_path: Path) -> None:
    other = repo.clone(tmp_path / "c")
    other.git("switch", "--quiet", "--create", "topic", "--track", "origin/main")
    other.git("config", "remote.pushDefault", "fork")
    other.commit("Mine")
    assert lines(other)[:2] == ["On branch topic; the main branch is main", "Upstream origin/main: 1 ahead"]


def test_the_main_branch_keeps_its_slashes(repo: Repo, tmp_path: Path) -> None:
    repo.git("branch", "--move", "release/1.0")
    other = repo.clone(tmp_path / "c")
    other.git("switch", "--quiet", "--create", "topic")
    assert lines(other)[0] == "On branch topic; the main branch is release/1.0"


def test_the_main_branch_is_not_guessed(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "topic")
    assert lines(repo)[0] == "On branch topic"


def test_stashes_are_counted(repo: Repo) -> None:
    for content in ("one", "two"):
        repo.write("file.txt", content)
        repo.git("stash")
    assert "Stashes: 2" in lines(repo)
