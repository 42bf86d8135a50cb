"""Odd repositories, every one made with git."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Asked, Repo, lines, section

from context_common.errors import SourceUnavailableError
from context_common.provider import Level

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING = "Nothing staged, modified or untracked"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.with_commit(tmp_path / "r")


def clone(source: Repo, path: Path, *options: str) -> Repo:
    source.git("clone", "--quiet", *options, source.path.as_uri(), str(path))
    return Repo(path)


def test_no_repository_is_no_section_and_no_error(tmp_path: Path) -> None:
    asked = Asked.about(tmp_path)
    assert asked.fire() == ""
    assert asked.ladder == ()
    assert all(level < Level.WARN for level, _message in asked.log)


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
    other = clone(repo, tmp_path / "c")
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


BARE = "This is a bare repository: it has no work tree to report on."


def test_bare(repo: Repo, tmp_path: Path) -> None:
    """Branch and commits alone, from anywhere inside."""
    bare = clone(repo, tmp_path / "b.git", "--bare")
    expected = f"On branch main\n{BARE}\nRecent commits:\n  {repo.oid()[:8]} First"
    assert section(bare) == expected
    assert section(bare.path / "refs/heads") == expected
    assert section(bare, show=("state",)) == f"On branch main\n{BARE}"


def test_a_bare_repository_that_moves_on(repo: Repo, tmp_path: Path) -> None:
    bare = clone(repo, tmp_path / "b.git", "--bare")
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
    bare = clone(repo, tmp_path / "b.git", "--bare")
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


def test_shallow(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}")
    other = clone(repo, tmp_path / "c", "--depth=1")
    repo.commit("One more")
    other.git("fetch", "--quiet", "--depth=1")
    shown = lines(other)
    assert shown[1] == "Upstream origin/main: 1 ahead, 1 behind (a guess: the clone is shallow)"
    other.git("fetch", "--quiet", "--unshallow")
    assert lines(other)[1] == "Upstream origin/main: 1 behind"


def test_sparse(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"in/a": "1", "out/b": "1"})
    repo.git("sparse-checkout", "set", "in")
    assert not (tmp_path / "out").exists()
    assert lines(repo)[2:4] == [NOTHING, "Sparse checkout: tracked files outside it are absent on purpose."]


def test_a_sparse_index(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"in/a": "1", "out/b": "1"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.write("in/a", "2")
    assert "  M +1 -1 in/a" in lines(repo)


def test_a_split_index(repo: Repo) -> None:
    repo.git("update-index", "--split-index")
    repo.write("file.txt", "two\n")
    assert "  M +1 -1 file.txt" in lines(repo)


def test_an_index_without_a_checksum(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    repo.git("config", "index.skipHash", "true")
    repo.commit("First", {"a": "1\n"})
    repo.write("a", "2\n")
    assert "  M +1 -1 a" in lines(repo)


def test_sha256(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path, "--object-format=sha256")
    repo.write("a", "1\n")
    repo.git("add", "a")
    assert "  A +1 -0 a" in lines(repo)
    repo.commit("First")
    repo.write("a", "2\n")
    repo.git("add", "a")
    shown = lines(repo)
    assert "  M +1 -1 a" in shown
    assert shown[-1] == f"  {repo.oid()[:8]} First"


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


def test_a_rename_in_the_index(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"old": "a text that is long enough to be recognised\n" * 5})
    repo.git("mv", "old", "new")
    repo.write("new", "a text that is long enough to be recognised\n" * 5 + "more\n")
    repo.git("add", "new")
    assert "  R +1 -0 old -> new" in lines(repo)


def test_all_seven_kinds_of_conflict(tmp_path: Path) -> None:
    """Written into the index stage by stage: base, ours, theirs."""
    repo = Repo.with_commit(tmp_path, {"seed": "1"})
    blob = repo.oid("HEAD:seed")
    stages = {"dd": "1", "au": "2", "ud": "12", "ua": "3", "du": "13", "aa": "23", "uu": "123"}
    feed = "".join(f"100644 {blob} {stage}\t{name}\n" for name, kinds in stages.items() for stage in kinds)
    (tmp_path.parent / "feed").write_text(feed)
    with (tmp_path.parent / "feed").open() as source:
        subprocess.run(["git", "update-index", "--index-info"], cwd=tmp_path, stdin=source, check=True)
    assert lines(repo)[2:11] == [
        "Conflicts:",
        "  both added aa",
        "  added by us au",
        "  both deleted dd",
        "  deleted by us du",
        "  added by them ua",
        "  deleted by them ud",
        "  both modified uu",
        "7 conflicts",
    ]


def test_a_gone_upstream(repo: Repo, tmp_path: Path) -> None:
    other = clone(repo, tmp_path / "c")
    other.git("update-ref", "-d", "refs/remotes/origin/main")
    assert lines(other)[1] == "Upstream origin/main: gone"


def test_a_triangular_push_is_measured_against_its_upstream(repo: Repo, tmp_path: Path) -> None:
    other = clone(repo, tmp_path / "c")
    other.git("switch", "--quiet", "--create", "topic", "--track", "origin/main")
    other.git("config", "remote.pushDefault", "fork")
    other.commit("Mine")
    assert lines(other)[:2] == ["On branch topic; the main branch is main", "Upstream origin/main: 1 ahead"]


def test_the_main_branch_keeps_its_slashes(repo: Repo, tmp_path: Path) -> None:
    repo.git("branch", "--move", "release/1.0")
    other = clone(repo, tmp_path / "c")
    other.git("switch", "--quiet", "--create", "topic")
    assert lines(other)[0] == "On branch topic; the main branch is release/1.0"


def test_the_main_branch_is_not_guessed(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "topic")
    assert lines(repo)[0] == "On branch topic"


def test_no_url_and_no_address_is_shown(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "https://user:token@host.example/r")
    repo.git("config", "branch.main.remote", "https://user:token@host.example/r")
    repo.git("config", "branch.main.merge", "refs/heads/main")
    shown = section(repo)
    assert "token" not in shown
    assert "example" not in shown


def test_stashes_are_counted(repo: Repo) -> None:
    for content in ("one", "two"):
        repo.write("file.txt", content)
        repo.git("stash")
    assert "Stashes: 2" in lines(repo)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("文件", "文件"),
        (b"caf\xe9", r"caf\xe9"),
        ("a\nOn branch forged", r'"a\nOn branch forged"'),
        ("tab\there", r"tab\there"),
        ("\x1b[31mred", r"\x1b[31mred"),
        (" leading", '" leading"'),
        ("trailing ", '"trailing "'),
        ("a -> b", '"a -> b"'),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("-option", "-option"),
        (":(glob)*", ":(glob)*"),
    ],
)
def test_hostile_file_names(repo: Repo, name: str | bytes, shown: str) -> None:
    """Untracked, staged and changed; line counts are found by the exact name."""
    repo.write(name, "1\n")
    assert f"  {shown}" in lines(repo)
    repo.git("add", "--all")
    assert f"  A +1 -0 {shown}" in lines(repo)
    repo.git("commit", "--quiet", "--message", "x")
    repo.write(name, "2\n")
    assert f"  M +1 -1 {shown}" in lines(repo)


def test_a_lone_change_in_the_work_tree_keeps_its_side_and_its_name(repo: Repo) -> None:
    """Its first column is blank; a reader that strips shows it as staged, a letter short."""
    repo.write("file.txt", "two\n")
    assert lines(repo)[2:5] == ["1 unstaged", "Unstaged:", "  M +1 -1 file.txt"]


def test_a_subject_of_two_hundred_thousand_bytes(repo: Repo) -> None:
    (repo.path.parent / "message").write_text("x" * 200_001)
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    assert lines(repo)[-2] == f"  {repo.oid()[:8]} {'x' * 79}…"


def test_a_subject_of_two_hundred_thousand_characters_without_width(repo: Repo) -> None:
    """Git measures columns, so its own cut does not help here; the other commits are still told."""
    (repo.path.parent / "message").write_text("y" + "\u0301" * 100_000)
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    shown = lines(repo)
    assert shown[-1].endswith(" First")
    assert len(shown[-2]) < 120


def test_a_subject_that_is_no_utf8(repo: Repo) -> None:
    (repo.path.parent / "message").write_bytes(b"\xe9\xff \x1b[31m\n\nbody")
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    shown = lines(repo)[-2]
    assert shown.isprintable()
    assert shown.endswith(r" \x1b[31m")


def test_a_subject_in_another_encoding(repo: Repo) -> None:
    (repo.path.parent / "message").write_bytes(b"caf\xe9")
    options = ("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "--allow-empty")
    repo.git(*options, "--file", str(repo.path.parent / "message"))
    assert lines(repo)[-2].endswith(" café")


def test_recent_commits_are_as_many_as_asked_for(repo: Repo) -> None:
    for number in range(6):
        repo.commit(f"Commit {number}")
    assert len(lines(repo)) - lines(repo).index("Recent commits:") - 1 == 5
    shown = lines(repo, recent_commits=2)
    assert [line.split(" ", 3)[3] for line in shown[shown.index("Recent commits:") + 1 :]] == ["Commit 5", "Commit 4"]


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


def test_dubious_ownership_names_the_path(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that takes the repository for somebody else's, as it does where the owner differs."""
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
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


