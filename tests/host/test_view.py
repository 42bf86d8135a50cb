"""The terminal view and its progress line, as a terminal would get them."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console
from rich.text import Text
from support.odd_host import MODEL, odd_host

from context_host.bars import DYNAMIC, Gauge, percentage, prefix_strip
from context_host.hclog import Entry
from context_host.progress import progress
from context_host.projection import Role
from context_host.report import absent, statuses
from context_host.rows import fitted, plain
from context_host.screen import screen
from context_host.session import Session
from context_host.view import print_log, print_request, print_turn, print_warnings


def console(width=80, **options):
    return screen(file=io.StringIO(), width=width, **options)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal():
    return Console(file=Terminal(), width=80, force_terminal=True, legacy_windows=False)


def written(console):
    return console.file.getvalue()


def bars(budget, sections, width=10, **options):
    gauge = Gauge(budget, width)
    return ["".join(text for text, _ in gauge.bar(tokens, **options)) for tokens in sections]


BARS = {
    (100, 50): ["━━━━━·····"],
    (100, 50, 50): ["━━━━━·····", "─────━━━━━"],
    (100, 24, 24, 24): ["━━········", "──━━━·····", "─────━━···"],
    (1000, 210, 1, 330): ["━━········", "──━·······", "───━━·····"],
    (1000, 1): ["━·········"],
    (100, 0): ["··········"],
    (0, 5): ["··········"],
    (100, 100): ["━━━━━━━━━━"],
    (100, 99, 1): ["━━━━━━━━━━", "──────────"],
}


@pytest.mark.parametrize(("numbers", "drawn"), BARS.items())
def test_bars_of_a_provider_add_up(numbers, drawn):
    """Each begins where the one before ended, the last ends at the sum; something is never drawn as nothing while there is room."""
    budget, *sections = numbers
    assert bars(budget, sections) == drawn


def test_dynamic_sections_have_bars_of_their_own():
    """Without colour they must be told apart as well."""
    assert bars(100, [50], width=4, mark=DYNAMIC) == ["╍╍··"]


@pytest.mark.parametrize(("share", "drawn"), [(1.0, "━━━━"), (0.999, "━━━╌"), (0.5, "━━╌╌"), (0.0, "╌╌╌╌")])
def test_strip_is_full_only_where_everything_repeats(share, drawn):
    """99.9 % is not everything."""
    assert "".join(text for text, _ in prefix_strip(share, 4)) == drawn


SHARES = {
    (1.0, 0): "100%",
    (0.9999, 0): "99%",
    (0.884, 0): "88%",
    (0.99999, 1): "99.9%",
    (0.9204, 1): "92.0%",
    (0.0, 0): "0%",
}


@pytest.mark.parametrize(("given", "shown"), SHARES.items())
def test_hundred_per_cent_is_everything(given, shown):
    """The figure says of a request what the strip beside it shows."""
    assert percentage(*given) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("x\r\ny", "x\\x0d\\x0ay"),
        ("\x9bK", "\\x9bK"),
        ("\u202eabc", "\\x202eabc"),
        ("a\u2028b", "a\\x2028b"),
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


LABELS = {
    ("AGENTS.md (root)", 32): "AGENTS.md (root)",
    ("AGENTS.md (services/billing/europe/invoices)", 32): "AGENTS.md (serv…europe/invoices)",
    ("規則ファイル、サービス", 12): "規則…ービス",
    ("x" * 1_000_000, 5): "xx…xx",
    ("label", 1): "…",
}


@pytest.mark.parametrize(("given", "shown"), LABELS.items(), ids=range(len(LABELS)))
def test_long_label_keeps_its_beginning_and_its_end(given, shown):
    """One section is one row, and what tells two of them apart stands at the end."""
    assert fitted(*given) == shown


def test_no_line_ends_in_blanks():
    """Nobody wants them in a file, or in what is copied out of a terminal."""
    lines = console(20)
    lines.print(Text("one two three four five six seven eight  "))
    lines.print()
    print_warnings(lines, ["a sentence that is longer than the line"])
    assert [line for line in written(lines).split("\n") if line.endswith(" ")] == []
    assert "\n\n" in written(lines)


def test_view_is_spelled_in_ascii_where_there_is_nothing_else():
    """Static and dynamic, taken and free must still be told apart."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    lines = screen(file=stream, width=40)
    lines.print(Text("".join(bars(100, [20, 30]) + bars(100, [20], mark=DYNAMIC))))
    stream.flush()
    assert stream.buffer.getvalue() == b"==........--===.....~~........\n"


def test_note_goes_on_below_its_own_text():
    """A second line is not taken for another note."""
    lines = console(20)
    print_warnings(lines, ["one two three four"])
    assert written(lines) == "note  one two three\n      four\n"


