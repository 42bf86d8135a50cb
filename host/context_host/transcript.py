"""The transcript of a session and its sub-agents: JSON lines, each appended and synced before it counts.

A line that ends in a line feed is a fact; what a crash left of a line never happened. So a step is either
recorded, and counts as sent, or it is prepared again, and nothing is lost or repeated in between.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from context_host.mapping import newest_texts
from context_host.projection import Attachment, AttachmentKind, Message, ModelContext, Placement, Projected, Role
from context_host.projection.layout import compose
from context_host.projection.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Self

    from context_host.mapping import Key
    from context_host.projection import PreparedStep

HEADER = b'{"transcript":1}\n'


class TranscriptError(Exception):
    """The transcript cannot be read or written; the message says which file, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """A request, by its blocks: their ids and message indices, and a digest of the whole."""

    turn_id: str
    epoch: int
    blocks: tuple[tuple[str, int], ...]
    stable_count: int
    request: str

    @classmethod
    def of(cls, prepared: PreparedStep, turn_id: str) -> Step:
        """What the transcript keeps of ``prepared``."""
        blocks = tuple((block.attachment.id, block.index) for block in prepared.attachments)
        return cls(turn_id, prepared.epoch, blocks, prepared.stable_count, request_digest(prepared.input))


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


class Transcript:
    """The file: opened by one process at a time, read when it is opened, appended to line by line.

    Raises:
        TranscriptError: it is in use, is no transcript, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _open(path)
        self._size = 0
        try:
            self.lines = self._read()
        except BaseException:
            os.close(self._file)
            raise

    def append(self, line: Line) -> None:
        """Make ``line`` durable; if that fails, it is as if it had never been tried."""
        self._write(_encode(line))
        self.lines.append(line)

    def session(self, session_id: str) -> Record:
        """What the transcript says of a session; an empty record of one that it does not know."""
        record = Record(session_id)
        for line in self.lines:
            if line.session_id == session_id:
                record.parent_session_id = line.parent_session_id
                record.add(line)
        return record

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> list[Line]:
        with os.fdopen(os.dup(self._file), "rb") as file:
            data = file.read()
        if not (data.startswith(HEADER) or HEADER.startswith(data)):
            raise TranscriptError(f"{self._path}:1: not a transcript of this version; name another file")
        self._size = data.rfind(b"\n") + 1
        if not self._size:
            self._write(HEADER)
            _sync_directory(self._path.parent)
        lines = data[len(HEADER) : self._size].split(b"\n")[:-1]
        return [_decode(line, f"{self._path}:{number}") for number, line in enumerate(lines, start=2)]

    def _write(self, data: bytes) -> None:
        try:
            # Whatever stands behind the last whole line was cut short by a crash, or by a disk that was full.
            os.ftruncate(self._file, self._size)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise TranscriptError(f"{self._path} cannot be written: {error.strerror}") from error
        self._size += len(data)


def _open(path: Path) -> int:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise TranscriptError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise TranscriptError(f"{path} is in use by another process; wait for it, or name another file") from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise TranscriptError(f"{path} is not a regular file; name another one")
    return file


def _sync_directory(directory: Path) -> None:
    """A new file outlives a power failure only if its directory has been synced too."""
    file = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _encode(line: Line) -> bytes:
    told = {name: value for name, value in asdict(line).items() if value}
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def _decode(data: bytes, where: str) -> Line:
    try:
        told = json.loads(data)
        return Line(
            session_id=told["session_id"],
            parent_session_id=told.get("parent_session_id", ""),
            messages=tuple(Message(Role(message["role"]), message["text"]) for message in told.get("messages", ())),
            rewritten=told.get("rewritten", False),
            files_touched=tuple(told.get("files_touched", ())),
            attachments=tuple(map(_attachment, told.get("attachments", ()))),
            step=_step(told["step"]) if "step" in told else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TranscriptError(
            f"{where}: not a line of a transcript ({error}); restore the file, or name another"
        ) from error


def _attachment(told: dict[str, Any]) -> Attachment:
    kind, placement = AttachmentKind(told["kind"]), Placement(told["placement"])
    return Attachment(**{**told, "kind": kind, "placement": placement, "covers": tuple(told["covers"])})


def _step(told: dict[str, Any]) -> Step:
    return Step(**{**told, "blocks": tuple((str(identity), int(index)) for identity, index in told["blocks"])})
