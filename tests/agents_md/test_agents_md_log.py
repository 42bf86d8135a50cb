"""What the log tells about each file, and how often."""

from __future__ import annotations

import pytest
from support.agents_session import AgentsSession, repository, write

from context_common.provider import Log, Request


@pytest.fixture
def session(tmp_path):
    return AgentsSession(repository(tmp_path / "r", {"AGENTS.md": "root\n", "a/AGENTS.md": "a\n"}))


def entries(session, **fields):
    return [entry for entry in session.log if entry == entry | fields]


def test_a_loaded_file_is_told_with_scope_and_digest(session):
    session.drafts("a/f")
    (entry,) = entries(session, message="loaded", file_path="a/AGENTS.md")
    assert entry["scope"] == "a"
    assert entry["section"] == "AGENTS.md (a)"
    assert entry["level"] == "INFO"
    assert len(entry["digest"]) == 12


def test_a_loaded_file_is_told_once_for_each_digest(session):
    for text in ["a\n", "b\n", "b\n", "a\n"]:
        write(session.root, {"a/AGENTS.md": text})
        session.drafts("a/f")
        session.drafts()
    assert len(entries(session, message="loaded", file_path="a/AGENTS.md")) == 2


def test_a_file_that_is_shown_under_another_name_is_not_told_as_loaded(session):
    (session.root / "b").mkdir()
    (session.root / "b/AGENTS.md").symlink_to("../AGENTS.md")
    session.drafts("b/f")
    assert [entry["message"] for entry in entries(session, file_path="b/AGENTS.md")] == ["skipped"]


def test_a_file_whose_other_name_goes_is_told_as_loaded(session):
    (session.root / "b").mkdir()
    (session.root / "b/AGENTS.md").hardlink_to(session.root / "a/AGENTS.md")
    session.drafts("a/f", "b/f")
    (session.root / "a/AGENTS.md").unlink()
    session.drafts()
    assert [entry["message"] for entry in entries(session, file_path="b/AGENTS.md")] == ["skipped", "loaded"]


def test_a_file_that_an_override_appears_beside_is_told_as_overridden_once(session):
    session.drafts("a/f")
    write(session.root, {"a/AGENTS.override.md": "mine\n"})
    session.drafts()
    session.drafts()
    told = entries(session, message="skipped", file_path="a/AGENTS.md", reason="overridden")
    assert [entry["level"] for entry in told] == ["INFO"]


def test_a_warning_is_told_once_for_each_digest_and_not_at_every_turn(session):
    for data in [b"\0", b"\0", b"\0\0"]:
        (session.root / "AGENTS.md").write_bytes(data)
        session.drafts()
        session.drafts()
    assert len(entries(session, level="WARN", reason="binary")) == 2


def test_a_description_of_any_length_is_told_in_brief(session):
    write(session.root, {"AGENTS.md": f"---\ndescription: {'x' * 5000}\ntags: [{'y, ' * 5000}z]\n---\nroot\n"})
    session.drafts()
    (entry,) = entries(session, message="loaded", file_path="AGENTS.md")
    assert (len(entry["description"]), len(entry["tags"])) == (500, 500)


def test_a_warning_is_told_to_every_session(session):
    (session.root / "AGENTS.md").write_bytes(b"\0")
    told = []
    for name in ("one", "two"):
        log = Log(lambda level, message, fields, session_id: told.append((session_id, fields["reason"])), name)
        session.provider.contribute(Request(session_id=name, working_directory=session.root, log=log))
    assert told == [("one", "binary"), ("two", "binary")]


@pytest.mark.parametrize(
    ("happens", "kind"),
    [
        ({"a/AGENTS.md": "new\n"}, "updated"),
        ({"a/AGENTS.md": "word " * 3000}, "shortened"),
        ({"a/AGENTS.md": ""}, "withdrawn"),
    ],
)
def test_what_became_of_a_section_is_told_with_file_scope_and_digest(session, happens, kind):
    session.fire("a/f")
    write(session.root, happens)
    event = next(event for event in session.fire().events if event.kind == kind)
    assert event.fields.keys() >= {"file_path", "scope", "digest", "section"}
    assert (event.fields["file_path"], event.fields["scope"]) == ("a/AGENTS.md", "a")


def test_a_pattern_that_excludes_nothing_is_told_at_configure(session):
    told = []
    session.provider.log = Log(lambda level, message, fields, _: told.append(fields))
    session.provider.configure(type(session.config)(exclude=("[",)))
    assert told == [{"attribute": "exclude", "pattern": "[", "reason": "a [ opens no bracket expression"}]
