"""Whether a document without its comments has the structure and the code that it had with them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from context_common.markdown.block_comments import COMMENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.token import Token

    from context_common.markdown.block_comments import Removal
    from context_common.markdown.inline_comments import InlineEdit
    from context_common.markdown.parser import Blocks

_LISTS = ("bullet_list", "ordered_list")


def same_structure(
    before: Blocks, after: Blocks, removals: Iterable[Removal], edits: Iterable[InlineEdit], *, hold: bool
) -> bool:
    """Whether ``after`` has the blocks and the code of ``before``, but for what was meant to change."""
    if before.references.keys() != after.references.keys():
        return False
    gone = bytearray(len(before.tokens))
    tails: dict[int, str] = {}
    held: set[int] = set()
    for removal in removals:
        if hold or removal.held:
            held.update(comment.token for comment in removal.each())
        elif removal.tail:
            tails[removal.token] = removal.tail
        else:
            gone[removal.token : removal.last_token] = b"\1" * (removal.last_token - removal.token)
    contents = {edit.token: edit.content for edit in edits}
    expected = _joined([(index, token) for index, token in enumerate(before.tokens) if not gone[index]])
    actual = _joined(list(enumerate(after.tokens)))
    position = 0
    for index, token in expected:
        width = 3 if index in tails else 1
        found = [other for _, other in actual[position : position + width]]
        position += width
        if len(found) < width:
            return False
        if index in tails:
            if found[0].type != "paragraph_open" or not _same_words(COMMENT.sub("", tails[index]), found[1].content):
                return False
        elif not _same(token, found[0], contents.get(index), is_held=index in held):
            return False
    return position == len(actual)


def _same(token: Token, other: Token, content: str | None, *, is_held: bool) -> bool:
    if token.type != other.type or token.tag != other.tag or token.info != other.info:
        return False
    if is_held:
        return other.content.lstrip().startswith("<!-- -->")
    if content is not None:
        return _same_words(content, other.content)
    return token.content == other.content


def _same_words(one: str, other: str) -> bool:
    return one.split() == COMMENT.sub("", other).split() or one.split() == other.split()


def _joined(tokens: list[tuple[int, Token]]) -> list[tuple[int, Token]]:
    """``tokens`` with lists of one kind that stand next to each other as one list, and no empty lists."""
    ends = {
        position
        for position, ((_, one), (_, two)) in enumerate(pairwise(tokens))
        if two.nesting + one.nesting == 0
        and one.nesting
        and one.markup == two.markup
        and one.type.rsplit("_", 1)[0] in _LISTS
        and one.type.rsplit("_", 1)[0] == two.type.rsplit("_", 1)[0]
    }
    return [entry for position, entry in enumerate(tokens) if position not in ends and position - 1 not in ends]
