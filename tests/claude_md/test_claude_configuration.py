"""What Configure accepts, and what it says when it does not."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from context_claude_md import declared
from context_claude_md.config import ClaudeMdConfig
from context_claude_md.provider import ClaudeMdProvider
from context_common.config import read, schema
from context_common.errors import InvalidRequestError, SourceUnavailableError


@pytest.mark.parametrize(
    "values",
    [
        {"scopes": ["projects"]},
        {"ancestors": "root"},
        {"imports": "inline"},
        {"strip_comments": "some"},
        {"on_change": "never"},
        {"max_import_depth": 17},
        {"max_import_depth": -1},
        {"path": ["CLAUDE.md"]},
        {"globs": []},
    ],
)
def test_what_is_not_accepted_is_refused_by_name(values):
    with pytest.raises(InvalidRequestError) as caught:
        read(ClaudeMdConfig, values)
    assert next(iter(values)) in str(caught.value)


def test_zero_values_mean_not_set():
    """Hosts send the type's zero value for an attribute that was left out."""
    zero = {"path": "", "paths": [], "scopes": [], "ancestors": "", "imports": "", "max_import_depth": 0}
    assert read(ClaudeMdConfig, zero) == ClaudeMdConfig()


def test_a_declared_file_that_is_not_there_is_named_with_the_place_and_the_reason(repository):
    with pytest.raises(SourceUnavailableError) as caught:
        repository.configure(path="docs/CLAUDE.md")
    assert str(repository.root / "docs" / "CLAUDE.md") in str(caught.value)
    assert "missing" in str(caught.value)


def test_a_glob_that_matches_nothing_says_so(repository):
    with pytest.raises(SourceUnavailableError, match="matches nothing"):
        repository.configure(paths=["docs/*.md"])


def test_a_pattern_in_exclude_that_is_none_is_told_and_the_others_work(repository):
    repository.write(**{"CLAUDE.md": "root\n", "CLAUDE.local.md": "local\n"})
    repository.configure(exclude=["a [b", "CLAUDE.local.md"])
    assert repository.warned() == ["invalid_pattern"]
    assert list(repository.fire()) == ["Project conventions (CLAUDE.md)"]


def test_the_schema_needs_no_readable_directory(tmp_path, monkeypatch):
    """GetCapabilities answers the same in an empty directory and in one that is gone."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    before = schema(ClaudeMdProvider.config_type)
    (tmp_path / "gone").rmdir()
    assert schema(ClaudeMdProvider.config_type) == before


def test_a_working_directory_that_is_gone_contributes_nothing(repository):
    repository.write(**{"CLAUDE.md": "root\n"})
    os.chdir("/")
    repository.world.top.joinpath("repo").rename(repository.world.top / "moved")
    assert repository.fire("src/a.ts") == {}


def test_a_process_whose_working_directory_is_gone_can_be_configured(repository, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    repository.configure()
    assert repository.fire() == {}


def test_a_declared_file_is_not_found_where_the_working_directory_is_gone(repository, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SourceUnavailableError, match="missing"):
        repository.configure(path="no/such/CLAUDE.md")


@pytest.mark.parametrize("root", ["~no-such-user/docs", "a\0b", "no/such/directory"])
def test_an_import_root_that_is_not_there_allows_nothing_and_is_told(repository, root):
    repository.write(**{"CLAUDE.md": "@/etc/passwd\n"})
    repository.configure(import_roots=[root])
    assert repository.warned() == ["not_a_directory"]
    assert list(repository.fire().values()) == ["@/etc/passwd\n"]


def test_a_relative_import_root_begins_at_the_working_directory_of_the_process(repository):
    repository.write(**{"CLAUDE.md": "@../shared/a.md\n", "/shared/a.md": "shared\n"})
    repository.configure(import_roots=["../shared"])
    [text] = repository.fire().values()
    assert text.endswith("shared\n")


def test_a_touched_name_that_is_too_long_costs_nothing(repository):
    repository.write(**{"CLAUDE.md": "root\n"})
    long = "a" * 300
    assert list(repository.fire(long, f"{long}/x", "b/" * 3_000)) == ["Project conventions (CLAUDE.md)"]
    assert repository.warned() == []


def test_a_file_that_cannot_be_read_for_a_while_shows_as_it_was(repository, monkeypatch):
    repository.write(**{"CLAUDE.md": "@a.md\n", "a.md": "a\n"})
    before = repository.fire()
    with monkeypatch.context() as patch:

        def exhausted(*_arguments, **_options):
            raise OSError(24, "too many open files")

        patch.setattr(os, "open", exhausted)
        for name in ("CLAUDE.md", "a.md"):
            os.utime(repository.root / name)
        assert repository.fire() == before
        assert repository.fire() == before
    assert repository.warned() == ["unreadable", "unreadable"]
    repository.write(**{"a.md": "changed\n"})
    assert list(repository.fire().values())[1].endswith("changed\n")


def test_an_unreadable_file_costs_only_itself(repository, monkeypatch):
    repository.write(**{"CLAUDE.md": "root\n", "CLAUDE.local.md": "local\n"})
    honest = os.open

    def denying(path, flags, *rest, **options):
        if Path(path).name == "CLAUDE.md":
            raise PermissionError(13, "denied")
        return honest(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", denying)
    assert list(repository.fire()) == ["Personal conventions (CLAUDE.local.md)"]
    assert repository.warned() == ["unreadable"]


def test_a_glob_that_meets_too_many_names_is_told(repository, monkeypatch):
    monkeypatch.setattr(declared, "_NAME_LIMIT", 10)
    repository.write(**{"a.md": "a\n", "docs/a.md": "a in docs\n", ".git/a.md": "none\n", ".git/b.md": "none\n"})
    repository.configure(paths=["**/a.md"])
    assert len(repository.fire()) == 2
    assert repository.warned() == []
    repository.write(**{f"deps/{number}": "" for number in range(10)})
    assert list(repository.fire(session="another")) == ["Project conventions (a.md)"]
    assert set(repository.warned()) == {"limit"}
    with pytest.raises(SourceUnavailableError, match=r"it matches nothing; .*: limit"):
        repository.configure(paths=["**/b.md"])


def test_personal_files_are_read_wherever_the_home_directory_is(repository, monkeypatch):
    """Shared memory lies below ``/dev``, a home directory of the network below ``/net``: both else refused."""
    memory = Path("/dev/shm")
    home = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else repository.world.top))
    try:
        (home / ".claude" / "rules").mkdir(parents=True)
        (home / ".claude" / "CLAUDE.md").write_text("mine @more.md\n")
        (home / ".claude" / "more.md").write_text("more\n")
        (home / ".claude" / "rules" / "r.md").write_text("rule\n")
        monkeypatch.setenv("HOME", str(home))
        repository.configure(scopes=["user"])
        assert list(repository.fire().values()) == [
            "mine @more.md\n\nContents of ~/.claude/more.md:\n\nmore\n",
            "rule\n",
        ]
        repository.configure(path=str(home / ".claude" / "more.md"))
        assert list(repository.fire(session="another").values()) == ["more\n"]
    finally:
        shutil.rmtree(home)
