"""The machine behind globs: all places in all patterns that a path has reached, moved on together."""

from __future__ import annotations

import re
from collections import defaultdict
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class InvalidError(Exception):
    """Its message says why a pattern is not accepted."""


class Wild(Enum):
    """What stands for any number of characters."""

    NAME = "any characters but a slash"
    COMPONENTS = "nothing, or on to what follows next"
    UNTIL_SLASH = "any characters, up to a slash that is not the last"
    REST = "any characters"
    BELOW = "nothing, or a slash and any characters"


Class: TypeAlias = "tuple[bool, str]"
Symbol: TypeAlias = "str | Class | Wild"

ANY: Class = (True, "/")


class Matcher:
    """Patterns side by side.

    They run as a set of places in one integer, a bit for each symbol, moved on by every character of the path. Nothing
    makes that slow, where a regular expression made of the same patterns would backtrack.
    """

    def __init__(self, patterns: Iterable[Iterable[Symbol]]) -> None:
        places: defaultdict[Symbol, list[int]] = defaultdict(list)
        first, end = [], []
        place = 0
        literals = set()
        for pattern in patterns:
            symbols = tuple(pattern)
            literals.add(_longest_literal(symbols))
            first.append(place)
            for symbol in symbols:
                places[symbol].append(place)
                place += 1
            end.append(place)
            place += 1
        bits = defaultdict(int, {symbol: _bits(found, place) for symbol, found in places.items()})
        self._chars = {symbol: found for symbol, found in bits.items() if isinstance(symbol, str)}
        self._classes = [(accepts(*symbol), found) for symbol, found in bits.items() if isinstance(symbol, tuple)]
        slashes = bits[Wild.UNTIL_SLASH] | bits[Wild.BELOW]
        self._chars["/"] = self._chars.get("/", 0) | slashes
        self._first = _bits(first, place)
        self._final = _bits(end, place) | bits[Wild.BELOW]
        self._components = bits[Wild.COMPONENTS]
        self._skipped = bits[Wild.NAME] | bits[Wild.REST]
        self._stay = bits[Wild.UNTIL_SLASH] | (bits[Wild.REST] | bits[Wild.BELOW]) << 1
        self._stay_in_name = bits[Wild.NAME]
        self._moves: dict[str, int] = {}
        # Most paths are none of a pattern's, and lack its longest word.
        self._words = {""} if "" in literals else literals

    def matches(self, path: str) -> bool:
        """Whether one of the patterns matches ``path``."""
        if not any(word in path for word in self._words):
            return False
        reached = self._with_skipped(self._first)
        for char in path:
            moves = self._moves.get(char)
            if moves is None:
                moves = self._moves[char] = self._moving(char)
            stay = self._stay if char == "/" else self._stay | self._stay_in_name
            reached = self._with_skipped((reached & moves) << 1 | reached & stay)
            if not reached:
                return False
        return bool(reached & self._final)

    def _with_skipped(self, reached: int) -> int:
        """``reached`` and the places behind symbols that need no character."""
        components = reached & self._components
        reached |= components << 1 | components << 2
        return reached | (reached & self._skipped) << 1

    def _moving(self, char: str) -> int:
        """The places that ``char`` moves on from."""
        moves = self._chars.get(char, 0)
        for accepts, places in self._classes:
            if accepts(char):
                moves |= places
        return moves


def _longest_literal(symbols: Iterable[Symbol]) -> str:
    """The longest text that every match has as it stands."""
    text = "".join(symbol if isinstance(symbol, str) else "\0" for symbol in symbols)
    return max(text.split("\0"), key=len)


def _bits(places: list[int], size: int) -> int:
    """An integer with the bits ``places``; set one at a time, each would copy it."""
    data = bytearray(size // 8 + 1)
    for place in places:
        data[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(data, "little")


_MEMBER = re.compile(r"\[:(?P<kind>\w+):\]|\\?(?P<first>.)(?:-\\?(?P<last>[^\]]))?", re.DOTALL)
_KINDS: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda char: char in " \t",
    "digit": str.isdigit,
    "lower": str.islower,
    "punct": lambda char: char.isprintable() and not char.isalnum() and not char.isspace(),
    "space": str.isspace,
    "upper": str.isupper,
    "xdigit": lambda char: char in "0123456789abcdefABCDEF",
}


@lru_cache(maxsize=1024)
def accepts(negated: bool, body: str) -> Callable[[str], bool]:
    """Whether a character is one of a bracket expression; a slash never is.

    Raises:
        InvalidError: it is none.
    """
    ranges: list[tuple[str, str]] = []
    kinds: list[Callable[[str], bool]] = []
    for member in _MEMBER.finditer(body):
        if member["kind"] is None:
            ranges.append((member["first"], member["last"] or member["first"]))
        elif member["kind"] in _KINDS:
            kinds.append(_KINDS[member["kind"]])
        else:
            raise InvalidError(f"[:{member['kind']}:] is no class of characters")
    if any(first > last for first, last in ranges):
        raise InvalidError("a range in brackets runs backwards")

    def is_accepted(char: str) -> bool:
        is_member = any(first <= char <= last for first, last in ranges) or any(kind(char) for kind in kinds)
        return char != "/" and is_member is not negated

    return is_accepted
