"""The chain of sections as the wire carries it, and the one place where own sections join it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_common.provider import Section, Stability
from context_common.wire import content_pb2
from context_common.wire.content_pb2 import ContentBlock, ContextSection, TextBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STABILITY: Final = {
    Stability.STATIC: content_pb2.STABILITY_STATIC,
    Stability.DYNAMIC: content_pb2.STABILITY_DYNAMIC,
}


def wire_stability(stability: Stability) -> content_pb2.Stability:
    """The wire's value for ``stability``."""
    return _STABILITY[stability]


def merge(prior: Iterable[ContextSection], own: Sequence[Section], name: str) -> list[ContextSection]:
    """The whole chain: foreign sections as they came, in their order, with own ones in place.

    An own section that ``prior`` already holds, from an earlier turn, is replaced where it stands; own sections
    that are gone leave; new ones go last. So a host that compares foreign sections by index and one that first
    filters own ones out are both satisfied, except where a section of ours stood before a foreign one and left.
    Behind the last foreign section a dynamic one gives way to static ones that are new, for the prompt cache's sake.

    Args:
        prior: the chain as the request carried it.
        own: this provider's sections, labels unique.
        name: the local name that marks a section as own.
    """
    before = list(prior)
    end = max((place for place, section in enumerate(before, start=1) if section.provider != name), default=0)
    waiting = {section.label: section for section in own}
    chain = []
    for section in before[:end]:
        if section.provider != name:
            chain.append(section)
        elif section.label in waiting:
            chain.append(_wire(waiting.pop(section.label), name))
    places = {section.label: place for place, section in enumerate(before[end:])}
    last = sorted(
        waiting.values(),
        key=lambda section: (section.stability is Stability.DYNAMIC, places.get(section.label, len(places))),
    )
    return chain + [_wire(section, name) for section in last]


def sendable(text: str) -> str:
    """``text`` as protobuf takes it: what was read from disk may hold lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def _wire(section: Section, name: str) -> ContextSection:
    return ContextSection(
        provider=name,
        label=section.label.encode("utf-8", "backslashreplace").decode(),
        content=[ContentBlock(text=TextBlock(text=sendable(section.text)))],
        tokens=section.tokens,
        stability=wire_stability(section.stability),
        truncated=section.truncated,
    )
