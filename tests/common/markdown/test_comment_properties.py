"""What holds of `strip_comments` for every document."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.odd_markdown import COMMENTS, MARKS, documents
from support.properties import PROPERTY
from support.structure import MARKDOWN, code, comments_left, structure

from context_common.markdown.comments import CommentMode, strip_comments
from context_common.markdown.marks import Reach

DOCUMENTS = documents(COMMENTS, MARKS)
MODES = st.sampled_from(list(CommentMode))


@PROPERTY
@given(DOCUMENTS, MODES)
def test_the_blocks_are_the_same_before_and_after(text, mode):
    assert structure(strip_comments(text, mode).text) == structure(text)


@PROPERTY
@given(DOCUMENTS, MODES)
def test_the_code_is_the_same_before_and_after(text, mode):
    assert code(structure(strip_comments(text, mode).text)) == code(structure(text))


@PROPERTY
@given(DOCUMENTS)
def test_no_comment_is_left_that_says_anything(text):
    assert comments_left(strip_comments(text).text) == []


@PROPERTY
@given(DOCUMENTS, MODES)
def test_stripping_twice_is_stripping_once(text, mode):
    once = strip_comments(text, mode).text
    again = strip_comments(once, mode)
    assert again.text == once
    assert again.lines == ()
    assert again.marks == ()


@PROPERTY
@given(DOCUMENTS, MODES)
def test_every_line_says_which_line_it_comes_from(text, mode):
    stripped = strip_comments(text, mode)
    before, after = text.split("\n"), stripped.text.split("\n")
    sources = stripped.lines or tuple(range(len(before)))
    assert len(sources) == len(after)
    assert list(sources) == sorted(sources)
    for line, source, following in zip(after, sources, (*sources[1:], len(before)), strict=True):
        origin = "\n".join(before[source : max(following, source + 1)])
        assert all(word in origin for word in re.findall(r"w\d+o", line))
        if "<!--" not in origin and "-->" not in origin:
            # Only behind the marker of an item that a comment headed does a line change its beginning.
            assert line == before[source] or line.endswith(before[source].lstrip("> \t"))


@PROPERTY
@given(documents(MARKS))
def test_a_mark_stands_for_the_heading_before_it_or_the_text_after_it(text):
    stripped = strip_comments(text, CommentMode.NONE)
    lines = stripped.text.split("\n")
    headings = {token.map[0] for token in MARKDOWN.parse(stripped.text + "\n") if token.type == "heading_open"}
    for mark in stripped.marks:
        assert lines[mark.line].strip(" \t>")
        assert mark.reach is Reach.UNIT or mark.line in headings


@pytest.mark.parametrize("mode", CommentMode)
def test_a_text_without_comments_comes_back_as_the_same_object(mode):
    text = "# Title\n\nText & more.\n"
    assert strip_comments(text, mode).text is text
