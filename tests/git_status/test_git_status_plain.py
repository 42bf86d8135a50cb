"""Ordinary repositories, made with git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.git_repos import Repo, lines, section

if TYPE_CHECKING:
    from pathlib import Path


def test_every_list_in_its_order(tmp_path: Path) -> None:
    """State, upstream, counts, staged, unstaged, untracked, stashes, commits."""
    repo = Repo.with_commit(tmp_path / "r", {"a": "1\n2\n", "b": "1\n", "c": "1\n"})
    repo.write("c", "stashed\n")
    repo.git("stash")
    repo.write("a", "1\n2\n3\n")
    repo.git("add", "a")
    repo.write("b", "2\n3\n")
    repo.write("new/file")
    repo.write("z")
    oid = repo.oid()[:8]
    assert section(repo) == (
        "Read for this call; paths start at the repository root.\n"
        "On branch main\n"
        "No upstream\n"
        "1 staged, 1 unstaged, 2 untracked\n"
        "Staged:\n"
        "  M +1 -0 a\n"
        "Unstaged:\n"
        "  M +2 -1 b\n"
        "Untracked:\n"
        "  new/\n"
        "  z\n"
        "Stashes: 1\n"
        "Recent commits:\n"
        f"  {oid} First"
    )


def test_a_clean_tree_says_so(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path)
    assert lines(repo)[:3] == ["On branch main", "No upstream", "Nothing staged, modified or untracked"]
