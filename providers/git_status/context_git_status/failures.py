"""Why a repository could not be read: one sentence for every reason, never one for all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from context_git_status.names import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

_DETAIL_LENGTH: Final = 200


class Reason(StrEnum):
    """What stood in the way; the value is what the section says."""

    NO_DIRECTORY = "The directory does not exist or cannot be entered."
    NOT_A_REPOSITORY = "There is no git repository here."
    NO_GIT = "git was not found on PATH outside the work tree, so nothing but the branch is known."
    OLD_GIT = "The git on PATH is too old (2.35 or newer is needed), so nothing but the branch is known."
    OWNER = "git refuses this repository because somebody else owns it (dubious ownership): {detail}"
    BARE = "This is a bare repository: it has no work tree to report on."
    INSIDE_GIT_DIRECTORY = "This is inside a git directory, not in a work tree."
    ELSEWHERE = (
        "This repository's configuration puts its work tree elsewhere (core.worktree), so it was not read: {detail}"
    )
    POINTER = "The .git file here does not lead to a repository: {detail}"
    EXTENSION = "This repository needs a newer git: {detail}"
    CONFIGURATION = "git cannot read this repository's configuration: {detail}"
    TOO_MANY_FILTERS = (
        "This repository's own configuration defines too many filters to switch off, so its files were not looked at."
    )
    CORRUPT = "git cannot read this repository: {detail}"
    TIMED_OUT = "git status timed out after {detail} ms; changes are not known."
    CONFIGURATION_TIMED_OUT = "Reading the git configuration timed out after {detail} ms; changes are not known."
    NOT_STARTED = "git could not be started: {detail}"
    KILLED = "git ended abnormally: {detail}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason, with what is to be named along with it."""

    reason: Reason
    detail: str = ""

    @property
    def text(self) -> str:
        """The sentence for the section."""
        return self.reason.value.format(detail=self.detail or "no more is known")


# git's exit code says that it failed; these words, asked for in the C locale, only choose the sentence.
_WORDS: Final = (
    (Reason.OWNER, re.compile(rb"dubious ownership|unsafe repository")),
    (Reason.BARE, re.compile(rb"cannot use bare repository")),
    (
        Reason.EXTENSION,
        re.compile(rb"unknown repository extension|Expected git repo version|unknown value for 'extensions\."),
    ),
    (Reason.POINTER, re.compile(rb"not a git repository: |invalid gitfile format|not a gitdir|no path in gitfile")),
    (Reason.NOT_A_REPOSITORY, re.compile(rb"not a git repository")),
    (Reason.INSIDE_GIT_DIRECTORY, re.compile(rb"must be run in a work tree")),
    (
        Reason.CONFIGURATION,
        re.compile(rb"bad config|unable to (access|parse|read) .*config|bad (boolean|numeric) config"),
    ),
    (Reason.OLD_GIT, re.compile(rb"unknown option|unrecognized argument|^usage: ")),
)

_ASIDES: Final = (b"warning: ", b"hint: ")
"""What git writes beside the reason, about a file that it can do without."""


def explain(code: int, errors: bytes) -> Failure:
    """The failure behind exit code ``code`` and what git wrote to stderr."""
    if code < 0:
        return Failure(Reason.KILLED, f"signal {-code}")
    lines = [line for line in errors.splitlines() if not line.startswith(_ASIDES)]
    complaints = b"\n".join(lines)
    reason = next((reason for reason, words in _WORDS if words.search(complaints)), Reason.CORRUPT)
    return Failure(reason, _detail(lines))


def _detail(lines: Iterable[bytes]) -> str:
    """The first complaint of git's on one line; one that could hold a URL, and so a token, is not repeated."""
    fatal = next((line for line in lines if line.startswith((b"fatal: ", b"error: "))), b"")
    text = fatal.partition(b": ")[2]
    return "" if b"://" in text else sentence(text, _DETAIL_LENGTH)
