"""Globs from repository files: untrusted, so matched in time linear in pattern and path.

A pattern runs as a set of places in one integer, a bit for each, moved on by every character of the path. Nothing
makes that slow, where a regular expression made of the same pattern would backtrack.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_PATTERNS = 1000
"""How many patterns braces may expand to, over all patterns of one `Globs`."""

MAX_LENGTH = 32_768
"""How many characters the patterns that one pattern expands to may have together."""

MAX_CLASSES = 32
"""How many different bracket expressions one pattern may have."""

MAX_PATH = 4096
"""A longer path matches nothing; Linux opens none."""

_MAX_WORDS = 16


@dataclass(frozen=True, slots=True)
class GlobError:
    """A pattern that matches nothing, and why."""

    pattern: str
    reason: str


class Globs:
    r"""Patterns for paths relative to one root, with ``/`` between components.

    ``*``, ``?``, ``[a-z]``, ``[!a]``, ``**`` as a whole component, ``{a,b}``, and ``\`` before a character that
    stands for itself. The last pattern that matches decides, and one that begins with ``!`` takes paths back out. A
    pattern that is not valid matches nothing and is told in ``errors``; the others work.

    Args:
        patterns: the patterns, in order.
        anchored: true for path globs, which match whole paths, so that ``*.md`` is in the root only; false for
            gitignore patterns, which match at any depth where they have no slash, and everything below a directory.

    Attributes:
        errors: the patterns that are not valid.
        size: how many characters the others have, braces expanded; what the time to match grows with.
    """

    def __init__(self, patterns: Iterable[str], *, anchored: bool = True) -> None:
        self._matchers: list[tuple[bool, _Matcher]] = []
        errors = []
        self.size = 0
        room = MAX_PATTERNS
        for pattern in patterns:
            text = pattern if anchored else pattern.rstrip(" ")
            if text.startswith("#") and not anchored:
                continue
            includes = not text.startswith("!")
            try:
                expanded = _expanded(text.removeprefix("!").removeprefix("./"), room)
                self._matchers.append((includes, _Matcher(_symbols(one, anchored=anchored) for one in expanded)))
            except _InvalidError as error:
                errors.append(GlobError(pattern, str(error)))
            else:
                room -= len(expanded) if len(expanded) > 1 else 0
                self.size += sum(map(len, expanded))
        self.errors = tuple(errors)

    def matches(self, path: str) -> bool:
        """Whether ``path`` is selected."""
        path = path.removeprefix("./")
        if len(path) > MAX_PATH:
            return False
        return next((includes for includes, matcher in reversed(self._matchers) if matcher.matches(path)), False)


class _InvalidError(Exception):
    """Its message says why a pattern is not accepted."""


def _expanded(pattern: str, room: int) -> list[str]:
    """The patterns that ``pattern`` stands for, at most ``room`` of them if it has braces."""
    if not pattern.strip("/"):
        raise _InvalidError("it is empty")
    if "{" not in pattern:
        return [pattern]
    import bracex  # noqa: PLC0415  (most patterns have no braces)

    expanded = []
    length = 0
    try:
        # A limit of 0 would be none.
        for one in bracex.iexpand(pattern, keep_escapes=True, limit=max(room, 1)):
            length += len(one)
            if length > MAX_LENGTH:
                raise _InvalidError(f"its braces expand to more than {MAX_LENGTH} characters")
            expanded.append(one)
    except bracex.ExpansionLimitException:
        raise _InvalidError(f"braces expand to more than {MAX_PATTERNS} patterns") from None
    except RecursionError:
        raise _InvalidError("its braces are nested too deep") from None
    return expanded


class _Wild(Enum):
    NAME = "any characters but a slash"
    COMPONENTS = "nothing, or on to what follows next"
    UNTIL_SLASH = "any characters, up to a slash that is not the last"
    REST = "any characters"
    BELOW = "nothing, or a slash and any characters"


_Class: TypeAlias = "tuple[bool, str]"
_Symbol: TypeAlias = "str | _Class | _Wild"

_ANY: _Class = (True, "/")
_SYNTAX = re.compile(r"\\(?P<escaped>.?)|\[(?P<not>[!^]?)(?P<body>\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]|\*+|.", re.DOTALL)


def _symbols(pattern: str, *, anchored: bool) -> Iterator[_Symbol]:
    """What a path has to consist of, a character or a wildcard at a time."""
    components = [component for component in pattern.split("/") if component]
    if not anchored and len(components) == 1 and not pattern.startswith("/"):
        components.insert(0, "**")
    if pattern.endswith("/"):
        components += ["**"] if components[-1] != "**" else ["*", "**"]
    last = len(components) - 1
    for index, component in enumerate(components):
        if component != "**":
            yield from _name(component)
            if index < last:
                yield "/"
        elif index == last:
            yield _Wild.REST
        elif components[index + 1] != "**":
            yield from (_Wild.COMPONENTS, _Wild.UNTIL_SLASH)
    if not anchored and components[-1] != "**":
        yield _Wild.BELOW


def _name(component: str) -> Iterator[_Symbol]:
    if component == "*":
        yield _ANY
    for part in _SYNTAX.finditer(component):
        if part["body"] is not None:
            yield bool(part["not"]), part["body"]
        elif part["escaped"] is not None:
            yield part["escaped"] or _refuse("it ends with a backslash")
        elif part[0] == "[":
            _refuse("a [ opens no bracket expression")
        elif part[0] == "?":
            yield _ANY
        else:
            yield _Wild.NAME if part[0][0] == "*" else part[0]


def _refuse(reason: str) -> str:
    raise _InvalidError(reason)


class _Matcher:
    """Patterns side by side. Each symbol has a place; the places that are reached are bits of an integer."""

    def __init__(self, patterns: Iterable[Iterable[_Symbol]]) -> None:
        places: defaultdict[_Symbol, list[int]] = defaultdict(list)
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
        self._classes = [(_accepts(*symbol), found) for symbol, found in bits.items() if isinstance(symbol, tuple)]
        if len(self._classes) > MAX_CLASSES:
            raise _InvalidError(f"it has more than {MAX_CLASSES} bracket expressions")
        slashes = bits[_Wild.UNTIL_SLASH] | bits[_Wild.BELOW]
        self._chars["/"] = self._chars.get("/", 0) | slashes
        self._first = _bits(first, place)
        self._final = _bits(end, place) | bits[_Wild.BELOW]
        self._components = bits[_Wild.COMPONENTS]
        self._skipped = bits[_Wild.NAME] | bits[_Wild.REST]
        self._stay = bits[_Wild.UNTIL_SLASH] | (bits[_Wild.REST] | bits[_Wild.BELOW]) << 1
        self._stay_in_name = bits[_Wild.NAME]
        self._moves: dict[str, int] = {}
        # Most paths are none of a pattern's, and lack its longest word.
        self._words = literals if len(literals) <= _MAX_WORDS else {""}

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


def _longest_literal(symbols: Iterable[_Symbol]) -> str:
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


def _accepts(negated: bool, body: str) -> Callable[[str], bool]:
    """Whether a character is one of a bracket expression; a slash never is."""
    ranges: list[tuple[str, str]] = []
    kinds: list[Callable[[str], bool]] = []
    for member in _MEMBER.finditer(body):
        if member["kind"] is None:
            ranges.append((member["first"], member["last"] or member["first"]))
        elif member["kind"] in _KINDS:
            kinds.append(_KINDS[member["kind"]])
        else:
            raise _InvalidError(f"[:{member['kind']}:] is no class of characters")
    if any(first > last for first, last in ranges):
        raise _InvalidError("a range in brackets runs backwards")

    def accepts(char: str) -> bool:
        is_member = any(first <= char <= last for first, last in ranges) or any(kind(char) for kind in kinds)
        return char != "/" and is_member is not negated

    return accepts
