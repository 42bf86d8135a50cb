"""HTML comments taken out of a document whose structure stays what it was."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from context_common.markdown.block_comments import BlockComments
from context_common.markdown.comment_check import same_structure
from context_common.markdown.inline_comments import InlineComments, InlineEdit
from context_common.markdown.limits import DELIMITER_LIMIT
from context_common.markdown.marks import Mark, Reach, has_marks, mark_kind
from context_common.markdown.notice import Notice
from context_common.markdown.parser import parse_blocks
from context_common.markdown.rewriting import Rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_common.markdown.block_comments import Removal


TOO_MANY = f"comments in prose stay from here on, because there are more than {DELIMITER_LIMIT:,} brackets, backticks and the like"


class CommentMode(StrEnum):
    """Which HTML comments are taken out; marks always are."""

    ALL = "all"
    BLOCK = "block"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without comments.

    Attributes:
        lines: the 0-based line of the original that each line of ``text`` comes from; empty where they are the same.
        marks: the marks that were among the comments.
        warnings: comments that stay because they are never closed or were not looked for, by 1-based line of the
            original.
    """

    text: str
    lines: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[Notice, ...] = ()


def strip_comments(text: str, mode: CommentMode = CommentMode.ALL) -> Stripped:
    """Take the HTML comments out of ``text``, and the marks; block structure and code stay what they were.

    Where a removal would change another block, ``<!-- -->`` takes the comment's place or, if even that would, the
    comment stays. A text without ``<!--`` is not parsed.
    """
    if "<!--" not in text or (mode is CommentMode.NONE and not has_marks(text)):
        return Stripped(text)
    lines = text.split("\n")
    blocks = parse_blocks(text)
    if blocks.end is not None:
        return Stripped(
            text, warnings=(Notice(blocks.end + 1, "there are too many blocks to look for comments: they stay"),)
        )
    inline = InlineComments(blocks, lines, _is_any if mode is CommentMode.ALL else _is_mark)
    found = BlockComments(blocks, lines, _is_mark if mode is CommentMode.NONE else _is_any, inline.taken_out_of)
    warnings = [Notice(line + 1, "a comment is never closed, so it stays") for line in found.unclosed]
    if inline.passed_over:
        warnings.append(Notice(inline.passed_over[0] + 1, TOO_MANY))
    for hold in (False, True):
        edits = inline.edits(hold=hold)
        changed = {line: text for edit in edits for line, text in edit.lines.items()}
        rewriting = Rewriting(lines, found.removals, changed, hold=hold)
        result = "\n".join(rewriting.lines)
        if result == text:
            break
        if same_structure(blocks, parse_blocks(result), found.removals, edits, hold=hold):
            marks = tuple(_marks(rewriting, found.removals, edits))
            sources = () if rewriting.sources == list(range(len(lines))) else tuple(rewriting.sources)
            return Stripped(result, sources, marks, tuple(warnings))
    return Stripped(text, warnings=tuple(warnings))


def _is_any(_: str) -> bool:
    return True


def _is_mark(comment: str) -> bool:
    return mark_kind(comment) is not None


def _marks(rewriting: Rewriting, removals: Iterable[Removal], edits: Iterable[InlineEdit]) -> list[Mark]:
    marks = []
    for comment in [comment for removal in removals for comment in removal.each()]:
        if comment.mark and comment.heading is not None:
            marks.append(Mark(rewriting.line_of(comment.heading), comment.mark, Reach.SECTION))
        elif comment.mark:
            follows = comment.end - 1 if comment.tail else comment.end
            marks.append(Mark(rewriting.line_of(follows), comment.mark))
    for edit in edits:
        reach = Reach.SECTION if edit.is_heading else Reach.UNIT
        marks += [Mark(rewriting.line_of(edit.line), mark, reach) for mark in edit.marks]
    return [mark for mark in marks if mark.line < len(rewriting.lines)]