@pytest.mark.parametrize("width", [40, 50, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(turns, width):
    """At any width, with every kind of row."""
    lines = console(width)
    print_turn(lines, turns[1], turns[0])
    print_request(lines, turns[1])
    print_log(lines, turns[1].assembled.entries)
    assert max(map(len, written(lines).splitlines())) <= width


def test_figures_stay_near_their_labels(turns):
    """However wide the terminal is, nobody has to follow a row with a finger."""
    lines = console(250)
    print_turn(lines, turns[0], None)
    assert max(map(len, written(lines).splitlines())) < 150


def test_label_stands_below_where_there_is_no_room_beside(turns):
    """Three letters and three more would tell nothing apart."""
    lines = console(40)
    print_turn(lines, turns[0], None)
    assert written(lines).splitlines()[:2] == ["  notes      2/100 new", "    Notes"]


def test_every_row_says_what_became_of_it(turns):
    """Unchanged, updated, and a provider that failed."""
    lines = console()
    print_turn(lines, turns[1], turns[0])
    rows = [line.split() for line in written(lines).splitlines()]
    assert [row[-1] for row in rows[:3]] == ["unchanged", "updated", "failed"]
    assert [row[0] for row in rows[:4]] == ["notes", "counter", "bad", "quiet"]


def test_provider_without_a_section_is_shown_with_its_budget(turns):
    """So that one sees that it was asked, and in its place."""
    lines = console()
    print_turn(lines, turns[0], None)
    assert ["quiet", "nothing", "0/100", "············"] in [line.split() for line in written(lines).splitlines()]


def test_withdrawn_section_is_told_where_its_provider_stands(tmp_path):
    """Rows keep the declared order, whatever became of them."""
    with odd_host(tmp_path, {"fading": "fade", "notes": "plain"}) as host:
        session = Session(host, MODEL, tmp_path)
        first, second = session.fire(), session.fire()
    lines = console()
    print_turn(lines, second, first)
    rows = [line.split() for line in written(lines).splitlines()]
    assert [(row[0], row[-1]) for row in rows[:3]] == [
        ("fading", "withdrawn"), ("fading", "············"), ("notes", "unchanged"),
    ]  # fmt: skip


def test_text_that_holds_while_its_provider_fails_is_never_new_again(tmp_path):
    """Twice kept is still kept, and what comes back as it was is unchanged."""
    with odd_host(tmp_path, {"odd": "fail-between"}) as host:
        session = Session(host, MODEL, tmp_path)
        turns = [session.fire() for _ in range(4)]
    rows = [
        [what.value for _, what in [*statuses(before, turn), *absent(before, turn)]]
        for before, turn in zip([None, *turns], turns, strict=False)
    ]
    assert rows == [["new"], ["kept"], ["kept"], ["unchanged"]]


@pytest.mark.parametrize(("color", "escapes"), [("truecolor", True), (None, False)])
def test_colour_adds_nothing_but_colour(turns, color, escapes):
    """The same characters with and without."""
    lines = console(force_terminal=escapes, color_system=color, legacy_windows=False)
    print_turn(lines, turns[1], turns[0])
    assert ("\x1b[" in written(lines)) is escapes
    other = console()
    print_turn(other, turns[1], turns[0])
    assert Text.from_ansi(written(lines)).plain.split() == written(other).split()


def test_only_what_needs_attention_is_shown_by_default():
    """Debug and info entries need -v, and so do fields that say nothing about where."""
    entries = [Entry("p", "info", "quiet"), Entry("p", "warn", "loud", {"digest": "abc", "section": "S"})]
    short, long = console(), console()
    print_log(short, entries)
    print_log(long, entries, everything=True)
    assert written(short).split() == ["warn", "p:", "loud", "section=S"]
    assert "quiet" in written(long)
    assert "digest=abc" in written(long)


def test_warning_names_the_file_that_it_is_about():
    """Where a section is named, its label says that already."""
    lines = console()
    print_log(lines, [Entry("p", "warn", "skipped", {"file_path": "a/b.md", "reason": "outside"})])
    print_log(lines, [Entry("p", "warn", "not loaded", {"file": "c.md"})])
    print_log(lines, [Entry("p", "warn", "shortened", {"file_path": "d.md", "section": "S"})])
    assert [line.split()[3:] for line in written(lines).splitlines()] == [
        ["file_path=a/b.md", "reason=outside"],
        ["loaded", "file=c.md"],
        ["section=S"],
    ]


def test_flood_of_entries_is_cut(turns):
    """A plugin cannot bury everything else; with -v all of it is there."""
    entries = [Entry("p", "error", "x" * 10_000)] + [Entry("p", "warn", f"spam {number}") for number in range(60)]
    short, long = console(), console()
    print_log(short, entries)
    print_log(long, entries, everything=True)
    assert len(written(short)) < 5_000
    assert written(short).splitlines()[-1] == "  and 11 more, which -v shows"
    assert "spam 59" in written(long)
    assert written(long).count("x") == 10_000


def test_progress_line_comes_only_after_a_while():
    """What is quick is not announced; what takes long is, and the line is gone afterwards."""
    quick, slow = terminal(), terminal()
    with progress(quick, "starting", seconds=20):
        pass
    with progress(slow, "starting", seconds=0.05):
        patience = time.monotonic() + 20
        while "starting" not in written(slow) and time.monotonic() < patience:
            time.sleep(0.01)
    assert "starting" not in written(quick)
    assert "starting" in written(slow)


def test_progress_line_is_for_terminals_only():
    """Nothing of it ends up in a file or a pipe, even where colours are forced."""
    pipe = console(force_terminal=True)
    with progress(pipe, "starting", seconds=0):
        time.sleep(0.05)
    assert written(pipe) == ""
