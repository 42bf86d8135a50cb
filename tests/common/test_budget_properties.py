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


def several(data):
    kinds = (single, single, double, ladder)
    size = len(data) // (1 + data[0] % 3)
    return [kinds[data[at] % 4](data[at : at + size], str(at)) for at in range(0, len(data) - size + 1, size)]


class Case:
    """Drafts, a counter, a budget of up to all that the drafts cost, and a larger one: decoded from one byte string."""

    def __init__(self, data, drafts):
        self.data = data
        self.drafts = drafts(data[3:])
        self.count = COUNTERS[data[0] % len(COUNTERS)]
        total = sum(self.count(whole(draft)) for draft in self.drafts)
        self.budget = total * data[1] // 240
        self.more = self.budget + 1 + data[2] % 30

    def __repr__(self):
        return f"Case({self.data!r}: {self.drafts!r}, {self.budget}, {self.count.__name__})"

    @property
    def draft(self):
        return self.drafts[0]


def cases(drafts, largest):
    """Cases of ``drafts(bytes)``; drawing one byte string is what keeps thousands of examples fast."""
    return st.binary(min_size=14, max_size=largest).map(lambda data: Case(data, drafts))


SINGLE = cases(lambda data: [single(data)], 26)
DOUBLE = cases(lambda data: [double(data)], 24)
SEVERAL = cases(several, 30)


def without_notice(text):
    return NOTICE.sub("", text)


def words(text):
    return set(re.findall(r"w\d+o", without_notice(text)))


@PROPERTY
@given(SEVERAL)
def test_counts_sum_to_at_most_the_budget_and_are_the_counter_s_own(case):
    sections = fit(case.drafts, case.budget, case.count)
    assert sum(section.tokens for section in sections) <= case.budget
    assert all(section.tokens == case.count(section.text) for section in sections)


@PROPERTY
@given(SEVERAL)
def test_more_budget_keeps_a_superset_of_units(case):
    small = {section.label: section.text for section in fit(case.drafts, case.budget, case.count)}
    large = {section.label: section.text for section in fit(case.drafts, case.more, case.count)}
    assert small.keys() <= large.keys()
    assert all(words(text) <= words(large[label]) for label, text in small.items())


@PROPERTY
@given(SEVERAL)
def test_of_all_prefixes_of_the_ranking_the_longest_that_fits_is_shown(case):
    drafts = [draft for draft in case.drafts if whole(draft).strip()]
    shapes = [shape_of(draft) for draft in drafts]
    order = ranking(drafts, shapes)
    prefixes = [_states(order[:length], shapes) for length in range(len(order) + 1)]
    costs = [
        sum(quarter_bytes(shape.text(state)) for shape, state in zip(shapes, states, strict=True))
        for states in prefixes
    ]
    budget = costs[-1] * case.data[1] // 256
    assert costs == sorted(costs)
    if drafts:
        longest = max(length for length, cost in enumerate(costs) if cost <= budget)
        assert _largest_that_fits(order, shapes, budget, quarter_bytes) == prefixes[longest]


@PROPERTY
@given(SEVERAL)
def test_the_same_input_gives_the_same_output(case):
    again = Case(case.data, several)
    assert fit(case.drafts, case.budget, case.count) == fit(again.drafts, again.budget, again.count)


@PROPERTY
@given(SEVERAL)
def test_truncated_is_true_exactly_for_shortened_drafts(case):
    wholes = {draft.label: whole(draft) for draft in case.drafts}
    for section in fit(case.drafts, case.budget, case.count):
        assert section.truncated is (section.text != wholes[section.label])


@PROPERTY
@given(SEVERAL)
def test_the_counter_is_called_no_more_often_than_the_bound(case):
    drafts = [draft for draft in case.drafts if whole(draft).strip()]
    pieces = sum(len(units(part.text)) for draft in drafts for part in draft.parts)
    pieces += sum(len(draft.ladder) for draft in drafts)
    bound = len(drafts) * (1 + math.ceil(math.log2(pieces + len(drafts)))) if drafts else 0
    counting = Counting(case.count)
    fit(drafts, case.budget, counting)
    assert counting.calls <= len(drafts) + bound


