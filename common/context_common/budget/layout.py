"""How a draft is laid out as text, whole or with units left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_common.budget.closing import closer, may_stay_open
from context_common.markdown.limits import is_too_long
from context_common.markdown.parser import BLANKS
from context_common.markdown.units import units

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_common.provider import Draft, Part


def whole(draft: Draft) -> str:
    """The text of ``draft`` unshortened: its opening, then its parts under theirs, or the first rung of its ladder.

    Empty where the draft says nothing.
    """
    if draft.ladder:
        return under(draft.opening, draft.ladder[0])
    parts = [part for part in draft.parts if is_text(part.text)]
    texts = [closed(part) for part in parts[:-1]] + [part.text for part in parts[-1:]]
    return laid_out(draft.opening, "", zip(parts, texts, strict=True))


def laid_out(opening: str, notice: str, parts: Iterable[tuple[Part, str]]) -> str:
    """``parts``, each a part and what is shown of it, under their openings and that of the draft."""
    blocks = [notice] if notice else []
    shown = False
    for part, text in parts:
        if part.opening:
            blocks.append(part.opening)
        elif shown and text.lstrip("\n").startswith(("  ", "\t", " \t")):
            # A list item that ends the part above would take indented text in.
            blocks.append("<!-- -->")
        blocks.append(text)
        shown = True
    return under(opening, joined(blocks)) if blocks else ""


def under(opening: str, text: str) -> str:
    """``text`` below ``opening``; nothing stays nothing."""
    return joined([opening, text]) if opening and is_text(text) else text


def joined(blocks: list[str]) -> str:
    """``blocks`` with a blank line between each two."""
    pieces: list[str] = []
    for block in blocks:
        if pieces:
            pieces.append(separator(pieces[-1]))
        pieces.append(block)
    return "".join(pieces)


def separator(text: str) -> str:
    """What must follow ``text`` for a blank line to stand after it."""
    last = text.rfind("\n")
    if text[last + 1 :].strip(BLANKS):
        return "\n\n"
    if last + 1 < len(text):
        return "\n"
    return "\n" if text[text.rfind("\n", 0, last) + 1 : last].strip(BLANKS) else ""


def is_text(text: str) -> bool:
    """Whether ``text`` shows anything."""
    return bool(text.strip(BLANKS + "\n"))


def closed(part: Part) -> str:
    """The text of ``part``, closing what it leaves open so that it does not swallow what follows."""
    if not may_stay_open(part.text):
        return part.text
    return part.text if is_too_long(part.text) else part.text + closer(units(part.text)[-1])
