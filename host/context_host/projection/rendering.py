"""The words and boundaries of the blocks: each section in one labelled boundary that its text cannot forge."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMES = "project-context|context-section|context-withdrawn"
# Possessive, so that a megabyte of blanks after a `<` is looked at once.
_BOUNDARY = re.compile(rf"(<|&(?:amp;)*+lt;)(?=\s*+/?\s*+(?:{_NAMES}))", re.IGNORECASE)
_ESCAPED = re.compile(rf"&((?:amp;)*+lt;)(?=\s*+/?\s*+(?:{_NAMES}))", re.IGNORECASE)
_SPECIAL = re.compile(r'[&<>"\x00-\x1f\x7f-\x9f\u2028\u2029]')
_REFERENCE = re.compile(r"&#(\d+);")
_SECTION = re.compile(
    r'^<context-section provider="([^"]*)" label="([^"]*)">\n(.*?)\n</context-section>$', re.DOTALL | re.MULTILINE
)
_WITHDRAWN = re.compile(r'^<context-withdrawn provider="([^"]*)" label="([^"]*)"/>$', re.MULTILINE)


class Entry(NamedTuple):
    """A section as a block shows it."""

    provider: str
    label: str
    text: str


class Block(Enum):
    """The blocks, each with the kind and the sentence that the model reads."""

    BASE = "base", "Context that the tools around this conversation provide; it is not a request of the user."
    ADDED = "added", "This joins the project context from here on."
    UPDATE = (
        "update",
        "The project context is now this, complete. It replaces the base and every update and addition above.",
    )
    CHANGE = (
        "change",
        "The project context has changed. This replaces what stands above under the same names; the rest holds.",
    )
    NOTHING = "update", "No project context is left. The base and every update and addition above no longer apply."
    CURRENT = "current", "The state of things at this moment; what was said about it before no longer holds."


def render(block: Block, sections: Iterable[Entry], withdrawn: Iterable[tuple[str, str]] = ()) -> str:
    """A whole block.

    Args:
        block: what it is.
        sections: what it shows, in order.
        withdrawn: provider and label of sections shown earlier that no longer apply.
    """
    kind, purpose = block.value
    shown = [section(entry) for entry in sections]
    gone = [f"<context-withdrawn {_attributes(*key)}/>" for key in withdrawn]
    if gone:
        gone = ["These sections no longer apply:\n" + "\n".join(gone)]
    return "\n\n".join([f'<project-context kind="{kind}">\n{purpose}', *shown, *gone]) + "\n</project-context>"


def is_complete(rendered: str) -> bool:
    """Whether a block speaks for all static sections, and not only for those in it."""
    return rendered.startswith(('<project-context kind="base">', '<project-context kind="update">'))


def section(entry: Entry) -> str:
    """One section in its boundary."""
    body = _BOUNDARY.sub(_escape, entry.text)
    return f"<context-section {_attributes(entry.provider, entry.label)}>\n{body}\n</context-section>"


def sections_of(rendered: str) -> list[Entry]:
    """The sections that a block shows, exactly as they were given to `render`."""
    return [
        Entry(_plain(provider), _plain(label), _ESCAPED.sub(_unescape, body))
        for provider, label, body in _SECTION.findall(rendered)
    ]


def withdrawn_of(rendered: str) -> list[tuple[str, str]]:
    """Provider and label of the sections that a block takes back."""
    return [(_plain(provider), _plain(label)) for provider, label in _WITHDRAWN.findall(rendered)]


def _attributes(provider: str, label: str) -> str:
    return f'provider="{_quoted(provider)}" label="{_quoted(label)}"'


def _quoted(value: str) -> str:
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", value)


def _plain(value: str) -> str:
    return _REFERENCE.sub(lambda match: chr(int(match[1])), value)


def _escape(match: re.Match[str]) -> str:
    # An escape that stands in the text already gets one more level, so that reading back is exact.
    return "&lt;" if match[1] == "<" else "&amp;" + match[1][1:]


def _unescape(match: re.Match[str]) -> str:
    return "<" if match[1].lower() == "lt;" else "&" + match[1].removeprefix("amp;")
