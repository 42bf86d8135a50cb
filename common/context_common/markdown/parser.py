"""markdown-it-py, set up once: CommonMark block rules with tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from context_common.markdown.limits import CHARACTERS_PER_TOKEN, COLUMN_LIMIT, TOKEN_LIMIT

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_NESTING = 50
"""How deep containers are read; what lies deeper belongs to its container as a whole."""

BLANKS = " \t"
"""What CommonMark calls a blank, so that form feeds and the like stay text."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block tokens of a text, and its link reference definitions by normalised label.

    Attributes:
        end: the line from which on nothing was looked at, because it would take too long.
    """

    tokens: list[Token]
    references: dict[str, Any]
    duplicates: list[dict[str, Any]]
    end: int | None = None


def parse_blocks(text: str, token_limit: int = TOKEN_LIMIT) -> Blocks:
    """The block structure of ``text`` as far as its first ``token_limit`` tokens reach; inline content is left unread."""
    parser = _block_parser()
    tokens: list[Token] = []
    environment: dict[str, Any] = {"tokens": token_limit, "characters": token_limit * CHARACTERS_PER_TOKEN}
    end = None
    try:
        # One more line end: without it the parser reads past the end of "> - <!--\n>".
        parser.block.parse(text + "\n", parser, environment, tokens)
    except _LimitError:
        last = next((index for index in reversed(range(len(tokens))) if _begins_unit(tokens[index])), 0)
        span = tokens[last].map if tokens else None
        end = span[0] if span else 0
        del tokens[last:]
    return Blocks(tokens, environment.get("references", {}), environment.get("duplicate_refs", []), end)


class _LimitError(Exception):
    """There is more than is looked at."""


def _begins_unit(token: Token) -> bool:
    is_block = token.level == 0 and token.nesting >= 0 and token.type != "inline"
    return is_block or (token.level == 1 and token.type == "list_item_open")


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


@lru_cache(maxsize=1024)
def normalised(label: str) -> str:
    """``label`` as the keys of references have it."""
    from markdown_it.common.utils import normalizeReference  # noqa: PLC0415  (only with the parser)

    return normalizeReference(label)


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt, rules_block  # noqa: PLC0415  (32 ms, and most files are never parsed)

    def limit(state: StateBlock, line: int, _end: int, _silent: bool) -> bool:
        state.env["characters"] -= state.eMarks[line] - state.bMarks[line]
        if len(state.tokens) > state.env["tokens"] or state.env["characters"] < 0:
            raise _LimitError
        return False

    def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not rules_block.table(state, start, end, True):
            return False
        columns = state.src.count("|", state.bMarks[start], state.eMarks[start])
        return columns <= COLUMN_LIMIT and (silent or rules_block.table(state, start, end, False))

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.block.ruler.at("table", table, {"alt": ["paragraph", "reference"]})
    # Tables ask at each of their rows what could end a block quote.
    parser.block.ruler.before("table", "limit", limit, {"alt": ["blockquote"]})
    return parser
