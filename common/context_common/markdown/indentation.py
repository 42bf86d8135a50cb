"""Columns: how far a line is indented, and where the content of a list item begins."""

from __future__ import annotations

import re

TAB = 4
_ITEM = re.compile(r"(?P<marker>[-+*]|\d{1,9}[.)])(?P<blanks> *)(?P<text>.?)")
_MAX_BLANKS = 4
_QUOTE = re.compile(r"[ \t>]*")


def indent_of(line: str) -> int:
    """The column of the first character of ``line`` that is no blank."""
    expanded = line.expandtabs(TAB)
    return len(expanded) - len(expanded.lstrip(" "))


def unquoted(line: str) -> str:
    """``line`` with the marks of block quotes at its start turned into blanks."""
    return _QUOTE.sub(lambda marks: marks[0].replace(">", " "), line, count=1)


def content_column(line: str) -> int:
    """The column at which text belongs to the list item that begins on ``line``."""
    indent = indent_of(line)
    match = _ITEM.match(line.expandtabs(TAB), indent)
    if not match:
        return indent
    blanks = len(match["blanks"])
    # Five blanks are one and indented code; a marker alone is followed by one.
    return match.end("marker") + (blanks if match["text"] and 1 <= blanks <= _MAX_BLANKS else 1)
