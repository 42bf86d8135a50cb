"""What `fit` does at boundaries, with marks, notices, parts and ladders; the corpus has the plain cases."""

import math
import re
from dataclasses import replace

import pytest
from support.counters import Counting, erratic, quarter_bytes

from context_common.budget import fit, whole
from context_common.budget.ranking import ranking
from context_common.budget.shapes import shape_of
from context_common.markdown.document import Mark, MarkKind, Reach, read_document
from context_common.markdown.units import units
from context_common.provider import Draft, Part, Stability

GUIDE = """\
# Guide

Read this first, it is short.

## Testing

Run the tests before you push.

Run them again after you rebase.

## Release

Tag the commit and push the tag.

Then tell the others.
"""

LONG = "A paragraph that is long enough to be left out." * 4 + "\n\n"


def draft(text=GUIDE, label="root", **fields):
    return Draft(label, (Part("AGENTS.md", text),), **fields)


def without_long(text, label="root", **fields):
    """A draft that is shortened by its long paragraphs first."""
    lines = [at for at, line in enumerate(text.split("\n")) if line == LONG.strip("\n")]
    return Draft(label, (Part("AGENTS.md", text, marks=tuple(Mark(at, MarkKind.DROP) for at in lines)),), **fields)


def without_notice(text):
    return re.sub(r"\[Shortened[^\n]*\]", "", text)


def shown(sections):
    return [(section.label, section.truncated) for section in sections]


def last_line(text):
    return text.split("\n")[-1]


def test_sections_come_in_the_order_of_the_drafts_however_near_they_are():
    drafts = [draft(label="far"), draft(label="near", nearness=9), draft(label="middle", nearness=5)]
    assert [section.label for section in fit(drafts, 80, quarter_bytes)] == ["far", "near", "middle"]


def test_a_section_has_the_stability_of_its_draft_and_the_count_of_its_text():
    (section,) = fit([draft(stability=Stability.DYNAMIC)], 20, quarter_bytes)
    assert section.stability is Stability.DYNAMIC
    assert section.tokens == quarter_bytes(section.text)


@pytest.mark.parametrize("budget", [0, -1])
def test_no_budget_yields_no_section_and_asks_for_no_count(budget):
    count = Counting(quarter_bytes)
    assert fit([draft()], budget, count) == []
    assert count.calls == 0


def test_a_budget_of_one_token_yields_what_costs_one_token():
    drafts = [draft("a\n", "small"), draft(label="large")]
    assert shown(fit(drafts, 1, quarter_bytes)) == [("small", False)]


@pytest.mark.parametrize("state", range(1, 6))
def test_just_below_and_above_each_boundary(state):
    """The largest state that the budget can pay is shown, but for its notice, which may be the longer one."""
    shape = shape_of(draft())
    costs = [quarter_bytes(shape.text(at)) if at else 0 for at in range(len(shape.steps) + 1)]
    assert costs == sorted(set(costs))
    for budget in (costs[state] - 1, costs[state], costs[state] + 1):
        expected = max(at for at, cost in enumerate(costs) if cost <= budget)
        sections = fit([draft()], budget, quarter_bytes)
        assert (without_notice(sections[0].text) if sections else "") == without_notice(shape.text(expected))


def test_everything_fits_at_the_very_sum_and_not_a_token_below_it():
    drafts = [draft(label="a"), draft(label="b", nearness=1)]
    total = 2 * quarter_bytes(GUIDE)
    assert shown(fit(drafts, total, quarter_bytes)) == [("a", False), ("b", False)]
    assert shown(fit(drafts, total - 1, quarter_bytes)) == [("a", True), ("b", False)]


def test_what_is_empty_is_absent_and_takes_no_room():
    drafts = [draft("", "none"), draft(" \n\t\n", "blank"), Draft("no parts"), Draft("rung", ladder=("", "x")), draft()]
    assert shown(fit(drafts, 47, quarter_bytes)) == [("root", False)]


