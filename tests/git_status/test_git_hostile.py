"""Hostile repositories: programs that a repository would run, and files that hang a reader.

Every test of a program shows first that the plain command does run it.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Asked, Repo, lines, section
from support.patience import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TIMES = count(1)
HELD = 0.3
"""Seconds by which the time limit may be exceeded."""
TEXT = "a line that git can recognise again\n" * 20


@dataclass(frozen=True)
class Trap:
    """A program that leaves a mark when it is run, and passes on what it reads."""

    program: Path
    mark: Path

    @classmethod
    def at(cls, directory: Path, then: str = "exec cat") -> Trap:
        directory.mkdir(exist_ok=True)
        trap = cls(directory / "program", directory / "mark")
        trap.program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{trap.mark}'\n{then}\n")
        trap.program.chmod(0o755)
        return trap

    def sprung(self) -> bool:
        """Whether it was run since this was last asked."""
        found = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return found


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap.at(tmp_path / "trap")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Something staged, something changed, so that every command has work to do."""
    repo = Repo.with_commit(tmp_path / "r", {"a.txt": "1\n", "b.txt": "1\n"})
    repo.write("b.txt", "2\n")
    repo.git("add", "b.txt")
    touch(repo)
    return repo


def touch(repo: Repo) -> None:
    """Make the files differ in time only, so that git must look into them."""
    for name in ("a.txt", "b.txt"):
        os.utime(repo.path / name, (1, next(_TIMES)))


def test_fsmonitor(repo: Repo, trap: Trap) -> None:
    repo.git("config", "core.fsmonitor", str(trap.program))
    trap.sprung()
    repo.git("status")
    assert trap.sprung()
    section(repo)
    assert not trap.sprung()


def test_a_hook_after_the_index_changes(repo: Repo, trap: Trap) -> None:
    hook = repo.git_dir / "hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(trap.program, hook)
    repo.git("status")
    assert trap.sprung()
    touch(repo)
    section(repo)
    assert not trap.sprung()


def test_hooks_in_a_directory_of_the_repositorys_choice(repo: Repo, trap: Trap) -> None:
    shutil.copy(trap.program, trap.program.with_name("post-index-change"))
    repo.git("config", "core.hooksPath", str(trap.program.parent))
    repo.git("status")
    assert trap.sprung()
    touch(repo)
    section(repo)
    assert not trap.sprung()


