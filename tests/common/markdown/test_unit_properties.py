"""What holds of units, mentions and outlines for every document."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.odd_markdown import COMMENTS, MARKS, MENTIONS, documents
from support.properties import PROPERTY
from support.structure import MARKDOWN

from context_common.markdown.mentions import mentions
from context_common.markdown.units import Kind, units

DOCUMENTS = documents(COMMENTS, MARKS)
KINDS = {
    "heading_open": Kind.HEADING,
    "paragraph_open": Kind.PARAGRAPH,
    "fence": Kind.FENCE,
    "code_block": Kind.CODE,
    "table_open": Kind.TABLE,
    "blockquote_open": Kind.QUOTE,
    "html_block": Kind.HTML,
    "hr": Kind.RULE,
    "list_item_open": Kind.ITEM,
}


@PROPERTY
@given(st.one_of(DOCUMENTS, st.text("# \n-`>[]:|\t\r\x0c\u2028a", max_size=30)))
def test_all_units_together_are_the_document(text):
    found = units(text)
    assert "".join(unit.text for unit in found) == text
    assert [found[0].start, *(unit.end for unit in found)] == [0, *(unit.start for unit in found[1:]), found[-1].end]
    assert found[-1].end == text.count("\n") + 1


@PROPERTY
@given(DOCUMENTS)
def test_there_is_a_unit_for_every_block_and_every_item_and_for_nothing_else_but_definitions(text):
    tokens = MARKDOWN.parse(text + "\n")
    blocks = [
        (token.map[0], KINDS[token.type])
        for token in tokens
        if token.type in KINDS and token.level == (token.type == "list_item_open")
    ]
    found = [(unit.first, unit.kind) for unit in units(text)]
    assert [entry for entry in found if entry[1] not in (Kind.DEFINITIONS, Kind.BLANK)] == blocks


@PROPERTY
@given(DOCUMENTS)
def test_runs_of_definitions_are_units_and_nothing_else_is_called_so(text):
    environment = {}
    tokens = MARKDOWN.parse(text + "\n", environment)
    entries = [*environment.get("references", {}).values(), *environment.get("duplicate_refs", [])]
    lines = {entry["map"][0] for entry in entries}
    inside = {line for token in tokens if token.map and token.level == 0 for line in range(*token.map)}
    runs = [unit for unit in units(text) if unit.kind is Kind.DEFINITIONS]
    assert all(unit.first in lines for unit in runs)
    assert all(any(unit.first <= line < unit.end for unit in runs) for line in lines - inside)


@PROPERTY
@given(DOCUMENTS)
def test_a_unit_begins_with_text_and_only_the_first_has_blank_lines_above(text):
    found = units(text)
    assert all(unit.head.strip(" \t") for unit in found if unit.kind is not Kind.BLANK)
    assert all(later.first == later.start for _, later in pairwise(found))


@PROPERTY
@given(documents(MENTIONS))
def test_a_mention_is_where_it_says_and_begins_a_word_outside_code(text):
    lines = text.split("\n")
    for mention in mentions(text):
        line = lines[mention.line].replace("\\|", "|")
        place = re.search(r"(?<!\S)" + re.escape(mention.raw), line)
        assert place or mention.raw in line
        assert mention.raw == "@" + mention.token.replace(" ", "\\ ")


@PROPERTY
@given(documents(MENTIONS))
def test_no_mention_is_in_code_or_html_or_a_link_s_target(text):
    hidden = set()
    for token in MARKDOWN.parse(text + "\n"):
        if token.type in ("fence", "code_block", "html_block"):
            hidden |= set(re.findall(r"@(w\d+o\w+)", token.content))
        for child in token.children or []:
            if child.type in ("code_inline", "html_inline", "link_open"):
                hidden |= set(re.findall(r"@(w\d+o\w+)", child.content + str(child.attrs.get("href"))))
    assert not hidden & {word for mention in mentions(text) for word in re.findall(r"w\d+o\w+", mention.token)}
