"""The terminal view and its progress line, as a terminal would get them."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console
from support.odd_host import MODEL, odd_host

from context_host.bars import DYNAMIC, budget_bar, prefix_strip
from context_host.hclog import Entry
from context_host.progress import progress
from context_host.projection import Role
from context_host.session import Session
from context_host.view import plain, print_log, print_request, print_turn


def console(width=80, **options):
    return Console(file=io.StringIO(), width=width, highlight=False, **options)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal():
    return Console(file=Terminal(), width=80, force_terminal=True, legacy_windows=False)


def written(console):
    return console.file.getvalue()


def bar(*arguments, **options):
    return "".join(text for text, _ in budget_bar(*arguments, **options))


BARS = {
    (0, 50, 100): "━━━━━·····",
    (50, 50, 100): "─────━━━━━",
    (0, 1, 1000): "━·········",
    (0, 0, 100): "··········",
    (0, 5, 0): "··········",
    (0, 100, 100): "━━━━━━━━━━",
    (99, 1, 100): "──────────",
}


@pytest.mark.parametrize(("numbers", "drawn"), BARS.items())
def test_bar_is_drawn_to_scale(numbers, drawn):
    """What earlier sections used, what this one takes, what is left; something is never drawn as nothing while there is room."""
    assert bar(*numbers, width=10) == drawn


def test_dynamic_sections_have_bars_of_their_own():
    """Without colour they must be told apart as well."""
    assert bar(0, 50, 100, width=4, mark=DYNAMIC) == "╍╍··"


@pytest.mark.parametrize(("share", "drawn"), [(1.0, "━━━━"), (0.999, "━━━╌"), (0.5, "━━╌╌"), (0.0, "╌╌╌╌")])
def test_strip_is_full_only_where_everything_repeats(share, drawn):
    """99.9 % is not everything."""
    assert "".join(text for text, _ in prefix_strip(share, 4)) == drawn


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("x\r\ny", "x\\x0d\\x0ay"),
        ("\x9bK", "\\x9bK"),
        ("\u202eabc", "\\x202eabc"),
        ("ä ✓", "ä ✓"),
    ],
)
def test_text_from_elsewhere_cannot_steer_the_terminal(text, shown):
    """Escapes, line ends and bidi controls are written out."""
    assert plain(text) == shown


@pytest.fixture(scope="module")
def turns(tmp_path_factory):
    directory = tmp_path_factory.mktemp("view")
    with odd_host(directory, {"notes": "plain", "counter": "dynamic", "bad": "fail", "quiet": "silent"}) as host:
        session = Session(host, MODEL, directory)
        first = session.fire()
        session.say(Role.USER, "a question")
        return [first, session.fire()]


@pytest.mark.parametrize("width", [50, 80, 120])
def test_no_line_is_wider_than_the_terminal(turns, width):
    """At any width, with every kind of row."""
    screen = console(width)
    print_turn(screen, turns[1], turns[0])
    print_request(screen, turns[1])
    print_log(screen, turns[1].assembled.entries)
    assert max(map(len, written(screen).splitlines())) <= width


def test_every_row_says_what_became_of_it(turns):
    """Unchanged, updated, and a provider that failed."""
    screen = console()
    print_turn(screen, turns[1], turns[0])
    rows = [line.split() for line in written(screen).splitlines()]
    assert [row[-1] for row in rows[:3]] == ["unchanged", "updated", "failed"]
    assert [row[0] for row in rows[:4]] == ["notes", "counter", "bad", "quiet"]


def test_provider_without_a_section_is_shown_with_its_budget(turns):
    """So that one sees that it was asked, and in its place."""
    screen = console()
    print_turn(screen, turns[0], None)
    assert ["quiet", "nothing", "0/100", "············"] in [line.split() for line in written(screen).splitlines()]


@pytest.mark.parametrize(("color", "escapes"), [("truecolor", True), (None, False)])
def test_colour_adds_nothing_but_colour(turns, color, escapes):
    """The same characters with and without."""
    screen = console(force_terminal=escapes, color_system=color, legacy_windows=False)
    print_turn(screen, turns[1], turns[0])
    assert ("\x1b[" in written(screen)) is escapes
    other = console()
    print_turn(other, turns[1], turns[0])
    from rich.text import Text

    assert Text.from_ansi(written(screen)).plain.split() == written(other).split()


def test_only_what_needs_attention_is_shown_by_default():
    """Debug and info entries need -v, and so do fields that say nothing about where."""
    entries = [Entry("p", "info", "quiet"), Entry("p", "warn", "loud", {"digest": "abc", "section": "S"})]
    short, long = console(), console()
    print_log(short, entries)
    print_log(long, entries, everything=True)
    assert written(short).split() == ["warn", "p:", "loud", "section=S"]
    assert "quiet" in written(long)
    assert "digest=abc" in written(long)


def test_progress_line_comes_only_after_a_while():
    """What is quick is not announced; what takes long is, and the line is gone afterwards."""
    quick, slow = terminal(), terminal()
    with progress(quick, "starting", seconds=5):
        time.sleep(0.01)
    with progress(slow, "starting", seconds=0.05):
        time.sleep(0.3)
    assert "starting" not in written(quick)
    assert "starting" in written(slow)


def test_progress_line_is_for_terminals_only():
    """Nothing of it ends up in a file or a pipe, even where colours are forced."""
    pipe = console(force_terminal=True)
    with progress(pipe, "starting", seconds=0):
        time.sleep(0.05)
    assert written(pipe) == ""
