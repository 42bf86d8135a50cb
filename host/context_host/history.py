"""A conversation on the wire, and its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_common.wire import content_pb2
from context_host.projection import Message, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_host.counting import Counter

_ROLES = {Role.USER: content_pb2.ROLE_USER, Role.ASSISTANT: content_pb2.ROLE_ASSISTANT}


def to_wire(messages: Iterable[Message]) -> list[content_pb2.Message]:
    """The messages as a compactor reads them."""
    return [
        content_pb2.Message(
            role=_ROLES[message.role], content=[content_pb2.ContentBlock(text=content_pb2.TextBlock(text=message.text))]
        )
        for message in messages
    ]


def from_wire(messages: Iterable[content_pb2.Message]) -> tuple[Message, ...]:
    """The messages that a compactor wrote; this host keeps their text."""
    return tuple(
        Message(
            Role.ASSISTANT if message.role == content_pb2.ROLE_ASSISTANT else Role.USER,
            "".join(block.text.text for block in message.content),
        )
        for message in messages
    )


def history_tokens(messages: Iterable[Message], counter: Counter) -> int:
    """The tokens of a conversation, message by message."""
    return sum(counter.of_text(message.text) for message in messages)
