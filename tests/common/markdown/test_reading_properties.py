"""What holds of decoding and of front matter for every input."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from support.odd_markdown import COMMENTS, MARKS, documents
from support.properties import PROPERTY

from context_common.markdown.decode import NotTextError, decode
from context_common.markdown.document import CommentMode, read_document
from context_common.markdown.frontmatter import MAX_LINES, split_front_matter

LINES = [
    "---",
    "--- ",
    "----",
    "...",
    "+++",
    "",
    "a: 1",
    "a: b: c",
    "a:",
    "  - x",
    "- x",
    "paths: **/*.py",
    "paths: {a,b}/**",
    "on: push",
    "a = 1",
    "a = ",
    "# no",
    "Some prose.",
    "Some prose: more of it",
    "'",
    "[",
    "\ta: 1",
    "a: &a [*a]",
    "? [a]",
    "2024-13-45: x",
    "d: 2024-13-45",
    "a: !!python/object x",
    "{",
    "<<: {b: 1}",
]
BLOCK = st.binary(max_size=8).map(lambda data: "\n".join(LINES[byte % len(LINES)] for byte in data))
MARKS_OF_ORDER = st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])


@PROPERTY
@given(MARKS_OF_ORDER, st.binary(max_size=24))
@example(b"\xff\xfe", b"\0\xd8")
def test_no_bytes_raise_anything_but_that_they_are_not_text(mark, data):
    try:
        decoded = decode(mark + data)
    except NotTextError:
        assert b"\0" in mark + data
    else:
        assert "\r" not in decoded.text
        assert ("\ufffd" not in decoded.text) or decoded.warnings or "\ufffd".encode() in data or mark


@PROPERTY
@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=20))
def test_text_survives_every_encoding_with_a_mark(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        if encoding != "utf-8" or not text.startswith("\ufeff"):
            assert decode(text.encode(encoding)).text == text
    for encoding, mark in (("utf-16-be", b"\xfe\xff"), ("utf-32-be", b"\0\0\xfe\xff")):
        assert decode(mark + text.encode(encoding)).text == text


@PROPERTY
@given(st.sampled_from(["---\n", "+++\n", "--- \t\n", ""]), BLOCK)
def test_the_body_is_the_end_of_the_text_and_begins_where_it_says(opener, rest):
    text = opener + rest
    front = split_front_matter(text)
    assert text.endswith(front.body)
    assert front.body == "\n".join(text.split("\n")[front.first_line - 1 :])
    assert front.first_line <= MAX_LINES + 1


@PROPERTY
@given(st.sampled_from(["---\n", "+++\n"]), BLOCK)
def test_front_matter_never_swallows_prose(opener, rest):
    text = opener + rest
    taken = text.removesuffix(split_front_matter(text).body)
    assert "Some prose." not in re.sub(r"(?m)^(#|\s).*", "", taken)
    if "Some prose:" in taken:
        # A mapping by the letter of YAML, for all that its key has two words.
        assert split_front_matter(text).metadata["Some prose"] is not None


@PROPERTY
@given(st.sampled_from(["---\n", "+++\n"]), BLOCK)
def test_what_is_taken_says_something_unless_it_is_an_empty_mapping(opener, rest):
    front = split_front_matter(opener + rest)
    assert front.metadata or front.first_line == 1 or opener == "+++\n" or "{" in rest


@PROPERTY
@given(
    st.sampled_from(["", "---\na: 1\n---\n"]),
    documents(COMMENTS, MARKS),
    st.sampled_from(CommentMode),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_document_knows_the_source_line_of_each_of_its_lines(front, body, mode, ending):
    source = (front + body).split("\n")
    document = read_document((front + body).replace("\n", ending).encode(), mode)
    lines = document.text.split("\n")
    numbers = document.lines or tuple(range(1, len(lines) + 1))
    assert len(numbers) == len(lines)
    for line, number in zip(lines, numbers, strict=True):
        first = re.findall(r"w\d+o", line)[:1]
        assert all(word in source[number - 1] for word in first)
    assert all(0 <= mark.line < len(lines) for mark in document.marks)
    assert all(1 <= warning.line <= len(source) for warning in document.warnings)