def test_a_git_that_is_too_old_leaves_the_branch(repo: Repo, instead: Callable[[str], None]) -> None:
    instead("*--show-scope*) echo 'error: unknown option `show-scope' >&2; exit 129;;")
    assert section(repo) == (
        "On branch main\nThe git on PATH is too old (2.35 or newer is needed), so nothing but the branch is known."
    )


def test_a_git_that_crashes_says_so(repo: Repo, instead: Callable[[str], None]) -> None:
    instead("*porcelain*) kill -SEGV $$;;")
    assert lines(repo)[0] == "git ended abnormally: signal 11"


def test_where_refs_are_kept_in_tables_git_is_asked_for_them(repo: Repo, instead: Callable[[str], None]) -> None:
    """This git knows no such format, so its answers are written here as the newer one gives them."""
    oid = repo.oid()
    instead(
        r"*get-regexp*) printf 'local\0file:.git/config\0extensions.refstorage\nreftable\0'; exit;; "
        f"*for-each-ref*) printf '%s\\n' 'CHERRY_PICK_HEAD {oid} ' "
        f"'refs/remotes/origin/HEAD {oid} refs/remotes/origin/trunk'; exit;;"
    )
    repo.write("file.txt", "2\n")
    asked = Asked.about(repo)
    shown = asked.fire().splitlines()
    assert shown[1:3] == ["On branch main; the main branch is trunk", f"Cherry-picking {oid[:8]}"]
    assert len(asked.commands) <= 6
    time.sleep(0.02)
    asked.fire()
    asked.fire()
    assert asked.verbs == ["status"]


