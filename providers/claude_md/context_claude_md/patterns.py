"""The ``paths:`` of a rule, in every form that people write."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from context_common.globs import Globs
from context_common.markdown.frontmatter import split_commas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LENGTH_LIMIT = 65_536


class Patterns:
    """Which touched files a rule is about; read when it is first asked for."""

    def __init__(self, given: Iterable[object]) -> None:
        self._values = tuple(given)

    @property
    def given(self) -> tuple[str, ...]:
        """The patterns as they were written."""
        return self._split[0]

    @cached_property
    def _split(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The patterns within the limit, and the first one beyond it."""
        given: list[str] = []
        room = _LENGTH_LIMIT
        for value in self._values:
            # One by one: YAML can repeat a long string ten thousand times.
            for pattern in split_commas(value) if isinstance(value, str) else ():
                room -= len(pattern)
                if room < 0:
                    return tuple(given), (pattern,)
                given.append(pattern)
        return tuple(given), ()

    @cached_property
    def _globs(self) -> Globs:
        return Globs(self.given, anchored=True)

    @cached_property
    def problems(self) -> dict[str, str]:
        """The patterns that match nothing, each with the reason."""
        problems = {error.pattern: error.reason for error in self._globs.errors}
        # Of a value that is no string only the kind is told: it may be a number of a million digits, or a billion lists.
        problems |= {type(value).__name__: "not a string" for value in self._values if not isinstance(value, str)}
        return problems | dict.fromkeys(self._split[1], f"it and those behind it are beyond {_LENGTH_LIMIT} characters")

    @property
    def size(self) -> int:
        """How many characters all patterns have, braces expanded."""
        return self._globs.size

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Patterns | None:
        """The patterns in a rule's front matter; None where it names none and so always holds."""
        value = metadata.get("paths")
        values = value if isinstance(value, list) else [value]
        values = [entry for entry in values if entry is not None and entry != ""]
        return cls(values) if values else None

    def match(self, names: Iterable[str], below: str = "") -> bool:
        """Whether one of ``names``, relative to the repository root, is meant.

        Args:
            names: the names that one file goes by.
            below: the directory, with a slash at its end, that the rule lies in: it holds for files there
                only, and its patterns may be relative to it.
        """
        return any(
            self._globs.matches(name) or (below != "" and self._globs.matches(name.removeprefix(below)))
            for name in names
            if name.startswith(below)
        )
