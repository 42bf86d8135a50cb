"""The chain of each firing, mapped onto the context manager of its session.

| in the chain | in the request |
|---|---|
| static sections of the first firing | the base, frozen for the epoch |
| a static section that is new | a block of its own, which stays |
| a static section that changed, is gone, or came back | a context update: the complete current state, or, where all that was sent stays in view, what differs |
| a dynamic section ``<label> (updated)`` of a static one | the newest text of the static one |
| other dynamic sections | one block, the latest only; none when there are none |
| a section that was rejected, or whose provider failed | static: its last text holds; dynamic: left out |
| static sections that a compactor rewrote | a new epoch, with a new base |

Declaration order holds within each of these places; `order_lint` tells where that is not the order of the chain.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from context_host.projection import AttachmentKind, ContextManager, Placement
from context_host.projection.firing import (
    Accepted,
    Change,
    Key,
    Outcome,
    What,
    accept,
    changes,
    order_lint,
    rank,
)
from context_host.projection.rendering import Block, Entry, is_complete, render, sections_of, withdrawn_of
from context_host.projection.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_host.projection import Attachment, ModelContext, PreparedStep, State

__all__ = ["DEFAULT_PLACEMENT", "ChainProjection", "Change", "Key", "Outcome", "What", "newest_texts", "order_lint"]

DEFAULT_PLACEMENT = Placement.ANCHORED
"""Where a session's updates stand unless it is told otherwise: what ``benchmarks/prefix.md`` measures as best."""


