"""What readers of convention files share: excluded files, names to show, entries told once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_common.conventions import Excludes, Journal, expanded, shown
from context_common.provider import Level, Log

ROOT = Path("/r")


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("legacy/**", "legacy/AGENTS.md", True),
        ("legacy/**", "src/legacy/AGENTS.md", False),
        ("legacy", "src/legacy/AGENTS.md", True),
        ("*.override.md", "a/AGENTS.override.md", True),
        ("/AGENTS.md", "AGENTS.md", True),
        ("/AGENTS.md", "a/AGENTS.md", False),
        ("/r/a/**", "a/AGENTS.md", True),
        ("/r/b/**", "a/AGENTS.md", False),
        ("{a,b}/*.md", "b/AGENTS.md", True),
    ],
)
def test_a_pattern_is_relative_to_the_root_or_absolute(pattern, path, covered):
    assert Excludes([pattern]).cover(ROOT / path, ROOT) is covered


def test_a_directory_above_the_root_is_matched_by_no_relative_pattern():
    assert not Excludes(["build"]).cover(Path("/build/r/AGENTS.md"), Path("/build/r"))


def test_a_pattern_that_begins_with_a_tilde_is_below_the_home_directory(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    assert Excludes(["~/.claude/**"]).cover(Path("/home/u/.claude/CLAUDE.md"), Path("/home/u/.claude"))


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [("CLAUDE.md", True), ("*.md", True), ("/CLAUDE.md", False), ("x/CLAUDE.md", False), ("/x/**", True)],
)
@pytest.mark.parametrize("root", [ROOT, None])
def test_a_file_outside_the_root_is_covered_by_an_absolute_path_or_by_its_name(pattern, covered, root):
    assert Excludes([pattern]).cover(Path("/x/CLAUDE.md"), root) is covered


def test_a_link_is_covered_where_its_target_is(tmp_path):
    (tmp_path / "private").mkdir()
    (tmp_path / "private/notes.md").write_text("secret")
    (tmp_path / "AGENTS.md").symlink_to("private/notes.md")
    assert Excludes(["private/**"]).cover(tmp_path / "AGENTS.md", Path(os.path.realpath(tmp_path)))


def test_a_pattern_that_is_none_is_told_and_leaves_the_others():
    excludes = Excludes(["[", "legacy"])
    assert [error.pattern for error in excludes.errors] == ["["]
    assert excludes.cover(ROOT / "legacy/AGENTS.md", ROOT)


def test_no_pattern_covers_nothing():
    assert not Excludes([]).cover(ROOT / "AGENTS.md", ROOT)


class Told:
    def __init__(self):
        self.entries = []
        self.log = Log(lambda *entry: self.entries.append(entry))


def test_the_same_entry_is_told_once():
    told, journal = Told(), Journal()
    for _ in range(3):
        journal.tell(told.log, Level.WARN, "skipped", file_path="a", digest="1")
    assert [message for _, message, _, _ in told.entries] == ["skipped"]


@pytest.mark.parametrize("other", [{"digest": "2"}, {"file_path": "b"}, {"reason": "binary"}])
def test_an_entry_with_another_field_is_told_again(other):
    told, journal = Told(), Journal()
    fields = {"file_path": "a", "digest": "1"}
    journal.tell(told.log, Level.WARN, "skipped", **fields)
    journal.tell(told.log, Level.WARN, "skipped", **fields | other)
    assert len(told.entries) == 2


def test_a_journal_remembers_only_so_much():
    told, journal = Told(), Journal(limit=2)
    for name in "abca":
        journal.tell(told.log, Level.INFO, "loaded", file_path=name)
    assert len(told.entries) == 4


def test_an_entry_that_comes_again_and_again_is_not_forgotten():
    told, journal = Told(), Journal(limit=2)
    for name in "abacad":
        journal.tell(told.log, Level.INFO, "loaded", file_path=name)
    assert [fields["file_path"] for _, _, fields, _ in told.entries] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/auth", "src/auth"),
        ("unicöde 😀", "unicöde 😀"),
        ("a\nb", "a\\nb"),
        ("a\u2028b", "a\\u2028b"),
        ("a\\b", "a\\\\b"),
    ],
)
def test_a_path_is_shown_on_one_line(path, text):
    assert shown(path) == text


@given(st.binary(min_size=1, max_size=12), st.binary(min_size=1, max_size=12))
def test_any_file_name_is_shown_as_valid_text_and_different_ones_differently(first, second):
    names = os.fsdecode(first), os.fsdecode(second)
    texts = [shown(name) for name in names]
    assert all(text.encode("utf-8") and text.isprintable() for text in texts)
    assert (texts[0] == texts[1]) == (names[0] == names[1])


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("a/b", "/base/a/b"),
        ("/x", "/x"),
        ("~/x", "/home/u/x"),
        (".", "/base"),
        ("~nobody-such/x", "/base/~nobody-such/x"),
    ],
)
def test_an_operators_path_is_absolute_relative_or_below_home(path, place, monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    assert expanded(path, Path("/base")) == Path(place)
