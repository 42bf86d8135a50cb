"""The chain as one text: each section in its own boundary, in the order of the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_host.projection.rendering import Entry, section

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_host.projection import SectionView


def assembled_prompt(sections: Iterable[SectionView]) -> str:
    """What the model reads of ``sections``; ``""`` when there are none."""
    return "\n\n".join(section(Entry(view.provider, view.label, view.text)) for view in sections)
