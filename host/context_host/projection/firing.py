"""What one firing of the chain says about a session's sections, and what changed since the one before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from context_common.provider import Stability

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from context_host.projection.values import SectionView

UPDATED = " (updated)"
"""What a provider appends to the label of a static section whose text has changed, in the dynamic one that says so."""


class Key(NamedTuple):
    """What makes a section the same one in the next firing; ``nth`` counts those of equal provider and label."""

    provider: str
    label: str
    nth: int = 0


class Outcome(Protocol):
    """What one firing of the chain came to."""

    @property
    def sections(self) -> Sequence[SectionView]:
        """The accepted sections, in chain order."""

    @property
    def rejected(self) -> Collection[tuple[str, str]]:
        """Provider and label of each section that the host dropped, as too large or not text."""

    @property
    def failed(self) -> Collection[str]:
        """The providers whose answer is missing or was thrown away as a whole."""

    @property
    def compacted(self) -> bool:
        """Whether a compactor rewrote sections of others, or the history."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The sections that hold after a firing, by place: ``static`` with their newest text, and the ``latest`` ones.

    ``kept`` are static ones that this firing did not deliver, and whose last text holds all the same.
    """

    static: dict[Key, str]
    latest: dict[Key, str]
    kept: frozenset[Key] = frozenset()
    truncated: frozenset[Key] = frozenset()


class What(StrEnum):
    """What became of a section since the firing before."""

    NEW = "new"
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    WITHDRAWN = "withdrawn"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Change:
    """One section's lot in a firing; *kept* is one that was not delivered and whose last text holds."""

    key: Key
    what: What
    stability: Stability
    truncated: bool = False


def accept(firing: Outcome, before: Accepted, providers: Sequence[str]) -> Accepted:
    """What holds after ``firing``, given what held before.

    A missing section is a removal only where its provider answered and the host did not reject it. An original whose
    update was rejected is known to be outdated, so the text before holds, if there was one.
    """
    views = dict(keyed(firing.sections))
    static = {key: view.text for key, view in views.items() if view.stability is Stability.STATIC}
    latest = {key: view.text for key, view in views.items() if view.stability is Stability.DYNAMIC}
    truncated = {key for key, view in views.items() if view.truncated}
    for key in tuple(latest):
        original = original_of(key)
        if original and (original in static or original in before.static or original[:2] in firing.rejected):
            static[original] = latest.pop(key)
            truncated |= {original} if key in truncated else set()
    static = {key: text for key, text in static.items() if not _is_outdated(firing, key)}
    kept = [key for key in before.static if key not in static and _is_unheard(firing, key)]
    static |= {key: before.static[key] for key in kept}
    static = dict(sorted(static.items(), key=lambda item: rank(item[0].provider, providers)))
    return Accepted(static, latest, frozenset(kept), frozenset(truncated))


def changes(before: Accepted, after: Accepted) -> tuple[Change, ...]:
    """Every section of either firing with what became of it: static ones first, those withdrawn last."""
    told = [
        Change(key, _what(key, old, new, after.kept), stability, key in after.truncated)
        for stability, old, new in (
            (Stability.STATIC, before.static, after.static),
            (Stability.DYNAMIC, before.latest, after.latest),
        )
        for key in {**new, **old}
    ]
    return tuple(sorted(told, key=lambda change: change.what is What.WITHDRAWN))


def keyed(sections: Iterable[SectionView]) -> Iterator[tuple[Key, SectionView]]:
    """The sections in their order, each with its key."""
    met: Counter[tuple[str, str]] = Counter()
    for view in sections:
        yield Key(view.provider, view.label, met[view.provider, view.label]), view
        met[view.provider, view.label] += 1


def original_of(key: Key) -> Key | None:
    """The key of the static section that a section labelled ``… (updated)`` speaks of."""
    label = key.label.removesuffix(UPDATED)
    return None if label == key.label else key._replace(label=label)


def rank(provider: str, providers: Sequence[str]) -> int:
    """The place of ``provider`` in the declared order; an undeclared one comes last."""
    return providers.index(provider) if provider in providers else len(providers)


def order_lint(sections: Iterable[SectionView]) -> str | None:
    """What to tell where the request cannot show the sections in the order of the chain."""
    earlier: SectionView | None = None
    keys = set()
    for key, view in keyed(tuple(sections)):
        if view.stability is Stability.STATIC and earlier is not None:
            return (
                f"{earlier.provider} ({earlier.label!r}, dynamic) stands before {view.provider} ({view.label!r}, static) "
                "in the chain; in the request, static sections stand before the conversation and dynamic ones after it"
            )
        keys.add(key)
        if view.stability is Stability.DYNAMIC and original_of(key) not in keys:
            earlier = earlier or view
    return None


def _is_outdated(firing: Outcome, key: Key) -> bool:
    return (key.provider, key.label + UPDATED) in firing.rejected


def _is_unheard(firing: Outcome, key: Key) -> bool:
    return key.provider in firing.failed or key[:2] in firing.rejected or _is_outdated(firing, key)


def _what(key: Key, old: dict[Key, str], new: dict[Key, str], kept: frozenset[Key]) -> What:
    if key in kept:
        return What.KEPT
    if key not in new:
        return What.WITHDRAWN
    if key not in old:
        return What.NEW
    return What.UNCHANGED if new[key] == old[key] else What.UPDATED