@pytest.mark.parametrize("attributes", [".gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize("driver", ["evil", "a=b", "with.dots", "Grüße", 'quo"te'])
@pytest.mark.parametrize("variables", [("clean",), ("process",), ("clean", "required"), ("process", "required")])
def test_filters(repo: Repo, trap: Trap, attributes: str, driver: str, variables: tuple[str, ...]) -> None:
    """Wherever the attribute stands, whatever the driver is called, required or not."""
    repo.write(attributes, f"*.txt filter={driver}\n")
    for variable in variables:
        repo.git("config", f"filter.{driver}.{variable}", "true" if variable == "required" else str(trap.program))
    repo.git("status", check=False)
    assert trap.sprung()
    assert "1 staged" in section(repo)
    assert not trap.sprung()


@pytest.mark.parametrize("driver", ["evil", "a=b"])
def test_filters_that_a_file_included_by_the_repository_defines(repo: Repo, trap: Trap, driver: str) -> None:
    repo.write(".gitattributes", f"*.txt filter={driver}\n")
    repo.write(".git/extra", f'[filter "{driver}"]\n\tclean = {trap.program}\n')
    repo.git("config", "include.path", "extra")
    repo.git("status")
    assert trap.sprung()
    section(repo)
    assert not trap.sprung()


def test_filters_in_a_worktrees_own_configuration(repo: Repo, trap: Trap) -> None:
    repo.write(".gitattributes", "*.txt filter=evil\n")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "filter.evil.clean", str(trap.program))
    repo.git("status")
    assert trap.sprung()
    section(repo)
    assert not trap.sprung()


def test_filters_that_appear_between_two_firings(repo: Repo, trap: Trap) -> None:
    """Written by an agent, into the configuration, an included file, or one included on a branch only."""
    repo.write(".gitattributes", "*.txt filter=one filter=two\n")
    repo.git("config", "include.path", "not-there-yet")
    repo.git("config", "includeIf.onbranch:topic.path", "on-topic")
    repo.write(".git/on-topic", f'[filter "three"]\n\tclean = {trap.program}\n')
    asked = Asked.about(repo)
    asked.fire()
    steps = (
        lambda: repo.git("config", "filter.one.clean", str(trap.program)),
        lambda: repo.write(".git/not-there-yet", f'[filter "two"]\n\tclean = {trap.program}\n'),
        lambda: repo.git("symbolic-ref", "HEAD", "refs/heads/topic"),
    )
    for step, name in zip(steps, ("one", "two", "three"), strict=True):
        step()
        repo.write(".gitattributes", f"*.txt filter={name}\n")
        touch(repo)
        repo.git("status")
        assert trap.sprung()
        touch(repo)
        asked.fire()
        assert not trap.sprung()


def test_filters_that_are_included_on_a_branch_that_head_reaches_by_another(repo: Repo, trap: Trap) -> None:
    """A branch can be a symbolic ref, which is written anew while HEAD stays what it is."""
    repo.write(".gitattributes", "*.txt filter=evil\n")
    repo.write(".git/on-topic", f'[filter "evil"]\n\tclean = {trap.program}\n')
    repo.git("config", "includeIf.onbranch:topic.path", "on-topic")
    repo.git("branch", "topic")
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    time.sleep(0.02)
    asked = Asked.about(repo)
    asked.fire()
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/topic")
    touch(repo)
    repo.git("status")
    assert trap.sprung()
    touch(repo)
    asked.fire()
    assert not trap.sprung()


@pytest.mark.parametrize("by_link", [False, True])
@pytest.mark.parametrize("pointer", [".git", ".git/commondir"])
def test_filters_of_a_git_directory_that_is_put_in_place_of_another(
    repo: Repo, trap: Trap, tmp_path: Path, pointer: str, by_link: bool
) -> None:
    """By a file that points to it and keeps its size and time, or by a link on the way."""
    repo.write(".gitattributes", "*.txt filter=evil\n")
    (repo.path / ".git").rename(tmp_path / "good")
    shutil.copytree(tmp_path / "good", tmp_path / "evil")
    with (tmp_path / "evil" / "config").open("a") as config:
        config.write(f'[filter "evil"]\n\tclean = {trap.program}\n')
    if pointer != ".git":
        shutil.copytree(tmp_path / "good", repo.path / ".git")
    opening = "gitdir: " if pointer == ".git" else ""
    way = tmp_path / "link" if by_link else repo.path / pointer

    def point_to(name: str) -> None:
        if by_link:
            way.unlink(missing_ok=True)
            way.symlink_to(tmp_path / name)
        else:
            way.write_text(f"{opening}{tmp_path}/{name}\n")
            os.utime(way, (1, 1))

    if by_link:
        repo.write(pointer, f"{opening}{way}\n")
    point_to("good")
    time.sleep(0.02)
    asked = Asked.about(repo)
    asked.fire()
    point_to("evil")
    touch(repo)
    repo.git("status")
    assert trap.sprung()
    touch(repo)
    assert "1 staged" in asked.fire()
    assert not trap.sprung()


def test_filters_and_monitors_of_a_submodules_own(repo: Repo, trap: Trap, tmp_path: Path) -> None:
    outer = Repo.with_commit(tmp_path / "outer")
    repo.git("commit", "--quiet", "--message", "b")
    outer.git("submodule", "--quiet", "add", repo.path.as_uri(), "inner")
    outer.commit("Add")
    inner = Repo(outer.path / "inner")
    inner.write(".gitattributes", "*.txt filter=evil\n")
    inner.git("config", "filter.evil.clean", str(trap.program))
    inner.git("config", "core.fsmonitor", str(trap.program))
    touch(inner)
    trap.sprung()
    outer.git("status")
    assert trap.sprung()
    touch(inner)
    section(outer)
    assert not trap.sprung()


@pytest.mark.parametrize("key", ["diff.external", "diff.evil.command", "diff.evil.textconv"])
def test_programs_that_show_differences(repo: Repo, trap: Trap, key: str) -> None:
    repo.write("a.txt", "2\n")
    repo.write(".gitattributes", "*.txt diff=evil\n")
    repo.git("config", key, str(trap.program))
    repo.git("diff")
    assert trap.sprung()
    assert "  M +1 -1 a.txt" in section(repo)
    assert not trap.sprung()


def test_a_signature_is_not_checked(repo: Repo, trap: Trap) -> None:
    """A commit that carries a signature, and a configuration that asks for it to be shown."""
    body = repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n\n", 1
    )
    signed = repo.git("hash-object", "-t", "commit", "-w", str(repo.write("../commit", body))).strip()
    repo.git("update-ref", "HEAD", signed)
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "gpg.program", str(trap.program))
    repo.git("log", "--format=%H")
    assert trap.sprung()
    assert f"  {signed[:8]} First" in section(repo)
    assert not trap.sprung()


