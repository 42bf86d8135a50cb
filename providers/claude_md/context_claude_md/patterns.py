"""The ``paths:`` of a rule, in every form that people write."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from context_common.globs import Globs
from context_common.markdown.frontmatter import split_commas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LENGTH_LIMIT = 65_536


class Patterns:
    """Which touched files a rule is about; read when it is first asked for.

    Attributes:
        given: the patterns as they were written.
    """

    def __init__(self, given: Iterable[object]) -> None:
        self._values = tuple(given)
        patterns = [part for value in self._values if isinstance(value, str) for part in split_commas(value)]
        lengths = accumulate(len(pattern) for pattern in patterns)
        self.given = tuple(
            pattern for pattern, length in zip(patterns, lengths, strict=True) if length <= _LENGTH_LIMIT
        )
        self._beyond = patterns[len(self.given) :][:1]

    @cached_property
    def _globs(self) -> Globs:
        return Globs(self.given, anchored=True)

    @cached_property
    def problems(self) -> dict[str, str]:
        """The patterns that match nothing, each with the reason."""
        problems = {error.pattern: error.reason for error in self._globs.errors}
        # Of a value that is no string only the kind is told: it may be a number of a million digits, or a billion lists.
        problems |= {type(value).__name__: "not a string" for value in self._values if not isinstance(value, str)}
        return problems | dict.fromkeys(self._beyond, f"it and those behind it are beyond {_LENGTH_LIMIT} characters")

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
