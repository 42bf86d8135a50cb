"""What each session has been sent, and what follows from it.

A static section never changes its bytes once it was sent. A `Baseline` holds what one session got and
answers every later firing from it: new sections are added behind it, a changed source is told in an update
of its own, and only where the budget leaves no room for that is the session fitted anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_common.budget import fit, whole
from context_common.events import Event, EventKind
from context_common.ledger import Ledger, LeftOut, Sent, Update, changes
from context_common.placing import late, placed
from context_common.provider import Draft, Level, OnChange, Section, Stability
from context_common.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_common.budget import Count

__all__ = ["Baseline", "Event", "EventKind", "Outcome", "Sessions"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The provider's own sections of one firing, in chain order, and what changed since the one before."""

    sections: tuple[Section, ...]
    events: tuple[Event, ...] = ()


class Baseline:
    """What one session was sent. Calls must not overlap; a call that raises changes nothing."""

    def __init__(self) -> None:
        self._asked: tuple[tuple[Draft, ...], int, str | None] = ((), 0, "")
        self._sections: tuple[Section, ...] = ()
        self._sent: dict[str, Sent] = {}
        self._left_out: dict[str, LeftOut] = {}
        self._told: set[tuple[EventKind, str, str]] = set()

    def contribute(self, drafts: Sequence[Draft], budget: int, count: Count, model_id: str) -> Outcome:
        """The sections of this firing; their tokens sum to at most ``budget``.

        Where drafts, budget and model are those of the firing before, its sections are returned as they
        stand, and ``count`` is not called.
        """
        before, old_budget, old_model = self._asked
        if (budget, model_id) == (old_budget, old_model) and _same(drafts, before):
            return Outcome(self._sections)
        sent = self._sent
        if model_id != old_model:
            sent = {label: entry.recounted(count) for label, entry in sent.items()}
        firing = _Firing(drafts, budget, count, sent, self._left_out)
        refit = not firing.extend()
        if refit:
            firing.fit_anew()
        events = [Event(EventKind.REFIT)] if refit and self._sent else []
        events += self._news(firing.events(self._sent))
        self._asked = (tuple(drafts), budget, model_id)
        self._sent, self._left_out = firing.sent, firing.left_out
        self._sections = firing.sections()
        return Outcome(self._sections, tuple(events))

    def distrust_counts(self) -> None:
        """Count everything again at the next firing, because the last counts were not the kernel's."""
        drafts, budget, _model = self._asked
        self._asked = (drafts, budget, None)

    def _news(self, events: Iterable[Event]) -> list[Event]:
        """``events`` without the warnings that this session has had before."""
        news = []
        for event in events:
            key = (event.kind, event.label, event.revision)
            if event.level < Level.WARN or key not in self._told:
                news.append(event)
                self._told.add(key)
        return news


