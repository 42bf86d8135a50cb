"""The sentences of the section that speak about the repository as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_git_status.commits import SHORT
from context_git_status.heads import HeadKind
from context_git_status.names import name
from context_git_status.operations import DETACHED, Operation, OperationKind
from context_git_status.reading import UNSCANNED, Gap, Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from context_git_status.porcelain import Status

_MANY_COMMITS: Final = 8
_DOING: Final = {
    OperationKind.MERGE: "Merging",
    OperationKind.REBASE: "Rebasing",
    OperationKind.AM: "Applying patches (git am)",
    OperationKind.AM_OR_REBASE: "Applying patches or rebasing",
    OperationKind.CHERRY_PICK: "Cherry-picking",
    OperationKind.REVERT: "Reverting",
    OperationKind.BISECT: "Bisecting",
}

_NOTHING: Final = {"staged": "staged", "unstaged": "modified", "untracked": "untracked"}
"""What a tree is not, where a list is empty and nothing about it is in doubt."""


def age_line(below: bytes, *, paths: bool) -> str:
    """How old this is and, where ``paths`` are listed, what they are relative to."""
    if not paths:
        return "Read for this call."
    line = "Read for this call; paths start at the repository root."
    return f"{line} The working directory is {name(below)}." if below else line


def head_line(reading: Reading) -> str:
    """Where HEAD stands, and which branch is the main one."""
    head, main = reading.head, reading.main_branch
    line = short_head_line(reading)
    if reading.jujutsu and head.kind is HeadKind.DETACHED:
        line += " (as usual where jj is used)"
    if not main:
        return line
    return f"{line} (the main branch)" if main == head.name else f"{line}; the main branch is {name(main)}"


def short_head_line(reading: Reading) -> str:
    """Where HEAD stands."""
    head = reading.head
    return {
        HeadKind.BRANCH: f"On branch {name(head.name)}",
        HeadKind.UNBORN: f"On branch {name(head.name)}, which has no commits yet",
        HeadKind.DETACHED: f"Detached at {head.oid[:SHORT]}",
        HeadKind.OUTSIDE: f"HEAD is {name(head.name)}, which is not a branch",
        HeadKind.UNREADABLE: f"On branch {name(head.name)}, whose ref cannot be read",
        HeadKind.UNKNOWN: "Where HEAD stands is not known",
    }[head.kind]


def operation_line(operation: Operation, status: Status | None) -> str:
    """What is in progress, and how far it is."""
    line = _DOING[operation.kind]
    commits = ", ".join(oid[:SHORT] for oid in operation.commits)
    if len(operation.commits) > _MANY_COMMITS:
        commits = f"{len(operation.commits)} commits"
    branch = _branch(operation.branch)
    if operation.kind is OperationKind.REBASE:
        line += f" {branch}" if branch else ""
        line += f" onto {commits}" if commits else ""
    elif operation.kind is OperationKind.BISECT:
        line += f", started from {branch or commits}" if branch or commits else ""
    elif commits:
        line += f" {commits}"
    if operation.step is not None and operation.total is not None:
        line += f", step {operation.step} of {operation.total}"
    if operation.left is not None:
        line += f", {operation.left} in the list of what is to do"
    if operation.autostash:
        line += ", with an autostash that is not among the stashes"
    if operation.stale:
        line += " (possibly stale: its state files are incomplete)"
    elif operation.kind is OperationKind.MERGE and status is not None and status.complete and not status.conflicts:
        line += " (no conflicts left, not committed yet)"
    return line


def _branch(branch: bytes) -> str:
    if branch == DETACHED:
        return "a detached HEAD"
    return name(branch) if branch else ""


def upstream_line(reading: Reading) -> Iterator[str]:
    """How the branch stands to its upstream; one line, or none where HEAD is no branch."""
    status = reading.status
    if status is None or reading.head.kind not in (HeadKind.BRANCH, HeadKind.UNBORN):
        return
    if not status.upstream:
        yield "No upstream"
        return
    if status.ahead_behind is None:
        distance = "gone" if status.oid else "nothing to compare yet"
    elif status.ahead_behind == (0, 0):
        distance = "up to date"
    else:
        ahead, behind = status.ahead_behind
        distance = ", ".join([f"{ahead:,} ahead"] * (ahead > 0) + [f"{behind:,} behind"] * (behind > 0))
    if reading.shallow and status.ahead_behind is not None:
        distance += " (a guess: the clone is shallow)"
    yield f"Upstream {name(status.upstream)}: {distance}"


def counts_line(reading: Reading) -> str:
    """How many paths each list holds, all of them counted, or that it is not known."""
    status = reading.status
    if status is None:
        return ""
    counts = reading.levels.counts
    named = {"conflict" if counts.conflicts == 1 else "conflicts": counts.conflicts}
    named |= {"staged": counts.staged, "unstaged": counts.unstaged, "untracked": counts.untracked}
    line = ", ".join(f"{count:,} {what}" for what, count in named.items() if count)
    doubts = _doubts(reading.gaps)
    if not status.complete:
        line = f"At least {line or 'nothing'}"
    elif not line:
        *first, last = [word for what, word in _NOTHING.items() if what not in doubts]
        line = f"Nothing {', '.join(first)} or {last}" if first else f"Nothing {last}"
    return ", ".join([line, *(f"{what} {doubt}" for what, doubt in doubts.items())])


def _doubts(gaps: Collection[Gap]) -> dict[str, str]:
    """What is to be said of the number of paths in a list, where there is anything to be said."""
    doubts = {"unstaged": "incomplete"} if Gap.UNSEARCHABLE in gaps else {}
    if not UNSCANNED.isdisjoint(gaps):
        doubts["untracked"] = "unknown"
    elif Gap.UNREADABLE in gaps:
        doubts["untracked"] = "incomplete"
    return doubts
