"""Chains for the projection's tests, and a reader that knows nothing but the words of a request."""

import html
import re
from dataclasses import dataclass, field

from context_common.provider import Stability
from context_host.projection import ModelContext, SectionView

Named = tuple[str, str]


@dataclass(frozen=True)
class Fired:
    """What one firing came to."""

    sections: tuple[SectionView, ...] = ()
    rejected: frozenset[Named] = frozenset()
    failed: frozenset[str] = frozenset()
    compacted: bool = False


def fired(*sections: SectionView, rejected=(), failed=(), compacted=False) -> Fired:
    return Fired(sections, frozenset(rejected), frozenset(failed), compacted)


def static(provider: str, label: str, text: str, *, truncated: bool = False) -> SectionView:
    return SectionView(provider, label, text, Stability.STATIC, truncated=truncated)


def dynamic(provider: str, label: str, text: str) -> SectionView:
    return SectionView(provider, label, text, Stability.DYNAMIC)


@dataclass
class Reading:
    """What a reader of a request takes for true when the last message is read.

    Attributes:
        valid: every static section in force, with every text that was said to be its current one.
        latest: the same for the state of the moment.
        stale: texts of static sections that were shown, and after which nothing took them back.
    """

    valid: dict[Named, list[str]] = field(default_factory=dict)
    latest: dict[Named, list[str]] = field(default_factory=dict)
    stale: list[Named] = field(default_factory=list)


def read(request: ModelContext) -> Reading:
    """Read ``request`` from top to bottom, believing each block's own words."""
    reading = Reading()
    shown: list[tuple[Named, str]] = []
    for message in request.messages:
        kind = re.match(r'<project-context kind="(\w+)">', message.text)
        if not kind:
            continue
        sections = list(_sections(message.text))
        if kind[1] == "current":
            reading.latest = _collect({}, sections)
            continue
        if "replaces the base" in message.text or "No project context is left" in message.text:
            shown = _taken_back(shown, message.text, dict(sections))
            reading.valid = {}
        elif "replaces what stands above under the same names" in message.text:
            shown = _taken_back(shown, message.text, dict(sections))
            for name in [*dict(sections), *_gone(message.text)]:
                reading.valid.pop(name, None)
        _collect(reading.valid, sections)
        shown += sections
    reading.stale = [name for name, text in shown if text not in reading.valid.get(name, ())]
    return reading


def _sections(text: str):
    provider = label = None
    body: list[str] = []
    for line in text.split("\n"):
        opening = re.fullmatch(r'<context-section provider="(.*)" label="(.*)">', line)
        if opening:
            provider, label = map(html.unescape, opening.groups())
            body = []
        elif line == "</context-section>":
            yield (provider, label), "\n".join(body)
        else:
            body.append(line)


def _taken_back(shown, update: str, sections):
    """What of ``shown`` still stands after an update: what it neither repeats, replaces nor names as gone."""
    return [(name, text) for name, text in shown if name not in sections and name not in _gone(update)]


def _gone(update: str):
    named = re.findall(r'<context-withdrawn provider="(.*)" label="(.*)"/>', update)
    return {(html.unescape(provider), html.unescape(label)) for provider, label in named}


def _collect(known, sections):
    for name, text in sections:
        known.setdefault(name, []).append(text)
    return known
