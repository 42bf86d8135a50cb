"""Operations that git is in the middle of, begun with git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.git_repos import Repo, lines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """On ``main``, with a branch ``side`` that clashes with it."""
    return Repo.with_commit(tmp_path / "r").conflict()


def state(repo: Repo) -> list[str]:
    """The lines that tell where HEAD stands and what is in progress."""
    words = ("On ", "Detached", "Merging", "Rebasing", "Applying", "Cherry-picking", "Reverting", "Bisecting")
    return [line for line in lines(repo) if line.startswith(words)]


def test_a_merge(repo: Repo) -> None:
    repo.git("merge", "side", check=False)
    assert lines(repo)[:6] == [
        "On branch main",
        f"Merging {repo.oid('side')[:8]}",
        "No upstream",
        "Conflicts:",
        "  both modified file.txt",
        "1 conflict",
    ]
    repo.write("file.txt", "resolved\n")
    repo.git("add", "file.txt")
    assert state(repo) == ["On branch main", f"Merging {repo.oid('side')[:8]} (no conflicts left, not committed yet)"]


def test_an_octopus(repo: Repo) -> None:
    """Several heads merged at once."""
    heads = []
    for name in ("one", "two"):
        repo.git("switch", "--quiet", "--create", name, "main")
        heads.append(repo.commit(name, {name: "1"}))
    repo.git("switch", "--quiet", "main")
    repo.git("merge", "--no-commit", "--no-ff", "one", "two")
    assert state(repo) == [
        "On branch main",
        f"Merging {heads[0][:8]}, {heads[1][:8]} (no conflicts left, not committed yet)",
    ]


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase(repo: Repo, backend: str) -> None:
    """The branch that git's status calls detached is named, whichever backend works."""
    onto = repo.oid("main")
    repo.git("switch", "--quiet", "side")
    repo.commit("Later", {"later": "1"})
    repo.git("rebase", backend, "main", check=False)
    assert state(repo) == [f"Detached at {onto[:8]}", f"Rebasing side onto {onto[:8]}, step 1 of 2"]


def test_an_interactive_rebase_that_stops_to_edit(repo: Repo) -> None:
    onto = repo.oid("main~1")
    repo.commit("Second")
    repo.git("rebase", "--interactive", "main~2", GIT_SEQUENCE_EDITOR="sed -i 's/^pick/edit/'")
    assert state(repo) == [f"Detached at {repo.oid()[:8]}", f"Rebasing main onto {onto[:8]}, step 1 of 2"]


def test_commands_in_a_rebase_count_as_steps(repo: Repo) -> None:
    repo.git("rebase", "--exec", "false", "main~1", check=False)
    assert state(repo)[1] == f"Rebasing main onto {repo.oid('main~1')[:8]}, step 2 of 2"


def test_a_rebase_with_an_autostash(repo: Repo) -> None:
    repo.git("switch", "--quiet", "side")
    repo.commit("Other", {"other": "1\n"})
    repo.write("other", "2\n")
    repo.git("rebase", "--autostash", "main", check=False)
    assert state(repo)[1].endswith(", with an autostash that is not among the stashes")
    assert not any(line.startswith("Stashes") for line in lines(repo))


def test_a_rebase_that_is_over_leaves_no_trace(repo: Repo) -> None:
    repo.git("switch", "--quiet", "side")
    repo.git("rebase", "main", check=False)
    repo.write("file.txt", "resolved\n")
    repo.git("add", "file.txt")
    repo.git("rebase", "--continue")
    repo.git("update-ref", "REBASE_HEAD", "HEAD")
    assert state(repo) == ["On branch side"]


def test_a_merge_inside_a_rebase(repo: Repo) -> None:
    """Both are told."""
    for name in ("other", "topic"):
        repo.git("switch", "--quiet", "--create", name, "main~1")
        repo.commit(name, {"clash": name})
    repo.git("merge", "--quiet", "--no-edit", "--strategy-option=ours", "other")
    repo.git("rebase", "--rebase-merges", "main", check=False)
    shown = state(repo)
    assert shown[1].startswith("Merging ")
    assert shown[2].startswith(f"Rebasing topic onto {repo.oid('main')[:8]}, step ")


@pytest.mark.parametrize("directory", ["rebase-merge", "rebase-apply"])
def test_an_empty_state_directory_is_possibly_stale(repo: Repo, directory: str) -> None:
    (repo.git_dir / directory).mkdir()
    assert state(repo)[1].endswith("(possibly stale: its state files are incomplete)")


def test_a_series_of_patches(repo: Repo, tmp_path: Path) -> None:
    repo.git("format-patch", "--quiet", "-o", str(tmp_path / "patches"), "main..side")
    repo.git("am", str(next((tmp_path / "patches").iterdir())), check=False)
    assert state(repo) == ["On branch main", "Applying patches (git am), step 1 of 1"]


def test_a_cherry_pick(repo: Repo) -> None:
    repo.git("cherry-pick", "side", check=False)
    assert state(repo) == ["On branch main", f"Cherry-picking {repo.oid('side')[:8]}"]


def test_a_range_of_cherry_picks(repo: Repo) -> None:
    """Also in the gap between a resolved pick that was committed and the next one."""
    repo.git("switch", "--quiet", "side")
    repo.commit("Later", {"later": "1"})
    repo.git("switch", "--quiet", "main")
    repo.git("cherry-pick", "side~2..side", check=False)
    assert state(repo)[1] == f"Cherry-picking {repo.oid('side~1')[:8]}, 2 in the list of what is to do"
    repo.write("file.txt", "resolved\n")
    repo.git("commit", "--quiet", "--all", "--message", "Resolved")
    assert state(repo) == ["On branch main", "Cherry-picking, 2 in the list of what is to do"]


def test_a_revert(repo: Repo) -> None:
    first = repo.oid()
    repo.commit("Again", {"file.txt": "again\n"})
    repo.git("revert", "--no-edit", first, check=False)
    assert state(repo) == ["On branch main", f"Reverting {first[:8]}"]


def test_a_range_of_reverts(repo: Repo) -> None:
    repo.commit("More", {"more": "1"})
    first = repo.oid()
    repo.commit("Again", {"more": "2"})
    repo.commit("And again", {"more": "3"})
    repo.git("revert", "--no-edit", first, "HEAD~1", check=False)
    shown = state(repo)
    assert shown[1] == f"Reverting {first[:8]}, 2 in the list of what is to do"


def test_a_bisection(repo: Repo) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}")
    repo.git("bisect", "start", "HEAD", "HEAD~3")
    assert state(repo) == [f"Detached at {repo.oid()[:8]}", "Bisecting, started from main"]
    repo.git("bisect", "reset")
    assert state(repo) == ["On branch main"]


def test_a_rebase_in_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "w"), "side")
    tree = Repo(tmp_path / "w")
    tree.git("rebase", "main", check=False)
    assert state(tree)[1] == f"Rebasing side onto {repo.oid('main')[:8]}, step 1 of 1"
    assert state(repo) == ["On branch main"]
