"""A document as a sequence of units: the pieces that a budget keeps or leaves out whole."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from context_common.markdown.inline import labels_used
from context_common.markdown.limits import LINE_LIMIT, SIZE_LIMIT, TOKEN_LIMIT, Room, length_looked_at
from context_common.markdown.parser import BLANKS, Blocks, normalised, parse_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token


SPARE_TOKENS = 1000
"""Tokens that are looked at however few the lines."""


class Kind(StrEnum):
    """What a unit is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    FENCE = "fence"
    CODE = "code"
    TABLE = "table"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"
    ITEM = "item"
    DEFINITIONS = "definitions"
    BLANK = "blank"
    REST = "rest"
    """All that was not looked at, because the text is too long."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: the lines from its first one to the next unit's, blank lines between them included.

    Attributes:
        start: the 0-based line at which its text begins.
        end: the line after its last.
        first: the 0-based line of its first line that is not blank.
        text: its lines, line ends included.
        level: 1 to 6 for a heading, else 0.
        title: the inline text of a heading, markup included.
    """

    start: int
    end: int
    kind: Kind
    text: str
    first: int
    level: int = 0
    title: str = ""

    @property
    def body(self) -> str:
        """Its text without the blank lines above."""
        blank_lines = self.first - self.start
        return self.text.split("\n", blank_lines)[blank_lines] if blank_lines else self.text

    @property
    def head(self) -> str:
        """Its first line that is not blank."""
        return self.body.partition("\n")[0]

    @property
    def last(self) -> int:
        """The 0-based line of its last line that is not blank."""
        return self.start + self.text.rstrip(BLANKS + "\n").count("\n")


_KINDS = {
    "heading_open": Kind.HEADING,
    "paragraph_open": Kind.PARAGRAPH,
    "fence": Kind.FENCE,
    "code_block": Kind.CODE,
    "table_open": Kind.TABLE,
    "blockquote_open": Kind.QUOTE,
    "html_block": Kind.HTML,
    "hr": Kind.RULE,
    "list_item_open": Kind.ITEM,
}


def units(text: str) -> tuple[Unit, ...]:
    """The units of ``text``; their texts together are ``text``, byte for byte."""
    return outline(text).units


@dataclass(frozen=True)
class Outline:
    """The units of a text, and the labels that they define and use."""

    units: tuple[Unit, ...]
    blocks: Blocks

    @cached_property
    def defined(self) -> dict[str, list[int]]:
        """The indexes of the units of definitions that define each label."""
        found: dict[str, list[int]] = {}
        entries = [(label, entry["map"][0]) for label, entry in self.blocks.references.items()]
        entries += [(normalised(entry["label"]), entry["map"][0]) for entry in self.blocks.duplicates]
        for label, line in entries:
            index = self._at(line)
            if self.units[index].kind is Kind.DEFINITIONS:
                found.setdefault(label, []).append(index)
        return found

    @cached_property
    def used(self) -> dict[int, set[str]]:
        """For each unit that uses some, the labels that it uses."""
        found: dict[int, set[str]] = {}
        room = Room()
        if self.defined:
            for token in self.blocks.tokens:
                if token.type == "inline" and token.map and "[" in token.content and room.takes(token.content):
                    labels = labels_used(token.content, self.blocks.references)
                    found.setdefault(self._at(token.map[0]), set()).update(labels)
        return found

    @property
    def effort(self) -> int:
        """What it took to look at it, in lines; some have more tokens than others."""
        last = self.units[-1]
        lines = last.start if last.kind is Kind.REST else last.end
        return max(lines, len(self.blocks.tokens) * LINE_LIMIT // TOKEN_LIMIT)

    def _at(self, line: int) -> int:
        return bisect_right(self._starts, line) - 1

    @cached_property
    def _starts(self) -> list[int]:
        return [unit.start for unit in self.units]


def outline(text: str, token_limit: int = TOKEN_LIMIT) -> Outline:
    """The outline of ``text``, which is parsed once, as far as its first ``token_limit`` tokens reach."""
    lines = text.split("\n")
    if not text.strip(BLANKS + "\n"):
        return Outline((Unit(0, len(lines), Kind.BLANK, text, 0),), Blocks([], {}, []))
    blocks = parse_blocks(text, token_limit)
    heads = _heads(blocks.tokens)
    if blocks.end is not None:
        heads.append(_Head(blocks.end, len(lines), Kind.REST))
    heads = _with_definitions(heads, lines)
    offsets = _offsets(lines)
    bounds = [0, *(head.line for head in heads[1:]), len(lines)]
    found = tuple(
        Unit(start, end, head.kind, text[offsets[start] : offsets[end]], head.line, head.level, head.title)
        for head, (start, end) in zip(heads, pairwise(bounds), strict=True)
    )
    return Outline(found, blocks)


def beginning(text: str, line_limit: int = LINE_LIMIT, size_limit: int = SIZE_LIMIT) -> Outline:
    """The outline of ``text`` as far as its first lines reach; one unit holds the rest, if there is any.

    Args:
        text: any text.
        line_limit: how many lines are looked at.
        size_limit: how many characters are looked at.
    """
    end = length_looked_at(text, line_limit, size_limit)
    tokens = min(TOKEN_LIMIT, SPARE_TOKENS + TOKEN_LIMIT * line_limit // LINE_LIMIT)
    outlined = outline(text[:end], tokens)
    if end == len(text):
        return outlined
    # The last of the units may go on behind the last line.
    units = outlined.units[:-1]
    offset = sum(len(unit.text) for unit in units)
    start = units[-1].end if units else 0
    rest = Unit(start, text.count("\n") + 1, Kind.REST, text[offset:], start)
    return Outline((*units, rest), outlined.blocks)


@dataclass(frozen=True, slots=True)
class _Head:
    line: int
    end: int
    kind: Kind
    level: int = 0
    title: str = ""


def _heads(tokens: list[Token]) -> list[_Head]:
    """The beginnings of the units that have tokens."""
    heads = []
    for index, token in enumerate(tokens):
        if token.level > 1 or not token.map or token.nesting < 0:
            continue
        kind = _KINDS.get(token.type)
        if kind is None or (token.level == 1) is not (kind is Kind.ITEM):
            continue
        line, end = token.map
        if kind is Kind.HEADING:
            heads.append(_Head(line, end, kind, int(token.tag[1]), " ".join(tokens[index + 1].content.split())))
        else:
            heads.append(_Head(line, end, kind))
    return heads


def _with_definitions(heads: list[_Head], lines: list[str]) -> list[_Head]:
    """``heads`` and those of definitions, which have no tokens: the lines that nothing else covers."""
    found = []
    covered = 0
    for head in [*heads, _Head(len(lines), len(lines), Kind.BLANK)]:
        for line in range(covered, head.line):
            if lines[line].strip(BLANKS):
                found.append(_Head(line, head.line, Kind.DEFINITIONS))
                break
        found.append(head)
        covered = head.end
    return found[:-1]


def _offsets(lines: list[str]) -> list[int]:
    """Where each line begins in the text, and where the text ends."""
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    offsets[-1] -= 1
    return offsets