def test_the_nearest_file_gets_at_least_half_until_it_is_whole():
    drafts = [draft(GUIDE * 8, "far"), draft(GUIDE * 8, "near", nearness=1), draft(GUIDE * 8, "farther", nearness=-1)]
    for budget in range(100, 800, 50):
        sections = {section.label: section for section in fit(drafts, budget, quarter_bytes)}
        largest_unit = max(quarter_bytes(unit.text) for unit in units(GUIDE))
        assert sections["near"].tokens >= budget // 2 - 3 * largest_unit or not sections["near"].truncated


def test_every_file_keeps_its_head_before_the_nearest_is_whole():
    drafts = [draft(GUIDE * 8, "far"), draft(GUIDE * 8, "near", nearness=1)]
    far, near = fit(drafts, 200, quarter_bytes)
    assert far.text.startswith("# Guide\n\nRead this first")
    assert near.truncated


def test_of_equally_near_drafts_the_earlier_counts_as_nearer():
    drafts = [draft(label="a"), draft(label="b")]
    shapes = [shape_of(one) for one in drafts]
    assert ranking(drafts, shapes)[:2] == [0, 1]
    assert shown(fit(drafts, 70, quarter_bytes)) == [("a", False), ("b", True)]


def test_ranking_looks_at_neither_budget_nor_counter():
    """The order of `fit` is a function of the drafts; only how far it reaches depends on the rest."""
    seen = []
    for budget in (20, 40):
        (section,) = fit([draft()], budget, quarter_bytes)
        seen.append([unit.text for unit in units(section.text) if "[" not in unit.text])
    assert seen[0] == ["# Guide\n\n", "Read this first, it is short.\n\n"]
    assert seen[1][:2] == seen[0]


def test_bytes_are_dealt_in_rounds():
    """One byte to each draft a round and, of two drafts, two more to the nearest that is not yet whole."""
    drafts = [Draft("far", ladder=("x" * 40, "x" * 10)), Draft("near", ladder=("x" * 60, "x" * 30), nearness=1)]
    shapes = [shape_of(one) for one in drafts]
    # near has 30 bytes in round 10 and 60 in round 20; far has 10 in round 10 and, favoured from then on, 40 in round 27.
    assert ranking(drafts, shapes) == [1, 0, 1, 0]


def test_the_midpoints_depend_on_neither_budget_nor_counts():
    """A larger budget takes the same turns until one that it alone can afford."""
    text = "".join(f"Paragraph number {at}, as good as any.\n\n" for at in range(40))
    probes = []
    for budget in (30, 60, 100, 200):
        asked = []
        fit([draft(text)], budget, lambda probe, asked=asked: asked.append(probe) or quarter_bytes(probe))
        probes.append(asked)
    assert len({asked[1] for asked in probes}) == 1


def test_calls_stay_within_the_bound_for_many_units_and_drafts():
    text = "".join(f"Paragraph number {at}, as good as any.\n\n" for at in range(500))
    drafts = [draft(text, str(at), nearness=at) for at in range(7)]
    for counter in (quarter_bytes, erratic):
        count = Counting(counter)
        fit(drafts, 5_000, count)
        assert count.calls <= 7 + 7 * (1 + math.ceil(math.log2(7 * 500 + 7)))


def test_a_text_is_counted_once_however_often_it_is_probed():
    count = Counting(quarter_bytes)
    fit([draft(label="a"), draft(label="b")], 70, count)
    texts = set()
    fit([draft(label="a"), draft(label="b")], 70, lambda text: texts.add(text) or quarter_bytes(text))
    assert count.calls == len(texts)


def test_what_fits_is_counted_once_for_each_draft():
    count = Counting(quarter_bytes)
    fit([draft(label="a"), draft("b\n", "b")], 1000, count)
    assert count.calls == 2


def test_a_counter_that_fails_is_not_hidden():
    def unreachable(_):
        raise ConnectionError

    with pytest.raises(ConnectionError):
        fit([draft()], 10, unreachable)


