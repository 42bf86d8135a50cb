"""Block-level HTML comments in a document's tokens: where they stand and what goes with them."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_common.markdown.marks import MarkKind, mark_kind
from context_common.markdown.parser import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from context_common.markdown.parser import Blocks

COMMENT = re.compile(r"<!-->|<!--->|<!--.*?-->", re.DOTALL)
_MARKER = re.compile(r"[ \t]*(?:>|[-+*]|\d{1,9}[.)])[ \t]*")
_LISTS = ("bullet_list_open", "ordered_list_open")
_CONTAINERS = (*_LISTS, "list_item_open", "blockquote_open")


@dataclass(eq=False, slots=True)
class Removal:
    """Lines that go: one comment, or a container that holds nothing but comments.

    Attributes:
        start: the first line, 0-based.
        end: the line after the last.
        prefix: what stays of the first line: quote marks, list markers, indentation.
        begins_item: whether ``prefix`` has a list marker, so that something must stay on its line.
        tail: what follows the comment on its last line.
        token: the first token that goes.
        last_token: the token after the last that goes.
        held: whether ``<!-- -->`` takes the place of each comment.
        comments: the comments of a container.
        mark: what the comment asks for, if it is a mark.
        heading: the line of the heading that stands right before, if one does.
    """

    start: int
    end: int
    prefix: str
    begins_item: bool
    token: int
    last_token: int
    tail: str = ""
    held: bool = False
    comments: list[Removal] = field(default_factory=list)
    mark: MarkKind | None = None
    heading: int | None = None

    def each(self) -> list[Removal]:
        """The comments, one by one."""
        return self.comments or [self]


@dataclass(slots=True)
class _Frame:
    """An open container, or the document."""

    type: str
    start: int
    end: int
    token: int
    previous: str = ""
    heading: int | None = None
    has_content: bool = False
    removals: list[Removal] = field(default_factory=list)
    since: list[Removal] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """The comments of a document that may go, and the lines at which unclosed ones begin."""

    removals: list[Removal]
    unclosed: list[int]


def find_block_comments(blocks: Blocks, lines: list[str], wanted: Callable[[str], bool]) -> Found:
    """The block comments for which ``wanted`` holds, those that fill a container together as one removal."""
    return _Finder(blocks, lines, wanted).find()


class _Finder:
    def __init__(self, blocks: Blocks, lines: list[str], wanted: Callable[[str], bool]) -> None:
        self.tokens = blocks.tokens
        self.lines = lines
        self.wanted = wanted
        self.unclosed: list[int] = []
        self.stack = [_Frame("document", 0, len(lines), 0)]
        entries = [*blocks.references.values(), *blocks.duplicates]
        self.definitions = sorted(entry["map"][0] for entry in entries)

    def find(self) -> Found:
        for index, token in enumerate(self.tokens):
            if token.type in _CONTAINERS:
                start, end = token.map or (0, 0)
                self.stack.append(_Frame(token.type, start, end, index))
            elif token.nesting < 0 and token.type.replace("_close", "_open") in _CONTAINERS:
                self._close(self.stack.pop(), index + 1)
            elif token.map and token.nesting >= 0 and token.type != "inline":
                self._block(index, token)
        return Found(self.stack[0].removals, self.unclosed)

    def _block(self, index: int, token: Token) -> None:
        frame = self.stack[-1]
        if token.type == "html_block" and (removal := self._comment(index, token)):
            removal.heading = frame.heading
            frame.removals.append(removal)
            frame.since.append(removal)
            if removal.tail:
                self._content(frame, "paragraph_open", removal.start)
            return
        start = token.map[0] if token.map else 0
        self._content(frame, token.type, start)
        if token.type == "heading_open":
            frame.heading = start

    def _comment(self, index: int, token: Token) -> Removal | None:
        content = token.content.lstrip(BLANKS)
        if not content.startswith("<!--"):
            return None
        start, end = token.map or (0, 0)
        match = COMMENT.match(content)
        if not match:
            self.unclosed.append(start)
            return None
        if not self.wanted(match[0]):
            return None
        end = min(end, len(self.lines))
        tail = content[match.end() :].strip(BLANKS + "\n")
        first = content.split("\n", 1)[0]
        line = self.lines[start]
        prefix = line[: len(line) - len(first)]
        begins_item = any(frame.type == "list_item_open" and frame.start == start for frame in self.stack)
        return Removal(start, end, prefix, begins_item, index, index + 1, tail, mark=mark_kind(match[0]))

    def _content(self, frame: _Frame, kind: str, line: int) -> None:
        """Note that content of ``kind`` begins at ``line``; hold a comment that keeps it from what stands before."""
        if frame.since and self._would_join(frame.previous, kind, line):
            frame.since[0].held = True
        frame.since = []
        frame.has_content = True
        frame.previous = kind
        frame.heading = None

    def _would_join(self, before: str, kind: str, line: int) -> bool:
        if kind == "code_block":
            return before == "code_block" or before in _LISTS
        text = self.lines[line].expandtabs(4)
        return before in _LISTS and len(self.stack) == 1 and len(text) - len(text.lstrip(" ")) > 1

    def _close(self, frame: _Frame, last_token: int) -> None:
        parent = self.stack[-1]
        if frame.removals and not frame.has_content and not self._defines(frame):
            comments = [comment for removal in frame.removals for comment in removal.each()]
            prefix, begins_item = self._before(frame)
            end = frame.removals[-1].end
            emptied = Removal(frame.start, end, prefix, begins_item, frame.token, last_token, comments=comments)
            parent.removals.append(emptied)
            parent.since.append(emptied)
        else:
            self._content(parent, frame.type, frame.start)
            parent.removals += frame.removals

    def _defines(self, frame: _Frame) -> bool:
        at = bisect_left(self.definitions, frame.start)
        return at < len(self.definitions) and self.definitions[at] < frame.end

    def _before(self, frame: _Frame) -> tuple[str, bool]:
        """What stands on the first line of ``frame`` before its own marker."""
        line = self.lines[frame.start]
        items = [outer for outer in self.stack if outer.type == "list_item_open" and outer.start == frame.start]
        quotes = [outer for outer in self.stack if outer.type == "blockquote_open"]
        position = 0
        for _ in range(len(items) + len(quotes)):
            if match := _MARKER.match(line, position):
                position = match.end()
        return line[:position], bool(items)
