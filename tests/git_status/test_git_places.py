"""Where a repository lies, and what lies around it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from support.git_repos import NOTHING, Asked, Repo, lines, section

from context_common.errors import SourceUnavailableError
from context_common.provider import Level

if TYPE_CHECKING:
    from pathlib import Path

BARE = "This is a bare repository: it has no work tree to report on."


def test_no_repository_is_no_section_and_no_error(tmp_path: Path) -> None:
    asked = Asked.about(tmp_path)
    assert asked.fire() == ""
    assert asked.ladder == ()
    assert all(level < Level.WARN for level, _message in asked.log)


def test_bare(repo: Repo, tmp_path: Path) -> None:
    """Branch and commits alone, from anywhere inside."""
    bare = repo.clone(tmp_path / "b.git", "--bare")
    expected = f"On branch main\n{BARE}\nRecent commits:\n  {repo.oid()[:8]} First"
    assert section(bare) == expected
    assert section(bare.path / "refs/heads") == expected
    assert section(bare, show=("state",)) == f"On branch main\n{BARE}"


def test_a_bare_repository_that_moves_on(repo: Repo, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "b.git", "--bare")
    asked = Asked.about(bare)
    asked.fire()
    repo.commit("Second")
    repo.git("push", "--quiet", str(bare.path), "main:refs/heads/topic")
    bare.git("symbolic-ref", "HEAD", "refs/heads/topic")
    shown = asked.fire()
    assert shown.startswith("On branch topic\n")
    assert shown.endswith(" Second\n  " + repo.oid("HEAD~")[:8] + " First")
    assert len(asked.commands) == 2


def test_a_bare_repository_without_commits(tmp_path: Path) -> None:
    assert section(Repo.init(tmp_path / "b.git", "--bare")) == f"On branch main\n{BARE}"


def test_a_bare_repository_beside_its_worktrees(repo: Repo) -> None:
    repo.git("config", "core.bare", "true")
    assert section(repo) == f"On branch main\n{BARE}\nRecent commits:\n  {repo.oid()[:8]} First"


def test_inside_a_git_directory(repo: Repo) -> None:
    assert section(repo.path / ".git" / "hooks") == "This is inside a git directory, not in a work tree."


def test_a_subdirectory_is_named_and_paths_start_at_the_root(repo: Repo) -> None:
    repo.write("src/api/new")
    repo.write("top")
    shown = section(repo.path / "src" / "api").splitlines()
    assert shown[0] == "Read for this call; paths start at the repository root. The working directory is src/api/."
    assert shown[-4:-2] == ["  src/", "  top"]


def test_a_linked_worktree_has_a_state_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.conflict()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "w"), "-b", "topic", "side")
    tree = Repo(tmp_path / "w")
    tree.git("merge", "main", check=False)
    assert lines(tree)[:6] == [
        "On branch topic",
        f"Merging {repo.oid('main')[:8]}",
        "No upstream",
        "Conflicts:",
        "  both modified file.txt",
        "1 conflict",
    ]
    assert lines(repo)[2] == NOTHING


def test_a_worktree_of_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "b.git", "--bare")
    bare.git("worktree", "add", "--quiet", str(tmp_path / "w"), "main")
    assert lines(tmp_path / "w")[2] == NOTHING


def test_a_worktree_whose_repository_is_gone(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "w"))
    shutil.rmtree(repo.path)
    assert section(tmp_path / "w").startswith(
        "The .git file here does not lead to a repository: not a git repository: "
    )


def test_a_git_file_that_points_nowhere_at_all(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gibberish\n")
    assert section(tmp_path).startswith("The .git file here does not lead to a repository: invalid gitfile format")


def test_intent_to_add_and_a_rename_in_the_work_tree(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"old": "a text that is long enough to be recognised\n" * 5, "b": "1"})
    (tmp_path / "old").rename(tmp_path / "new name")
    repo.write("later", "1\n")
    repo.git("add", "--intent-to-add", "new name", "later")
    assert lines(repo)[2:6] == [
        "2 unstaged",
        "Unstaged:",
        "  A (intent to add) +1 -0 later",
        '  R +0 -0 old -> "new name"',
    ]


def test_a_lone_change_in_the_work_tree_keeps_its_side_and_its_name(repo: Repo) -> None:
    """Its first column is blank; a reader that strips shows it as staged, a letter short."""
    repo.write("file.txt", "two\n")
    assert lines(repo)[2:5] == ["1 unstaged", "Unstaged:", "  M +1 -1 file.txt"]


def test_a_working_directory_that_was_deleted(repo: Repo) -> None:
    gone = repo.path / "gone"
    gone.mkdir()
    asked = Asked.about(gone)
    assert asked.fire() != ""
    gone.rmdir()
    assert asked.fire() == ""
    assert asked.fire() == ""


def test_a_declared_repository_that_is_deleted(repo: Repo, tmp_path: Path) -> None:
    """The session that saw it is told; a session that never did gets an error."""
    asked = Asked.about(tmp_path, repository=str(repo.path))
    assert "On branch main" in asked.fire()
    shutil.rmtree(repo.path)
    assert asked.fire() == "The directory does not exist or cannot be entered."
    with pytest.raises(SourceUnavailableError, match="cannot be entered"):
        asked.fire(session="new")


def test_a_work_tree_that_is_elsewhere_is_not_listed(repo: Repo, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "password").touch()
    repo.git("config", "core.worktree", str(secrets))
    shown = section(repo)
    assert shown.startswith("This repository's configuration puts its work tree elsewhere (core.worktree)")
    assert "password" not in shown


@pytest.mark.parametrize("place", ["..", "../..", "/"])
def test_a_work_tree_that_reaches_above_its_repository_is_not_listed(tmp_path: Path, place: str) -> None:
    """Although the working directory lies in it."""
    repo = Repo.with_commit(tmp_path / "above" / "r")
    (tmp_path / "above" / "secret").touch()
    repo.git("config", "core.worktree", place if place == "/" else f"../{place}")
    shown = section(repo)
    assert shown.startswith("This repository's configuration puts its work tree elsewhere (core.worktree)")
    assert "secret" not in shown


def test_a_git_directory_elsewhere_is_fine(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "r", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    repo.commit("First")
    assert NOTHING in lines(repo)


def test_a_git_directory_behind_a_link_is_fine(repo: Repo, tmp_path: Path) -> None:
    (repo.path / ".git").rename(tmp_path / "real")
    (repo.path / ".git").symlink_to(tmp_path / "real")
    assert NOTHING in lines(repo)


@pytest.mark.parametrize("place", [b"real", b"real ", b"real\0/nowhere"])
def test_a_git_file_is_read_as_git_reads_it(repo: Repo, tmp_path: Path, place: bytes) -> None:
    """With blanks that belong to the path, and up to a NUL."""
    (repo.path / ".git").rename(tmp_path / place.partition(b"\0")[0].decode())
    repo.write(".git", b"gitdir: ../" + place + b"\n")
    assert NOTHING in lines(repo)


def test_an_empty_git_directory_on_the_way_up_is_no_repository(repo: Repo) -> None:
    (repo.path / "sub" / ".git").mkdir(parents=True)
    assert lines(repo.path / "sub")[0] == "On branch main"


def test_a_repository_at_home_is_no_projects(home: Path) -> None:
    """A dotfiles repository is not climbed into; asked for itself, it answers."""
    Repo.with_commit(home)
    (home / "project").mkdir()
    assert section(home / "project") == ""
    assert "On branch main" in section(home)
    assert "On branch main" in section(home / "project", repository=str(home))


def test_an_inherited_git_dir_changes_nothing(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Repo.with_commit(tmp_path / "other")
    other.git("switch", "--quiet", "--create", "wrong")
    before = section(repo)
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    assert section(repo) == before


def test_a_directory_that_a_link_leads_to(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/new")
    (tmp_path / "link").symlink_to(repo.path / "src")
    assert section(tmp_path / "link").splitlines()[0].endswith("The working directory is src/.")


def test_a_root_with_a_line_feed_in_its_name(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path / "a\nb")
    assert lines(repo)[2] == NOTHING
    assert lines(repo.path)[0] == "On branch main"


def test_a_repository_that_is_replaced_is_read_anew(repo: Repo) -> None:
    asked = Asked.about(repo)
    asked.fire()
    shutil.rmtree(repo.path / ".git")
    assert asked.fire() == ""
    Repo.init(repo.path)
    assert "which has no commits yet" in asked.fire()


def test_a_repository_that_appears_in_between_is_the_one_that_counts(repo: Repo) -> None:
    inner = repo.path / "a" / "b"
    inner.mkdir(parents=True)
    asked = Asked.about(inner)
    assert "On branch main\n" in asked.fire()
    Repo.init(repo.path / "a")
    assert "which has no commits yet" in asked.fire()
