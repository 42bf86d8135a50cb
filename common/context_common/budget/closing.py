"""Fences and HTML blocks that a document never closes, and what would close them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from context_common.markdown.parser import BLANKS
from context_common.markdown.units import Kind

if TYPE_CHECKING:
    from context_common.markdown.units import Unit

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# What opens an HTML block that blank lines do not end, what ends it, and what to write for that.
_HTML = (
    (r"<(script|pre|style|textarea)(?=[\s>]|$)", r"</(?:script|pre|style|textarea)>", "</{}>"),
    (r"<!--", r"-->", "-->"),
    (r"<\?", r"\?>", "?>"),
    (r"<!\[CDATA\[", r"\]\]>", "]]>"),
    (r"<![a-z]", r">", ">"),
)
_MAY_OPEN = re.compile(
    r"^ {0,3}(?:```|~~~|" + "|".join(opening for opening, *_ in _HTML) + ")", re.IGNORECASE | re.MULTILINE
)


def may_stay_open(text: str) -> bool:
    """Whether anything in ``text`` begins what a document may fail to close."""
    return _MAY_OPEN.search(text) is not None


def closer(unit: Unit) -> str:
    """What closes ``unit``, the last of its document, on a line of its own; empty where it is closed."""
    closing = ""
    if unit.kind is Kind.FENCE:
        closing = _open_fence(unit.body)
    elif unit.kind is Kind.HTML:
        closing = _open_html(unit.body.lstrip(BLANKS))
    if not closing:
        return ""
    return closing + "\n" if unit.text.endswith("\n") else f"\n{closing}\n"


def _open_fence(text: str) -> str:
    first, _, rest = text.partition("\n")
    opening = _FENCE.match(first)
    last = rest.rstrip(BLANKS + "\n").rpartition("\n")[2]
    ending = _FENCE.match(last)
    if not opening or (ending and ending[1].startswith(opening[1]) and not last[ending.end() :].strip(BLANKS)):
        return ""
    return opening[1]


def _open_html(text: str) -> str:
    for opening, end, closing in _HTML:
        if match := re.match(opening, text, re.IGNORECASE):
            return "" if re.search(end, text, re.IGNORECASE) else closing.format(*match.groups())
    return ""
