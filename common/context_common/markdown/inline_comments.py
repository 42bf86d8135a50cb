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
    """The comments for which ``wanted`` holds in the paragraphs and headings of a document."""

    def __init__(self, blocks: Blocks, lines: list[str], wanted: Callable[[str], bool]) -> None:
        self._blocks = blocks
        self._lines = lines
        self._wanted = wanted

    def edits(self, *, hold: bool) -> list[InlineEdit]:
        """What takes them out, or with ``hold`` empties them.

        A paragraph whose code would change keeps them emptied, or as they are where that would change it too.
        """
        edits = [
            self._edit(index, block, token, hold=hold)
            for index, (block, token) in enumerate(pairwise(self._blocks.tokens), 1)
            if token.type == "inline" and "<!--" in token.content and block.type in ("paragraph_open", "heading_open")
        ]
        return [edit for edit in edits if edit]

    def taken_out_of(self, text: str) -> str:
        """One line of prose without its comments, or as it is where that would change its code."""
        if "<!--" not in text:
            return text
        prose = _Prose(text, self._blocks.references, self._wanted)
        (edited,) = _cut([text], prose.places(), hold=False)
        return edited if edited is not None and prose.has_the_code_of(edited) else text

    def _edit(self, index: int, block: Token, token: Token, *, hold: bool) -> InlineEdit | None:
        content = token.content
        prose = _Prose(content, self._blocks.references, self._wanted)
        if not prose.comments:
            return None
        rows = _rows(token, self._lines, is_atx=block.markup.startswith("#"))
        for held in (hold, True):
            bodies = _cut([row.body for row in rows], prose.places(), hold=held)
            edited = "\n".join(body for body in bodies if body is not None)
            if prose.has_the_code_of(edited):
                break
        else:
            return None
        changed = {row.number: row.with_body(body) for row, body in zip(rows, bodies, strict=True) if body != row.body}
        marks = [mark for comment in prose.comments if (mark := mark_kind(content[comment.start : comment.end]))]
        return InlineEdit(index, edited, changed, rows[0].number, block.type == "heading_open", marks)


class _Prose:
    """Inline content, its comments, and what else hides text in it."""

    def __init__(self, content: str, references: dict[str, Any], wanted: Callable[[str], bool]) -> None:
        self._content = content
        self._references = references
        self._wanted = wanted
        self.comments = []
        self.code = []
        for span in inline_spans(content, references):
            text = content[span.start : span.end]
            if span.kind == "html_inline" and text.startswith("<!--") and wanted(text):
                self.comments.append(span)
            elif text != HELD:
                self.code.append((span.kind, text.split()))

    def has_the_code_of(self, edited: str) -> bool:
        """Whether ``edited``, without its comments or with them emptied, hides the same text."""
        if not self.code and not _HIDES.search(edited):
            return True
        return self.code == _Prose(edited, self._references, lambda text: text == HELD or self._wanted(text)).code

    def places(self) -> list[tuple[_Place, _Place]]:
        """Where the comments begin and end, by line and by column in the line without its indentation."""
        starts = [0]
        for line in self._content.split("\n"):
            starts.append(starts[-1] + len(line) + 1)

        def place(position: int) -> _Place:
            line = bisect_right(starts, position) - 1
            blank = _BLANK.match(self._content, starts[line])
            return _Place(line, position - (blank.end() if blank else starts[line]))

        return [(place(comment.start), place(comment.end)) for comment in self.comments]


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
    text = text + rest if rest.strip(BLANKS) else text.rstrip(BLANKS)
    return text if text or not line else None
