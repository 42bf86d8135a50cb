"""What a configuration would make git do, and what stops it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from context_git_status.environment import environment, find_git, trusted_path
from context_git_status.settings import Probe, Sources, Value, parse_probe, understand

if TYPE_CHECKING:
    from pathlib import Path


def filters(*values: Value, trusted: bool = False) -> dict[str, str]:
    """The overrides of filters."""
    probe = understand(values, trusted=trusted)
    assert probe is not None
    return {key: value for key, value in probe.overrides if key.startswith("filter.")}


def known(**values: str) -> Probe:
    """What the values, by key with ``__`` for a dot, mean in the local scope."""
    probe = understand(
        [Value("local", "c", key.replace("__", "."), value) for key, value in values.items()], trusted=False
    )
    assert probe is not None
    return probe


def test_the_probe_is_read_by_thirds() -> None:
    output = b"local\0file:.git/config\0filter.a=b.clean\ncat\nx\0global\0file:/h/.gitconfig\0filter.q.required\0"
    assert parse_probe(output) == (
        Value("local", ".git/config", "filter.a=b.clean", "cat\nx"),
        Value("global", "/h/.gitconfig", "filter.q.required", "true"),
    )


@pytest.mark.parametrize("output", [b"", b"local", b"local\0file:x", b"\0\0\0\0", b"\xff\0\xff\0\xff\n\xff\0"])
def test_no_probe_is_refused(output: bytes) -> None:
    assert understand(parse_probe(output), trusted=False) is not None


@pytest.mark.parametrize("scope", ["local", "worktree", "unheard-of"])
def test_a_driver_of_the_repository_is_switched_off(scope: str) -> None:
    values = [Value(scope, "c", f"filter.x.{variable}", "evil") for variable in ("clean", "process", "smudge")]
    assert filters(*values, Value(scope, "c", "filter.x.required", "true")) == {
        "filter.x.clean": "",
        "filter.x.process": "",
        "filter.x.required": "false",
        "filter.x.smudge": "",
    }


def test_what_the_repository_does_not_set_is_left_alone() -> None:
    """To git an empty process is one, and the user's clean would not run."""
    found = filters(Value("global", "c", "filter.x.clean", "mine"), Value("local", "c", "filter.x.clean", "evil"))
    assert found == {"filter.x.clean": "mine", "filter.x.required": "false"}


def test_a_filter_that_cannot_run_is_not_required() -> None:
    """Or git would refuse the whole status."""
    found = filters(
        Value("global", "c", "filter.x.clean", "mine"),
        Value("global", "c", "filter.x.required", "true"),
        Value("local", "c", "filter.x.process", "evil"),
    )
    assert found == {"filter.x.process": "", "filter.x.required": "false"}


def test_a_driver_of_the_user_or_the_system_is_left_alone() -> None:
    assert filters(Value("global", "c", "filter.lfs.clean", "lfs"), Value("system", "c", "filter.s.clean", "s")) == {}


def test_where_both_define_a_driver_the_users_values_hold() -> None:
    """A repository with Git LFS installed locally as well keeps working."""
    found = filters(
        Value("global", "c", "filter.lfs.process", "git-lfs filter-process"),
        Value("global", "c", "filter.lfs.required", "true"),
        Value("local", "c", "filter.lfs.process", "evil"),
        Value("local", "c", "filter.lfs.clean", "evil"),
    )
    assert found == {
        "filter.lfs.clean": "",
        "filter.lfs.process": "git-lfs filter-process",
        "filter.lfs.required": "true",
    }


def test_a_driver_that_is_the_users_as_well_was_not_switched_off() -> None:
    same = [Value(scope, "c", "filter.lfs.clean", "git-lfs clean") for scope in ("global", "local")]
    other = Value("local", "c", "filter.x.clean", "evil")
    for values, told in ((same, False), ([*same, other], True)):
        probe = understand(values, trusted=False)
        assert probe is not None
        assert probe.filters is told


def test_a_trusted_repository_keeps_its_filters_and_its_monitor() -> None:
    assert filters(Value("local", "c", "filter.x.clean", "fine"), trusted=True) == {}
    probe = understand([], trusted=True)
    assert probe is not None
    assert "core.fsmonitor" not in dict(probe.overrides)
    assert dict(probe.overrides)["core.hooksPath"] == os.devnull


