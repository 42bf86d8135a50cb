"""Block-level HTML comments in a document's tokens: where they stand and what goes with them."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_common.markdown.indentation import content_column, indent_of, unquoted
from context_common.markdown.marks import MarkKind, mark_kind
from context_common.markdown.parser import BLANKS, parse_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from context_common.markdown.parser import Blocks

COMMENT = re.compile(r"<!-->|<!--->|<!--.*?-->", re.DOTALL)
MAX_PARSES = 1000
"""How many texts behind comments are parsed on their own."""

_MARKER = re.compile(r"[ \t]*(?:>|[-+*]|\d{1,9}[.)])[ \t]*")
_LISTS = ("bullet_list_open", "ordered_list_open")
_CONTAINERS = {*_LISTS, "list_item_open", "blockquote_open"}
_CONTAINER_ENDS = {name.replace("_open", "_close") for name in _CONTAINERS}


@dataclass(eq=False, slots=True)
class Removal:
    """Lines that go: one comment, or a container that holds nothing but comments.

    Attributes:
        start: the first line, 0-based.
        end: the line after the last.
        tokens: the tokens that go.
        prefix: what stays of the first line: quote marks, list markers, indentation.
        begins_item: whether a list item begins on the first line and stays, so that something must follow its marker.
        heads_item: whether the line above has nothing but the marker of a list item that stays.
        tail: what follows the comment on its last line, without further comments.
        mark: what the comment asks for, if it is a mark.
        heading: the line of the heading that stands right before, if one does.
        held: whether ``<!-- -->`` takes the place of each comment, because what stands around would be read otherwise.
        comments: those that fill the container.
    """

    start: int
    end: int
    tokens: range
    prefix: str
    begins_item: bool
    tail: str = ""
    mark: MarkKind | None = None
    heading: int | None = None
    held: bool = False
    heads_item: bool = False
    comments: list[Removal] = field(default_factory=list)

    def each(self) -> list[Removal]:
        """The comments, one by one."""
        return self.comments or [self]


@dataclass(slots=True)
class _Container:
    """A list, list item or block quote that is open, or the document."""

    type: str
    start: int
    end: int
    token: int
    first: int = 0
    previous: str = ""
    previous_line: int = 0
    heading: int | None = None
    has_content: bool = False
    removals: list[Removal] = field(default_factory=list)
    since_content: list[Removal] = field(default_factory=list)


def _is_paragraph(text: str) -> bool:
    return [token.type for token in parse_blocks(text).tokens] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]


class BlockComments:
    """The block comments of a document for which ``wanted`` holds; ``prose`` makes prose of the text behind one.

    Attributes:
        removals: what goes, in order; comments that fill a container are one removal.
        unclosed: the lines at which comments begin that are never closed.
    """

    def __init__(
        self, blocks: Blocks, lines: list[str], wanted: Callable[[str], bool], prose: Callable[[str], str]
    ) -> None:
        self._lines = lines
        self._wanted = wanted
        self._prose = prose
        self._definitions = sorted(entry["map"][0] for entry in [*blocks.references.values(), *blocks.duplicates])
        self._parses = 0
        self._open = [_Container("document", 0, len(lines), 0)]
        self.unclosed: list[int] = []
        for index, token in enumerate(blocks.tokens):
            self._read(index, token)
        self.removals = self._open[0].removals

    def _read(self, index: int, token: Token) -> None:
        kind = token.type
        if kind in _CONTAINER_ENDS:
            self._close(self._open.pop(), index)
        elif not token.map or kind == "inline":
            return
        elif kind in _CONTAINERS:
            self._open.append(_Container(kind, token.map[0], token.map[1], index))
        elif kind == "html_block" and (removal := self._comment(index, token.content, token.map)):
            self._remove(self._open[-1], removal)
        else:
            self._note(self._open[-1], kind, token.map[0])

    def _comment(self, index: int, content: str, span: list[int]) -> Removal | None:
        content = content.lstrip(BLANKS)
        start, end = span[0], min(span[1], len(self._lines))
        if not content.startswith("<!--"):
            return None
        match = COMMENT.match(content)
        if not match:
            self.unclosed.append(start)
            return None
        if not self._wanted(match[0]):
            return None
        mark = mark_kind(match[0])
        tail = content[match.end() :].strip()
        while (another := COMMENT.match(tail)) and self._wanted(another[0]):
            mark = mark_kind(another[0]) or mark
            tail = tail[another.end() :].lstrip()
        tail = self._prose(tail)
        line = self._lines[start]
        prefix = line[: len(line) - len(content.split("\n", 1)[0])]
        begins_item = bool(self._items_from(start))
        heading = self._open[-1].heading
        held = bool(tail) and not self._is_prose(tail)
        return Removal(start, end, range(index, index + 1), prefix, begins_item, tail, mark, heading, held)

    def _is_prose(self, tail: str) -> bool:
        """Whether ``tail`` alone is a paragraph, as a line that begins with a letter is; no if too many were asked for."""
        if tail[0].isalpha():
            return True
        self._parses += 1
        return self._parses <= MAX_PARSES and _is_paragraph(tail)

    def _remove(self, container: _Container, removal: Removal) -> None:
        removal.heads_item = container.type == "list_item_open" and not container.has_content
        container.removals.append(removal)
        container.since_content.append(removal)
        if removal.tail:
            self._note(container, "paragraph_open", removal.start)

    def _note(self, container: _Container, kind: str, line: int) -> None:
        """Note content of ``kind`` at ``line``, and hold a comment that keeps it apart from what stands before."""
        if container.since_content and self._would_join(container, kind, line):
            single = [removal for removal in container.since_content if not removal.comments]
            (single or container.since_content)[0].held = True
        container.since_content = []
        if not container.has_content:
            container.has_content, container.first = True, line
        container.previous, container.previous_line = kind, line
        container.heading = line if kind == "heading_open" else None

    def _would_join(self, container: _Container, kind: str, line: int) -> bool:
        if kind == "code_block":
            return container.previous in _LISTS or container.previous == kind
        item, text = unquoted(self._lines[container.previous_line]), unquoted(self._lines[line])
        return container.previous in _LISTS and indent_of(text) >= content_column(item)

    def _close(self, container: _Container, token: int) -> None:
        parent = self._open[-1]
        if container.has_content or not container.removals or self._has_definitions(container):
            # Lists and quotes begin where what is left of them does, items with their marker.
            begins_late = container.has_content and container.type != "list_item_open"
            self._note(parent, container.type, container.first if begins_late else container.start)
            if container.type in _LISTS:
                # Of a list the last item is what could take in a block that follows.
                parent.previous_line = container.previous_line
            parent.removals += container.removals
            return
        comments = [comment for removal in container.removals for comment in removal.each()]
        emptied = Removal(
            container.start,
            comments[-1].end,
            range(container.token, token + 1),
            self._before_marker(container),
            bool(self._items_from(container.start)),
            comments=comments,
        )
        self._remove(parent, emptied)

    def _has_definitions(self, container: _Container) -> bool:
        at = bisect_left(self._definitions, container.start)
        return at < len(self._definitions) and self._definitions[at] < container.end

    def _items_from(self, line: int) -> list[_Container]:
        """The open list items that begin on ``line``."""
        return [container for container in self._open if container.type == "list_item_open" and container.start == line]

    def _before_marker(self, container: _Container) -> str:
        """What stands on the first line of ``container`` before its own marker."""
        line = self._lines[container.start]
        quotes = [outer for outer in self._open if outer.type == "blockquote_open"]
        end = 0
        for _ in range(len(self._items_from(container.start)) + len(quotes)):
            if marker := _MARKER.match(line, end):
                end = marker.end()
        return line[:end]
