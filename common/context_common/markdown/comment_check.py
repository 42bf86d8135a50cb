"""Whether a document without its comments has the structure and the code that it had with them."""

from __future__ import annotations

from itertools import compress, pairwise
from typing import TYPE_CHECKING

from context_common.markdown.inline_comments import HELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it.token import Token

    from context_common.markdown.block_comments import Removal
    from context_common.markdown.inline_comments import InlineEdit
    from context_common.markdown.parser import Blocks

_LIST_ENDS = {"bullet_list_close": "bullet_list_open", "ordered_list_close": "ordered_list_open"}


def same_structure(
    before: Blocks, after: Blocks, removals: Iterable[Removal], edits: Iterable[InlineEdit], *, hold: bool
) -> bool:
    """Whether ``after`` has the blocks and the code of ``before``, but for what was meant to change.

    That is: ``removals`` are gone, or with ``hold`` emptied, ``edits`` are made, and the text behind a block comment
    is a paragraph.
    """
    expected = _Expectation(before, removals, edits, hold=hold)
    return before.references.keys() == after.references.keys() and expected.is_met_by(after.tokens)


class _Expectation:
    """The tokens of a document without its comments."""

    def __init__(self, before: Blocks, removals: Iterable[Removal], edits: Iterable[InlineEdit], *, hold: bool) -> None:
        tokens = before.tokens
        kept = bytearray(b"\1" * len(tokens))
        self._contents = {id(tokens[edit.token]): edit.content for edit in edits}
        self._held: dict[int, str] = {}
        self._tails: dict[int, str] = {}
        for removal in removals:
            if hold or removal.held:
                for comment in removal.each():
                    self._held[id(tokens[comment.tokens.start])] = f"{HELD} {comment.tail}"
            elif removal.tail:
                self._tails[id(tokens[removal.tokens.start])] = removal.tail
            else:
                kept[removal.tokens.start : removal.tokens.stop] = bytes(len(removal.tokens))
        self._tokens = _with_lists_joined(list(compress(tokens, kept)))

    def is_met_by(self, tokens: list[Token]) -> bool:
        others = iter(_with_lists_joined(tokens))
        for token in self._tokens:
            other = next(others, None)
            if other is None:
                return False
            is_equal = token.type == other.type and token.content == other.content
            if is_equal and token.tag == other.tag and token.info == other.info:
                continue
            if not self._may_differ(token, other, others):
                return False
        return next(others, None) is None

    def _may_differ(self, token: Token, other: Token, others: Iterator[Token]) -> bool:
        key = id(token)
        if key in self._tails:
            text = next(others, None)
            next(others, None)
            is_paragraph = other.type == "paragraph_open" and text is not None
            return is_paragraph and text is not None and self._tails[key].split() == text.content.split()
        if token.type != other.type or token.tag != other.tag:
            return False
        if key in self._held:
            return self._held[key].split() == other.content.split()
        if key in self._contents:
            return self._contents[key].split() == other.content.split()
        # Blank lines at the end of an HTML block that nothing closes say nothing.
        return token.type == "html_block" and token.content.rstrip("\n") == other.content.rstrip("\n")


def _with_lists_joined(tokens: list[Token]) -> list[Token]:
    """``tokens`` with lists of one kind that follow each other as one list."""
    seams = [
        index
        for index, (token, other) in enumerate(pairwise(tokens))
        if token.type in _LIST_ENDS and other.type == _LIST_ENDS[token.type] and token.markup == other.markup
    ]
    if not seams:
        return tokens
    kept = bytearray(b"\1" * len(tokens))
    for index in seams:
        kept[index : index + 2] = bytes(2)
    return list(compress(tokens, kept))