def contents(text):
    """The units of ``text`` without blanks around them; of definitions the lines, because runs that meet are one."""
    return [
        content.strip("\n \t")
        for unit in units(text)
        for content in (unit.text.strip().split("\n") if unit.kind is Kind.DEFINITIONS else [unit.text])
        if content.strip("\n \t")
    ]


@PROPERTY
@given(SINGLE)
def test_parsed_again_a_shortened_draft_is_its_kept_units_and_its_notice(case):
    for section in fit(case.drafts, case.budget, case.count):
        if section.truncated:
            source = iter(contents(case.draft.parts[0].text))
            shown = contents(section.text)
            assert sum(bool(NOTICE.fullmatch(text)) for text in shown) == 1
            assert all(NOTICE.fullmatch(text) or text in source for text in shown)


@PROPERTY
@given(SINGLE)
def test_the_notice_is_the_last_line_or_the_first_before_what_is_never_closed(case):
    for section in fit(case.drafts, case.budget, case.count):
        if section.truncated:
            first, last = section.text.split("\n")[0], section.text.split("\n")[-1]
            ending = units(section.text)[-1]
            if NOTICE.fullmatch(last):
                assert ending.text == last
            else:
                assert NOTICE.fullmatch(first)
                assert ending.kind in (Kind.FENCE, Kind.HTML)
                assert case.draft.parts[0].text.endswith(ending.text)


@PROPERTY
@given(SINGLE)
def test_no_fence_is_left_open_that_the_document_closes(case):
    for section in fit(case.drafts, case.budget, case.count):
        source = {unit.text.rstrip("\n") for unit in units(case.draft.parts[0].text) if unit.kind is Kind.FENCE}
        shown = {unit.text.rstrip("\n") for unit in units(section.text) if unit.kind is Kind.FENCE}
        assert shown <= source


def states_of(draft):
    """The units of a draft and, for each state in which it is not whole, the indexes of those that are shown."""
    shape = shape_of(draft)
    outlines = [outline(piece.part.text) for piece in shape._pieces]
    return outlines[:1], [
        set(shape._pieces[0].shown(state)) for state in range(1, len(shape.steps))
    ] if outlines else []


@PROPERTY
@given(SINGLE)
def test_a_heading_is_kept_exactly_while_something_under_it_is(case):
    outlines, states = states_of(case.draft)
    for outlined in outlines:
        for at, unit in enumerate(outlined.units):
            if unit.kind is Kind.HEADING:
                following = outlined.units[at + 1 :]
                ends = [other.kind is Kind.HEADING and other.level <= unit.level for other in following]
                under = range(at + 1, at + 1 + [*ends, True].index(True))
                assert not under or all((at in kept) is any(other in kept for other in under) for kept in states)


@PROPERTY
@given(SINGLE)
def test_definitions_are_kept_exactly_while_a_kept_unit_uses_them_or_is_kept_apart_by_them(case):
    outlines, states = states_of(case.draft)
    for outlined in outlines:
        apart = guards_of(outlined.units, headings_of(outlined.units))
        definitions = {at for at, unit in enumerate(outlined.units) if unit.kind is Kind.DEFINITIONS}
        for kept in states:
            labels = {label for user in kept for label in outlined.used.get(user, ())}
            needed = {at for label in labels for at in outlined.defined.get(label, ())} | {
                apart.get(user) for user in kept
            }
            assert kept & definitions == needed & definitions


@PROPERTY
@given(DOUBLE)
def test_what_a_part_leaves_open_swallows_nothing_of_the_next(case):
    for section in fit(case.drafts, case.budget, case.count):
        found = [unit.text.strip() for unit in units(section.text) if unit.kind is Kind.PARAGRAPH]
        lines = section.text.split("\n")
        assert ("Contents of 1.md:" in found) is ("Contents of 1.md:" in lines)
        assert ("Ours." in found) is ("Ours." in lines)
        assert section.truncated is any(NOTICE.fullmatch(text) for text in found)