def marked(*marks):
    return Draft("root", (Part("AGENTS.md", GUIDE, marks=marks),))


def texts(section):
    return [unit.text.strip() for unit in units(section.text)]


def test_a_kept_unit_comes_before_every_other_with_its_headings():
    (section,) = fit([marked(Mark(14, MarkKind.KEEP))], 22, quarter_bytes)
    assert texts(section) == ["# Guide", "## Release", "Then tell the others.", "[Shortened to fit.]"]


def test_a_dropped_unit_goes_before_every_other():
    (section,) = fit([marked(Mark(2, MarkKind.DROP))], 46, quarter_bytes)
    assert "Read this first, it is short." not in texts(section)
    assert "Then tell the others." in texts(section)


def test_a_unit_s_own_mark_counts_more_than_its_section_s():
    marks = (Mark(4, MarkKind.KEEP, Reach.SECTION), Mark(8, MarkKind.DROP))
    (section,) = fit([marked(*marks)], 40, quarter_bytes)
    assert "Run the tests before you push." in texts(section)
    assert "Run them again after you rebase." not in texts(section)


def test_an_inner_section_s_mark_counts_more_than_an_outer_one_s():
    marks = (Mark(0, MarkKind.KEEP, Reach.SECTION), Mark(4, MarkKind.DROP, Reach.SECTION))
    (section,) = fit([marked(*marks)], 40, quarter_bytes)
    assert "## Testing" not in texts(section)
    assert "Then tell the others." in texts(section)


def test_a_mark_above_a_heading_holds_for_its_section():
    text = GUIDE.replace("## Testing", "<!-- context: drop -->\n## Testing")
    document = read_document(text.encode())
    (section,) = fit([Draft("root", (Part.of("AGENTS.md", document),))], 40, quarter_bytes)
    assert "## Testing" not in texts(section)


def test_a_draft_whose_units_are_all_dropped_still_has_its_notice_among_the_rest():
    drafts = [replace(marked(Mark(0, MarkKind.DROP, Reach.SECTION)), label="dropped"), draft(label="other")]
    assert shown(fit(drafts, 40, quarter_bytes)) == [("dropped", True), ("other", True)]


def test_a_heading_with_nothing_under_it_is_a_unit_of_its_own():
    text = "# Only a heading that is rather long\n\n# Another heading, just as long as the first one\n"
    (section,) = fit([draft(text)], 16, quarter_bytes)
    assert texts(section) == ["# Only a heading that is rather long", "[Shortened to fit.]"]


def test_the_notice_names_lines_and_headings():
    text = "# A\n\nShort.\n\n## Testing\n\n" + LONG + "## Kept\n\nShort.\n\n## Release\n\n" + LONG
    (section,) = fit([without_long(text)], 60, quarter_bytes)
    expected = '[Shortened to fit. Left out of AGENTS.md: lines 5\N{EN DASH}7 "Testing", 13\N{EN DASH}15 "Release".]'
    assert last_line(section.text) == expected


def test_neighbouring_sections_are_named_one_by_one_and_subsections_with_theirs():
    text = "Short.\n\n## One\n\n" + LONG + "### In one\n\n" + LONG + "## Two\n\n" + LONG
    (section,) = fit([without_long(text)], 30, quarter_bytes)
    assert (
        last_line(section.text)
        == '[Shortened to fit. Left out of AGENTS.md: lines 3\N{EN DASH}9 "One", 11\N{EN DASH}13 "Two".]'
    )


def test_one_line_is_called_a_line_and_a_text_before_all_headings_has_no_title():
    (section,) = fit([without_long(LONG + "Short.\n")], 20, quarter_bytes)
    assert section.text == "Short.\n\n[Shortened to fit. Left out of AGENTS.md: line 1.]"


def test_at_most_eight_ranges_are_named():
    text = "".join(f"Short {at}.\n\n" + LONG for at in range(11))
    (section,) = fit([without_long(text)], 70, quarter_bytes)
    assert last_line(section.text).count(",") == 7
    assert last_line(section.text).endswith(" and 3 more.]")


