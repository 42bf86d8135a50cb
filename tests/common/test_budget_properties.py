"""What holds of `fit` for every document, every budget and every deterministic counter."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st
from support.counters import COUNTERS, Counting, quarter_bytes
from support.odd_markdown import MARKS, document, table
from support.properties import PROPERTY

from context_common.budget import fit, whole
from context_common.budget.fit import _largest_that_fits, _states
from context_common.budget.needs import guards_of, headings_of
from context_common.budget.ranking import ranking
from context_common.budget.shapes import shape_of
from context_common.markdown.document import read_document
from context_common.markdown.units import Kind, outline, units
from context_common.provider import Draft, Part

NOTICE = re.compile(r"\[Shortened to fit\.[^\n]*\]")


def part(text, number=0, opening=""):
    return Part.of(f"{number}.md", read_document(text.encode()), opening)


MARKED = table(MARKS)


def single(data, label="label"):
    return Draft(label, (part(document(data[1:], MARKED)),), nearness=data[0] % 3)


def double(data, label="label"):
    half = len(data) // 2
    one, two = document(data[1:half], MARKED), document(data[half:], MARKED)
    parts = (part(one), part(two, 1, "Contents of 1.md:"))
    return Draft(label, parts, nearness=data[0] % 3, opening="Ours." if data[0] % 2 else "")


def ladder(data, label):
    return Draft(label, ladder=tuple("ab \n"[byte % 4] * (byte // 16) for byte in data[1:5]), nearness=data[0] % 3)


def drafts_of(datas):
    kinds = (single, single, double, ladder)
    return [kinds[data[1] % 4](data, str(at)) for at, data in enumerate(datas)]


SINGLE = st.binary(min_size=9, max_size=23).map(single).filter(lambda draft: whole(draft).strip())
DOUBLE = st.binary(min_size=13, max_size=27).map(double)
DRAFTS = st.lists(st.binary(min_size=9, max_size=17), min_size=1, max_size=3).map(drafts_of)
COUNTER = st.sampled_from(COUNTERS)
SHARE = st.integers(0, 105)


def budget_of(drafts, share, count):
    """``share`` percent of what all drafts together cost."""
    return sum(count(whole(draft)) for draft in drafts) * share // 100


def without_notice(text):
    return NOTICE.sub("", text)


def words(text):
    return set(re.findall(r"w\d+o", without_notice(text)))


@PROPERTY
@given(DRAFTS, SHARE, COUNTER)
def test_counts_sum_to_at_most_the_budget_and_are_the_counter_s_own(drafts, share, count):
    budget = budget_of(drafts, share, count)
    sections = fit(drafts, budget, count)
    assert sum(section.tokens for section in sections) <= budget
    assert all(section.tokens == count(section.text) for section in sections)


@PROPERTY
@given(DRAFTS, SHARE, st.integers(1, 40), COUNTER)
def test_more_budget_keeps_a_superset_of_units(drafts, share, more, count):
    budget = budget_of(drafts, share, count)
    small = {section.label: section.text for section in fit(drafts, budget, count)}
    large = {section.label: section.text for section in fit(drafts, budget + more, count)}
    assert small.keys() <= large.keys()
    assert all(words(text) <= words(large[label]) for label, text in small.items())


@PROPERTY
@given(DRAFTS, SHARE)
def test_of_all_prefixes_of_the_ranking_the_longest_that_fits_is_shown(drafts, share):
    budget = budget_of(drafts, share, quarter_bytes)
    drafts = [draft for draft in drafts if whole(draft).strip()]
    shapes = [shape_of(draft) for draft in drafts]
    order = ranking(drafts, shapes)

    def cost(states):
        return sum(quarter_bytes(shape.text(state)) for shape, state in zip(shapes, states, strict=True))

    prefixes = [_states(order[:length], shapes) for length in range(len(order) + 1)]
    costs = [cost(states) for states in prefixes]
    assert costs == sorted(costs)
    if drafts and costs[-1] > budget:
        longest = max(length for length, total in enumerate(costs) if total <= budget)
        assert _largest_that_fits(order, shapes, budget, quarter_bytes) == prefixes[longest]


@PROPERTY
@given(DRAFTS, SHARE, COUNTER)
def test_the_same_input_gives_the_same_output(drafts, share, count):
    budget = budget_of(drafts, share, count)
    again = [Draft(d.label, d.parts, d.ladder, nearness=d.nearness, opening=d.opening) for d in drafts]
    assert fit(drafts, budget, count) == fit(again, budget, count)


@PROPERTY
@given(DRAFTS, SHARE, COUNTER)
def test_truncated_is_true_exactly_for_shortened_drafts(drafts, share, count):
    budget = budget_of(drafts, share, count)
    wholes = {draft.label: whole(draft) for draft in drafts}
    for section in fit(drafts, budget, count):
        assert section.truncated is (section.text != wholes[section.label])
        assert len(section.text.encode()) <= len(wholes[section.label].encode()) or NOTICE.search(section.text)


@PROPERTY
@given(DRAFTS, SHARE, COUNTER)
def test_the_counter_is_called_no_more_often_than_the_bound(drafts, share, count):
    budget = budget_of(drafts, share, count)
    drafts = [draft for draft in drafts if whole(draft).strip()]
    counting = Counting(count)
    fit(drafts, budget, counting)
    pieces = sum(len(units(one.text)) for draft in drafts for one in draft.parts)
    pieces += sum(len(draft.ladder) for draft in drafts)
    bound = len(drafts) * (1 + math.ceil(math.log2(pieces + len(drafts)))) if drafts else 0
    assert counting.calls <= len(drafts) + bound


@PROPERTY
@given(SINGLE, SHARE, COUNTER)
def test_parsed_again_a_shortened_draft_is_its_kept_units_and_its_notice(draft, share, count):
    budget = budget_of([draft], share, count)
    for section in fit([draft], budget, count):
        if section.truncated:
            source = [unit.text.strip("\n \t") for unit in units(draft.parts[0].text)]
            shown = [unit.text.strip("\n \t") for unit in units(section.text)]
            notices = [text for text in shown if NOTICE.fullmatch(text)]
            assert len(notices) == 1
            rest = iter(source)
            assert all(text in rest for text in shown if text not in notices), (shown, source)


@PROPERTY
@given(SINGLE, SHARE, COUNTER)
def test_the_notice_is_the_last_line_or_the_first_before_what_is_never_closed(draft, share, count):
    budget = budget_of([draft], share, count)
    for section in fit([draft], budget, count):
        if section.truncated:
            last = units(section.text)[-1]
            if NOTICE.fullmatch(section.text.split("\n")[-1]):
                assert last.text == section.text.split("\n")[-1]
            else:
                assert NOTICE.fullmatch(section.text.split("\n")[0])
                assert last.kind in (Kind.FENCE, Kind.HTML)
                assert draft.parts[0].text.endswith(last.text)


def states_of(draft):
    """The indexes of the units kept in each state that is not whole, and the outline they belong to."""
    shape = shape_of(draft)
    (piece,) = shape._pieces
    return outline(piece.part.text), [set(piece.shown(state)) for state in range(1, len(shape.steps))]


@PROPERTY
@given(SINGLE)
def test_a_heading_is_kept_exactly_while_something_under_it_is(draft):
    outlined, states = states_of(draft)
    for at, unit in enumerate(outlined.units):
        if unit.kind is Kind.HEADING:
            following = outlined.units[at + 1 :]
            depth = [other.kind is Kind.HEADING and other.level <= unit.level for other in following]
            under = range(at + 1, at + 1 + (depth.index(True) if True in depth else len(depth)))
            assert not under or all((at in kept) is any(other in kept for other in under) for kept in states)


@PROPERTY
@given(SINGLE)
def test_definitions_are_kept_exactly_while_a_kept_unit_uses_them_or_is_kept_apart_by_them(draft):
    outlined, states = states_of(draft)
    apart = guards_of(outlined.units, headings_of(outlined.units))
    definitions = {at for at, unit in enumerate(outlined.units) if unit.kind is Kind.DEFINITIONS}
    for kept in states:
        needed = {at for user in kept for at in (*outlined.used.get(user, ()), apart.get(user))}
        assert kept & definitions == needed & definitions


@PROPERTY
@given(DOUBLE, SHARE, COUNTER)
def test_what_a_part_leaves_open_swallows_nothing_of_the_next(draft, share, count):
    budget = budget_of([draft], share, count)
    for section in fit([draft], budget, count):
        found = [unit.text.strip() for unit in units(section.text) if unit.kind is Kind.PARAGRAPH]
        lines = section.text.split("\n")
        assert ("Contents of 1.md:" in found) is ("Contents of 1.md:" in lines)
        assert ("Ours." in found) is ("Ours." in lines)
        assert section.truncated is any(NOTICE.fullmatch(text) for text in found)
