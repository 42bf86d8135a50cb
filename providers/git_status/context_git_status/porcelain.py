"""Reading ``git status --porcelain=v2 -z``: bytes in, values out; no byte string is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

UNCHANGED: Final = "."
_OID: Final = re.compile(rb"[0-9a-f]{40,64}")
_AHEAD_BEHIND: Final = re.compile(rb"\+(\d{1,18}) -(\d{1,18})")
_NUMBER: Final = re.compile(rb"\d{1,18}")
_CODE_LENGTH: Final = 2


class Change(NamedTuple):
    """A tracked path that differs: in the index (``staged``), in the work tree (``unstaged``), or both.

    ``origin`` is the path it was renamed or copied from; ``submodule`` is ``N...`` for a file; ``head_oid`` and
    ``index_oid`` name the contents that a staged change lies between; ``modes`` are those of HEAD, index and work tree.
    """

    path: bytes
    staged: str
    unstaged: str
    origin: bytes = b""
    submodule: str = "N..."
    head_oid: bytes = b""
    index_oid: bytes = b""
    modes: tuple[bytes, ...] = (b"", b"", b"")


class Conflict(NamedTuple):
    """An unmerged path; ``code`` is one of DD, AU, UD, UA, DU, AA, UU."""

    path: bytes
    code: str
    submodule: str = "N..."


@dataclass(frozen=True, slots=True)
class Status:
    """What one run of ``git status`` said.

    Attributes:
        oid: the commit of HEAD; empty when it has none (an unborn branch, or a ref that cannot be read).
        head: the branch; ``(detached)``, ``(null)`` and ``(unknown)`` are git's own words, and legal branch names.
        upstream: empty when none is configured.
        ahead_behind: None when there is no upstream, or when it is gone.
        odd: how many records were of no known kind.
        complete: False when the output was cut; what was counted is then the least there is.
    """

    oid: str = ""
    head: bytes = b""
    upstream: bytes = b""
    ahead_behind: tuple[int, int] | None = None
    stashes: int = 0
    changes: tuple[Change, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    untracked: tuple[bytes, ...] = ()
    odd: int = 0
    complete: bool = True


def parse(data: bytes, *, complete: bool = True) -> Status:
    """The status that ``data`` holds; a record that a cut (``complete`` false) went through is left out."""
    *records, rest = data.split(b"\0")
    headers: dict[bytes, bytes] = {}
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    untracked: list[bytes] = []
    odd = 1 if rest and complete else 0
    stream = iter(records)
    for record in stream:
        kind, body = record[:2], record[2:]
        if kind == b"? " and body:
            untracked.append(body)
        elif kind == b"# ":
            name, _, value = body.partition(b" ")
            headers[name] = value
        elif kind in (b"1 ", b"2 ") and (change := _change(record, stream)):
            changes.append(change)
        elif kind == b"u " and (conflict := _conflict(record)):
            conflicts.append(conflict)
        elif kind != b"! ":
            odd += 1
    return Status(
        oid=_oid(headers.get(b"branch.oid", b"")),
        head=headers.get(b"branch.head", b""),
        upstream=headers.get(b"branch.upstream", b""),
        ahead_behind=_ahead_behind(headers.get(b"branch.ab", b"")),
        stashes=_number(headers.get(b"stash", b"")),
        changes=tuple(changes),
        conflicts=tuple(conflicts),
        untracked=tuple(untracked),
        odd=odd,
        complete=complete,
    )


def _change(record: bytes, stream: Iterator[bytes]) -> Change | None:
    # The old name follows after type 2 and never otherwise: a rename in the work tree is "2 .R", so X says nothing.
    renamed = record.startswith(b"2")
    origin = next(stream, b"") if renamed else b""
    fields = record.split(b" ", 9 if renamed else 8)
    code = fields[1].decode("latin-1")
    if len(fields) != (10 if renamed else 9) or len(code) != _CODE_LENGTH or not fields[-1] or (renamed and not origin):
        return None
    submodule, modes = fields[2].decode("latin-1"), tuple(fields[3:6])
    return Change(fields[-1], code[0], code[1], origin, submodule, fields[6], fields[7], modes)


def _conflict(record: bytes) -> Conflict | None:
    fields = record.split(b" ", 10)
    code = fields[1].decode("latin-1")
    if len(fields) != 11 or len(code) != _CODE_LENGTH or not fields[-1]:  # noqa: PLR2004  (the format's own number)
        return None
    return Conflict(fields[-1], code, fields[2].decode("latin-1"))


def _oid(value: bytes) -> str:
    return value.decode("ascii") if _OID.fullmatch(value) else ""


def _ahead_behind(value: bytes) -> tuple[int, int] | None:
    match = _AHEAD_BEHIND.fullmatch(value)
    return (int(match[1]), int(match[2])) if match else None


def _number(value: bytes) -> int:
    return int(value) if _NUMBER.fullmatch(value) else 0
