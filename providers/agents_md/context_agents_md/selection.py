"""Which files of a directory take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_agents_md.accepted import require_name, require_path
from context_agents_md.config import NAME
from context_common.errors import InvalidRequestError
from context_common.globs import Globs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_agents_md.config import AgentsMdConfig

Parts = tuple[str, ...]
"""A directory's path below the root, by components; ``()`` is the root."""

_MAGIC = frozenset("*?[{")


class Selection:
    """The files that an operator's ``glob``, ``filenames`` and ``prune`` select.

    Attributes:
        names: tried in this order in every directory, of which one file takes part; empty where the glob's last
            component is a pattern, and then every file that it matches takes part.
        prefix: the directory that the glob names outright, below which all files lie.
    """

    def __init__(self, config: AgentsMdConfig) -> None:
        """Select by ``config``.

        Raises:
            InvalidRequestError: the glob or a name is none that could lie below a root.
        """
        pattern = (config.glob or f"**/{NAME}").removeprefix("./")
        require_path("glob", pattern, "a glob below the root, such as '**/AGENTS.md'")
        for name in config.filenames:
            require_name("filenames", name, "names of files, such as 'AGENTS.md'")
        self._globs = Globs([pattern], anchored=True)
        for error in self._globs.errors:
            raise InvalidRequestError(f"attribute 'glob' is {error.pattern!r}: {error.reason}")
        *directories, last = pattern.split("/")
        self._last = last
        self._everywhere = directories == ["**"]
        self.names: tuple[str, ...] = () if _is_pattern(last) else (last,)
        if last == NAME:
            self.names = config.filenames
        literal = next((depth for depth, part in enumerate(directories) if _is_pattern(part)), len(directories))
        self.prefix: Parts = tuple(directories[:literal])
        # A slash behind a name, as in a .gitignore, says nothing new.
        pruned = [name.rstrip("/") for name in config.prune]
        for name in pruned:
            require_name("prune", name, "names of directories, such as 'vendor'")
        self._prune = frozenset(pruned)

    def includes(self, directory: Parts) -> bool:
        """Whether files of ``directory`` can take part; always where only their names tell."""
        return self._everywhere or not self.names or self._globs.matches("/".join((*directory, self._last)))

    def choose(self, directory: Parts, listing: Iterable[str]) -> tuple[str, ...]:
        """The names in ``listing`` that take part, best first; one that is not there as written may differ in letter case."""
        present = sorted(listing)
        if not self.names:
            return tuple(name for name in present if self._globs.matches("/".join((*directory, name))))
        return tuple(dict.fromkeys(name for wanted in self.names for name in _spelled(wanted, present)))

    def prunes(self, directory: Parts, working_directory: Parts) -> bool:
        """Whether ``directory`` lies in a pruned one in which the working directory does not."""
        return any(
            name in self._prune and directory[:depth] != working_directory[:depth]
            for depth, name in enumerate(directory, start=1)
        )


def _spelled(wanted: str, present: Sequence[str]) -> list[str]:
    """How ``wanted`` is spelled among the names ``present``: as it is, or else in other letter cases."""
    if wanted in present:
        return [wanted]
    folded = wanted.casefold()
    return [name for name in present if name.casefold() == folded]


def _is_pattern(component: str) -> bool:
    return not _MAGIC.isdisjoint(component)
