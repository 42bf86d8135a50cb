"""Globs from repository files: untrusted, so matched in time linear in pattern and path.

A pattern is run as a set of states in one integer, a bit per place in the pattern, moved on by every character of
the path. No pattern makes that slow, where a regular expression would backtrack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_PATTERNS = 1000
"""How many patterns braces may expand to, over all patterns of one `Globs`."""

MAX_LENGTH = 16384
"""How many characters the patterns that one pattern expands to may have in all."""

MAX_PATH = 4096
"""A longer path matches nothing; no file system of ours has one."""


@dataclass(frozen=True, slots=True)
class GlobError:
    """A pattern that matches nothing, and why."""

    pattern: str
    reason: str


class Globs:
    r"""Patterns for paths with ``/``, relative to one root.

    ``*``, ``?``, ``[a-z]``, ``[!a]``, ``**`` as a whole component, ``{a,b}``, and ``\`` before a literal character.
    The last pattern that matches decides; one that begins with ``!`` takes paths back out. A pattern that is not valid
    matches nothing and leaves the others as they are.

    Args:
        patterns: the patterns, in order.
        anchored: true for path globs, which match whole paths, so that ``*.md`` is in the root only; false for
            gitignore patterns, which match at any depth where they have no slash, and everything below a directory.
    """

    def __init__(self, patterns: Iterable[str], *, anchored: bool = True) -> None:
        self._matchers: list[tuple[bool, _Matcher]] = []
        errors = []
        room = MAX_PATTERNS
        for pattern in patterns:
            try:
                include, expanded = _expanded(pattern, room)
                room -= len(expanded)
                self._matchers.append((include, _Matcher(expanded, anchored=anchored)))
            except _InvalidError as error:
                errors.append(GlobError(pattern, str(error)))
        self.errors = tuple(errors)

    def matches(self, path: str) -> bool:
        """Whether ``path``, relative to the root, is selected."""
        path = path.removeprefix("./")
        if len(path) > MAX_PATH:
            return False
        return next((include for include, matcher in reversed(self._matchers) if matcher.matches(path)), False)


class _InvalidError(Exception):
    pass


def _expanded(pattern: str, room: int) -> tuple[bool, list[str]]:
    include = not pattern.startswith("!")
    text = pattern if include else pattern[1:]
    if not text.strip("/"):
        raise _InvalidError("it is empty")
    if "{" not in text:
        return include, [text]
    import bracex  # noqa: PLC0415  (most patterns have no braces)

    expanded: list[str] = []
    length = 0
    try:
        for one in bracex.iexpand(text, keep_escapes=True, limit=room):
            length += len(one)
            if length > MAX_LENGTH:
                raise _InvalidError(f"its braces expand to more than {MAX_LENGTH} characters")
            expanded.append(one)
    except bracex.ExpansionLimitException:
        raise _InvalidError(f"braces expand to more than {MAX_PATTERNS} patterns") from None
    except RecursionError:
        raise _InvalidError("its braces are nested too deep") from None
    return include, expanded


_CLASS = re.compile(r"\[(?P<not>[!^]?)(?P<body>\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]", re.DOTALL)
_POSIX: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "digit": str.isdigit,
    "lower": str.islower,
    "upper": str.isupper,
    "space": str.isspace,
    "punct": lambda char: char.isprintable() and not char.isalnum() and not char.isspace(),
}


class _Matcher:
    """Patterns side by side in one integer."""

    def __init__(self, patterns: list[str], *, anchored: bool) -> None:
        self._places = 0
        self._start = 0
        self._final = 0
        self._chars: dict[str, int] = {}
        self._any = 0
        self._classes: list[tuple[Callable[[str], bool], int]] = []
        self._stars = 0
        self._anything = 0
        self._globstars = 0
        for pattern in patterns:
            self._add(pattern, anchored=anchored)
        self._moves: dict[str, int] = {}

    def matches(self, path: str) -> bool:
        """Whether one of the patterns matches ``path``."""
        states = self._skip(self._start)
        for char in path:
            moves = self._moves.get(char)
            if moves is None:
                moves = self._moves[char] = self._moves_on(char)
            stays = self._anything if char == "/" else self._anything | self._stars
            states = self._skip(((states & moves) << 1) | (states & stays))
            if not states:
                return False
        return bool(states & self._final)

    def _skip(self, states: int) -> int:
        """``states`` and those reached without a character: behind a star, behind a ``**/``."""
        globstars = states & self._globstars
        if globstars:
            states |= globstars << 1 | globstars << 2
        return states | (states & self._stars) << 1

    def _moves_on(self, char: str) -> int:
        moves = self._chars.get(char, 0)
        if char != "/":
            moves |= self._any
            for accepts, place in self._classes:
                if accepts(char):
                    moves |= place
        return moves

    def _add(self, pattern: str, *, anchored: bool) -> None:
        self._start |= 1 << self._places
        parts = _parts(pattern, anchored=anchored)
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            if part == "**":
                self._add_globstar(last=last)
                continue
            self._add_name(part)
            if not last:
                self._add_char("/")
        if parts[-1] != "**" and not anchored:
            # A directory that matches takes everything below it.
            self._final |= 1 << self._places
            self._add_globstar_tail()
        self._final |= 1 << self._places
        self._places += 1

    def _add_globstar(self, *, last: bool) -> None:
        if last:
            self._add_char_any()
            return
        self._globstars |= 1 << self._places
        self._places += 1
        self._anything |= 1 << self._places
        self._add_char("/")

    def _add_globstar_tail(self) -> None:
        self._add_char("/")
        self._anything |= 1 << self._places

    def _add_char_any(self) -> None:
        self._any |= 1 << self._places
        self._chars["/"] = self._chars.get("/", 0) | 1 << self._places
        self._places += 1
        self._anything |= 1 << self._places

    def _add_char(self, char: str) -> None:
        self._chars[char] = self._chars.get(char, 0) | 1 << self._places
        self._places += 1

    def _add_name(self, part: str) -> None:
        if part == "*":
            self._any |= 1 << self._places
            self._places += 1
        for token in _tokens(part):
            place = 1 << self._places
            if token == "*":
                self._stars |= place
            elif token == "?":
                self._any |= place
            elif isinstance(token, str):
                self._chars[token[-1]] = self._chars.get(token[-1], 0) | place
            else:
                self._classes.append((token, place))
            self._places += 1


def _parts(pattern: str, *, anchored: bool) -> list[str]:
    rooted = pattern.startswith("/")
    parts = [part for part in pattern.removeprefix("./").split("/") if part]
    if pattern.endswith("/"):
        parts.append("**")
    elif not anchored and not rooted and len(parts) == 1:
        parts.insert(0, "**")
    if not anchored and not rooted and len(parts) == 2 and pattern.endswith("/"):
        parts.insert(0, "**")
    return [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]


def _tokens(part: str) -> Iterator[str | Callable[[str], bool]]:
    position = 0
    while position < len(part):
        char = part[position]
        if char == "[":
            match = _CLASS.match(part, position)
            if not match:
                raise _InvalidError("a [ opens no bracket expression")
            yield _accepts(match["body"], negated=bool(match["not"]))
            position = match.end()
            continue
        if char == "\\":
            if position + 1 == len(part):
                raise _InvalidError("it ends with a backslash")
            yield part[position : position + 2]
            position += 2
            continue
        if char != "*" or part[position - 1 : position] != "*" or not position:
            yield char
        position += 1


def _accepts(body: str, *, negated: bool) -> Callable[[str], bool]:
    members = re.findall(r"\[:(\w+):\]|(\\.|.)(?:-(\\.|[^\]]))?", body, re.DOTALL)
    ranges = []
    kinds = []
    for kind, first, last in members:
        if kind:
            if kind not in _POSIX:
                raise _InvalidError(f"[:{kind}:] is no character class")
            kinds.append(_POSIX[kind])
        else:
            ranges.append((first[-1], (last or first)[-1]))
    if any(first > last for first, last in ranges):
        raise _InvalidError("a range in brackets runs backwards")
    return lambda char: (
        negated is not (any(first <= char <= last for first, last in ranges) or any(kind(char) for kind in kinds))
    )