def test_the_short_notice_has_no_numbers_and_stays_where_the_long_one_does_not_fit():
    (section,) = fit([draft()], 15, quarter_bytes)
    assert last_line(section.text) == "[Shortened to fit.]"


def test_the_nearest_draft_gets_the_long_notice_first():
    drafts = [draft(LONG, "far"), draft(LONG, "near", nearness=1)]
    far, near = fit(drafts, 5 + 13, quarter_bytes)
    assert far.text == "[Shortened to fit.]"
    assert near.text == "[Shortened to fit. Left out of AGENTS.md: line 1.]"


def test_a_notice_says_which_part_lines_were_left_out_of():
    parts = (Part("a.md", "See @b.md.\n\n" + LONG), Part("b.md", LONG + "Short.\n", opening="Contents of b.md:"))
    document = Draft(
        "x", tuple(replace(part, marks=(Mark(0, MarkKind.DROP),) if at else ()) for at, part in enumerate(parts))
    )
    (section,) = fit([document], 60, quarter_bytes)
    assert last_line(section.text) == "[Shortened to fit. Left out of a.md: line 3; of b.md: line 1.]"


def test_a_notice_counts_lines_from_where_the_part_begins():
    part = Part("AGENTS.md", LONG + "Short.\n", first_line=41, marks=(Mark(0, MarkKind.DROP),))
    (section,) = fit([Draft("x", (part,))], 20, quarter_bytes)
    assert last_line(section.text) == "[Shortened to fit. Left out of AGENTS.md: line 41.]"


def test_a_notice_counts_lines_as_the_source_has_them():
    document = read_document(f"---\na: 1\n---\n<!--\nc\n-->\nShort.\n\n{LONG}".encode())
    (section,) = fit([Draft("x", (Part.of("AGENTS.md", document),))], 20, quarter_bytes)
    assert last_line(section.text) == "[Shortened to fit. Left out of AGENTS.md: line 9.]"


@pytest.mark.parametrize("title", ['A "b" c', "x" * 90, "[r]: /u", "`code`", "a &#10; b"])
def test_a_notice_is_one_paragraph_whatever_headings_say(title):
    (section,) = fit([without_long(f"Short.\n\n# {title}\n\n{LONG}")], 40, quarter_bytes)
    assert [unit.kind for unit in units(section.text)] == ["paragraph", "paragraph"]
    assert len(last_line(section.text)) < 160


@pytest.mark.parametrize("source", ["app/[id]/AGENTS.md", "a]: /u", "line\nbreak.md", "# no heading"])
def test_a_notice_is_one_paragraph_whatever_sources_are_called(source):
    part = Part(source, f"Short.\n\n{LONG}")
    (section,) = fit([Draft("x", (part,))], 40, quarter_bytes)
    assert [unit.kind for unit in units(section.text)] == ["paragraph", "paragraph"]


@pytest.mark.parametrize(
    "ending",
    ["```\ncode\n", "~~~ sh\ncode", "<!-- open\n", "<script>\n\nx\n", "<?php\n", "<!DOCTYPE\n", "<![CDATA[\nx"],
)
def test_what_the_document_never_closes_has_the_notice_above_it(ending):
    (section,) = fit([without_long(LONG + ending)], 20, quarter_bytes)
    assert section.text == "[Shortened to fit. Left out of AGENTS.md: line 1.]\n\n" + ending


@pytest.mark.parametrize("ending", ["```\ncode\n```\n", "<div>\nx\n", "<!-- closed -->\n", "<pre>x</pre>\n"])
def test_what_is_closed_has_the_notice_below_it(ending):
    (section,) = fit([without_long(LONG + ending)], 20, quarter_bytes)
    assert section.text.startswith(ending)
    assert last_line(section.text).startswith("[Shortened to fit.")


