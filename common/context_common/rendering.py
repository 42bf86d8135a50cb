"""How a stored firing looks in a transcript: one node, collapsed until somebody wants to read it."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import DecodeError

from context_common.errors import InvalidRequestError
from context_common.wire.event_pb2 import ContextContributionEvent
from context_common.wire.render_pb2 import CollapsibleNode, RenderNode, RenderTree, TextNode

_VERSIONS: Final = ("1", "v1")


def render(payload: bytes, schema_version: str, name: str) -> RenderTree:
    """The tree for a stored ``ContextContributionEvent``.

    Args:
        payload: the serialized event.
        schema_version: ``"1"`` or ``"v1"``.
        name: the provider's name; the event has no labels.

    Raises:
        InvalidRequestError: another version, or bytes that are no event.
    """
    if schema_version not in _VERSIONS:
        raise InvalidRequestError(f'schema_version is {schema_version!r}; accepted is "1" or "v1"')
    try:
        event = ContextContributionEvent.FromString(payload)
    except DecodeError as failure:
        raise InvalidRequestError("payload is not a serialized event.v1.ContextContributionEvent") from failure
    texts = [block.text.text for block in event.content if block.WhichOneof("block") == "text"]
    tokens = f"{event.tokens:,} token{'' if event.tokens == 1 else 's'}"
    return RenderTree(
        root=RenderNode(
            collapsible=CollapsibleNode(
                summary=f"{name}: {tokens}",
                children=[RenderNode(text=TextNode(content=text)) for text in texts],
                collapsed_by_default=True,
            )
        )
    )