@pytest.fixture
def partial(tmp_path: Path, trap: Trap) -> Repo:
    """A clone without its files' contents, that would have to fetch them to recognise a rename."""
    source = Repo.with_commit(tmp_path / "source", {"big1": TEXT, "big2": TEXT.replace("line", "word")})
    source.git("config", "uploadpack.allowFilter", "true")
    source.git("config", "uploadpack.allowAnySHA1InWant", "true")
    source.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", source.path.as_uri(), str(tmp_path / "pc"))
    repo = Repo(tmp_path / "pc")
    fetch = Trap.at(trap.program.parent, then='exec git-upload-pack "$@"')
    repo.git("config", "remote.origin.uploadpack", str(fetch.program))
    repo.git("sparse-checkout", "set", "--no-cone", "nothing")
    repo.git("read-tree", "HEAD")
    repo.git("rm", "--quiet", "--cached", "--sparse", "big1")
    repo.write("newf", TEXT + "one more\n")
    repo.git("add", "--sparse", "newf")
    return repo


def copied(repo: Repo, path: Path) -> Repo:
    shutil.copytree(repo.path, path)
    return Repo(path)


def test_nothing_is_fetched(partial: Repo, trap: Trap, tmp_path: Path) -> None:
    """Neither by the status, nor to count lines; and the status is there all the same."""
    control = copied(partial, tmp_path / "control")
    trap.sprung()
    control.git("status")
    assert trap.sprung()
    shown = lines(partial)
    assert not trap.sprung()
    assert shown[2].startswith("2 staged")
    assert "Partial clone: only exact renames are recognised." in shown
    assert shown[shown.index("Staged:") + 1 :][:2] == ["  D big1", "  A newf"]


def test_nothing_is_fetched_where_the_configuration_does_not_say_that_objects_are_missing(
    partial: Repo, trap: Trap
) -> None:
    """Then only git finds out, and a status without renames is what can be had."""
    partial.git("config", "--unset", "remote.origin.promisor")
    partial.git("config", "--unset-all", "extensions.partialClone", check=False)
    trap.sprung()
    asked = Asked.about(partial)
    shown = asked.fire().splitlines()
    assert not trap.sprung()
    assert shown[3].startswith("2 staged")
    assert "Objects are missing, so renames show as a deletion and an addition." in shown
    assert asked.verbs.count("status") == 2
    assert len(asked.commands) <= 6


def test_an_embedded_bare_repository_is_not_entered(repo: Repo, trap: Trap) -> None:
    """It comes with a clone, and its configuration runs a program wherever somebody looks from inside."""
    inner = repo.path / "vendor" / "x"
    Repo.init(inner, "--bare")
    Repo(inner).git("config", "--unset", "core.bare")
    Repo(inner).git("config", "core.worktree", "../..")
    Repo(inner).git("config", "core.fsmonitor", str(trap.program))
    trap.sprung()
    Repo(inner).git("status", check=False)
    assert trap.sprung()
    assert section(inner) == "This is a bare repository: it has no work tree to report on."
    assert not trap.sprung()