@pytest.mark.parametrize(
    ("ending", "closing"),
    [
        ("```\ncode\n", "```"),
        ("~~~~ sh\n~~~\n", "~~~~"),
        ("<!-- open\n", "-->"),
        ("<SCRIPT>\n", "</SCRIPT>"),
        ("<?php\n", "?>"),
        ("<!DOCTYPE\n", ">"),
        ("<![CDATA[\n", "]]>"),
        ("- ```\n  code\n", ""),
        ("```\ncode\n```\n", ""),
        ("<div>\n", ""),
    ],
)
def test_what_a_part_leaves_open_is_closed_before_the_next(ending, closing):
    parts = (Part("a.md", "a\n\n" + ending), Part("b.md", "# b\n", opening="Contents of b.md:"))
    text = whole(Draft("x", parts))
    assert text == f"a\n\n{ending}{closing and closing + chr(10)}\nContents of b.md:\n\n# b\n"
    assert [unit.kind for unit in units(text)][-2:] == ["paragraph", "heading"]


def test_the_last_part_is_shown_as_it_is():
    assert whole(draft("a\n\n```\nopen")) == "a\n\n```\nopen"


def test_a_whole_draft_has_its_openings_and_blank_lines_between_parts():
    parts = (
        Part("a.md", "a"),
        Part("b.md", "\n \n"),
        Part("c.md", "c\n\n", opening="Contents of c.md:"),
        Part("d.md", "d\n"),
    )
    assert whole(Draft("x", parts, opening="Ours.")) == "Ours.\n\na\n\nContents of c.md:\n\nc\n\nd\n"


def test_indented_text_without_an_opening_does_not_join_the_list_above_it():
    parts = (Part("a.md", "- a\n"), Part("b.md", "    code\n"))
    assert [unit.kind for unit in units(whole(Draft("x", parts)))] == ["item", "html", "code"]


def test_a_draft_without_text_is_empty_even_with_an_opening():
    assert whole(Draft("x", (Part("a.md", "\n"),), opening="Ours.")) == ""
    assert whole(Draft("x", ladder=("",), opening="Ours.")) == ""


def test_a_ladder_has_the_opening_too():
    assert whole(Draft("x", ladder=("first", "second"), opening="Ours.")) == "Ours.\n\nfirst"


def test_of_a_ladder_the_first_rung_that_fits_is_taken_and_only_the_first_is_not_truncated():
    ladder = Draft("x", ladder=("x" * 40, "x" * 20, "x" * 8))
    assert [
        fit([ladder], budget, quarter_bytes) and fit([ladder], budget, quarter_bytes)[0].tokens
        for budget in (10, 9, 5, 4, 2)
    ] == [10, 5, 5, 2, 2]
    assert [fit([ladder], budget, quarter_bytes)[0].truncated for budget in (10, 9)] == [False, True]
    assert fit([ladder], 1, quarter_bytes) == []


def test_a_rung_that_is_no_shorter_than_a_fuller_one_is_never_shown():
    (section,) = fit([Draft("x", ladder=("x" * 40, "y" * 12, "z" * 13, "w" * 4))], 4, quarter_bytes)
    assert section.text == "y" * 12


def test_a_state_no_shorter_than_the_whole_draft_is_skipped():
    """Without its last unit this draft would be longer, because of the notice."""
    shape = shape_of(draft("Some words that are longer than a notice.\n\na\n"))
    assert [shape.text(state) for state in range(1, len(shape.steps) + 1)] == [
        "[Shortened to fit.]",
        "Some words that are longer than a notice.\n\na\n",
    ]


def test_a_small_draft_is_whole_or_absent():
    assert len(shape_of(draft("small\n")).steps) == 1
    assert shown(fit([draft("small\n", "small"), draft()], 20, quarter_bytes)) == [("small", False), ("root", True)]


def test_a_unit_left_out_between_kept_ones_leaves_one_blank_line():
    text = "# A\nShort.\n## B\n" + LONG.strip() + "\n## C\nShort.\n"
    (section,) = fit([without_long(text)], 18, quarter_bytes)
    assert section.text.startswith("# A\nShort.\n\n## C\nShort.\n\n[Shortened")
