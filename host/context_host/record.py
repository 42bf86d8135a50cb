"""What a transcript tells: the lines of its sessions, the record they add up to, and the requests they give back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_host.mapping import newest_texts
from context_host.projection import Attachment, Message, ModelContext, Projected
from context_host.projection.layout import compose
from context_host.projection.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_host.mapping import Key
    from context_host.projection import PreparedStep


class TranscriptError(Exception):
    """The transcript cannot be read or written; the message says which file, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """A request, by its blocks: their ids and message indices, a digest of the whole, and the tokens of its chain."""

    turn_id: str
    epoch: int
    blocks: tuple[tuple[str, int], ...]
    stable_count: int
    request: str
    assembled_tokens: int = 0

    @classmethod
    def of(cls, prepared: PreparedStep, turn_id: str, assembled_tokens: int = 0) -> Step:
        """What the transcript keeps of ``prepared``."""
        blocks = tuple((block.attachment.id, block.index) for block in prepared.attachments)
        digested = request_digest(prepared.input)
        return cls(turn_id, prepared.epoch, blocks, prepared.stable_count, digested, assembled_tokens)


@dataclass(frozen=True, slots=True)
class Line:
    """What became durable at once.

    Attributes:
        session_id: the session.
        parent_session_id: the session whose sub-agent it is, or ``""``.
        messages: new messages of the conversation; all of it where ``rewritten``.
        rewritten: whether a compactor replaced the conversation.
        files_touched: the paths touched since the session's line before.
        attachments: the blocks that became durable with this step.
        step: the request; None where only messages were kept.
    """

    session_id: str
    parent_session_id: str = ""
    messages: tuple[Message, ...] = ()
    rewritten: bool = False
    files_touched: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    step: Step | None = None


@dataclass
class Record:
    """One session as its lines tell it; it grows as they do."""

    session_id: str
    parent_session_id: str = ""
    messages: list[Message] = field(default_factory=list)
    files_touched: dict[str, None] = field(default_factory=dict)
    attachments: dict[str, Attachment] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Take in the session's next line."""
        if line.rewritten:
            self.messages.clear()
        self.messages += line.messages
        self.files_touched |= dict.fromkeys(line.files_touched)
        self.attachments |= {block.id: block for block in line.attachments}
        self.steps += [line.step] if line.step else []

    @property
    def next_epoch(self) -> int:
        """The epoch under which the session continues in a new process."""
        return 1 + max((step.epoch for step in self.steps), default=0)

    @property
    def texts(self) -> dict[Key, str]:
        """The static sections as the latest request had them, with their newest texts."""
        return newest_texts(block.attachment for block in self.blocks(self.steps[-1])) if self.steps else {}

    def blocks(self, step: Step) -> list[Projected]:
        """What stood around the conversation in ``step``.

        Raises:
            TranscriptError: a block of it is not in the transcript.
        """
        for identity, _ in step.blocks:
            if identity not in self.attachments:
                raise TranscriptError(f"turn {step.turn_id} of session {self.session_id} has lost its block {identity}")
        return [Projected(self.attachments[identity], index) for identity, index in step.blocks]


def replay(lines: Iterable[Line]) -> Iterator[tuple[Step, ModelContext]]:
    """Every recorded request of one session, built again from its lines alone.

    Raises:
        TranscriptError: one does not come out as it was sent.
    """
    record = Record("")
    for line in lines:
        record.session_id = line.session_id
        record.add(line)
        if line.step:
            request = compose(ModelContext(tuple(record.messages)), record.blocks(line.step))
            if request_digest(request) != line.step.request:
                raise TranscriptError(f"turn {line.step.turn_id} of session {line.session_id} is not as it was sent")
            yield line.step, request


def request_digest(request: ModelContext) -> str:
    """The SHA-256 (hex) of a request's messages."""
    return digest(json.dumps([[message.role, message.text] for message in request.messages]))
