"""Many sessions at once: none sees another's, and none is remembered for ever."""

import os
import threading

import pytest

from context_common.provider import Level
from context_common.scopes import cache


def test_sessions_that_run_at_once_do_not_mix(repository):
    for number in range(8):
        repository.write(**{f"d{number}/CLAUDE.md": f"only {number} @a.md\n", f"d{number}/a.md": f"a {number}\n"})
    wrong = []

    def session(number):
        for _ in range(20):
            sections = repository.fire(f"d{number}/x.ts", session=str(number))
            wrong.extend([sections] * (list(sections) != [f"Project conventions (d{number}/CLAUDE.md)"]))

    threads = [threading.Thread(target=session, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_session_does_not_see_what_another_touched(repository):
    repository.write(**{"src/CLAUDE.md": "src\n", ".claude/rules/r.md": "---\npaths: src/**\n---\nr\n"})
    assert len(repository.fire("src/a.ts", session="one")) == 2
    assert repository.fire(session="two") == {}


def test_each_session_is_told_what_is_wrong_once(repository):
    repository.write(**{"CLAUDE.md": "@missing.md\n"})
    for _ in range(3):
        repository.fire(session="one")
    assert repository.warned() == ["missing"]
    repository.fire(session="two")
    assert repository.warned() == ["missing"]


def test_what_is_wrong_is_told_again_where_the_target_changed(repository):
    repository.world.write("logo.png", {"hex": "00"})
    repository.write(**{"CLAUDE.md": "@docs/a.md#x\n", "docs/a.md": "# A\n"})
    repository.fire()
    assert repository.warned() == ["no_such_heading"]
    repository.write(**{"docs/a.md": "# B\n"})
    repository.fire()
    assert repository.warned() == ["no_such_heading"]
    repository.fire()
    assert repository.warned() == []


def test_a_file_that_changed_is_told_as_loaded_again(repository):
    repository.write(**{"CLAUDE.md": "one\n"})
    repository.fire()
    [first] = repository.world.logged(Level.INFO)
    repository.write(**{"CLAUDE.md": "two\n"})
    repository.fire()
    [second] = repository.world.logged(Level.INFO)
    assert first["file_path"] == second["file_path"]
    assert first["digest"] != second["digest"]


def test_at_most_256_sessions_are_remembered(repository):
    repository.write(**{"src/CLAUDE.md": "src\n"})
    for number in range(300):
        repository.drafts("src/a.ts", session=str(number))
    assert len(repository.provider._sessions._values) == 256


def test_a_sub_agent_starts_from_the_current_files(repository):
    repository.write(**{"CLAUDE.md": "one\n"})
    repository.fire(session="parent")
    repository.write(**{"CLAUDE.md": "two\n"})
    assert repository.fire(session="child") == {"Project conventions (CLAUDE.md)": "two\n"}
    assert list(repository.fire(session="parent")) == [
        "Project conventions (CLAUDE.md)",
        "Project conventions (CLAUDE.md) (updated)",
    ]


def test_a_working_directory_that_moves_shows_no_file_twice(repository):
    repository.write(**{"CLAUDE.md": "root\n", "src/CLAUDE.md": "src\n", "src/api/CLAUDE.md": "api\n"})
    repository.drafts("src/a.ts")
    labels = [draft.label for draft in repository.drafts("src/a.ts", "api/b.ts", directory="src")]
    assert labels == [f"Project conventions ({path}CLAUDE.md)" for path in ("", "src/", "src/api/")]


def test_a_working_directory_that_moves_to_another_repository_leaves_what_was_touched_behind(repository):
    """A touched path stays what it was: it is neither shown in the other repository nor matched there."""
    repository.write(
        **{
            "src/CLAUDE.md": "src\n",
            "/other/.git/HEAD": "ref: refs/heads/main\n",
            "/other/src/CLAUDE.md": "other src\n",
            "/other/.claude/rules/r.md": "---\npaths: src/**\n---\nother rule\n",
        }
    )
    [before] = repository.drafts("src/a.ts")
    assert repository.drafts("src/a.ts", directory="../other") == []
    assert repository.drafts("src/a.ts") == [before]


def test_a_directory_that_cannot_be_listed_for_a_while_counts_as_it_was(repository, monkeypatch):
    # Nothing counts as written long ago, so that everything is looked at again.
    monkeypatch.setattr(cache, "_TICK_NS", 10**18)
    repository.write(**{".claude/rules/a.md": "a\n", "src/.claude/rules/b.md": "b\n"})
    before = repository.fire("src/x")
    with monkeypatch.context() as patch:

        def exhausted(*_arguments, **_options):
            raise OSError(24, "too many open files")

        patch.setattr(os, "open", exhausted)
        assert repository.fire("src/x", "src/y") == before
    assert set(repository.warned()) == {"unreadable"}


@pytest.mark.parametrize("directory", ["src", ".claude", ".claude/rules/deep", "src/api"])
def test_what_lies_in_a_directory_that_may_not_be_searched_for_a_while_stays_as_it_was(
    repository, monkeypatch, directory
):
    names = (".claude/CLAUDE.md", ".claude/rules/deep/a.md", "src/CLAUDE.md", "src/.claude/rules/b.md")
    repository.write(**dict.fromkeys((*names, "src/api/CLAUDE.md"), "x\n"))
    before = repository.fire("src/api/x")
    assert len(before) == 5
    with monkeypatch.context() as patch:
        deny(patch, repository.root / directory)
        assert repository.fire("src/api/x", "y") == before
    assert set(repository.warned()) == {"unreadable"}
    repository.world.remove("src/api/CLAUDE.md")
    assert "Project conventions (src/api/CLAUDE.md) (updated)" in repository.fire("src/api/x", "y")


def test_a_declared_file_in_a_directory_that_may_not_be_searched_for_a_while_stays_as_it_was(repository, monkeypatch):
    repository.write(**{"pkg/docs/a.md": "a\n", "pkg/docs/deep/b.md": "b\n"})
    monkeypatch.chdir(repository.root / "pkg")
    repository.configure(paths=["docs/a.md", "docs/**/b.md"])
    before = repository.fire(directory="pkg")
    assert len(before) == 2
    deny(monkeypatch, repository.root / "pkg/docs")
    assert repository.fire(directory="pkg") == before


def deny(monkeypatch, directory):
    """Let nothing below ``directory`` be looked at, as if its bits for searching were gone."""
    for name in ("stat", "lstat", "open"):
        honest = getattr(os, name)

        def guarded(path, *arguments, _honest=honest, **options):
            if str(path).startswith(f"{directory}/"):
                raise PermissionError(13, "denied")
            return _honest(path, *arguments, **options)

        monkeypatch.setattr(os, name, guarded)
