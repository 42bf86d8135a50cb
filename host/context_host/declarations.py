"""What an operator declares about one plugin, wherever it was written: in ``agent.hcl`` or on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_host.errors import UnusableError

BUNDLED = ("claude-md", "agents-md", "git-status")


@dataclass(frozen=True, slots=True)
class Value:
    """An argument's value and where it was written."""

    value: Any
    where: str


@dataclass(frozen=True)
class Declaration:
    """One plugin as declared.

    Attributes:
        name: the local name.
        where: the ``file:line`` of the declaration.
        source: where it is published; its last component names the program.
        arguments: its block, not yet compared with its schema.
        environment: the block's ``environment {}``.
        certain: that it is a context provider, which only a ``context`` block or the command line can say.
        fault: what is wrong in its block, which concerns this host only if it is a context provider.
    """

    name: str
    where: str
    source: str = ""
    arguments: Mapping[str, Value] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    certain: bool = True
    fault: UnusableError | None = None

    @property
    def program(self) -> str:
        """The name of its console script, as the source or else the local name says."""
        return self.source.rstrip("/").rpartition("/")[2] or f"context-{self.name}"


@dataclass(frozen=True)
class Configuration:
    """All declarations, in order, and what the reader should tell the user."""

    declarations: tuple[Declaration, ...]
    notes: tuple[str, ...] = ()
