"""HTML comments taken out of a document whose structure stays what it was."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from context_common.markdown.block_comments import COMMENT, Found, find_block_comments
from context_common.markdown.comment_check import same_structure
from context_common.markdown.inline_comments import HELD, InlineEdit, find_inline_comments, without_comments
from context_common.markdown.marks import Mark, Reach, has_marks, mark_kind
from context_common.markdown.notice import Notice
from context_common.markdown.parser import BLANKS, Blocks, parse_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_common.markdown.block_comments import Removal


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
        warnings: comments that stay because they are never closed, by 1-based line of the original.
    """

    text: str
    lines: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    warnings: tuple[Notice, ...] = ()


def strip_comments(text: str, mode: CommentMode = CommentMode.ALL) -> Stripped:
    """Take the HTML comments out of ``text``, and the marks; code and block structure stay what they were.

    Where a removal would change another block, ``<!-- -->`` takes the comment's place or, if even that would, the
    comment stays. A text without ``<!--`` is not parsed.
    """
    if "<!--" not in text or (mode is CommentMode.NONE and not has_marks(text)):
        return Stripped(text)
    lines = text.split("\n")
    blocks = parse_blocks(text)
    wanted = _is_mark if mode is CommentMode.NONE else _is_any
    wanted_inline = _is_any if mode is CommentMode.ALL else _is_mark
    found = find_block_comments(blocks, lines, wanted)
    warnings = tuple(Notice(line + 1, "a comment is never closed, so it stays") for line in found.unclosed)
    for hold in (False, True):
        inline = find_inline_comments(blocks, lines, wanted_inline, hold=hold)
        edited = _Edited(lines, found, inline, hold, blocks, wanted_inline)
        result = "\n".join(edited.lines)
        if result == text:
            break
        if same_structure(blocks, parse_blocks(result), found.removals, inline, hold=hold):
            return Stripped(result, edited.line_map(), edited.marks(), warnings)
    return Stripped(text, warnings=warnings)


def _is_any(_: str) -> bool:
    return True


def _is_mark(comment: str) -> bool:
    return mark_kind(comment) is not None


class _Edited:
    """The lines of a document without its comments, and where each came from."""

    def __init__(
        self,
        lines: list[str],
        found: Found,
        inline: list[InlineEdit],
        hold: bool,
        blocks: Blocks,
        wanted_inline: Callable[[str], bool],
    ) -> None:
        self.found = found
        self.inline = inline
        self.references = blocks.references
        self.wanted_inline = wanted_inline
        self.lines: list[str] = []
        self.sources: list[int] = []
        self._gap: tuple[str, int] | None = None
        self._carry: str | None = None
        changed = {line: text for edit in inline for line, text in edit.lines.items()}
        line = 0
        for removal in found.removals:
            self._copy(lines, line, removal.start, changed)
            line = removal.end
            if hold or removal.held:
                for comment in removal.each():
                    self._hold(comment)
            else:
                self._remove(removal)
        self._copy(lines, line, len(lines), changed)
        if self._carry is not None:
            self._append(self._carry.rstrip(BLANKS), len(lines) - 1)
        self.original = len(lines)

    def _copy(self, lines: list[str], start: int, end: int, changed: dict[int, str | None]) -> None:
        for line in range(start, end):
            text = changed.get(line, lines[line])
            if text is not None:
                self._emit(text, line)

    def _emit(self, text: str, source: int) -> None:
        if self._carry is not None:
            if _is_blank(text):
                return
            text = _joined(self._carry, text)
            self._carry = None
        if self._gap is not None:
            if not _is_blank(text) and self.lines and not _is_blank(self.lines[-1]):
                self._append(*self._gap)
            self._gap = None
        self._append(text, source)

    def _append(self, text: str, source: int) -> None:
        self.lines.append(text)
        self.sources.append(source)

    def _remove(self, removal: Removal) -> None:
        if removal.tail:
            if not removal.begins_item:
                self._leave_gap(removal.prefix, removal.start)
            tail = without_comments(removal.tail, self.references, self.wanted_inline)
            self._emit(removal.prefix + tail, removal.end - 1)
            self._leave_gap(_quotes_of(removal.prefix), removal.end - 1)
        elif removal.begins_item:
            self._carry = self._carry if self._carry is not None else removal.prefix
        else:
            self._leave_gap(removal.prefix, removal.start)

    def _leave_gap(self, prefix: str, source: int) -> None:
        blank = prefix.rstrip(BLANKS)
        if self._gap is None or blank.count(">") < self._gap[0].count(">"):
            self._gap = (blank, source)

    def _hold(self, comment: Removal) -> None:
        tail = COMMENT.sub("", comment.tail)
        self._emit(f"{comment.prefix}{HELD}{' ' if tail else ''}{tail}", comment.start)

    def line_map(self) -> tuple[int, ...]:
        """The original line of every line, empty where nothing moved."""
        if self.sources == list(range(self.original)):
            return ()
        return tuple(self.sources)

    def marks(self) -> tuple[Mark, ...]:
        """The marks, by the lines of the text without comments."""
        marks = []
        for removal in self.found.removals:
            for comment in removal.each():
                if comment.mark and comment.heading is not None:
                    marks.append(Mark(self._line_of(comment.heading), comment.mark, Reach.SECTION))
                elif comment.mark:
                    after = comment.end - 1 if comment.tail else comment.end
                    marks.append(Mark(self._line_of(after), comment.mark))
        return tuple(mark for mark in marks if mark.line < len(self.lines))

    def _line_of(self, source: int) -> int:
        line = bisect_left(self.sources, source)
        while line < len(self.lines) and _is_blank(self.lines[line]):
            line += 1
        return line


def _is_blank(text: str) -> bool:
    return not text.strip(BLANKS + ">")


def _quotes_of(prefix: str) -> str:
    """``prefix`` with its list markers turned into indentation."""
    return "".join(char if char in BLANKS + ">" else " " for char in prefix)


def _joined(carry: str, text: str) -> str:
    """``text``, the first line left of a list item, behind the markers of the line that went."""
    head = text[: len(carry)]
    if "\t" not in head + carry and _quotes_of(carry) == head:
        return carry + text[len(carry) :]
    return carry + text.lstrip(BLANKS + ">")
