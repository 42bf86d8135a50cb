"""What an unchanged firing costs: a look at each path, and nothing else."""

import os
import time

import pytest

from context_claude_md import loading
from context_common.scopes import cache

TOUCHED = ("src/a.ts", "docs/new.md")


@pytest.fixture
def settled(repository):
    """A repository with something of everything, changed long ago, fired once."""
    repository.write(
        **{
            "CLAUDE.md": "@docs/a.md#one @missing.md @/etc/passwd\n",
            "docs/a.md": "# One\n\n<!-- c -->\n\n@b.md\n",
            "docs/b.md": "---\nk: v\n---\nb\n",
            ".claude/rules/always.md": "always\n",
            ".claude/rules/ts.md": "---\npaths: '**/*.ts'\n---\nts\n",
            ".claude/rules/go.md": "---\npaths: '**/*.go'\n---\ngo\n",
            "src/CLAUDE.md": "src @../docs/b.md\n",
        }
    )
    time.sleep(2 * cache._TICK_NS / 10**9)
    repository.fire(*TOUCHED)
    return repository


@pytest.fixture
def work(monkeypatch):
    """The names of what was done: opening, listing, parsing."""
    done = []

    def counted(module, name):
        honest = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, **k: (done.append(name), honest(*a, **k))[1])

    for name in ("open", "scandir", "read", "listdir"):
        counted(os, name)
    for name in ("read_document", "mentions", "Sections"):
        counted(loading, name)
    return done


def no_count(text):
    pytest.fail(f"counted {text!r}")


def test_an_unchanged_firing_opens_parses_and_counts_nothing(settled, work):
    before = settled.fire(*TOUCHED)
    assert settled.fire(*TOUCHED, count=no_count) == before
    assert work == []


def test_an_unchanged_firing_gives_the_very_same_drafts(settled):
    first, second = settled.drafts(*TOUCHED), settled.drafts(*TOUCHED)
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_a_touch_that_brings_nothing_opens_parses_and_counts_nothing(settled, work):
    before = settled.fire(*TOUCHED)
    assert settled.fire(*TOUCHED, "src/b.ts", count=no_count) == before
    assert work == []


def test_a_changed_file_is_the_only_one_that_is_read_and_parsed(settled, work):
    settled.write(**{"src/CLAUDE.md": "src changed @../docs/b.md\n"})
    work.clear()
    settled.fire(*TOUCHED)
    assert sorted(set(work)) == ["mentions", "open", "read", "read_document"]
    assert work.count("open") == work.count("read_document") == 1


def test_a_touched_file_with_the_same_bytes_is_read_but_not_parsed(settled, work):
    os.utime(settled.root / "CLAUDE.md")
    settled.fire(*TOUCHED, count=no_count)
    assert set(work) == {"open", "read"}


def test_a_second_session_reads_and_parses_nothing_again(settled, work):
    assert settled.fire(*TOUCHED, session="another") == settled.fire(*TOUCHED)
    assert work == []


def test_edits_within_one_tick_of_the_clock_are_seen(repository):
    repository.configure(on_change="replace")
    for text in ("one", "two", "six"):
        repository.write(**{"CLAUDE.md": text})
        assert list(repository.fire().values()) == [text]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("CLAUDE.local.md", "new\n"),
        (".claude/CLAUDE.md", "new\n"),
        (".claude/rules/deep/new.md", "new\n"),
        ("src/.claude/rules/new.md", "new\n"),
        ("src/CLAUDE.local.md", "new\n"),
        ("missing.md", "new\n"),
        ("docs/b.md", "changed\n"),
        (".claude/rules/go.md", "---\npaths: '**/*.ts'\n---\ngo\n"),
    ],
)
def test_whatever_changes_is_seen_at_the_next_firing(settled, name, content):
    before = settled.fire(*TOUCHED)
    settled.write(**{name: content})
    assert settled.fire(*TOUCHED) != before


def test_whatever_vanishes_is_seen_at_the_next_firing(settled):
    for name in ("docs/b.md", ".claude/rules/ts.md", ".claude/rules/always.md", "src/CLAUDE.md", "CLAUDE.md"):
        before = settled.fire(*TOUCHED)
        settled.world.remove(name)
        assert settled.fire(*TOUCHED) != before


def test_a_link_that_is_turned_elsewhere_is_seen_at_the_next_firing(settled):
    settled.world.write("CLAUDE.local.md", {"symlink": "docs/one.md"})
    settled.write(**{"docs/one.md": "one\n", "docs/two.md": "two\n"})
    assert "one\n" in settled.fire(*TOUCHED).values()
    settled.world.write("CLAUDE.local.md", {"symlink": "docs/two.md"})
    assert any(text.endswith("two\n") for text in settled.fire(*TOUCHED).values())


def test_a_repository_that_begins_between_two_firings_is_seen(repository):
    (repository.root / ".git").rmdir()
    repository.write(**{"src/CLAUDE.md": "src\n", "CLAUDE.md": "root\n"})
    assert list(repository.fire()) == ["Project conventions (CLAUDE.md)"]
    (repository.root / ".git").mkdir()
    assert list(repository.fire("src/x")) == ["Project conventions (CLAUDE.md)", "Project conventions (src/CLAUDE.md)"]
