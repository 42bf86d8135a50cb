"""What is in progress, from the state files in the work tree's own git directory."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from context_common.scopes import RefusedError, read

if TYPE_CHECKING:
    from pathlib import Path

STATE_LIMIT: Final = 4096
DETACHED: Final = b"detached HEAD"
"""What git calls the branch being rebased where there is none; no branch can be called that."""
_OID: Final = re.compile(rb"[0-9a-f]{40,64}")
_NUMBER: Final = re.compile(rb"\d{1,9}")
_MARKERS: Final = (
    "MERGE_HEAD",
    "rebase-apply",
    "rebase-merge",
    "CHERRY_PICK_HEAD",
    "BISECT_LOG",
    "REVERT_HEAD",
    "sequencer",
)


class OperationKind(StrEnum):
    """What git is in the middle of."""

    MERGE = "merge"
    REBASE = "rebase"
    AM = "am"
    AM_OR_REBASE = "am_or_rebase"
    CHERRY_PICK = "cherry_pick"
    REVERT = "revert"
    BISECT = "bisect"


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that was begun and not finished; what its state files do not say is empty or None.

    Attributes:
        branch: the branch being rebased (or `DETACHED`), or the one a bisection started from.
        commits: full object names: the heads being merged, what is rebased onto, the commit being picked, or the one
            that a bisection started from.
        step: how far a rebase or a series of patches is, of ``total``.
        left: how many commands a sequence of picks or reverts still lists.
        autostash: whether a rebase holds changes that no stash shows.
        stale: whether state files are missing that every living operation has.
    """

    kind: OperationKind
    branch: bytes = b""
    commits: tuple[str, ...] = ()
    step: int | None = None
    total: int | None = None
    left: int | None = None
    autostash: bool = False
    stale: bool = False


def operations(git_dir: Path, pseudo_refs: dict[str, str] | None = None) -> tuple[Operation, ...]:
    """What is in progress in ``git_dir``, in the order in which git itself looks.

    Several can be: a merge inside a rebase, a bisection beside anything.

    Args:
        git_dir: the work tree's own git directory.
        pseudo_refs: CHERRY_PICK_HEAD and REVERT_HEAD, where refs are not kept in files.
    """
    # Strings, not paths: every firing looks for every marker, and joining paths would cost more than looking.
    if not pseudo_refs and not any(os.path.lexists(f"{git_dir}/{marker}") for marker in _MARKERS):
        return ()
    state = _State(git_dir, pseudo_refs or {})
    found = [state.merge(), state.rebase()]
    if not any(found):
        found.append(state.pick(OperationKind.CHERRY_PICK, "CHERRY_PICK_HEAD"))
    found += [state.bisect(), state.pick(OperationKind.REVERT, "REVERT_HEAD")]
    if not any(operation and operation.kind in _SEQUENCES for operation in found):
        found.append(state.sequence())
    return tuple(operation for operation in found if operation)


_SEQUENCES: Final = (OperationKind.CHERRY_PICK, OperationKind.REVERT)
_COMMANDS: Final = {b"pick": OperationKind.CHERRY_PICK, b"revert": OperationKind.REVERT}


@dataclass(frozen=True, slots=True)
class _State:
    git_dir: Path
    pseudo_refs: dict[str, str]

    def merge(self) -> Operation | None:
        if not self._exists("MERGE_HEAD"):
            return None
        heads = _oids(self._text("MERGE_HEAD"))
        return Operation(OperationKind.MERGE, commits=heads, stale=not heads)

    def rebase(self) -> Operation | None:
        if self._exists("rebase-apply"):
            return self._apply()
        if not self._exists("rebase-merge"):
            return None
        return self._rebasing("rebase-merge", "msgnum", "end")

    def pick(self, kind: OperationKind, marker: str) -> Operation | None:
        oids = _oids(self.pseudo_refs.get(marker, "").encode() or self._text(marker))
        if not oids and not self._exists(marker):
            return None
        sequence = self.sequence()
        left = sequence.left if sequence and sequence.kind == kind else None
        return Operation(kind, commits=oids, left=left, stale=not oids)

    def sequence(self) -> Operation | None:
        """A range of picks or reverts, by its first command: the marker is gone once a resolved pick is committed."""
        lines = [
            line for line in self._text("sequencer/todo").splitlines() if line.strip() and not line.startswith(b"#")
        ]
        kind = _COMMANDS.get(lines[0].split()[0]) if lines else None
        return Operation(kind, left=len(lines)) if kind else None

    def bisect(self) -> Operation | None:
        if not self._exists("BISECT_LOG"):
            return None
        start = self._branch("BISECT_START")
        detached = _oids(start)
        return Operation(OperationKind.BISECT, branch=b"" if detached else start, commits=detached)

    def _apply(self) -> Operation:
        if self._exists("rebase-apply/rebasing"):
            return self._rebasing("rebase-apply", "next", "last")
        kind = OperationKind.AM if self._exists("rebase-apply/applying") else OperationKind.AM_OR_REBASE
        step, total = self._number("rebase-apply/next"), self._number("rebase-apply/last")
        return Operation(kind, step=step, total=total, stale=step is None or total is None)

    def _rebasing(self, directory: str, step_file: str, total_file: str) -> Operation:
        branch = self._branch(f"{directory}/head-name")
        step, total = self._number(f"{directory}/{step_file}"), self._number(f"{directory}/{total_file}")
        return Operation(
            OperationKind.REBASE,
            branch=branch,
            commits=_oids(self._text(f"{directory}/onto")),
            step=step,
            total=total,
            autostash=self._exists(f"{directory}/autostash"),
            stale=not branch or step is None or total is None,
        )

    def _branch(self, name: str) -> bytes:
        return self._text(name).strip().removeprefix(b"refs/heads/")

    def _number(self, name: str) -> int | None:
        text = self._text(name).strip()
        return int(text) if _NUMBER.fullmatch(text) else None

    def _exists(self, name: str) -> bool:
        return os.path.lexists(self.git_dir / name)

    def _text(self, name: str) -> bytes:
        return small_file(self.git_dir, name)


def small_file(git_dir: Path, name: str) -> bytes:
    """The file ``name`` of a git directory; empty when it is missing, no regular file, a link, or over 4 KiB."""
    path = git_dir / name
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b""
        return read(path, inside=(git_dir,), limit=STATE_LIMIT).data
    except (OSError, ValueError, RefusedError):
        return b""


def _oids(text: bytes) -> tuple[str, ...]:
    return tuple(word.decode("ascii") for word in text.split() if _OID.fullmatch(word))
