"""HTML comments inside paragraphs and headings, taken out of their source lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from context_common.markdown.marks import MarkKind, mark_kind
from context_common.markdown.parser import BLANKS, first_line, inline_spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from context_common.markdown.parser import Blocks, Span

HELD = "<!-- -->"
"""What stands for a comment whose removal would change another block."""

_BLANK = re.compile(r"[ \t]*")
_HIDES = re.compile(r"[`<\[]")


@dataclass(frozen=True, slots=True)
class InlineEdit:
    """A paragraph or heading without its comments.

    Attributes:
        token: the index of its inline token.
        content: what its inline content becomes, line by line without indentation.
        lines: what its source lines become, None for those that go.
        line: its first source line.
        is_heading: whether it is a heading.
        marks: the marks among the comments.
    """

    token: int
    content: str
    lines: dict[int, str | None]
    line: int
    is_heading: bool
    marks: list[MarkKind]


class _Place(NamedTuple):
    line: int
    column: int


class _Line(NamedTuple):
    """A line of inline content in its source: ``before + body + after`` is source line ``number``."""

    number: int
    before: str
    body: str
    after: str


def find_inline_comments(
    blocks: Blocks, lines: list[str], wanted: Callable[[str], bool], *, hold: bool
) -> list[InlineEdit]:
    """Edits that take out the comments for which ``wanted`` holds, or with ``hold`` empty them.

    A paragraph whose code would change keeps emptied comments, or its comments where that would change it too.
    """
    edits = []
    for index, (block, token) in enumerate(pairwise(blocks.tokens), 1):
        if token.type == "inline" and "<!--" in token.content and block.type in ("paragraph_open", "heading_open"):
            edit = _edit(index, block, token, blocks.references, lines, wanted=wanted, hold=hold)
            if edit:
                edits.append(edit)
    return edits


def without_comments(text: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> str:
    """One line of prose without its comments, or as it is where that would change its code."""
    comments = _comments(text, references, wanted)
    if not comments:
        return text
    (edited,) = _cut([text], _places(text, comments), hold=False)
    return edited if edited is not None and _same_code(text, edited, references, wanted) else text


def _edit(
    index: int,
    block: Token,
    token: Token,
    references: dict[str, Any],
    lines: list[str],
    *,
    wanted: Callable[[str], bool],
    hold: bool,
) -> InlineEdit | None:
    content = token.content
    comments = _comments(content, references, wanted)
    if not comments:
        return None
    rows = _rows(token, lines, is_atx=block.markup.startswith("#"))
    places = _places(content, comments)
    for held in (hold, True):
        bodies = _cut([row.body for row in rows], places, hold=held)
        edited = "\n".join(body for body in bodies if body is not None)
        if _same_code(content, edited, references, wanted):
            break
    else:
        return None
    changed = {
        row.number: None if body is None else f"{row.before}{body}{row.after}".rstrip(BLANKS)
        for row, body in zip(rows, bodies, strict=True)
        if body != row.body
    }
    marks = [mark for span in comments if (mark := mark_kind(content[span.start : span.end]))]
    return InlineEdit(index, edited, changed, rows[0].number, block.type == "heading_open", marks)


def _comments(content: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> list[Span]:
    return [span for span in inline_spans(content, references) if _is_comment(span, content, wanted)]


def _is_comment(span: Span, content: str, wanted: Callable[[str], bool]) -> bool:
    text = content[span.start : span.end]
    return span.kind == "html_inline" and text.startswith("<!--") and wanted(text)


def _rows(token: Token, lines: list[str], *, is_atx: bool) -> list[_Line]:
    """The lines of inline content, found again in the source behind quote marks, list markers and indentation."""
    rows = []
    for number, text in enumerate(token.content.split("\n"), first_line(token, lines)):
        body = text.lstrip(BLANKS)
        source = lines[number]
        start = source.find(body, source.index("#")) if is_atx else source.rfind(body)
        end = start + len(body)
        rows.append(_Line(number, source[:start], body, source[end:] if is_atx else ""))
    return rows


def _places(content: str, spans: list[Span]) -> list[tuple[_Place, _Place]]:
    """Where ``spans`` begin and end, by line and by column in the line without its indentation."""
    starts = [0]
    for line in content.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(position: int) -> _Place:
        line = bisect_right(starts, position) - 1
        text = _BLANK.match(content, starts[line])
        return _Place(line, position - (text.end() if text else starts[line]))

    return [(place(span.start), place(span.end)) for span in spans]


def _cut(bodies: list[str], places: list[tuple[_Place, _Place]], *, hold: bool) -> list[str | None]:
    """``bodies`` without what lies between ``places``; None for a line that goes with it."""
    result: list[str | None] = list(bodies)
    text = ""
    begun = line = column = 0
    for start, end in places:
        if start.line > line:
            if column:
                result[begun] = _ended(text, bodies[line][column:], begun)
            text, begun, line, column = "", start.line, start.line, 0
        text += bodies[line][column : start.column]
        result[start.line + 1 : end.line + 1] = [None] * (end.line - start.line)
        line, column = end
        if hold:
            text += HELD
        elif text[-1:] in BLANKS:
            blank = _BLANK.match(bodies[line], column)
            column = blank.end() if blank else column
    result[begun] = _ended(text, bodies[line][column:], begun)
    return result


def _ended(text: str, rest: str, line: int) -> str | None:
    text = text + rest if rest.strip(BLANKS) else text.rstrip(BLANKS)
    return text if text or not line else None


def _same_code(before: str, after: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> bool:
    if not _HIDES.search(after) and not _HIDES.search(before.replace("<!--", "")):
        return True
    return _code(before, references, wanted) == _code(after, references, wanted)


def _code(content: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> list[tuple[str, list[str]]]:
    """What hides text in ``content``, without comments that go or are held."""
    return [
        (span.kind, content[span.start : span.end].split())
        for span in inline_spans(content, references)
        if not _is_comment(span, content, lambda text: text == HELD or wanted(text))
    ]