class ChainProjection:
    """One session's chain, firing by firing, as blocks around its conversation.

    For each model call: `observe` the firing, `prepare` the request, make its pending blocks durable, `commit` it.

    Args:
        providers: their names in declaration order.
        epoch: one more than the largest in the session's transcript.
        placement: where updates and additions stand.
        saved: the newest texts of static sections that an earlier process had loaded just in time; each holds
            until its provider answers.
    """

    def __init__(
        self,
        providers: Sequence[str],
        *,
        epoch: int = 1,
        placement: Placement = DEFAULT_PLACEMENT,
        saved: Mapping[Key, str] | None = None,
    ) -> None:
        self._providers = tuple(providers)
        self._placement = placement
        self._lock = threading.RLock()
        self._accepted = Accepted(dict(saved or {}), {})
        self._seen: dict[Key, int] = {}
        self._begin(epoch, {})

    def _begin(self, epoch: int, static: Mapping[Key, str]) -> None:
        self._epoch = epoch
        self._manager = ContextManager(epoch, _revision(static), _base(static), updates=self._placement)
        self._started = False
        self._shown: dict[Key, str] = {}
        self._delivered: dict[Key, None] = {}
        self._additions: set[str] = set()
        self._staged_additions: dict[str, str] = {}

    @property
    def epoch(self) -> int:
        """The epoch that the next step belongs to."""
        return self._epoch

    @property
    def state(self) -> State:
        """The manager's diagnostics."""
        return self._manager.state

    def observe(self, firing: Outcome) -> tuple[Change, ...]:
        """Stage what ``firing`` brings, and tell what became of each section since the firing before."""
        with self._lock:
            before, self._accepted = self._accepted, accept(firing, self._accepted, self._providers)
            self._stage_static(self._accepted.static, compacted=firing.compacted)
            self._stage_latest(self._accepted.latest)
            return changes(before, self._accepted)

    def prepare(self, context: ModelContext) -> PreparedStep:
        """The request for the conversation in ``context``."""
        with self._lock:
            return self._manager.prepare_step(context)

    def commit(self, step: PreparedStep) -> None:
        """Count what ``step`` carried as seen by the model; a step of an earlier epoch changes nothing."""
        with self._lock:
            if step.epoch != self._epoch:
                return
            self._manager.commit(step)
            self._started = True
            self._shown = newest_texts(self._manager.committed_attachments())
            self._delivered |= dict.fromkeys(self._shown)
            carried = (projected.attachment for projected in step.attachments)
            self._additions |= {block.path for block in carried if block.kind is AttachmentKind.ACTIVATED_SKILL}
            # A step that is committed late has shown what was changed back meanwhile.
            self._stage_static(self._accepted.static, compacted=False)

    def _stage_static(self, static: dict[Key, str], *, compacted: bool) -> None:
        if not self._started:
            self._manager.rebuild_base(_revision(static), _base(static))
        elif compacted and (static != self._shown or self._is_pinned()):
            self._begin(self._epoch + 1, static)
        elif self._only_grows(static):
            self._manager.cancel_staged_context_update()
            self._stage_additions(key for key in static if key not in self._shown)
        else:
            self._stage_additions(())
            self._stage_update(static)

    def _is_pinned(self) -> bool:
        """Whether blocks stand at places in the conversation, which a rewritten history no longer has."""
        blocks = self._manager.committed_attachments()
        return any(block.placement is Placement.ANCHORED for block in blocks)

    def _only_grows(self, static: Mapping[Key, str]) -> bool:
        # A section that comes back is a change: the update that took it back still stands.
        returned = any(key in self._delivered and key not in self._shown for key in static)
        return not returned and all(static.get(key) == text for key, text in self._shown.items())

    def _stage_additions(self, keys: Iterable[Key]) -> None:
        static = self._accepted.static
        wanted = {self._name(key): render(Block.ADDED, _entries({key: static[key]})) for key in keys}
        for name, rendered in self._staged_additions.items():
            if wanted.get(name) != rendered:
                self._manager.cancel_activated_skill(name)
        for name, rendered in wanted.items():
            self._manager.stage_activated_skill(name, "", rendered)
        self._staged_additions = wanted

    def _stage_update(self, static: Mapping[Key, str]) -> None:
        covers = sorted(self._additions)
        if static and self._placement is Placement.ANCHORED and not _has_twins({**static, **self._shown}):
            # Everything that was sent stays in view, so that saying it all again would only take room.
            block = Block.CHANGE
            told = {key: text for key, text in static.items() if self._shown.get(key) != text}
            withdrawn = [key[:2] for key in self._shown if key not in static]
        else:
            block = Block.UPDATE if static else Block.NOTHING
            told = dict(static)
            withdrawn = list(dict.fromkeys(key[:2] for key in self._delivered if key._replace(nth=0) not in static))
        rendered = render(block, _entries(told), withdrawn)
        self._manager.stage_context_update(_revision(told, withdrawn, covers), rendered, covers=covers)

    def _stage_latest(self, latest: Mapping[Key, str]) -> None:
        if latest:
            self._manager.stage_task_status(render(Block.CURRENT, _entries(latest)))
        else:
            self._manager.clear_task_status()

    def _name(self, key: Key) -> str:
        """A name that sorts in declaration order, and then in the order of first sight."""
        seen = self._seen.setdefault(key, len(self._seen))
        return f"{rank(key.provider, self._providers):03}/{seen:05}/{key.provider}/{key.label}"


def newest_texts(blocks: Iterable[Attachment]) -> dict[Key, str]:
    """The static sections as a reader of ``blocks``, in the order of a request, has them in the end."""
    texts: dict[Key, str] = {}
    for block in blocks:
        if block.kind is AttachmentKind.TASK_STATUS:
            continue
        complete = is_complete(block.rendered)
        if complete:
            texts = {}
        for name in withdrawn_of(block.rendered):
            texts.pop(Key(*name), None)
        for provider, label, text in sections_of(block.rendered):
            twins = sum(key[:2] == (provider, label) for key in texts)
            replaces = block.kind is AttachmentKind.CONTEXT_UPDATE and not complete
            texts[Key(provider, label, 0 if replaces else twins)] = text
    return texts


def _has_twins(texts: Iterable[Key]) -> bool:
    return any(key.nth for key in texts)


def _entries(texts: Mapping[Key, str]) -> list[Entry]:
    return [Entry(key.provider, key.label, text) for key, text in texts.items()]


def _base(static: Mapping[Key, str]) -> str:
    return render(Block.BASE, _entries(static)) if static else ""


def _revision(static: Mapping[Key, str], withdrawn: Sequence[tuple[str, str]] = (), covers: Sequence[str] = ()) -> str:
    """What the model is told, and nothing that a tokenizer or a notice of shortening would change."""
    return digest(json.dumps([_entries(static), withdrawn, covers]))
