"""Showing what a repository calls things: on one line, every character visible, nothing forged."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate
from typing import Final

# Printable to Python, invisible to a reader: fillers, joiners and variation selectors, which can carry hidden text.
_INVISIBLE: Final = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
        *(0x13441, 0x13442, 0x16FE4, 0x1D159),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
_EMOJI: Final = "\ufe0f"
"""Makes a coloured picture of the symbol before it."""
_ESCAPES: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": r"\\"}
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._/@+=:,%#~()\[\]{}&;!?$^'`|<>-]+")


def visible(data: bytes) -> str:
    r"""``data`` as one line of text.

    A control, a line or paragraph separator, a bidirectional or invisible character becomes an escape such as ``\n``,
    ``\x1b`` or ``\u202e``; a byte that is no UTF-8 becomes ``\xe9``; a backslash is doubled. So different bytes never
    look alike.
    """
    if _PLAIN.fullmatch(data):
        return data.decode("ascii")
    return "".join(map(_shown, data.decode("utf-8", "surrogateescape")))


def name(data: bytes) -> str:
    """A path or ref as it stands in a line of ours: quoted where it could be read as more than one word."""
    text = visible(data)
    if text and " " not in text and '"' not in text:
        return text
    return '"' + text.replace('"', r"\"") + '"'


def sentence(data: bytes, limit: int) -> str:
    """Free text, such as a commit's subject, on one line of at most ``limit`` characters."""
    characters = data[: 4 * limit + 4].strip().decode("utf-8", "surrogateescape")
    first = characters[: limit + 1]
    shown = [
        here if _is_harmless(before, here) else _shown(here) for before, here in zip(" " + first, first, strict=False)
    ]
    if sum(map(len, shown)) <= limit:
        return "".join(shown)
    room = limit - 1
    kept = [piece for piece, end in zip(shown, accumulate(map(len, shown)), strict=True) if end <= room]
    return "".join(kept) + "…"


def _is_harmless(before: str, character: str) -> bool:
    """Whether ``character`` belongs to an emoji, of which many a subject has one."""
    return character == _EMOJI and unicodedata.category(before) == "So"


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if character.isprintable() and code not in _INVISIBLE:
        return character
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004  (surrogateescape: the byte 0x80 to 0xff that stood there)
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:  # noqa: PLR2004  (ASCII)
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004  (what \u holds)
