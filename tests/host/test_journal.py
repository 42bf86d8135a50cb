"""Log entries from everywhere, in the turn that made them."""

from __future__ import annotations

import pytest

from context_host.hclog import Entry, read_line
from context_host.journal import Journal

LINES = {
    '{"@level":"info","@message":"read","@timestamp":"2026-01-02T03:04:05.123456Z","@module":"x","path":"a","n":3}': (
        "info",
        "read",
        {"path": "a", "n": "3"},
    ),
    '{"@level":"warning","@message":"x"}': ("debug", '{"@level":"warning","@message":"x"}', {}),
    '{"@level":"info","@message":3}': ("debug", '{"@level":"info","@message":3}', {}),
    '{"@level":[],"@message":"x"}': ("debug", '{"@level":[],"@message":"x"}', {}),
    '{"@message":"x"}': ("debug", '{"@message":"x"}', {}),
    "{broken": ("debug", "{broken", {}),
    "{" * 100_000: ("debug", "{" * 100_000, {}),
    "[WARN] careful": ("warn", "careful", {}),
    "[NEWS] careful": ("debug", "[NEWS] careful", {}),
    "Traceback (most recent call last):": ("debug", "Traceback (most recent call last):", {}),
}


@pytest.mark.parametrize(("line", "read"), LINES.items(), ids=range(len(LINES)))
def test_stderr_lines_are_read_as_go_plugin_reads_them(line, read):
    """hclog's JSON with string fields of its own; a level in brackets; everything else at debug, as it is."""
    entry = read_line("p", line)
    assert (entry.level, entry.message, dict(entry.fields)) == read


def test_deep_json_on_stderr_is_no_harm():
    """A plugin can write anything."""
    line = '{"@level":"info","@message":"x","deep":' + "[" * 50_000 + "]" * 50_000 + "}"
    assert read_line("p", line).level in {"info", "debug"}


def test_entries_belong_to_the_slice_in_which_they_were_made():
    """However late they arrive; what came before the first turn belongs to it."""
    journal = Journal()
    for when, message in [(5.0, "second"), (0.5, "start-up"), (1.5, "first"), (9.0, "last")]:
        journal.add(Entry("p", "info", message), when)
    slices = journal.slices([1.0, 2.0])
    assert [[entry.message for entry in part] for part in slices] == [["start-up", "first"], ["second", "last"]]


def test_news_are_told_once():
    """For a view that follows along."""
    journal = Journal()
    journal.add(Entry("p", "info", "one"))
    assert [entry.message for entry in journal.news()] == ["one"]
    journal.add(Entry("p", "info", "two"))
    assert [entry.message for entry in journal.news()] == ["two"]
    assert journal.news() == []
