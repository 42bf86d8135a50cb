"""markdown-it-py, set up once: CommonMark block rules with tables, and the inline rules that hide text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_NESTING = 100
"""How deep containers are read; what lies deeper belongs to its container as a whole."""

BLANKS = " \t"
"""What CommonMark calls a blank, so that form feeds and the like stay text."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block tokens of a text, and its link reference definitions by normalised label."""

    tokens: list[Token]
    references: dict[str, Any]
    duplicates: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of inline content that is not plain text: ``kind`` is the name of the inline rule."""

    kind: str
    start: int
    end: int

    def text_in(self, content: str) -> str:
        """The stretch of ``content``."""
        return content[self.start : self.end]


def parse_blocks(text: str) -> Blocks:
    """The block structure of ``text``; inline content is left unread."""
    parser = _block_parser()
    tokens: list[Token] = []
    environment: dict[str, Any] = {}
    # One more line end: without it the parser reads past the end of "> - <!--\n>".
    parser.block.parse(text + "\n", parser, environment, tokens)
    return Blocks(tokens, environment.get("references", {}), environment.get("duplicate_refs", []))


def inline_spans(content: str, references: dict[str, Any]) -> list[Span]:
    """The code spans, HTML tags and comments, autolinks, images and link targets in ``content``, in order."""
    parser = _inline_parser()
    environment: dict[str, Any] = {"references": references, "spans": [], "content": content}
    parser.inline.parse(content, parser, environment, [])
    spans: list[Span] = environment["spans"]
    return sorted(spans, key=lambda span: span.start)


def first_line(token: Token, lines: list[str]) -> int:
    """The 0-based line on which the content of an inline token begins.

    That is not always the first line of its block: white space that is no blank to CommonMark is trimmed from content
    together with the lines that it fills.
    """
    line, end = token.map or (0, 0)
    text = token.content.split("\n", 1)[0].lstrip(BLANKS)
    while line < end - 1 and text not in lines[line]:
        line += 1
    return line


def labels_used(content: str, references: dict[str, Any]) -> set[str]:
    """The normalised labels of the definitions that links and images in ``content`` use."""
    used = {normalised(label or text) for text, label in _USE.findall(content)} & references.keys()
    is_plain = "](" not in content and not _HIDES_BRACKETS.search(content)
    if is_plain or not any(normalised(label) in references for label in _LABEL.findall(content)):
        return used
    parser = _inline_parser()
    tokens: list[Token] = []
    parser.inline.parse(content, parser, {"references": references, "spans": [], "content": ""}, tokens)
    return {token.meta["label"] for token in _with_children(tokens) if "label" in token.meta}


_USE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]]*)\])?")
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\]", re.DOTALL)
_HIDES_BRACKETS = re.compile(r"[`<\\]")


@lru_cache(maxsize=1024)
def normalised(label: str) -> str:
    """``label`` as the keys of references have it."""
    from markdown_it.common.utils import normalizeReference  # noqa: PLC0415  (only with the parser)

    return normalizeReference(label)


def _with_children(tokens: list[Token]) -> list[Token]:
    found = []
    for token in tokens:
        found.append(token)
        found += _with_children(token.children or [])
    return found


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415  (32 ms, and most files are never parsed)

    return MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt, rules_inline  # noqa: PLC0415  (as above)

    parser = MarkdownIt("commonmark", {"store_labels": True})
    parser.inline.ruler.enableOnly(["text", "escape", *_RECORDED])
    parser.inline.ruler2.enableOnly([])
    parser.inline.terminator_re = re.compile(r"[\\`!\[\]<]")
    for name, rule in (
        ("backticks", rules_inline.backtick),
        ("link", rules_inline.link),
        ("image", rules_inline.image),
        ("autolink", rules_inline.autolink),
        ("html_inline", rules_inline.html_inline),
    ):
        parser.inline.ruler.at(name, _recorded(name, rule))
    return parser


_RECORDED = ("backticks", "link", "image", "autolink", "html_inline")


def _recorded(kind: str, rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """``rule``, noting where in the content it made a token; the description of an image is another content."""

    def record(state: StateInline, silent: bool) -> bool:
        start = state.pos
        tokens = len(state.tokens)
        if not rule(state, silent):
            return False
        if len(state.tokens) > tokens and state.src is state.env["content"]:
            if kind == "link":
                start = state.md.helpers.parseLinkLabel(state, start, disableNested=True)
            state.env["spans"].append(Span(kind, start, state.pos))
        return True

    return record
