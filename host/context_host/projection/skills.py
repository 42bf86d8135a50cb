"""Activated skills: blocks that stay for the rest of an epoch, one for each name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from context_host.projection.values import Attachment


@dataclass
class Skills:
    """The skills of one manager, which holds the lock; the first block of a name stays."""

    _blocks: dict[str, Attachment] = field(default_factory=dict)
    _durable: set[str] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._blocks)

    @property
    def pending_count(self) -> int:
        """How many of them no committed step carried."""
        return len(self._blocks) - len(self._durable)

    def stage(self, block: Attachment) -> None:
        """Show ``block``, unless there is one of its name."""
        self._blocks.setdefault(block.path, block)

    def cancel(self, name: str) -> None:
        """Forget a block that no committed step carried."""
        if name not in self._durable:
            self._blocks.pop(name, None)

    def restore(self, block: Attachment) -> bool:
        """Install a durable block, unless there is one of its name; tell whether that was so."""
        is_first = block.path not in self._blocks
        return is_first and self.commit(block)

    def commit(self, block: Attachment) -> bool:
        """Make ``block``, which a step carried, the durable one of its name unless there is one; tell whether it now is."""
        is_first = block.path not in self._durable
        if is_first:
            self._blocks[block.path] = block
            self._durable.add(block.path)
        return is_first

    def is_durable(self, block: Attachment) -> bool:
        """Whether a committed step carried the block of this name."""
        return block.path in self._durable

    def shown(self, covered: Container[str]) -> list[Attachment]:
        """The blocks in the order of their names, without those that are ``covered``."""
        return [self._blocks[name] for name in sorted(self._blocks) if name not in covered]
