"""The place for one kind of update: at most one block is durable, at most one is on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_host.projection.values import Attachment


@dataclass
class Slot:
    """One update slot; its manager holds the lock.

    Attributes:
        original: the prefix block that the updates replace.
        active: the newest update that a committed step carried.
        staged: the update that the next step is to carry instead.
    """

    original: Attachment | None = None
    active: Attachment | None = None
    staged: Attachment | None = None
    _cleared_at: int = 0

    @property
    def visible(self) -> Attachment | None:
        return self.staged or self.active

    def settles(self, revision: str) -> bool:
        """Whether ``revision`` needs no new block; what is staged gives way to a return to what is shown."""
        shown = self.active or self.original
        if shown and shown.revision == revision:
            self.staged = None
            return True
        return self.staged is not None and self.staged.revision == revision

    def clear(self, ordinal: int) -> None:
        """Show nothing; a block made up to ``ordinal`` never comes back, even if its step is committed late."""
        self.active = self.staged = None
        self._cleared_at = ordinal

    def commit(self, block: Attachment) -> bool:
        """Make ``block``, which a step carried, the active one unless a newer one is; tell whether it now is.

        A block that was replaced or cancelled since its step was prepared was journalled and sent all the same, so
        it is what the model saw last, and what a later cancel falls back to.
        """
        newest = max(self.active.ordinal if self.active else 0, self._cleared_at)
        if block.ordinal <= newest:
            return False
        self.active = block
        if self.staged and self.staged.revision == block.revision:
            self.staged = None
        return True
