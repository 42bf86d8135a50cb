"""How much of a text is looked at: that costs time, and no repository gets to decide how long a turn takes."""

from __future__ import annotations

from typing import Final

LINE_LIMIT: Final = 26_000
"""Lines that are looked at: a megabyte of ordinary prose, which no convention file comes near."""

SIZE_LIMIT: Final = 2**20
"""Characters that are looked at."""

TOKEN_LIMIT: Final = 60_000
"""Tokens of block structure that are looked at; containers nest, so that a few lines can have as many."""

CHARACTERS_PER_TOKEN: Final = 64
"""For each of these tokens so many characters are looked at, over again at every level of containers."""

COLUMN_LIMIT: Final = 1000
"""Columns of a table; what has more is none."""

DELIMITER_LIMIT: Final = 100_000
"""Delimiters in paragraphs and headings that are looked at."""


def is_too_long(text: str) -> bool:
    """Whether ``text`` is longer than what is looked at."""
    return len(text) > SIZE_LIMIT or text.count("\n") >= LINE_LIMIT


def length_looked_at(text: str, lines: int = LINE_LIMIT, size: int = SIZE_LIMIT) -> int:
    """How many characters of ``text`` its first ``lines`` lines have, but for lines that reach beyond ``size``."""
    end = 0
    for _ in range(lines):
        following = text.find("\n", end) + 1 or len(text)
        if following > size or following == end:
            break
        end = following
    return end


class Room:
    """What is left of the delimiters that are looked at in one text."""

    def __init__(self) -> None:
        self._left = DELIMITER_LIMIT

    def takes(self, content: str) -> bool:
        """Whether there is room for the delimiters of the inline ``content``, which they then take."""
        self._left -= sum(map(content.count, "[]`<\\"))
        return self._left >= 0
