"""Where a repository is: asked of git once, then checked with a few ``lstat`` calls."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_common.scopes import RefusedError, find_root, read
from context_git_status.failures import Failure, Reason, explain
from context_git_status.names import name
from context_git_status.operations import STATE_LIMIT

if TYPE_CHECKING:
    from context_git_status.runner import Result

_QUESTIONS: Final = ("--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")


@dataclass(frozen=True, slots=True)
class Location:
    """A work tree and its git directories, all absolute.

    Attributes:
        directory: where the question was asked, with links resolved.
        top: the work tree's root.
        git_dir: the work tree's own git directory; this and ``common_dir`` as they are pointed to, so that a link on
            the way which is made to lead elsewhere leads there.
        common_dir: the git directory that all work trees of the repository share.
        real: both with links resolved.
        markers: what ``directory`` was, and what ``.git`` was in each directory from there up to ``top``.
    """

    directory: Path
    top: Path
    git_dir: Path
    common_dir: Path
    real: tuple[str, str]
    markers: tuple[tuple[int, ...] | None, ...]

    @property
    def below(self) -> bytes:
        """``directory`` relative to ``top``, with a slash at its end; empty for ``top`` itself."""
        below = self.directory.relative_to(self.top)
        return os.fsencode(below) + b"/" if below.parts else b""

    def holds(self, directory: Path) -> bool:
        """Whether ``directory`` is still this one, and no repository came, went or was replaced up to ``top``."""
        return os.path.realpath(directory) == str(self.directory) and self.markers == _markers(self.directory, self.top)


@dataclass(frozen=True, slots=True)
class BareLocation:
    """A bare repository: where the question was asked, and its git directory."""

    directory: Path
    git_dir: Path


class Question:
    """One ``rev-parse`` for all of it; a separator that no path can hold keeps the answers apart."""

    def __init__(self) -> None:
        self._separator = f"--{os.urandom(16).hex()}"
        self.arguments = ("rev-parse", *(word for question in _QUESTIONS for word in (self._separator, question)))

    def answer(self, result: Result, directory: Path) -> Location | BareLocation | Failure:
        """What git said about ``directory``, or why it said nothing."""
        answers = result.output.split(os.fsencode(self._separator) + b"\n")[1:]
        if not result.succeeded or len(answers) != len(_QUESTIONS):
            return self._without_work_tree(result, answers, directory)
        place = Path(os.path.realpath(directory))
        # One line feed is git's; any other belongs to the path.
        *asked, top = (place / os.fsdecode(answer.removesuffix(b"\n")) for answer in answers[1:])
        git_dir, common_dir = map(os.path.realpath, asked)
        found = _git_dir_of(top / ".git")
        if not place.is_relative_to(top) or found is None or os.path.realpath(found) != git_dir:
            return Failure(Reason.ELSEWHERE, name(os.fsencode(top)))
        common = found / _pointer(found / "commondir")
        if os.path.realpath(common) != common_dir:
            return Failure(Reason.CORRUPT, f"{name(os.fsencode(found / 'commondir'))} is not what git makes")
        return Location(place, top, found, common, (git_dir, common_dir), _markers(place, top))

    def _without_work_tree(self, result: Result, answers: list[bytes], directory: Path) -> BareLocation | Failure:
        failure = explain(result.code, result.errors)
        if failure.reason is Reason.INSIDE_GIT_DIRECTORY and answers[:1] == [b"true\n"]:
            return BareLocation(directory, directory / os.fsdecode(answers[1].removesuffix(b"\n")))
        if failure.reason is Reason.BARE and any(part == ".git" for part in Path(os.path.realpath(directory)).parts):
            return Failure(Reason.INSIDE_GIT_DIRECTORY)
        if failure.reason is Reason.NOT_A_REPOSITORY and (root := find_root(directory)) is not None:
            return Failure(Reason.CORRUPT, f"it does not take {name(os.fsencode(root / '.git'))} for a repository")
        return failure


def git_dir_at(directory: Path) -> Path | None:
    """The git directory that the nearest ``.git`` around ``directory`` is or points to, found without git."""
    root = find_root(directory)
    return _git_dir_of(root / ".git") if root is not None else None


def _git_dir_of(marker: Path) -> Path | None:
    """The git directory that ``marker``, a ``.git`` of whatever kind, is or points to."""
    if os.path.isdir(marker):  # noqa: PTH112  (never raises)
        return marker
    pointer = _pointer(marker, b"gitdir: ")
    return marker.parent / pointer if pointer else None


def _pointer(path: Path, opening: bytes = b"") -> str:
    """The path in a file that points somewhere, behind ``opening``; empty where there is no such file."""
    real = Path(os.path.realpath(path))
    try:
        text = read(real, inside=(real,), limit=STATE_LIMIT).data
    except RefusedError:
        return ""
    # To git a text ends where a string of C does.
    pointer = text.partition(b"\0")[0].rstrip(b"\r\n")
    return os.fsdecode(pointer.removeprefix(opening)) if pointer.startswith(opening) else ""


def _markers(directory: Path, top: Path) -> tuple[tuple[int, ...] | None, ...]:
    found = [_marker(directory)]
    for place in (directory, *directory.parents):
        found.append(_marker(place / ".git"))
        if place == top:
            break
    return tuple(found)


def _marker(path: Path) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    identity = (status.st_dev, status.st_ino, status.st_mode)
    # What a directory holds changes its times; a file that points to a git directory has only its times to tell,
    # of which one cannot be set.
    return identity if stat.S_ISDIR(status.st_mode) else (*identity, status.st_ctime_ns)
