"""HTML comments inside paragraphs and headings, taken out of their source lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from context_common.markdown.marks import MarkKind, mark_kind
from context_common.markdown.parser import BLANKS, inline_spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from context_common.markdown.parser import Blocks, Span

HELD = "<!-- -->"


@dataclass(frozen=True, slots=True)
class InlineEdit:
    """A paragraph or heading without its comments.

    Attributes:
        token: the index of its inline token.
        content: what its inline content becomes.
        lines: what its source lines become, None for those that go.
        marks: the marks among the comments.
    """

    token: int
    content: str
    lines: dict[int, str | None]
    marks: tuple[MarkKind, ...] = ()


def find_inline_comments(
    blocks: Blocks, lines: list[str], wanted: Callable[[str], bool], *, hold: bool
) -> list[InlineEdit]:
    """Edits that take out the comments for which ``wanted`` holds, or with ``hold`` empty them."""
    edits = []
    for index, (before, token) in enumerate(pairwise(blocks.tokens), 1):
        if token.type == "inline" and "<!--" in token.content and before.type in ("paragraph_open", "heading_open"):
            edit = _edit(index, token, before, blocks, lines, wanted, hold)
            if edit:
                edits.append(edit)
    return edits


def without_comments(text: str, references: dict[str, object], wanted: Callable[[str], bool]) -> str:
    """One line of prose without its comments; as it is where that would change its code."""
    comments = [span for span in inline_spans(text, references) if _is_wanted(span, text, wanted)]
    edited = _cut([text], [((0, span.start), (0, span.end)) for span in comments], hold=False)[0] or ""
    return edited if _same_code(text, edited, references, wanted) else text


def _edit(
    index: int,
    token: Token,
    block: Token,
    blocks: Blocks,
    lines: list[str],
    wanted: Callable[[str], bool],
    hold: bool,
) -> InlineEdit | None:
    content = token.content
    comments = [span for span in inline_spans(content, blocks.references) if _is_wanted(span, content, wanted)]
    frame = _frame(content.split("\n"), token.map[0] if token.map else 0, lines, atx=block.markup.startswith("#"))
    if not comments or not frame:
        return None
    places = [(_place(content, span.start), _place(content, span.end)) for span in comments]
    for held in (hold, True):
        bodies = _cut(content.split("\n"), places, hold=held)
        edited = "\n".join(body for body in bodies if body is not None)
        if _same_code(content, edited, blocks.references, wanted):
            break
    else:
        return None
    changed: dict[int, str | None] = {}
    for (line, prefix, suffix), body, old in zip(frame, bodies, content.split("\n"), strict=True):
        if body is None:
            changed[line] = None
        elif body != old:
            changed[line] = f"{prefix}{body}{suffix}".rstrip(BLANKS)
    marks = tuple(kind for span in comments if (kind := mark_kind(content[span.start : span.end])))
    return InlineEdit(index, edited, changed, marks)


def _is_wanted(span: Span, content: str, wanted: Callable[[str], bool]) -> bool:
    text = content[span.start : span.end]
    return span.kind == "html_inline" and text.startswith("<!--") and wanted(text)


def _place(content: str, position: int) -> tuple[int, int]:
    line = content.count("\n", 0, position)
    return line, position - (content.rfind("\n", 0, position) + 1)


def _frame(content: list[str], first: int, lines: list[str], *, atx: bool) -> list[tuple[int, str, str]] | None:
    """For each line of ``content`` its source line, and what stands there before and after it."""
    frame = []
    for line, text in enumerate(content, first):
        source = lines[line]
        if atx:
            start = source.index("#")
            position = source.find(text, start + len(source[start:]) - len(source[start:].lstrip("#")))
        else:
            position = source.rfind(text)
        if position < 0:
            return None
        frame.append((line, source[:position], source[position + len(text) :] if atx else ""))
    return frame


def _cut(bodies: list[str], places: list[tuple[tuple[int, int], tuple[int, int]]], *, hold: bool) -> list[str | None]:
    """The lines of ``bodies`` with the stretches at ``places`` taken out; None for lines that go."""
    result: list[str | None] = list(bodies)
    for (first, start), (last, end) in reversed(places):
        left, right = (result[first] or "")[:start], (result[last] or "")[end:]
        result[first] = f"{left}{HELD}{right}" if hold else _joined(left, right)
        result[first + 1 : last + 1] = [None] * (last - first)
        if not hold and first and not (result[first] or "").strip(BLANKS):
            result[first] = None
    return result


def _joined(left: str, right: str) -> str:
    if not right.strip(BLANKS):
        return left.rstrip(BLANKS)
    if not left.strip(BLANKS) or left[-1] in BLANKS:
        return left + right.lstrip(BLANKS)
    return left + right


def _same_code(before: str, after: str, references: dict[str, object], wanted: Callable[[str], bool]) -> bool:
    if not any(char in after for char in "`<["):
        return not any(char in before for char in "`[")
    return _code(before, references, wanted) == _code(after, references, wanted)


def _code(content: str, references: dict[str, object], wanted: Callable[[str], bool]) -> list[tuple[str, list[str]]]:
    return [
        (span.kind, content[span.start : span.end].split())
        for span in inline_spans(content, references)
        if not _is_wanted(span, content, lambda text: wanted(text) or text == HELD)
    ]