class _Firing:
    """One firing, worked out on copies so that a count that raises leaves the baseline as it was."""

    def __init__(
        self,
        drafts: Sequence[Draft],
        budget: int,
        count: Count,
        sent: Mapping[str, Sent],
        left_out: Mapping[str, LeftOut],
    ) -> None:
        self.given = {
            draft.label: draft for draft in drafts if draft.stability is Stability.STATIC and not _is_empty(draft)
        }
        # The same as they read where the session has them.
        self.static = {
            label: late(draft) if label in sent and sent[label].is_late else draft
            for label, draft in self.given.items()
        }
        self.dynamic = [draft for draft in drafts if draft.stability is Stability.DYNAMIC and not _is_empty(draft)]
        self.budget = budget
        self.count = count
        self.before = sent
        self.sent = dict(sent)
        self.left_out = {
            label: entry for label, entry in left_out.items() if self._revision(label) == entry.draft.revision
        }
        self.latest: list[Section] = []
        self.room = 0

    def sections(self) -> tuple[Section, ...]:
        originals = [entry.section for entry in self.sent.values()]
        updates = [entry.update.section for entry in self.sent.values() if entry.update]
        return (*originals, *updates, *self.latest)

    def events(self, before: Mapping[str, Sent]) -> Iterable[Event]:
        """What changed since ``before``."""
        yield from changes(before, Ledger(self.sent, self.left_out), self.static)
        shown = {section.label: section for section in self.latest}
        for draft in self.dynamic:
            # Dynamic sections differ from turn to turn: naming no revision, the warning is given once.
            if draft.label not in shown:
                yield Event(EventKind.LEFT_OUT, draft.label, facts=draft.facts)
            elif shown[draft.label].truncated:
                yield Event(EventKind.SHORTENED, draft.label, tokens=shown[draft.label].tokens, facts=draft.facts)

    def extend(self) -> bool:
        """Keep all that was sent and add what is new; false where there is no room to do so."""
        for label, entry in self.sent.items():
            if entry.update and entry.update.revision != self._revision(label) and not self._is_frozen(label):
                self.sent[label] = replace(entry, update=None)
        self.room = self.budget - sum(entry.tokens for entry in self.sent.values())
        if self.room < 0:
            return False
        self.latest = fit(self.dynamic, self.room, self.count)
        self.room -= sum(section.tokens for section in self.latest)
        if not all(self._follow(label) for label in tuple(self.sent)):
            return False
        new = [draft for label, draft in self.given.items() if label not in self.sent]
        return all(self._add(draft) for draft in placed(new, [entry.draft for entry in self.sent.values()]))

    def fit_anew(self) -> None:
        """Forget every byte that was sent and fit what holds now, in the order of first sending."""
        frozen = {label: entry.draft for label, entry in self.before.items() if self._is_frozen(label)}
        current = {**self.given, **frozen}
        labels = [
            *(label for label in self.before if label in current),
            *(label for label in current if label not in self.before),
        ]
        drafts = placed(current[label] for label in labels)
        fitted = {section.label: section for section in fit([*drafts, *self.dynamic], self.budget, self.count)}
        self.sent = {draft.label: Sent(draft, fitted[draft.label]) for draft in drafts if draft.label in fitted}
        self.left_out = {label: self._left(current[label]) for label in labels if label not in fitted}
        self.latest = [fitted[draft.label] for draft in self.dynamic if draft.label in fitted]

    def _revision(self, label: str) -> str:
        return self.static[label].revision if label in self.static else ""

    def _on_change(self, label: str) -> OnChange:
        return self.static.get(label, self.before[label].draft).on_change

    def _is_frozen(self, label: str) -> bool:
        return self._on_change(label) is OnChange.FREEZE

    def _follow(self, label: str) -> bool:
        """Bring a section that was sent up to its source; false where there is no room for it."""
        entry = self.sent[label]
        revision = self._revision(label)
        if entry.update or revision == entry.draft.revision or self._is_frozen(label):
            return True
        if self._on_change(label) is OnChange.APPEND and self._update(entry, revision):
            return True
        return self._replace(entry)

    def _update(self, entry: Sent, revision: str) -> bool:
        label = entry.section.label
        text = f"[The section “{label}” above no longer applies.]"
        if label in self.static:
            text = f"[This replaces the section “{label}” above, which no longer applies; read it in that place.]\n\n{whole(self.static[label])}"
        tokens = self.count(text)
        if tokens > self.room:
            return False
        self.room -= tokens
        section = Section(f"{label} (updated)", text, tokens, Stability.DYNAMIC)
        self.sent[label] = replace(entry, update=Update(revision, section))
        return True

    def _replace(self, entry: Sent) -> bool:
        label = entry.section.label
        if label not in self.static:
            self.room += self.sent.pop(label).tokens
            return True
        section = self._whole(self.static[label])
        if section.tokens > self.room + entry.section.tokens:
            return False
        self.room += entry.section.tokens - section.tokens
        self.sent[label] = Sent(self.static[label], section)
        return True

    def _add(self, draft: Draft) -> bool:
        section = self._whole(draft)
        if section.tokens > self.room:
            # That a section left out before still has no room is no news, and no reason to fit anew.
            return draft.label in self.left_out and self.left_out[draft.label].budget >= self.budget
        self.room -= section.tokens
        self.left_out.pop(draft.label, None)
        self.sent[draft.label] = Sent(draft, section)
        return True

    def _left(self, draft: Draft) -> LeftOut:
        known = self.left_out.get(draft.label)
        return LeftOut(draft, max(self.budget, known.budget) if known else self.budget)

    def _whole(self, draft: Draft) -> Section:
        text = whole(draft)
        return Section(draft.label, text, self.count(text), Stability.STATIC)


def _same(drafts: Sequence[Draft], before: Sequence[Draft]) -> bool:
    return len(drafts) == len(before) and all(
        new is old or _asks(new) == _asks(old) for new, old in zip(drafts, before, strict=True)
    )


def _asks(draft: Draft) -> tuple[str, Stability, OnChange]:
    return draft.revision, draft.stability, draft.on_change


def _is_empty(draft: Draft) -> bool:
    return not any(text.strip() for text in (*draft.ladder, *(part.text for part in draft.parts)))
