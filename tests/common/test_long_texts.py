"""Texts that nobody wrote by hand cost a bounded time, and are shown as far as they were looked at."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from support.patience import stretched

from context_common.budget import fit
from context_common.markdown.block_comments import MAX_PARSES
from context_common.markdown.document import read_document
from context_common.markdown.frontmatter import split_front_matter
from context_common.markdown.limits import COLUMN_LIMIT, DELIMITER_LIMIT, LINE_LIMIT, SIZE_LIMIT
from context_common.markdown.mentions import mentions
from context_common.markdown.units import Kind, beginning, units
from context_common.provider import Draft, Part

if TYPE_CHECKING:
    from collections.abc import Callable

PATTERNS = {
    "paragraphs": "word word word\n\n",
    "headings": "# h\n",
    "items": "- item\n",
    "numbers": "1. a\n",
    "quotes": "> q\n\n",
    "fences": "```\nx\n```\n\n",
    "tables": "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "definitions": "[a]: /b\n\n",
    "html": "<div>\n\n",
    "brackets": "[" * 1000 + "\n[a]: b\n\n",
    "one line": "word ",
    "comments": "- a <!-- b -->\n",
    "block comments": "<!-- b -->\n\n",
}


BOMBS = {
    "brackets": "[",
    "brackets of images": "![",
    "links that do not end": "[a](",
    "links in brackets": "[[a](b)",
    "labels": "[r][",
    "parentheses": "[a]((((",
    "escaped parentheses": "[a](b\\(",
    "backticks": "` `` ``` ",
    "brackets and backticks": "`[",
    "tags": "<a b='",
    "CDATA": "<![CDATA[",
    "declarations": "<!A ",
    "instructions": "<?",
    "autolinks": "<a@b.c>",
    "open comments": "w <!-- ",
    "comments": "w <!-- c -->",
    "comments in lines": "w <!-- c -->\n",
    "ampersands": "&",
    "stars": "*",
    "escapes": "\\[",
    "quotes": "> " * 90 + "w\n",
    "items in one line": "- ",
    "items": "- w <!-- c -->\n",
    "items in items": "1. 1. - w\n",
    "text behind comments": "<!-- c --> [w\n",
    "definitions": "[a]: b\n",
    "uses of definitions": "[a]: b\n\n[a] [a][a]\n\n",
    "a wide table": "|w",
    "rows": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100 + "\n",
}
AROUND = "[r]: /u\n\n<!-- c -->\n\n@a <!-- c --> {} <!-- context: keep --> @b ]`\n"


def quarter(text: str) -> int:
    return -(-len(text.encode()) // 4)


def took(work: Callable[[], None]) -> float:
    """Seconds of processor time, because others may share the machine."""
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=list(PATTERNS))
def test_the_largest_file_is_read_and_fitted_within_the_two_seconds_of_a_firing(pattern: str) -> None:
    """Four MiB of anything."""
    data = (pattern * (2**22 // len(pattern))).encode()

    def read_and_fit() -> None:
        sections = fit([Draft("x", parts=(Part.of("CLAUDE.md", read_document(data)),))], 2_000, quarter)
        assert sum(section.tokens for section in sections) <= 2_000

    assert any(took(read_and_fit) < stretched(2) for _ in range(5))


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=list(BOMBS))
def test_what_is_looked_at_takes_no_longer_either(bomb: str) -> None:
    """Texts just short enough to be read in full, with comments, mentions and definitions around them."""
    lines = min(LINE_LIMIT // max(1, bomb.count("\n")), SIZE_LIMIT // len(bomb)) - 10
    data = AROUND.format(bomb * lines).encode()

    def read_and_fit() -> None:
        document = read_document(data)
        assert len(mentions(document.text)) < 100
        sections = fit([Draft("x", parts=(Part.of("CLAUDE.md", document),))], 2_000, quarter)
        assert sum(section.tokens for section in sections) <= 2_000

    assert any(took(read_and_fit) < stretched(2) for _ in range(5))


@pytest.mark.parametrize("pattern", ["a\n\n", "# h\n", "- a\n", "```\nb\n```\n"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 9, 100])
def test_a_beginning_is_the_text_and_its_units_are_those_of_the_whole(pattern: str, limit: int) -> None:
    text = pattern * 10
    found = beginning(text, limit).units
    assert "".join(unit.text for unit in found) == text
    looked_at = [unit for unit in found if unit.kind is not Kind.REST]
    assert looked_at == list(units(text)[: len(looked_at)])
    assert len(found) - len(looked_at) <= 1


def test_a_text_within_the_limits_has_no_rest() -> None:
    assert all(unit.kind is not Kind.REST for unit in beginning("a\n\nb").units)
    assert beginning("a\n\nb", 3, 4).units == units("a\n\nb")


def test_a_first_line_beyond_the_size_limit_is_all_rest() -> None:
    (unit,) = beginning("x" * 11 + "\ny", 5, 10).units
    assert (unit.kind, unit.text) == (Kind.REST, "x" * 11 + "\ny")


def test_what_was_not_looked_at_is_named_in_the_notice() -> None:
    text = "# Title\n\nkept\n\n" + "x\n" * LINE_LIMIT
    (section,) = fit([Draft("x", parts=(Part("A.md", text),))], 50, quarter)
    assert section.text.startswith("# Title\n\nkept\n")
    assert f"lines 5\N{EN DASH}{LINE_LIMIT + 4}" in section.text


def test_a_long_far_draft_leaves_the_near_one_its_room() -> None:
    """The whole of a long text costs its bytes, so the steps of the others come before it."""
    far = Draft("far", parts=(Part("far.md", "x\n\n" * LINE_LIMIT),))
    near = Draft("near", parts=(Part("near.md", "important\n\n" * 5),), nearness=1)
    sections = {section.label: section for section in fit([far, near], 200, quarter)}
    assert not sections["near"].truncated
    assert sections["far"].truncated


def test_comments_of_a_text_that_is_too_long_stay_and_that_is_told() -> None:
    text = "<!-- a -->\n" + "x\n" * LINE_LIMIT
    document = read_document(text.encode())
    assert document.text == text
    assert "too long to look for comments" in document.warnings[0].message
    assert read_document(b"y" * (SIZE_LIMIT + 1)).warnings == ()


def test_front_matter_of_too_many_characters_is_text() -> None:
    text = "---\npaths: [" + "a," * 40_000 + "]\n---\nbody\n"
    found = split_front_matter(text)
    assert (found.body, found.metadata) == (text, {})
    assert "stays as text" in found.warnings[0].message


def test_a_list_of_more_items_than_are_looked_at_is_shown_as_far_as_it_was() -> None:
    text = "# Title\n\n" + "- item\n" * 20_000
    found = units(text)
    assert "".join(unit.text for unit in found) == text
    assert [unit.kind for unit in (*found[:3], found[-1])] == [Kind.HEADING, Kind.ITEM, Kind.ITEM, Kind.REST]
    assert 10_000 < len(found) < 20_000
    (section,) = fit([Draft("x", parts=(Part("A.md", text),))], 50, quarter)
    assert section.text.startswith("# Title\n\n- item\n- item\n")


def test_a_line_that_nests_more_containers_than_are_looked_at_is_rest() -> None:
    text = "a\n\n" + "- " * 300_000 + "b\n"
    assert [unit.kind for unit in units(text)][:2] == [Kind.PARAGRAPH, Kind.REST]


@pytest.mark.parametrize(("columns", "kind"), [(COLUMN_LIMIT - 1, Kind.TABLE), (COLUMN_LIMIT, Kind.PARAGRAPH)])
def test_a_table_has_so_many_columns_and_no_more(columns: int, kind: Kind) -> None:
    (unit,) = units("|a" * columns + "|\n" + "|-" * columns + "|\n")
    assert unit.kind is kind


def test_comments_among_more_blocks_than_are_looked_at_stay_and_that_is_told() -> None:
    text = "- a <!-- b -->\n" * 15_000
    document = read_document(text.encode())
    assert document.text == text
    assert [warning.message for warning in document.warnings] == [
        "there are too many blocks to look for comments: they stay"
    ]


def test_comments_in_prose_stay_from_where_more_delimiters_are_than_are_looked_at() -> None:
    text = "a <!-- b -->\n\n<!-- c -->\n\n" + "[" * DELIMITER_LIMIT + " <!-- d -->\n"
    document = read_document(text.encode())
    assert document.text == "a\n\n\n" + "[" * DELIMITER_LIMIT + " <!-- d -->\n"
    assert [(warning.line, warning.message.split(",")[0]) for warning in document.warnings] == [
        (5, "comments in prose stay from here on")
    ]


def test_mentions_are_looked_for_in_the_beginning_of_a_text_only() -> None:
    assert [mention.line for mention in mentions("@a\n" + "\n" * LINE_LIMIT + "@b\n")] == [0]
    assert [mention.line for mention in mentions("@a\n\n@b" + "[" * (DELIMITER_LIMIT + 1))] == [0]


def test_of_texts_behind_many_comments_those_that_may_be_no_prose_keep_emptied_ones() -> None:
    text = "<!-- a --> [b]\n\n" * (MAX_PARSES + 1) + "<!-- a --> b\n"
    document = read_document(text.encode())
    assert document.text == "[b]\n\n" * MAX_PARSES + "<!-- --> [b]\n\nb\n"
