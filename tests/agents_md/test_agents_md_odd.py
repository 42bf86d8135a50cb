"""What cannot be read costs only itself."""

from __future__ import annotations

import os

import pytest
from support.agents_session import AgentsSession, repository, write

from context_agents_md.config import AgentsMdConfig


@pytest.fixture
def session(tmp_path):
    files = {"AGENTS.md": "root\n", "a/AGENTS.override.md": "secret\n", "a/AGENTS.md": "a\n", "b/AGENTS.md": "b\n"}
    return AgentsSession(repository(tmp_path / "r", files))


def forbid(monkeypatch, call, path):
    """Let the system refuse ``call`` for ``path``, as it does for a user without the right."""
    original = getattr(os, call)

    def refuse(where, *arguments, **options):
        if not isinstance(where, int) and os.fspath(where) == os.fspath(path):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return original(where, *arguments, **options)

    monkeypatch.setattr(os, call, refuse)


def test_an_unreadable_file_costs_only_itself(session, monkeypatch):
    forbid(monkeypatch, "open", session.root / "a/AGENTS.override.md")
    assert [draft.label for draft in session.drafts("a/f", "b/f")] == [
        "AGENTS.md (root)",
        "AGENTS.md (a)",
        "AGENTS.md (b)",
    ]
    (warning,) = [entry for entry in session.log if entry["level"] == "WARN"]
    assert (warning["file_path"], warning["reason"]) == ("a/AGENTS.override.md", "unreadable")


def test_a_directory_that_may_not_be_listed_still_gives_its_exact_names(session, monkeypatch):
    forbid(monkeypatch, "open", session.root / "b")
    assert "AGENTS.md (b)" in [draft.label for draft in session.drafts("b/f")]
    (warning,) = [entry for entry in session.log if entry["level"] == "WARN"]
    assert (warning["file_path"], warning["reason"]) == ("b", "unreadable")


@pytest.mark.parametrize("name", ["b", "b/.git", "b/f", "b/AGENTS.md"])
def test_a_path_that_may_not_be_looked_at_costs_only_itself(session, monkeypatch, name):
    forbid(monkeypatch, "stat", session.root / name)
    assert [draft.label for draft in session.drafts("a/f", "b/f")][:2] == ["AGENTS.md (root)", "AGENTS.override.md (a)"]


def test_a_boundary_that_comes_back_counts_again(tmp_path):
    root = repository(tmp_path / "r", {"AGENTS.md": "root\n"})
    session = AgentsSession(root, AgentsMdConfig(boundary=str(root)))
    root.rename(tmp_path / "away")
    assert session.drafts() == []
    (tmp_path / "away").rename(root)
    assert [draft.label for draft in session.drafts("f")] == ["AGENTS.md (root)"]


def test_a_file_that_becomes_readable_joins(session):
    with pytest.MonkeyPatch.context() as patch:
        forbid(patch, "open", session.root / "b/AGENTS.md")
        assert [draft.label for draft in session.drafts("b/f")] == ["AGENTS.md (root)"]
    assert [draft.label for draft in session.drafts()] == ["AGENTS.md (root)", "AGENTS.md (b)"]


def test_a_file_that_can_no_longer_be_read_keeps_what_it_said(session, monkeypatch):
    first = session.drafts("a/f")
    (session.root / "a/AGENTS.override.md").write_text("changed\n")
    forbid(monkeypatch, "open", session.root / "a/AGENTS.override.md")
    assert session.drafts() == first
    assert [entry["reason"] for entry in session.log if entry["level"] == "WARN"] == ["unreadable"]


@pytest.mark.parametrize("config", [AgentsMdConfig(), AgentsMdConfig(glob="**/*.md")])
def test_a_directory_that_can_no_longer_be_searched_keeps_what_it_said(session, monkeypatch, config):
    monkeypatch.chdir(session.root)
    session.provider.configure(config)
    first = session.drafts("b/f")
    write(session.root, {"b/another": ""})
    forbid(monkeypatch, "open", session.root / "b")
    for call in ("stat", "lstat"):
        forbid(monkeypatch, call, session.root / "b/AGENTS.md")
    assert session.drafts() == first


def test_a_file_that_goes_from_a_directory_that_may_not_be_listed_is_gone(session, monkeypatch):
    session.drafts("b/f")
    (session.root / "b/AGENTS.md").unlink()
    forbid(monkeypatch, "open", session.root / "b")
    assert [draft.label for draft in session.drafts()] == ["AGENTS.md (root)"]


def test_a_file_that_vanishes_while_it_is_read_costs_only_itself(session, monkeypatch):
    original = os.open

    def vanish(where, *arguments, **options):
        if str(where).endswith("b/AGENTS.md"):
            raise FileNotFoundError(2, "No such file", where)
        return original(where, *arguments, **options)

    monkeypatch.setattr(os, "open", vanish)
    assert [draft.label for draft in session.drafts("b/f")] == ["AGENTS.md (root)"]


def test_files_that_hold_too_much_together_leave_out_the_one_that_crosses(session):
    write(session.root, {"a/AGENTS.override.md": "x" * 3 * 2**20, "b/AGENTS.md": "y" * 2 * 2**20, "c/AGENTS.md": "c\n"})
    labels = [draft.label for draft in session.drafts("a/f", "b/f", "c/f")]
    assert labels == ["AGENTS.md (root)", "AGENTS.override.md (a)", "AGENTS.md (c)"]
    (warning,) = [entry for entry in session.log if entry["level"] == "WARN"]
    assert (warning["file_path"], warning["reason"]) == ("b/AGENTS.md", "limit")


def test_a_name_that_is_no_utf8_has_a_label_all_the_same(session):
    write(session.root, {os.fsdecode(b"caf\xe9/AGENTS.md"): "odd\n"})
    labels = [draft.label for draft in session.drafts(os.fsdecode(b"caf\xe9/f"))]
    assert labels == ["AGENTS.md (root)", "AGENTS.md (caf\\udce9)"]
