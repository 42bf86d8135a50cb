"""``@path`` mentions in prose."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from context_common.markdown.inline import inline_spans
from context_common.markdown.limits import Room, length_looked_at
from context_common.markdown.parser import first_line, parse_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

_MENTION = re.compile(r"(?<!\S)@(?:\\ |\S)+")
_HIDES = re.compile(r"[`<\[]")


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
    autolinks, images and link targets. ``\@`` is none. A text without ``@`` is not parsed, and of one that nobody wrote by
    hand the beginning is looked at.
    """
    if "@" not in text:
        return ()
    text = text[: length_looked_at(text)]
    blocks = parse_blocks(text)
    lines = text.split("\n")
    room = Room()
    return tuple(
        mention
        for token in blocks.tokens
        if token.type == "inline" and "@" in token.content and room.takes(token.content)
        for mention in _in_content(token.content, first_line(token, lines), blocks.references)
    )


def _in_content(content: str, line: int, references: dict[str, Any]) -> Iterator[Mention]:
    spans = inline_spans(content, references) if _HIDES.search(content) else []
    starts = [span.start for span in spans]
    seen = 0
    for match in _MENTION.finditer(content):
        start = match.start()
        line += content.count("\n", seen, start)
        seen = start
        following = bisect_right(starts, start)
        if following and start < spans[following - 1].end:
            continue
        end = min([match.end(), *starts[following : following + 1]])
        raw = content[start:end]
        if len(raw) > 1:
            yield Mention(line, raw[1:].replace("\\ ", " "), raw)
