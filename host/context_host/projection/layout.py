"""Where the blocks stand among the messages of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_host.projection.values import Attachment, Message, ModelContext, Projected, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def lay_out(
    prefix: Sequence[Attachment],
    pins: Iterable[tuple[int, Attachment]],
    trailing: Sequence[Attachment],
    conversation: int,
) -> tuple[Projected, ...]:
    """The blocks with their message indices: prefix, those pinned before a message of the conversation, the rest.

    Args:
        prefix: what stands before the conversation.
        pins: the index in the conversation that a block stands before, with the block.
        trailing: what stands after the conversation.
        conversation: the number of its messages; a pin beyond them stands after the last.
    """
    placed = [(0, block) for block in prefix]
    placed += [(min(index, conversation), block) for index, block in pins]
    placed += [(conversation, block) for block in trailing]
    # Sorting is stable, so blocks at one index keep the order in which they became durable.
    placed.sort(key=lambda place: place[0])
    return tuple(Projected(block, index + before) for before, (index, block) in enumerate(placed))


def compose(context: ModelContext, projected: Sequence[Projected]) -> ModelContext:
    """The request: the conversation of ``context`` with every block at its index, as a message of the user."""
    messages = list(context.messages)
    for block in projected:
        messages.insert(block.index, Message(Role.USER, block.attachment.rendered))
    return ModelContext(tuple(messages), context.system_prompt, context.tools)
