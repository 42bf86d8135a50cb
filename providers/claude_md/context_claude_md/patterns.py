"""The ``paths:`` of a rule, in every form that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from context_common.globs import Globs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Patterns:
    """Which touched files a rule is about.

    Attributes:
        given: the patterns as they were written.
        problems: the patterns that match nothing, each with the reason.
    """

    def __init__(self, given: Iterable[object]) -> None:
        values = tuple(given)
        self.given = tuple(part for value in values if isinstance(value, str) for part in _split(value))
        self._globs = Globs([pattern.removeprefix("./") for pattern in self.given], anchored=True)
        self.problems = {error.pattern: str(error.reason) for error in self._globs.errors}
        self.problems |= {str(value): "not a string" for value in values if not isinstance(value, str)}

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


def _split(text: str) -> Iterator[str]:
    """The parts of ``text`` between commas that stand outside braces."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        if character == "," and depth == 0:
            yield from _stripped(text[start:index])
            start = index + 1
        depth = max(0, depth + (character == "{") - (character == "}"))
    yield from _stripped(text[start:])


def _stripped(part: str) -> Iterator[str]:
    if part.strip():
        yield part.strip()
