"""Recent commits: how git is asked for them, and what it answers."""

from __future__ import annotations

from typing import Final, NamedTuple

from context_git_status.names import sentence

SHORT: Final = 8
"""How many digits of an object name are shown; git adds some where that is ambiguous."""
SUBJECT_LENGTH: Final = 80


class Commit(NamedTuple):
    """One commit: ``oid`` as it is shown, ``subject`` on one line and never longer than `SUBJECT_LENGTH`."""

    oid: str
    subject: str


def log_arguments(start: str, count: int) -> tuple[str, ...]:
    """The command for the ``count`` latest commits from ``start``; the full name of each comes first."""
    return (
        "log",
        "-z",
        f"--max-count={count}",
        "--no-show-signature",
        "--no-mailmap",
        "--no-color",
        "--no-decorate",
        "--encoding=UTF-8",
        f"--abbrev={SHORT}",
        # A subject of any length is cut inside git.
        "--format=%H%x1f%h%x1f%<(1000,trunc)%s",
        start,
        "--",
    )


def parse_log(output: bytes) -> tuple[str, tuple[Commit, ...]]:
    """The full name of the first commit, ``""`` when there is none, and the commits."""
    rows = [fields for record in output.split(b"\0") if len(fields := record.split(b"\x1f", 2)) == 3]  # noqa: PLR2004  (the format's own number)
    commits = tuple(
        Commit(oid.decode("ascii", "replace"), sentence(subject, SUBJECT_LENGTH)) for _, oid, subject in rows
    )
    return (rows[0][0].decode("ascii", "replace") if rows else ""), commits
