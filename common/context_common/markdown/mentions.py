"""``@path`` mentions in prose."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_common.markdown.parser import inline_spans, parse_blocks
from context_common.markdown.sections import section_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

    from context_common.markdown.parser import Blocks

__all__ = ["Mention", "mentions", "section_of"]

_MENTION = re.compile(r"(?<!\S)@(?:\\ |\S)+")
_HIDES = re.compile(r"[`\\<\[]")


@dataclass(frozen=True, slots=True)
class Mention:
    r"""An ``@path`` in prose.

    Attributes:
        line: the 0-based line of the text.
        token: what follows the ``@``, up to the first white space that no backslash precedes; ``\ `` is a space.
        raw: the mention as it is written, ``@`` included.
    """

    line: int
    token: str
    raw: str


def mentions(text: str) -> tuple[Mention, ...]:
    r"""The mentions in ``text``, in order.

    A mention begins at a line's start or after white space, outside code spans, fenced and indented code, HTML,
    autolinks, images and link targets. ``\@`` is none.
    """
    if "@" not in text:
        return ()
    blocks = parse_blocks(text)
    return tuple(
        mention
        for token in blocks.tokens
        if token.type == "inline" and "@" in token.content
        for mention in _in_content(token, blocks)
    )


def _in_content(token: Token, blocks: Blocks) -> Iterator[Mention]:
    content = token.content
    ahead = deque(inline_spans(content, blocks.references) if _HIDES.search(content) else ())
    line, counted = token.map[0] if token.map else 0, 0
    for match in _MENTION.finditer(content):
        start = match.start()
        while ahead and ahead[0].end <= start:
            ahead.popleft()
        if ahead and ahead[0].start <= start:
            continue
        line, counted = line + content.count("\n", counted, start), start
        raw = content[start : min(match.end(), ahead[0].start) if ahead else match.end()]
        if len(raw) > 1:
            yield Mention(line, raw[1:].replace("\\ ", " "), raw)