def test_a_driver_name_may_hold_dots_and_equal_signs() -> None:
    assert "filter.a.b=c.clean" in filters(Value("local", "c", "filter.a.b=c.clean", "evil"))


def test_more_filters_than_an_environment_holds_are_too_many() -> None:
    values = [Value("local", "c", f"filter.{number}.clean", "evil") for number in range(5000)]
    assert understand(values, trusted=False) is None


def test_settings_that_are_honoured() -> None:
    assert known(status__showuntrackedfiles="no").hides_untracked
    assert known(status__showuntrackedfiles="False").hides_untracked
    assert not known(status__showuntrackedfiles="all").hides_untracked
    assert known(core__sparsecheckout="true").sparse
    assert not known(core__sparsecheckout="0").sparse
    assert known(remote__origin__promisor="true").partial
    assert known(extensions__partialclone="origin").partial
    assert not known(remote__origin__promisor="no").partial
    assert known(extensions__refstorage="reftable").reftable
    assert not known(extensions__refstorage="files").reftable


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """A git directory with a configuration that has long been there."""
    git_dir = tmp_path / ".git"
    git_dir.mkdir()
    for name in ("config", "HEAD"):
        (git_dir / name).write_text("x")
    time.sleep(0.02)
    return git_dir


def noted(git_dir: Path, *values: Value) -> Sources:
    sources = Sources(git_dir, git_dir, git_dir.parent)
    sources.note(values, time.time_ns())
    assert not sources.moved()
    return sources


def test_sources_have_moved_until_they_are_noted(watched: Path) -> None:
    assert Sources(watched, watched, watched.parent).moved()


@pytest.mark.parametrize("name", ["config", "HEAD", "config.worktree", "commondir", "reftable/tables.list"])
def test_a_file_of_the_git_directory_that_changes_moves_them(watched: Path, name: str) -> None:
    sources = noted(watched)
    (watched / name).parent.mkdir(exist_ok=True)
    (watched / name).write_text("y")
    assert sources.moved()


