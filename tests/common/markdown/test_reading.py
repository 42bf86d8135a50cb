"""Reading documents: what is refused, what is never parsed, and how far limits reach."""

import subprocess
import sys

import pytest

from context_common.markdown import comments, mentions, parser
from context_common.markdown.comments import CommentMode, strip_comments
from context_common.markdown.decode import NotTextError, Undecodable, decode
from context_common.markdown.document import Notice, read_document
from context_common.markdown.frontmatter import split_front_matter
from context_common.markdown.units import units


def test_nul_counts_within_8_kib_only():
    assert decode(b"a" * 8192 + b"\0").text.endswith("\0")
    with pytest.raises(NotTextError) as caught:
        decode(b"a" * 8191 + b"\0")
    assert caught.value.reason is Undecodable.BINARY


def test_a_binary_document_is_refused_with_its_reason():
    with pytest.raises(NotTextError, match="not text: binary"):
        read_document(b"\x89PNG\0")


def test_a_closer_counts_within_256_lines_only():
    assert split_front_matter("---\n" + "a: 1\n" * 254 + "---\nx").body == "x"
    assert split_front_matter("---\n" + "a: 1\n" * 255 + "---\nx").first_line == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\n \n---\npaths: a\n---\nx\n", [3]),
        ("\n+++\npaths = 'a'\n+++\nx\n", [2]),
        ("---\n" + "a: 1\n" * 300 + "---\nx\n", [1]),
        ("\n---\nprose\n---\nx\n", []),
        ("\n---\na: 1\n", []),
        ("\n" * 3, []),
        ("---\n" + "prose\n" * 300 + "---\nx\n", []),
    ],
)
def test_what_was_meant_as_front_matter_and_is_none_is_told(text, lines):
    front = split_front_matter(text)
    assert front.body == text
    assert [warning.line for warning in front.warnings] == lines


def test_brackets_nested_deep_do_no_harm():
    front = split_front_matter("---\na: " + "[" * 5000 + "\n---\nx")
    assert front.body == "x"
    assert front.warnings


def test_merge_keys_cannot_fill_the_memory():
    entries = ", ".join(f"k{at}: 1" for at in range(1001))
    front = split_front_matter(f"---\na: {{<<: {{{entries}}}}}\n---\nx")
    assert "more than 1000 merged entries" in front.warnings[0].message


def test_the_metadata_of_a_document_is_its_front_matter():
    document = read_document(b"---\ndescription: d\n---\ntext\n")
    assert (document.metadata, document.text, document.lines) == ({"description": "d"}, "text\n", (4, 5))


def test_warnings_have_the_lines_of_the_file():
    document = read_document(b"\xef\xbb\xbf---\npaths: *.py\n---\na\xff\n\n<!-- open\n")
    assert [warning.line for warning in document.warnings] == [4, 1, 6]
    assert all(isinstance(warning, Notice) for warning in document.warnings)


def test_lines_are_empty_where_they_count_up_from_1():
    assert read_document(b"a\nb\n").lines == ()
    assert read_document(b"a <!-- c --> b\n").lines == ()


@pytest.mark.parametrize("mode", CommentMode)
def test_a_text_without_comments_is_not_parsed(monkeypatch, mode):
    monkeypatch.setattr(comments, "parse_blocks", lambda _: pytest.fail("parsed"))
    assert strip_comments("# Title\n\n`code` and <b>text</b>\n", mode).marks == ()


def test_a_text_without_marks_is_not_parsed_where_comments_stay(monkeypatch):
    monkeypatch.setattr(comments, "parse_blocks", lambda _: pytest.fail("parsed"))
    assert strip_comments("a <!-- b -->\n", CommentMode.NONE).text == "a <!-- b -->\n"


def test_a_text_without_at_signs_is_not_parsed(monkeypatch):
    monkeypatch.setattr(mentions, "parse_blocks", lambda _: pytest.fail("parsed"))
    assert mentions.mentions("# Title\n\ntext\n") == ()


def test_a_plain_file_under_budget_imports_no_parser():
    program = """
import sys
from context_common.budget import fit
from context_common.globs import Globs
from context_common.markdown.document import read_document
from context_common.markdown.mentions import mentions
from context_common.provider import Draft, Part

document = read_document(b"# Title\\n\\nSome text.\\n")
assert mentions(document.text) == ()
assert fit([Draft("a", (Part.of("a", document),))], 100, len)
assert Globs(["**/*.py"]).matches("a/b.py")
print(*{"markdown_it", "yaml", "frontmatter", "bracex", "pathspec", "google", "grpc"} & set(sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "\n"


def test_containers_are_read_a_hundred_levels_deep():
    """Deeper ones belong to their container as a whole, comments and mentions in them too."""
    deep = "> " * (parser.MAX_NESTING - 1)
    assert strip_comments(f"{deep}a <!-- c -->\n").text == f"{deep}a\n"
    assert [mention.token for mention in mentions.mentions(f"{deep}@a\n")] == ["a"]
    deeper = "> " * (parser.MAX_NESTING + 1)
    assert strip_comments(f"{deeper}a <!-- c -->\n").text == f"{deeper}a <!-- c -->\n"
    assert len(units(f"{deeper}a\n")) == 1


HOSTILE = {
    "open comments": "<!--\n",
    "comments": "<!-- c -->\n",
    "comments in one line": "w <!-- c -->",
    "comments in the lines of one paragraph": "w <!-- c -->\n",
    "open comments in one line": "w <!-- ",
    "quotes": ">" * 90 + "w <!-- c -->\n",
    "items in items": "- - - - <!-- c -->\n",
    "text behind comments": "<!-- a --> b\n",
    "links and comments": "[a](<b> 'c') <!-- c --> ",
    "brackets": "[",
    "brackets that link to nothing": "[a](",
    "angle brackets": "<",
    "backticks": "`` ` ",
    "mentions": "@a ",
    "mentions in code": "`@a` @b ",
    "definitions and their uses": "[d]: /u\n\n[d]\n\n",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_in_time(piece):
    """A safety limit: time that grew with the square of these 30 KB would run into the timeout."""
    text = piece * (30_000 // len(piece)) + " <!-- c --> @end\n"
    assert len(strip_comments(text).text) <= len(text)
    assert all(mention.line >= 0 for mention in mentions.mentions(text))
    assert "".join(unit.text for unit in units(text)) == text
