"""The language of globs: what patterns are accepted, and what a path must consist of to match one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_common.globs.matcher import ANY, InvalidError, Matcher, Wild, accepts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_common.globs.matcher import Symbol

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
        runs: list[tuple[bool, list[list[Symbol]]]] = []
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
                symbols = _checked([list(_symbols(one, anchored=anchored)) for one in expanded])
            except InvalidError as error:
                errors.append(GlobError(pattern, str(error)))
                continue
            if not runs or runs[-1][0] is not includes:
                runs.append((includes, []))
            runs[-1][1].extend(symbols)
            room -= len(expanded) if len(expanded) > 1 else 0
            self.size += sum(map(len, expanded))
        self.errors = tuple(errors)
        self._matchers = [(includes, Matcher(patterns)) for includes, patterns in runs]

    def matches(self, path: str) -> bool:
        """Whether ``path`` is selected."""
        path = path.removeprefix("./")
        if len(path) > MAX_PATH:
            return False
        return next((includes for includes, matcher in reversed(self._matchers) if matcher.matches(path)), False)


def _expanded(pattern: str, room: int) -> list[str]:
    """The patterns that ``pattern`` stands for, at most ``room`` of them if it has braces."""
    if not pattern.strip("/"):
        raise InvalidError("it is empty")
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
                raise InvalidError(f"its braces expand to more than {MAX_LENGTH} characters")
            expanded.append(one)
    except bracex.ExpansionLimitException:
        raise InvalidError(f"braces expand to more than {MAX_PATTERNS} patterns") from None
    except RecursionError:
        raise InvalidError("its braces are nested too deep") from None
    return expanded


_SYNTAX = re.compile(r"\\(?P<escaped>.?)|\[(?P<not>[!^]?)(?P<body>\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]|\*+|.", re.DOTALL)


def _symbols(pattern: str, *, anchored: bool) -> Iterator[Symbol]:
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
            yield Wild.REST
        elif components[index + 1] != "**":
            yield from (Wild.COMPONENTS, Wild.UNTIL_SLASH)
    if not anchored and components[-1] != "**":
        yield Wild.BELOW


def _name(component: str) -> Iterator[Symbol]:
    if component == "*":
        yield ANY
    for part in _SYNTAX.finditer(component):
        if part["body"] is not None:
            yield bool(part["not"]), part["body"]
        elif part["escaped"] is not None:
            yield part["escaped"] or _refuse("it ends with a backslash")
        elif part[0] == "[":
            _refuse("a [ opens no bracket expression")
        elif part[0] == "?":
            yield ANY
        else:
            yield Wild.NAME if part[0][0] == "*" else part[0]


def _checked(patterns: list[list[Symbol]]) -> list[list[Symbol]]:
    """``patterns``, what one pattern expands to, if their bracket expressions are few and valid."""
    classes = {symbol for symbols in patterns for symbol in symbols if isinstance(symbol, tuple)}
    if len(classes) > MAX_CLASSES:
        raise InvalidError(f"it has more than {MAX_CLASSES} bracket expressions")
    for negated, body in classes:
        accepts(negated, body)
    return patterns


def _refuse(reason: str) -> str:
    raise InvalidError(reason)