def test_a_rewrite_that_keeps_size_and_time_moves_them(watched: Path) -> None:
    """The time of the last change of status cannot be forged."""
    sources = noted(watched)
    before = (watched / "config").stat()
    (watched / "config").write_text("z")
    os.utime(watched / "config", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert sources.moved()


@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config"])
def test_a_configuration_of_the_users_moves_them(watched: Path, home: Path, name: str) -> None:
    sources = noted(watched)
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text("y")
    assert sources.moved()


@pytest.mark.parametrize("key", ["include.path", "includeif.gitdir:x.path"])
def test_an_included_file_that_does_not_exist_yet_moves_them_when_it_comes(watched: Path, key: str) -> None:
    sources = noted(watched, Value("local", ".git/config", key, "later"))
    (watched / "later").write_text("y")
    assert sources.moved()


def test_where_the_repository_includes_by_branch_they_have_always_moved(watched: Path) -> None:
    """Where the user does, HEAD is told apart and that is enough."""
    sources = noted(watched, Value("global", "/g", "includeif.onbranch:x.path", "f"))
    sources.note([Value("local", ".git/config", "includeif.onbranch:x.path", "f")], time.time_ns())
    assert sources.moved()


def test_an_included_file_that_a_link_leads_to_moves_them(watched: Path, tmp_path: Path) -> None:
    (watched / "link").symlink_to(tmp_path / "elsewhere")
    sources = noted(watched, Value("local", ".git/config", "include.path", "link"))
    (tmp_path / "elsewhere").write_text("y")
    assert sources.moved()


def test_a_link_may_lead_where_nothing_of_a_repository_is_read(watched: Path) -> None:
    """To devices, and what is mounted among them: git reads what stands there all the same."""
    (watched / "link").symlink_to("/dev/null")
    sources = noted(watched, Value("local", ".git/config", "include.path", "link"))
    (watched / "link").unlink()
    (watched / "link").symlink_to("/dev/zero")
    assert sources.moved()


def test_an_include_of_a_user_that_does_not_exist_is_no_trouble(watched: Path) -> None:
    noted(watched, Value("local", ".git/config", "include.path", "~nobody-of-that-name/x"))


def test_what_changed_just_before_the_probe_is_looked_at_again(watched: Path) -> None:
    """Two writes within one tick of the clock look like one."""
    sources = Sources(watched, watched, watched.parent)
    (watched / "config").write_text("y")
    sources.note((), (watched / "config").stat().st_ctime_ns + 1)
    assert sources.moved()


def test_every_inherited_git_variable_is_dropped() -> None:
    inherited = {"GIT_DIR": "/other", "GIT_INDEX_FILE": "/x", "GIT_TRACE": "1", "GIT_CONFIG_GLOBAL": "/x", "KEPT": "1"}
    found = environment(inherited, (("a.b", "c"),), "/bin")
    assert not {"GIT_DIR", "GIT_INDEX_FILE", "GIT_TRACE", "GIT_CONFIG_GLOBAL"} & set(found)
    assert found["KEPT"] == "1"
    assert (found["GIT_CONFIG_COUNT"], found["GIT_CONFIG_KEY_0"], found["GIT_CONFIG_VALUE_0"]) == ("1", "a.b", "c")


def test_the_fixed_part_of_the_environment(home: Path) -> None:
    found = environment({"LANGUAGE": "de", "LC_ALL": "de_DE.UTF-8"}, (), "/bin:/usr/bin")
    assert found == {
        "PATH": "/bin:/usr/bin",
        "LC_ALL": "C",
        "LANGUAGE": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ADVICE": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CEILING_DIRECTORIES": os.path.realpath(home),
        "GIT_CONFIG_COUNT": "0",
    }


@pytest.mark.parametrize(
    ("inherited", "expected"),
    [
        ({"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/mine"}, "/mine"),
        ({"LD_LIBRARY_PATH": "/bundle"}, None),
        ({}, None),
    ],
)
def test_a_frozen_build_gives_git_the_library_path_that_was_there_before(
    inherited: dict[str, str], expected: str | None
) -> None:
    found = environment(inherited, (), "/bin", frozen=True)
    assert found.get("LD_LIBRARY_PATH") == expected
    assert "LD_LIBRARY_PATH_ORIG" not in found


def test_a_plain_build_leaves_the_library_path_alone() -> None:
    assert environment({"LD_LIBRARY_PATH": "/mine"}, (), "/bin")["LD_LIBRARY_PATH"] == "/mine"


def program(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "git").write_text("#!/bin/sh\n")
    (directory / "git").chmod(0o755)
    return directory


def test_git_is_taken_from_the_first_directory_that_has_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    first, second = program(tmp_path / "first"), program(tmp_path / "second")
    assert find_git([str(tmp_path / "none"), str(first), str(second)], work) == str(first / "git")


def test_a_git_inside_the_work_tree_is_not_run(tmp_path: Path) -> None:
    """Neither directly nor through a link, and not from the tree around an embedded one either."""
    work, outside = tmp_path / "work", program(tmp_path / "outside")
    inner = work / "vendor" / "inner"
    (work / ".git").mkdir(parents=True)
    (inner / ".git").mkdir(parents=True)
    bad = program(work / "bin")
    (tmp_path / "linked").symlink_to(bad)
    path = os.pathsep.join(map(str, [bad, tmp_path / "linked", ".", "", "relative/bin", outside]))
    for directory in (work, inner, work / "vendor"):
        assert trusted_path(path, directory) == [str(outside)]
        assert find_git([str(bad), str(tmp_path / "linked"), str(outside)], directory) == str(outside / "git")


def test_a_link_to_a_git_inside_the_work_tree_is_not_run(tmp_path: Path) -> None:
    work, bin_directory = tmp_path / "work", tmp_path / "bin"
    (work / ".git").mkdir(parents=True)
    bin_directory.mkdir()
    (bin_directory / "git").symlink_to(program(work) / "git")
    assert find_git([str(bin_directory)], work) is None


def test_a_home_directory_that_is_a_repository_does_not_hide_its_programs(home: Path) -> None:
    (home / ".git").mkdir()
    (home / "project" / ".git").mkdir(parents=True)
    own = program(home / "bin")
    assert find_git([str(own)], home / "project") == str(own / "git")


def test_programs_at_home_are_run_for_the_repository_at_home(home: Path) -> None:
    (home / ".git").mkdir()
    own = program(home / "bin")
    assert trusted_path(str(own), home) == [str(own)]
    assert find_git([str(own)], home) == str(own / "git")


def test_a_git_that_may_not_be_run_is_none(tmp_path: Path) -> None:
    (program(tmp_path / "bin") / "git").chmod(0o644)
    assert find_git([str(tmp_path / "bin")], tmp_path / "work") is None
