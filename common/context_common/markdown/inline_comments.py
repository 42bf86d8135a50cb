"""HTML comments inside paragraphs and headings, taken out of their source lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from context_common.markdown.inline import SpanKind, inline_spans
from context_common.markdown.limits import Room
from context_common.markdown.marks import MarkKind, mark_kind
from context_common.markdown.parser import BLANKS, first_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from context_common.markdown.inline import Span
    from context_common.markdown.parser import Blocks

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

    def with_body(self, body: str | None) -> str | None:
        """The source line with another body; None without one."""
        if body is None:
            return None
        return f"{self.before}{body}{self.after}" if body else f"{self.before.rstrip(BLANKS)}{self.after}"


class InlineComments:
    """The comments for which ``wanted`` holds in the paragraphs and headings of a document.

    Attributes:
        passed_over: the lines of those that have more delimiters than are looked at.
    """

    def __init__(self, blocks: Blocks, lines: list[str], wanted: Callable[[str], bool]) -> None:
        self._references = blocks.references
        self._lines = lines
        self._wanted = wanted
        self._room = Room()
        self._found: list[_Found] = []
        self.passed_over: list[int] = []
        for index, (block, token) in enumerate(pairwise(blocks.tokens), 1):
            if token.type == "inline" and "<!--" in token.content and block.type in ("paragraph_open", "heading_open"):
                self._look_at(index, block, token)

    def edits(self, *, hold: bool) -> list[InlineEdit]:
        """What takes them out, or with ``hold`` empties them.

        A paragraph whose code would change keeps them emptied, or as they are where that would change it too.
        """
        edits = [self._edit(found, hold=hold) for found in self._found]
        return [edit for edit in edits if edit]

    def taken_out_of(self, text: str) -> str:
        """One line of prose without its comments, or with what is left of them where that would change its code."""
        if "<!--" not in text or not self._room.takes(text):
            return text
        bodies = _Prose(text, self._references, self._wanted).taken_out([text], hold=False)
        return (bodies[0] or "").strip() if bodies else text

    def _look_at(self, index: int, block: Token, token: Token) -> None:
        if not self._room.takes(token.content):
            self.passed_over.append(first_line(token, self._lines))
            return
        prose = _Prose(token.content, self._references, self._wanted)
        if prose.comments:
            self._found.append(_Found(index, block, token, prose))

    def _edit(self, found: _Found, *, hold: bool) -> InlineEdit | None:
        at, block, token, prose = found
        rows = _rows(token, self._lines, is_atx=block.markup.startswith("#"))
        bodies = prose.taken_out([row.body for row in rows], hold=hold)
        if bodies is None:
            return None
        changed = {row.number: row.with_body(body) for row, body in zip(rows, bodies, strict=True) if body != row.body}
        marks = [mark for comment in prose.comments if (mark := mark_kind(comment.text_in(token.content)))]
        return InlineEdit(at, _joined(bodies), changed, rows[0].number, block.type == "heading_open", marks)


class _Found(NamedTuple):
    """A paragraph or heading with comments; ``at`` is the index of its inline token."""

    at: int
    block: Token
    token: Token
    prose: _Prose


class _Prose:
    """Inline content, its comments, and what else hides text in it."""

    def __init__(self, content: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> None:
        self._content = content
        self._references = references
        self._spans = inline_spans(content, references)
        self.comments = [span for span in self._spans if _is_comment(span, content) and wanted(span.text_in(content))]

    def taken_out(self, bodies: list[str], *, hold: bool) -> list[str | None] | None:
        """The lines of the content without the comments, else with emptied ones; None if that changed its code too."""
        for held in (True,) if hold else (False, True):
            result = _cut(bodies, self._places(), hold=held)
            if self._is_hidden_alike(_joined(result), held=held):
                return result
        return None

    def _is_hidden_alike(self, edited: str, *, held: bool) -> bool:
        """Whether ``edited`` hides the same text, without the comments or with them emptied."""
        if len(self._spans) == len(self.comments) and not _HIDES.search(edited):
            return True
        comments = set(self.comments)
        expected = []
        for span in self._spans:
            if span not in comments:
                expected.append((span.kind, span.text_in(self._content).split()))
            elif held:
                expected.append((span.kind, HELD.split()))
        spans = inline_spans(edited, self._references)
        return expected == [(span.kind, span.text_in(edited).split()) for span in spans]

    def _places(self) -> list[tuple[_Place, _Place]]:
        """Where the comments begin and end, by line and by column in the line without its indentation."""
        starts = [0]
        for line in self._content.split("\n"):
            starts.append(starts[-1] + len(line) + 1)

        def place(position: int) -> _Place:
            line = bisect_right(starts, position) - 1
            blank = _BLANK.match(self._content, starts[line])
            return _Place(line, position - (blank.end() if blank else starts[line]))

        return [(place(comment.start), place(comment.end)) for comment in self.comments]


def _joined(bodies: list[str | None]) -> str:
    return "\n".join(body for body in bodies if body is not None)


def _is_comment(span: Span, content: str) -> bool:
    return span.kind is SpanKind.HTML and content.startswith("<!--", span.start)


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
    if rest.strip(BLANKS):
        return text + rest
    text = text.rstrip(BLANKS)
    if text.endswith("\\"):
        # At the very end of a line a backslash would break it.
        return text + " "
    return text if text or not line else None
