"""Bytes of a convention file to text, without an exception for content that is merely odd."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import StrEnum

from context_common.markdown.notice import Notice

BINARY_PROBE = 8192
"""How many leading bytes are searched for NUL, the mark of a binary file."""

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


class Undecodable(StrEnum):
    """Why bytes are not text."""

    BINARY = "binary"


class NotTextError(Exception):
    """The bytes are not text.

    Attributes:
        reason: why not.
    """

    def __init__(self, reason: Undecodable) -> None:
        super().__init__(f"not text: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with LF line ends and no byte order mark, and what was wrong with its bytes."""

    text: str
    warnings: tuple[Notice, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text that ``data`` holds: as its byte order mark says, else UTF-8.

    Invalid sequences become U+FFFD and a warning that names the line of the first.

    Raises:
        NotTextError: NUL among the first 8 KiB of anything not marked as UTF-16 or UTF-32.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in data[:BINARY_PROBE]:
        raise NotTextError(Undecodable.BINARY)
    payload = data[len(mark) :]
    try:
        return Decoded(_with_lf(payload.decode(encoding)))
    except UnicodeDecodeError as error:
        before = _with_lf(payload[: error.start].decode(encoding, "replace"))
        warning = Notice(before.count("\n") + 1, f"invalid {encoding} was replaced by U+FFFD")
        return Decoded(_with_lf(payload.decode(encoding, "replace")), (warning,))


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