def test_a_bare_repository_that_stands_alone_runs_nothing(repo: Repo, trap: Trap, tmp_path: Path) -> None:
    """Its branch and commits are read although it is bare."""
    bare = tmp_path / "b.git"
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(bare))
    for key in ("core.fsmonitor", "gpg.program", "core.pager", "core.sshCommand", "diff.external", "filter.x.clean"):
        Repo(bare).git("config", key, str(trap.program))
    Repo(bare).git("config", "log.showSignature", "true")
    commit = Repo(bare).git("cat-file", "commit", "HEAD").split("\n\n", 1)
    signed = f"{commit[0]}\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n{commit[1]}"
    (tmp_path / "object").write_text(signed)
    oid = Repo(bare).git("hash-object", "-t", "commit", "-w", str(tmp_path / "object")).strip()
    Repo(bare).git("update-ref", "refs/heads/main", oid)
    trap.sprung()
    Repo(bare).git("log", "--format=%H")
    assert trap.sprung()
    assert section(bare).splitlines()[-1] == f"  {oid[:8]} First"
    assert not trap.sprung()


def test_somebody_elses_bare_repository_is_not_read(repo: Repo, tmp_path: Path, instead: Callable[[str], None]) -> None:
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "b.git"))
    instead("*) export GIT_TEST_ASSUME_DIFFERENT_OWNER=1;;")
    assert section(tmp_path / "b.git") == (
        "git refuses this repository because somebody else owns it (dubious ownership): "
        f"detected dubious ownership in repository at '{tmp_path}/b.git'"
    )


def test_aliases_pagers_and_editors(repo: Repo, trap: Trap) -> None:
    """Nothing runs them when the output is a pipe; they do run where they are asked for."""
    for key in ("alias.status", "alias.log"):
        repo.git("config", key, f"!{trap.program}")
    repo.git("config", "alias.mine", f"!{trap.program}")
    for key in ("core.pager", "core.editor", "pager.status", "pager.log"):
        repo.git("config", key, str(trap.program))
    repo.git("mine")
    assert trap.sprung()
    section(repo)
    assert not trap.sprung()