def test_untracked_files_that_the_repository_hides_stay_hidden(repo: Repo) -> None:
    repo.write("new")
    repo.git("config", "status.showUntrackedFiles", "no")
    assert lines(repo)[2:4] == [
        "Nothing staged or modified, untracked unknown",
        "Untracked files were not scanned: status.showUntrackedFiles=no.",
    ]


def test_untracked_as_configured(repo: Repo) -> None:
    repo.write("d/a")
    repo.write("d/b")
    assert lines(repo)[3:5] == ["Untracked:", "  d/"]
    assert lines(repo, untracked="all")[3:6] == ["Untracked:", "  d/a", "  d/b"]
    assert lines(repo, untracked="no")[3] == 'Untracked files were not scanned: untracked = "no".'


def test_settings_that_reach_the_output_of_git_status_change_nothing(repo: Repo) -> None:
    repo.write("new")
    repo.write("file.txt", "two\n")
    before = section(repo)
    for setting in (
        "color.ui=always", "color.status=always", "status.short=true", "status.branch=true", "status.showStash=true",
        "status.relativePaths=false", "status.aheadBehind=false", "status.submoduleSummary=true", "column.ui=always",
        "core.quotePath=true", "core.abbrev=4", "log.decorate=full", "log.date=relative", "format.pretty=raw",
        "diff.noprefix=true", "diff.relative=true", "log.follow=true", "i18n.logOutputEncoding=UTF-16",
        "alias.status=!exit 7", "core.pager=exit 7", "status.renames=false",
    ):  # fmt: skip
        repo.git("config", *setting.split("=", 1))
    assert section(repo) == before


def test_five_thousand_untracked_files_are_counted_and_not_listed(repo: Repo) -> None:
    repo.write("d/.keep")
    repo.commit("Keep")
    for number in range(5000):
        (repo.path / "d" / str(number)).touch()
    assert lines(repo)[2:5] == ["5,000 untracked", "Untracked:", "  5,000 in d/"]


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
