"""The context manager: what stands around a conversation in each request, and what of it is durable."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from context_host.projection.layout import compose, lay_out
from context_host.projection.skills import Skills
from context_host.projection.slot import Slot
from context_host.projection.values import Attachment, AttachmentKind, Placement, PreparedStep, State, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_host.projection.values import ModelContext, Projected

_ANY_LENGTH = 1 << 62  # of a conversation that no pin lies beyond


class ContextManager:
    """One epoch of one session's context; any method may be called from any thread.

    Args:
        epoch: 1 or more, and larger than any in the session's transcript.
        base_revision: identifies the base; by default the SHA-256 of its text.
        base_rendered: the base block; empty for none.
        skill_revision: likewise of the listing.
        skill_listing_rendered: the initial skill listing; empty for none.
        updates: where updates and activated skills stand, ``AFTER_CURRENT`` or ``ANCHORED``. The task status always
            comes last.
    """

    def __init__(
        self,
        epoch: int,
        base_revision: str = "",
        base_rendered: str = "",
        skill_revision: str = "",
        skill_listing_rendered: str = "",
        *,
        updates: Placement = Placement.AFTER_CURRENT,
    ) -> None:
        if epoch < 1:
            raise ValueError(f"an epoch is 1 or more, not {epoch}")
        if updates is Placement.PREFIX:
            raise ValueError("updates stand after-current or anchored; a changing prefix is what they avoid")
        self._epoch = epoch
        self._updates = updates
        self._lock = threading.Lock()
        self._ordinal = 0
        self._begun = False
        base = self._block(AttachmentKind.BASE, base_revision, base_rendered)
        listing = self._block(AttachmentKind.SKILL_LISTING, skill_revision, skill_listing_rendered)
        self._context, self._skill_updates, self._tasks = Slot(base), Slot(listing), Slot()
        self._skills = Skills()
        self._pins: list[tuple[int, Attachment]] = []

    def rebuild_base(self, revision: str, rendered: str) -> bool:
        """Replace the base while no step was committed; tell whether that was still possible."""
        with self._lock:
            if not self._begun and revision != _revision(self._context.original):
                self._context.original = self._block(AttachmentKind.BASE, revision, rendered)
            return not self._begun

    def stage_context_update(self, revision: str, rendered: str, *, covers: Iterable[str] = ()) -> None:
        """Let the next step carry what replaces the base: all of it, or, anchored, what differs from what is in view.

        An empty revision or text is ignored, and so is a revision that is staged already. The revision that is shown
        cancels what is staged.

        Args:
            revision: identifies ``rendered`` and ``covers``.
            rendered: the block, which says itself what it replaces.
            covers: the names of activated skills that ``rendered`` repeats: they are out of view while it is in it.
        """
        with self._lock:
            if revision and rendered and not self._context.settles(revision):
                kind = AttachmentKind.CONTEXT_UPDATE
                self._context.staged = self._block(kind, revision, rendered, covers=tuple(covers))

    def cancel_staged_context_update(self) -> None:
        """Forget the context update that no committed step carried; the active one is shown again."""
        with self._lock:
            self._context.staged = None

    def stage_skills_update(self, revision: str, rendered: str) -> None:
        """Let the next step carry a complete replacement of the skill listing, by the rules of a context update."""
        with self._lock:
            if revision and rendered and not self._skill_updates.settles(revision):
                self._skill_updates.staged = self._block(AttachmentKind.SKILLS_UPDATE, revision, rendered)

    def cancel_staged_skills_update(self) -> None:
        """Forget the skills update that no committed step carried; the active one is shown again."""
        with self._lock:
            self._skill_updates.staged = None

    def stage_task_status(self, rendered: str) -> None:
        """Let the next step carry the latest status instead of the one before; an empty one is ignored."""
        with self._lock:
            if rendered and not self._tasks.settles(digest(rendered)):
                self._tasks.staged = self._block(AttachmentKind.TASK_STATUS, "", rendered)

    def clear_task_status(self) -> None:
        """Show no status from the next step on."""
        with self._lock:
            self._tasks.clear(self._ordinal)

    def stage_activated_skill(self, name: str, revision: str, rendered: str) -> None:
        """Show a block for the rest of the epoch; the first of a name wins, an empty name or text is ignored."""
        with self._lock:
            block = self._block(AttachmentKind.ACTIVATED_SKILL, revision, rendered, path=name)
            if name and block:
                self._skills.stage(block)

    def cancel_activated_skill(self, name: str) -> None:
        """Forget an activated skill that no committed step carried."""
        with self._lock:
            self._skills.cancel(name)

    def restore_activated_skills(self, attachments: Iterable[Attachment]) -> None:
        """Install blocks that the transcript holds, as they are, and as durable.

        Entries of another kind, without a name or without text are passed over. The first of a name wins, against
        what is staged too. Anchored ones stand right after the prefix.
        """
        with self._lock:
            for skill in attachments:
                usable = skill.kind is AttachmentKind.ACTIVATED_SKILL and skill.path and skill.rendered
                if usable and self._skills.restore(skill):
                    self._pin(0, skill)

    def prepare_step(self, context: ModelContext) -> PreparedStep:
        """The request for ``context``; nothing changes by it, and it is the same until something is staged or committed."""
        with self._lock:
            projected = self._projection(len(context.messages))
            return PreparedStep(
                input=compose(context, projected),
                pending=tuple(block.attachment for block in projected if not self._is_durable(block.attachment)),
                attachments=projected,
                stable_count=len(context.messages) + sum(self._stays(block.attachment) for block in projected),
                conversation=len(context.messages),
                epoch=self._epoch,
                owner=self,
            )

    def commit(self, prepared: PreparedStep) -> None:
        """Count what ``prepared`` carried as durable, each block for itself.

        Raises:
            ValueError: another manager prepared it.
        """
        if prepared.owner is not self:
            raise ValueError(f"the step of epoch {prepared.epoch} was prepared by another manager")
        with self._lock:
            if not self._begun:
                self._begun = True
                shown = (block.attachment for block in prepared.attachments)
                self._context.original = next((block for block in shown if block.kind is AttachmentKind.BASE), None)
            # A conversation that was compacted below a pin takes the pin along, lest it move when it grows again.
            self._pins = [(min(index, prepared.conversation), block) for index, block in self._pins]
            for block in prepared.pending:
                if self._accept(block):
                    self._pin(prepared.conversation, block)

    def projected_attachments(self) -> tuple[Attachment, ...]:
        """The blocks that the next request would carry, in its order."""
        with self._lock:
            return tuple(block.attachment for block in self._projection(_ANY_LENGTH))

    def committed_attachments(self) -> tuple[Attachment, ...]:
        """The durable blocks in the order of a request, as if everything staged were cancelled."""
        with self._lock:
            projection = self._projection(_ANY_LENGTH, staged=False)
            return tuple(block.attachment for block in projection if self._is_durable(block.attachment))

    @property
    def state(self) -> State:
        """What there is now."""
        with self._lock:
            return State(
                epoch=self._epoch,
                has_base=self._context.original is not None,
                base_revision=_revision(self._context.original),
                base_committed=self._context.original is None or self._begun,
                has_skill_listing=self._skill_updates.original is not None,
                skill_listing_revision=_revision(self._skill_updates.original),
                skill_listing_committed=self._skill_updates.original is None or self._begun,
                active_skills_revision=_revision(self._skill_updates.active),
                staged_skills_revision=_revision(self._skill_updates.staged),
                active_context_revision=_revision(self._context.active),
                staged_context_revision=_revision(self._context.staged),
                active_task_revision=_revision(self._tasks.active),
                staged_task_revision=_revision(self._tasks.staged),
                activated_skill_count=self._skills.count,
                pending_skill_count=self._skills.pending_count,
            )

    def _block(
        self, kind: AttachmentKind, revision: str, rendered: str, *, path: str = "", covers: tuple[str, ...] = ()
    ) -> Attachment | None:
        if not rendered:
            return None
        self._ordinal += 1
        revision = revision or digest(rendered)
        identity = f"{kind}:{self._epoch}:{self._ordinal}:{revision[:12]}"
        return Attachment(
            identity, self._epoch, kind, self._place(kind), path, revision, rendered, self._ordinal, covers
        )

    def _place(self, kind: AttachmentKind) -> Placement:
        if kind in {AttachmentKind.BASE, AttachmentKind.SKILL_LISTING}:
            return Placement.PREFIX
        return Placement.AFTER_CURRENT if kind is AttachmentKind.TASK_STATUS else self._updates

    def _projection(self, conversation: int, *, staged: bool = True) -> tuple[Projected, ...]:
        updates, skill_updates, status = (
            slot.visible if staged else slot.active for slot in (self._context, self._skill_updates, self._tasks)
        )
        covered = updates.covers if updates else ()
        skills = self._skills.shown(covered)
        prefix = [block for block in (self._context.original, self._skill_updates.original) if block]
        pinned = {block.id for _, block in self._pins}
        trailing = [block for block in (updates, skill_updates, *skills, status) if block and block.id not in pinned]
        return lay_out(prefix, self._pins, trailing, conversation)

    def _is_durable(self, block: Attachment) -> bool:
        if self._place(block.kind) is Placement.PREFIX:
            return self._begun
        if block.kind is AttachmentKind.ACTIVATED_SKILL:
            return self._skills.is_durable(block)
        return block not in (self._context.staged, self._skill_updates.staged, self._tasks.staged)

    def _stays(self, block: Attachment) -> bool:
        return self._place(block.kind) is not Placement.AFTER_CURRENT

    def _accept(self, block: Attachment) -> bool:
        places: Mapping[AttachmentKind, Skills | Slot] = {
            AttachmentKind.ACTIVATED_SKILL: self._skills,
            AttachmentKind.CONTEXT_UPDATE: self._context,
            AttachmentKind.SKILLS_UPDATE: self._skill_updates,
            AttachmentKind.TASK_STATUS: self._tasks,
        }
        return block.kind in places and places[block.kind].commit(block)

    def _pin(self, index: int, block: Attachment) -> None:
        if self._place(block.kind) is Placement.ANCHORED:
            self._pins.append((index, block))


def _revision(block: Attachment | None) -> str:
    return block.revision if block else ""