def test_a_git_in_the_work_tree_is_not_run(repo: Repo, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    """However PATH names it."""
    shutil.copy(trap.program, repo.path / "git")
    monkeypatch.chdir(repo.path)
    for entry in (str(repo.path), ".", ""):
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{entry}{os.pathsep}{os.environ['PATH']}")
            repo.git("--version")
            assert trap.sprung()
            assert "On branch main" in section(repo)
            assert not trap.sprung()


def test_more_filters_than_can_be_stopped_and_no_file_is_looked_at(repo: Repo, trap: Trap) -> None:
    repo.write(".gitattributes", "*.txt filter=f4999\n")
    with (repo.git_dir / "config").open("a") as config:
        config.writelines(f'[filter "f{number}"]\n\tclean = {trap.program}\n' for number in range(5000))
    repo.git("status")
    assert trap.sprung()
    assert "defines too many filters to switch off" in section(repo)
    assert not trap.sprung()


def test_trust_lets_filters_and_monitor_run(repo: Repo, trap: Trap) -> None:
    """What the operator asked for: files that need the filter are then seen as they are."""
    repo.write(".gitattributes", "*.txt filter=fine\n")
    repo.git("config", "filter.fine.clean", str(trap.program))
    section(repo, trust_repository_config=True)
    assert trap.sprung()
    repo.git("config", "--unset", "filter.fine.clean")
    repo.git("config", "core.fsmonitor", str(trap.program))
    section(repo, trust_repository_config=True)
    assert trap.sprung()


def test_a_filter_of_the_users_own_runs(repo: Repo, trap: Trap) -> None:
    """A program that the user installed for all repositories is no threat."""
    repo.write(".gitattributes", "*.txt filter=mine\n")
    repo.git("config", "--global", "filter.mine.clean", str(trap.program))
    assert "own filters" not in section(repo)
    assert trap.sprung()


def test_a_filter_of_the_users_own_runs_where_the_repository_has_one_of_that_name(
    repo: Repo, trap: Trap, tmp_path: Path
) -> None:
    """The user's program, not the repository's; and the new one where the user takes another."""
    repo.write(".gitattributes", "*.txt filter=mine\n")
    repo.git("config", "filter.mine.clean", str(trap.program))
    own, newer = Trap.at(tmp_path / "own"), Trap.at(tmp_path / "newer")
    asked = Asked.about(repo)
    for users in (own, newer):
        repo.git("config", "--global", "filter.mine.clean", str(users.program))
        touch(repo)
        asked.fire()
        assert users.sprung()
    assert not own.sprung()
    assert not trap.sprung()


def test_a_process_of_the_repositorys_does_not_become_the_users_filter(repo: Repo, trap: Trap, tmp_path: Path) -> None:
    """Where git would take the one for the other, neither runs, and the status is there all the same."""
    own = Trap.at(tmp_path / "own")
    repo.write(".gitattributes", "*.txt filter=mine\n")
    repo.git("config", "--global", "filter.mine.clean", str(own.program))
    repo.git("config", "--global", "filter.mine.required", "true")
    repo.git("config", "filter.mine.process", str(trap.program))
    repo.git("status", check=False)
    assert trap.sprung()
    touch(repo)
    assert "1 staged" in section(repo)
    assert not trap.sprung()


def test_a_filter_that_was_stopped_is_told(tmp_path: Path, trap: Trap) -> None:
    """A file that the filter would have made the same shows as modified, and the section says why that can be."""
    repo = Repo.init(tmp_path / "r")
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.write(".gitattributes", "*.up filter=upper\n")
    repo.commit("First", {"x.up": "text\n"})
    os.utime(repo.path / "x.up", (1, 1))
    assert repo.git("--no-optional-locks", "status", "--porcelain") == ""
    assert lines(repo)[2:6] == [
        "1 unstaged",
        "This repository's own filters were not run; files that need them may show as modified.",
        "Unstaged:",
        "  M +1 -1 x.up",
    ]


@pytest.mark.parametrize(
    "name",
    [
        ".gitignore",
        ".gitattributes",
        ".git/info/exclude",
        ".git/info/attributes",
        ".mailmap",
        ".git/info/grafts",
        ".git/REVERT_HEAD",
        ".git/rebase-merge/head-name",
    ],
)
def test_a_fifo_that_hangs_git_costs_the_time_limit_and_no_more(repo: Repo, name: str) -> None:
    path = repo.path / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    watch = Stopwatch()
    shown = section(repo, timeout_ms=500).splitlines()
    assert watch.seconds < 0.5 + HELD
    if any("timed out after 500 ms; changes are not known." in line for line in shown):
        assert shown[0] == "On branch main"
    else:
        # git opens an attribute file of the tree only when it must look into a file.
        assert "1 staged" in shown


def test_a_configuration_that_hangs_git(repo: Repo) -> None:
    os.mkfifo(repo.path / ".git/pipe")
    with (repo.git_dir / "config").open("a") as config:
        config.write("[include]\n\tpath = pipe\n")
    watch = Stopwatch()
    shown = section(repo, timeout_ms=500)
    assert watch.seconds < 0.5 + HELD
    assert "timed out after 500 ms" in shown
    assert "On branch main" in shown


@pytest.mark.parametrize("name", ["MERGE_HEAD", "BISECT_LOG", "BISECT_START"])
def test_state_files_that_hang_a_reader(repo: Repo, name: str) -> None:
    (repo.git_dir / name).parent.mkdir(exist_ok=True)
    os.mkfifo(repo.git_dir / name)
    watch = Stopwatch()
    assert "1 staged" in section(repo)
    assert watch.seconds < 1


def test_an_endless_state_file(repo: Repo) -> None:
    (repo.git_dir / "MERGE_HEAD").symlink_to("/dev/zero")
    assert lines(repo)[1] == "Merging (possibly stale: its state files are incomplete)"


def test_names_longer_than_a_system_takes(repo: Repo) -> None:
    """An index may hold them; nothing is looked up by them that could not be."""
    long = "/".join(["x" * 200] * 100) + "/f"
    blob = repo.git("hash-object", "-w", "a.txt").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{long}")
    assert f"  A +1 -0 {long}" in section(repo)
