"""What a firing costs follows what was touched: nothing is read twice, and nothing that was not reached."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from support.agents_session import AgentsSession, repository, write

from context_agents_md.config import AgentsMdConfig
from context_agents_md.search import find_any
from context_agents_md.selection import Selection

WATCHED = {"open", "os.listdir", "os.scandir"}
_seen: list[tuple[str, str]] = []
_watching = [False]


def _watch(event, arguments):
    if _watching[0] and event in WATCHED:
        _seen.append((event, str(arguments[0])))


sys.addaudithook(_watch)


@pytest.fixture
def watched():
    """Every file or directory that is opened inside a ``with`` of this."""

    class Watch:
        def __enter__(self):
            _seen.clear()
            _watching[0] = True
            return _seen

        def __exit__(self, *_):
            _watching[0] = False

    return Watch()


@pytest.fixture
def session(tmp_path):
    files = {"AGENTS.md": "root\n", "a/AGENTS.md": "a\n", "a/b/f.py": "", "c/AGENTS.md": "c\n", "d/f.py": ""}
    root = repository(tmp_path / "r", files)
    # Files this young are read again at the next look, because a second write could hide in the same tick.
    time.sleep(0.05)
    return AgentsSession(root)


def test_an_unchanged_firing_opens_no_file(session, watched):
    first = session.drafts("a/b/f.py", "d/f.py", "missing/f.py")
    with watched as opened:
        again = session.drafts()
    assert opened == []
    assert all(new is old for new, old in zip(again, first, strict=True))


def test_a_changed_file_is_the_only_one_opened(session, watched):
    session.drafts("a/b/f.py")
    write(session.root, {"a/AGENTS.md": "new\n"})
    with watched as opened:
        session.drafts()
    assert [name for event, name in opened if event == "open"] == [str(session.root / "a/AGENTS.md")]


def test_a_directory_that_was_not_touched_is_never_looked_into(session, watched):
    with watched as opened:
        session.drafts("a/b/f.py")
    assert not [name for _, name in opened if "/c" in name or "/d" in name]


def test_configure_without_a_glob_walks_nothing(session, watched, monkeypatch):
    monkeypatch.chdir(session.root)
    with watched as opened:
        session.provider.configure(AgentsMdConfig())
    assert opened == []


def test_configure_stops_at_the_first_match(tmp_path, watched):
    root = repository(tmp_path / "r", {"a/AGENTS.md": "a\n", **{f"b/{n}/f": "" for n in range(20)}})
    with watched as opened:
        found = find_any(root, Selection(AgentsMdConfig(glob="**/AGENTS.md")), ())
    assert found == root / "a/AGENTS.md"
    assert [name for _, name in opened] == [str(root), str(root / "a")]


def test_configure_prunes_what_never_takes_part(tmp_path, watched):
    root = repository(tmp_path / "r", {"node_modules/x/AGENTS.md": "x\n", "src/f": ""})
    with watched as opened:
        assert find_any(root, Selection(AgentsMdConfig(glob="**/AGENTS.md")), ()) is None
    assert [name for _, name in opened] == [str(root), str(root / "src")]


def test_configure_begins_where_the_glob_names_a_directory(tmp_path, watched):
    root = repository(tmp_path / "r", {"services/api/AGENTS.md": "api\n", "web/f": ""})
    with watched as opened:
        assert find_any(root, Selection(AgentsMdConfig(glob="services/api/**/AGENTS.md")), ())
    assert [name for _, name in opened] == [str(root / "services/api")]


def test_hundreds_of_paths_at_once_are_one_firing(tmp_path):
    files = {f"p{n}/AGENTS.md": f"package {n}\n" for n in range(300)}
    session = AgentsSession(repository(tmp_path / "r", files))
    drafts = session.drafts(*(f"p{n}/src/deep/f{k}.py" for n in range(300) for k in range(3)))
    assert [draft.label for draft in drafts] == [f"AGENTS.md ({name})" for name in sorted(f"p{n}" for n in range(300))]


@pytest.fixture
def looked_at(monkeypatch):
    """Every path that is looked at from now on, and where a link leads that is followed unread."""
    asked = []
    stat, lstat = os.stat, os.lstat

    def look(path, *arguments, **options):
        asked.append(os.fspath(path))
        with suppress(OSError):
            asked.append(os.fspath(Path(path).readlink()))
        return stat(path, *arguments, **options)

    def look_at_link(path, *arguments, **options):
        asked.append(os.fspath(path))
        return lstat(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", look)
    monkeypatch.setattr(os, "lstat", look_at_link)
    return asked


def test_below_a_directory_that_is_not_there_nothing_is_looked_at(session, looked_at):
    session.drafts(*(f"new/p{n}/src/f.py" for n in range(300)))
    looked_at.clear()
    session.drafts()
    assert {path for path in looked_at if "/new" in path} == {str(session.root / "new")}


def test_no_link_of_the_repository_makes_an_automounter_connect(session, looked_at):
    (session.root / "out").symlink_to("/net/host/share")
    (session.root / "link").symlink_to("a/b")
    for name in ("AGENTS.md", ".git"):
        (session.root / f"d/{name}").symlink_to("/net/host/share")
    session.drafts("d/f.py", "out/f.py", "link/../out/f.py", "later/f.py")
    (session.root / "later").symlink_to("/net/host/share")
    session.drafts()
    assert [path for path in looked_at if path.startswith("/net/")] == []


def test_a_directory_too_large_to_list_still_gives_its_exact_name(tmp_path, monkeypatch):
    monkeypatch.setattr("context_common.scopes.reading._ENTRY_LIMIT", 10)
    root = repository(tmp_path / "r", {"AGENTS.md": "root\n", **{f"f{n}": "" for n in range(20)}})
    assert [draft.label for draft in AgentsSession(root).drafts()] == ["AGENTS.md (root)"]


def test_an_unchanged_listing_is_not_gone_through_again(session, monkeypatch):
    session.drafts("a/b/f.py")
    asked = []
    monkeypatch.setattr(Selection, "choose", lambda *arguments: asked.append(arguments))
    session.drafts()
    assert asked == []
