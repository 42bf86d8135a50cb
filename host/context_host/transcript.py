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
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from context_host.projection import Attachment, AttachmentKind, Message, Placement, Role
from context_host.record import Line, Record, Step, TranscriptError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

HEADER = b'{"transcript":1}\n'


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
