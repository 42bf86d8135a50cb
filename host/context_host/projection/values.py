"""The values that a session is projected from and into: all frozen, all of text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_common.provider import Stability


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation or of a request."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section of the chain as the host accepted it; ``tokens`` is the host's own count."""

    provider: str
    label: str
    text: str
    stability: Stability
    tokens: int = 0
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ModelContext:
    """What a model is given: system prompt, tools and messages; any iterable of them is copied."""

    messages: tuple[Message, ...] = ()
    system_prompt: str = ""
    tools: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        object.__setattr__(self, "tools", tuple(self.tools))


class AttachmentKind(StrEnum):
    """What a block that the host adds to a request is about."""

    BASE = "base"
    SKILL_LISTING = "skill_listing"
    SKILLS_UPDATE = "skills_update"
    ACTIVATED_SKILL = "activated_skill"
    CONTEXT_UPDATE = "context_update"
    TASK_STATUS = "task_status"


class Placement(StrEnum):
    """Where a block stands: before the conversation, after all of it, or where it first appeared in it."""

    PREFIX = "prefix"
    AFTER_CURRENT = "after-current"
    ANCHORED = "anchored"


@dataclass(frozen=True, slots=True)
class Attachment:
    """One block that the host adds to a request; the model sees ``rendered``, the rest is for the record.

    Attributes:
        id: ``kind:epoch:ordinal:short revision``; never used twice in an epoch.
        ordinal: grows with every block that its manager makes; 0 for one that came out of a transcript without it.
        path: the name of an activated skill, ``""`` for every other kind.
        covers: the names of activated skills that a context update repeats and therefore replaces.
    """

    id: str
    epoch: int
    kind: AttachmentKind
    placement: Placement
    path: str
    revision: str
    rendered: str
    ordinal: int = 0
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Projected:
    """An attachment and the index of its message in the request."""

    attachment: Attachment
    index: int


@dataclass(frozen=True, slots=True)
class PreparedStep:
    """The model input of one request, and what must be durable before that request is sent.

    Attributes:
        input: the whole request.
        pending: the attachments in it that no committed step has carried, in the order of the request.
        attachments: every attachment in it.
        stable_count: how many leading messages the next request will repeat as long as the conversation only
            grows: a cache mark belongs on the last of them.
        conversation: how many of the messages are the caller's own.
        owner: the manager that prepared it, which alone can commit it.
    """

    input: ModelContext
    pending: tuple[Attachment, ...]
    attachments: tuple[Projected, ...]
    stable_count: int
    conversation: int
    epoch: int
    owner: object = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class State:
    """A detached snapshot for diagnostics; a revision is ``""`` where there is no such block."""

    epoch: int
    has_base: bool
    base_revision: str
    base_committed: bool
    has_skill_listing: bool
    skill_listing_revision: str
    skill_listing_committed: bool
    active_skills_revision: str
    staged_skills_revision: str
    active_context_revision: str
    staged_context_revision: str
    active_task_revision: str
    staged_task_revision: str
    activated_skill_count: int
    pending_skill_count: int


def digest(text: str) -> str:
    """The SHA-256 (hex) of ``text``, whatever code points are in it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
