"""What a session was sent of each static section, and what changed from one firing to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_common.events import Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_common.budget import Count
    from context_common.provider import Draft, Section


@dataclass(frozen=True, slots=True)
class Update:
    """The section that follows a changed one; ``revision`` is that of the new draft, ``""`` where there is none."""

    revision: str
    section: Section


@dataclass(frozen=True, slots=True)
class Sent:
    """A static section as the session has it; ``draft`` is what it was made from."""

    draft: Draft
    section: Section
    update: Update | None = None

    @property
    def is_late(self) -> bool:
        """Whether it has its draft's late opening."""
        return bool(self.draft.late_opening) and self.draft.opening == self.draft.late_opening

    @property
    def tokens(self) -> int:
        """What section and update take together."""
        return self.section.tokens + (self.update.section.tokens if self.update else 0)

    def recounted(self, count: Count) -> Sent:
        """The same bytes, counted for another model."""
        update = self.update and replace(self.update, section=_recounted(self.update.section, count))
        return replace(self, section=_recounted(self.section, count), update=update)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A static draft that found no room; ``budget`` is the largest for which that is known."""

    draft: Draft
    budget: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every static section of a session, by label: those that were sent, in the order of first sending, and the rest."""

    sent: Mapping[str, Sent]
    left_out: Mapping[str, LeftOut]


def changes(before: Mapping[str, Sent], after: Ledger, current: Mapping[str, Draft]) -> Iterable[Event]:
    """What happened to each section between two firings, those that lost text named again at every call."""
    for label, old in before.items():
        if label not in after.sent and label not in after.left_out:
            yield Event(EventKind.WITHDRAWN, label, facts=old.draft.facts)
        elif label in after.sent:
            yield from _change(old, after.sent[label], current.get(label))
    for label, entry in after.sent.items():
        if label not in before:
            yield told(EventKind.SENT, entry.draft, entry.section)
        if entry.section.truncated:
            yield told(EventKind.SHORTENED, entry.draft, entry.section)
    for left_out in after.left_out.values():
        yield told(EventKind.LEFT_OUT, left_out.draft)


def told(kind: EventKind, draft: Draft, section: Section | None = None) -> Event:
    """The event of ``kind`` about ``draft``, now shown as ``section``."""
    return Event(kind, draft.label, draft.revision, section.tokens if section else 0, draft.facts)


def _change(old: Sent, new: Sent, current: Draft | None) -> Iterable[Event]:
    if new.draft.revision != old.draft.revision:
        yield told(EventKind.REPLACED, new.draft, new.section)
    elif new.update and (old.update is None or old.update.revision != new.update.revision):
        if current is None:
            yield Event(EventKind.WITHDRAWN, new.draft.label, tokens=new.update.section.tokens, facts=new.draft.facts)
        else:
            yield told(EventKind.UPDATED, current, new.update.section)
    elif old.update and new.update is None:
        yield told(EventKind.RESTORED, new.draft, new.section)


def _recounted(section: Section, count: Count) -> Section:
    return replace(section, tokens=count(section.text))
