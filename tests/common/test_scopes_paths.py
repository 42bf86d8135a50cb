"""Roots, chains and names, on real directories."""

import os
import subprocess
from pathlib import Path

import pytest

from context_common.scopes import below, chain, common_git_dir, find_root, home, is_inside, is_wide, locate, names_in


@pytest.fixture
def top(tmp_path, monkeypatch):
    """A home directory with a repository in it."""
    folder = tmp_path / "home"
    (folder / "repo" / "src" / "api").mkdir(parents=True)
    (folder / "repo" / ".git").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def git(*arguments, cwd):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


def test_the_root_is_the_nearest_directory_with_a_marker(top):
    assert find_root(top / "repo" / "src" / "api") == top / "repo"
    assert find_root(top / "repo") == top / "repo"


def test_a_git_file_marks_a_root_as_well_as_a_directory(top):
    (top / "repo" / "src" / ".git").write_text("gitdir: elsewhere\n")
    assert find_root(top / "repo" / "src" / "api") == top / "repo" / "src"


def test_other_markers_can_be_asked_for(top):
    (top / "repo" / "src" / "package.json").write_text("{}")
    assert find_root(top / "repo" / "src" / "api", (".hg", "package.json")) == top / "repo" / "src"


def test_without_a_marker_there_is_no_root(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/nowhere")
    assert find_root(tmp_path, ("no-such-marker",)) is None


def test_a_dotfiles_repository_in_the_home_directory_is_a_root_only_when_asked_for(top):
    (top / ".git").mkdir()
    (top / "notes").mkdir()
    assert find_root(top / "notes") is None
    assert find_root(top) is None
    assert find_root(top / "notes", wide=True) == top


def test_the_home_directory_and_those_above_it_are_wide(top):
    assert is_wide(top)
    assert is_wide(top.parent)
    assert is_wide(Path("/"))
    assert not is_wide(top / "repo")


def test_a_process_without_a_home_has_the_root_directory_for_it(monkeypatch):
    def unknown():
        raise RuntimeError

    monkeypatch.setattr(Path, "home", unknown)
    assert home() == Path("/")


def test_a_link_to_a_directory_of_the_repository_leads_to_its_root(top, tmp_path):
    (tmp_path / "link").symlink_to(top / "repo" / "src")
    assert find_root(tmp_path / "link") == top / "repo"


def test_a_chain_runs_from_the_root_down_with_both_ends(top):
    repo = top / "repo"
    assert chain(repo, repo / "src" / "api") == (repo, repo / "src", repo / "src" / "api")
    assert chain(repo, repo) == (repo,)


def test_a_chain_to_a_directory_that_is_not_there_holds_it_all_the_same(top):
    repo = top / "repo"
    assert chain(repo, repo / "new" / "pkg") == (repo, repo / "new", repo / "new" / "pkg")


def test_there_is_no_chain_to_a_directory_outside(top):
    assert chain(top / "repo", top) == ()
    assert chain(top / "repo", top / "repo-two") == ()


def test_inside_is_a_matter_of_components_and_of_where_links_lead(top):
    (top / "repo-two").mkdir()
    (top / "repo" / "out").symlink_to(top / "repo-two")
    assert is_inside(top / "repo" / "src", top / "repo")
    assert is_inside(top / "repo", top / "repo")
    assert not is_inside(top / "repo-two", top / "repo")
    assert not is_inside(top / "repo" / "out", top / "repo")


def test_a_path_is_located_from_its_base_with_links_resolved(top):
    (top / "link").symlink_to("repo")
    assert locate("link/src/new.ts", top) == top / "repo" / "src" / "new.ts"
    assert locate(str(top / "repo"), Path("/nowhere")) == top / "repo"
    assert locate("nul\0", top) is None
    assert locate("a/" * 1_000, top) is None
    assert locate("a" * 5_000, top) is None


def test_a_path_has_a_name_as_given_and_one_with_links_resolved(top):
    repo = top / "repo"
    (repo / "lib").mkdir()
    (repo / "src" / "shared").symlink_to("../lib")
    assert names_in(repo, "src/shared/x.ts", repo) == ("src/shared/x.ts", "lib/x.ts")
    assert names_in(repo, "src/x.ts", repo) == ("src/x.ts",)


def test_a_path_that_reaches_the_root_through_a_link_has_the_same_name(top):
    (top / "link").symlink_to("repo")
    assert names_in(top / "repo", str(top / "link" / "src" / "x.ts"), top) == ("src/x.ts",)
    assert names_in(top / "link", "src/x.ts", top / "link") == ("src/x.ts",)


def test_a_path_outside_has_no_name_in_the_root(top):
    assert names_in(top / "repo", "../other/x.ts", top / "repo") == ()
    assert names_in(top / "repo", "nul\0", top / "repo") == ()


def test_worktree_and_main_checkout_share_their_git_directory(top):
    main, work = top / "main", top / "main" / ".claude" / "worktrees" / "w"
    main.mkdir()
    git("init", "-q", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "start", cwd=main)
    git("worktree", "add", "-q", str(work), cwd=main)
    assert common_git_dir(work) == common_git_dir(main) == main / ".git"
    assert find_root(work) == work


def test_without_usable_git_metadata_there_is_no_common_directory(top):
    assert common_git_dir(top / "repo" / "src") is None
    (top / "repo" / "src" / ".git").write_bytes(b"x" * 10_000)
    assert common_git_dir(top / "repo" / "src") is None


@pytest.mark.parametrize(
    "pointer",
    ["gitdir: a\0b", "gitdir: /proc/self", "gitdir: //host/share", "gitdir: " + "a/" * 1_000, "gitdir:", "\0"],
)
def test_a_git_file_may_say_anything(top, pointer):
    """CWE-20: a repository writes its `.git` file itself."""
    (top / "repo" / "src" / ".git").write_text(pointer)
    assert common_git_dir(top / "repo" / "src") is None


def test_a_commondir_that_names_nothing_leaves_the_git_directory(top):
    (top / "repo" / ".git" / "commondir").write_text("a\0b")
    (top / "repo" / "src" / ".git").write_text("gitdir: ../.git")
    assert common_git_dir(top / "repo" / "src") == top / "repo" / ".git"


def test_the_names_of_a_deep_path_take_its_depth_and_not_that_squared(top, monkeypatch):
    """CWE-400: each parent is looked at once."""
    deep = "/".join(["d"] * 200)
    (top / "repo" / deep).mkdir(parents=True)
    assert names_in(top / "repo", f"{deep}/x", top / "repo") == (f"{deep}/x",)
    looked, honest = [], os.lstat
    monkeypatch.setattr(os, "lstat", lambda path, **options: (looked.append(path), honest(path, **options))[1])
    names_in(top / "repo", f"{deep}/x", top / "repo")
    assert len(looked) < 3 * 220


def test_a_home_directory_that_is_not_absolute_is_none(top, monkeypatch):
    monkeypatch.chdir(top / "repo")
    monkeypatch.setenv("HOME", "src")
    assert home() == Path("/")
    assert find_root(top / "repo" / "src") == top / "repo"


@pytest.mark.parametrize(
    ("path", "directory", "expected"),
    [
        ("/a/b/c", "/a", ("b", "c")),
        ("/a", "/a", ()),
        ("/a", "/", ("a",)),
        ("/ab", "/a", None),
        ("/a", "/a/b", None),
    ],
)
def test_what_lies_below_a_directory_is_told_by_whole_components(path, directory, expected):
    assert below(Path(path), Path(directory)) == expected
