"""Where HEAD stands, from git's words and, where those are ambiguous, from the HEAD file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_git_status.porcelain import Status

_SYMBOLIC: Final = re.compile(rb"ref:[ \t]*(\S+)\s*")
_OID: Final = re.compile(rb"([0-9a-f]{40,64})\s*")
_BRANCHES: Final = b"refs/heads/"
_STUB: Final = b"refs/heads/.invalid"
"""What the HEAD file names where refs are kept in another format."""

AMBIGUOUS: Final = frozenset({b"", b"(detached)", b"(null)", b"(unknown)"})
"""Words of git's that are branch names as well, or that say too little."""


class HeadKind(StrEnum):
    """What HEAD is."""

    BRANCH = "branch"
    UNBORN = "unborn"
    DETACHED = "detached"
    OUTSIDE = "outside"
    UNREADABLE = "unreadable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands: ``name`` is the branch (or, outside the branches, the whole ref), ``oid`` its commit."""

    kind: HeadKind = HeadKind.UNKNOWN
    name: bytes = b""
    oid: str = ""


NO_HEAD: Final = Head()


def head(status: Status | None, file: bytes) -> Head:
    """Where HEAD stands after ``status``; ``file`` holds the HEAD file, or nothing where it was not needed."""
    if status is not None and status.head not in AMBIGUOUS:
        return Head(HeadKind.BRANCH if status.oid else HeadKind.UNBORN, status.head, status.oid)
    known = _from_file(file)
    if status is None:
        return known
    if known.name and known.name == status.head:
        return Head(HeadKind.BRANCH if status.oid else HeadKind.UNBORN, known.name, status.oid)
    if status.head == b"(unknown)":
        return Head(HeadKind.UNREADABLE, known.name)
    if status.head == b"(null)":
        return Head(HeadKind.OUTSIDE, known.name, status.oid)
    return Head(HeadKind.DETACHED if status.oid else HeadKind.UNKNOWN, b"", status.oid)


def _from_file(file: bytes) -> Head:
    if oid := _OID.fullmatch(file):
        return Head(HeadKind.DETACHED, b"", oid[1].decode("ascii"))
    symbolic = _SYMBOLIC.fullmatch(file)
    if symbolic is None or symbolic[1] == _STUB:
        return Head()
    if symbolic[1].startswith(_BRANCHES):
        return Head(HeadKind.BRANCH, symbolic[1].removeprefix(_BRANCHES))
    return Head(HeadKind.OUTSIDE, symbolic[1])
