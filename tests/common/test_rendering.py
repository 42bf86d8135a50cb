"""A stored firing shows as one collapsed node."""

from __future__ import annotations

import pytest

from context_common.errors import InvalidRequestError
from context_common.rendering import render
from context_common.wire.content_pb2 import ContentBlock, ImageBlock, TextBlock
from context_common.wire.event_pb2 import ContextContributionEvent

EVENT = ContextContributionEvent(
    content=[
        ContentBlock(text=TextBlock(text="Use tabs.")),
        ContentBlock(image=ImageBlock(data=b"x")),
        ContentBlock(text=TextBlock(text="Be brief.")),
    ],
    tokens=1234,
)


@pytest.mark.parametrize("version", ["1", "v1"])
def test_a_firing_is_collapsed_with_name_tokens_and_text(version: str) -> None:
    node = render(EVENT.SerializeToString(), version, "rules").root.collapsible
    assert node.summary == "rules: 1,234 tokens"
    assert node.collapsed_by_default
    assert [child.text.content for child in node.children] == ["Use tabs.", "Be brief."]


@pytest.mark.parametrize("version", ["", "2", "v2", "1.0"])
def test_another_version_is_refused(version: str) -> None:
    with pytest.raises(InvalidRequestError, match="schema_version"):
        render(b"", version, "rules")


def test_bytes_that_are_no_event_are_refused() -> None:
    with pytest.raises(InvalidRequestError, match="payload"):
        render(b"\xff\xff\xff", "1", "rules")
