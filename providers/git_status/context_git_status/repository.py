"""The repository around one directory: found, found again when it moved, and read by one firing at a time."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import TYPE_CHECKING

from context_common.scopes import find_root
from context_git_status.bare import BARE, read_bare
from context_git_status.environment import ALWAYS, STANDING_ALONE, UNTRUSTED, environment, find_git, trusted_path
from context_git_status.failures import Failure, Reason
from context_git_status.git import Git, NotStartedError
from context_git_status.heads import NO_HEAD, head
from context_git_status.location import BareLocation, Location, Question, git_dir_at
from context_git_status.operations import small_file
from context_git_status.reading import Reading
from context_git_status.runner import End
from context_git_status.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from context_git_status.config import GitStatusConfig
    from context_git_status.runner import Runner


_HEAD_AT_LEAST = frozenset({Reason.NO_GIT, Reason.TIMED_OUT, Reason.CONFIGURATION})


class Repository:
    """What lies around one directory, if anything does; it is named, as an absolute path, at every call.

    Args:
        config: what to report.
        runner: starts git.

    Attributes:
        processes: how many the last reading took.
    """

    def __init__(self, config: GitStatusConfig, runner: Runner) -> None:
        self._config = config
        self._runner = runner
        self._lock = threading.Lock()
        self._program: str | None = None
        self._path = ""
        self._work_tree: WorkTree | None = None
        self._last = Reading()
        self._begun = 0.0
        self.processes = 0

    def read(self, directory: Path) -> Reading:
        """What holds now; the same object as before while that is equal."""
        seconds = self._config.timeout_ms / 1000
        asked = time.monotonic()
        if "\0" in str(directory):
            return Reading(failure=Failure(Reason.NO_DIRECTORY))
        if not self._lock.acquire(timeout=seconds):
            return Reading(failure=Failure(Reason.TIMED_OUT, str(self._config.timeout_ms)))
        try:
            # Whoever waited takes what was begun meanwhile: it is no older than the question.
            if self._begun <= asked:
                begun = time.monotonic()
                reading = self._read(directory, asked + seconds)
                if reading != self._last:
                    self._last = reading
                self._begun = begun
            return self._last
        finally:
            self._lock.release()

    def find(self, directory: Path) -> Failure | None:
        """Why there is no work tree here, if that is so; what is in it is not looked at."""
        with self._lock:
            try:
                located = self._locate(
                    self._git(directory, time.monotonic() + self._config.timeout_ms / 1000), directory
                )
            except NotStartedError as error:
                return self._explain(error, directory)
        if isinstance(located, BareLocation):
            return BARE
        return located if isinstance(located, Failure) else None

    def _read(self, directory: Path, deadline: float) -> Reading:
        try:
            git = self._git(directory, deadline)
            located = self._locate(git, directory)
            if isinstance(located, WorkTree):
                reading = located.read(git)
            elif isinstance(located, BareLocation):
                reading = read_bare(git, located, self._config, self._environment(directory))
            else:
                reading = self._without_git(located, directory)
        except NotStartedError as error:
            return self._without_git(self._explain(error, directory), directory)
        self.processes = git.started
        return reading

    def _git(self, directory: Path, deadline: float) -> Git:
        if self._program is None:
            path = trusted_path(os.environ.get("PATH", os.defpath), directory)
            self._path = os.pathsep.join(path)
            self._program = find_git(path, directory)
        if self._program is None:
            raise NotStartedError
        return Git(self._runner, self._program, deadline)

    def _locate(self, git: Git, directory: Path) -> WorkTree | BareLocation | Failure:
        """The work tree, which is asked of git only when none is known or something around it moved."""
        known, self._work_tree = self._work_tree, None
        if known is None or known.moved() or not known.location.holds(directory):
            since = time.time_ns()
            located = self._ask(git, directory)
            if not isinstance(located, Location):
                return located
            if known is None or known.location != located:
                known = WorkTree(located, self._config, os.environ, self._path)
            known.located(since)
        self._work_tree = known
        return known

    def _ask(self, git: Git, directory: Path) -> Location | BareLocation | Failure:
        question = Question()
        result = git(question.arguments, directory, self._environment(directory))
        if result.end is End.TIMED_OUT:
            return Failure(Reason.TIMED_OUT, str(self._config.timeout_ms))
        return question.answer(result, directory)

    def _environment(self, directory: Path) -> Mapping[str, str]:
        """What git sees while no work tree is known."""
        alone = () if find_root(directory) else STANDING_ALONE
        return environment(os.environ, ALWAYS + UNTRUSTED + alone, self._path)

    def _explain(self, error: NotStartedError, directory: Path) -> Failure:
        self._program = None
        if not os.access(directory, os.X_OK) or not os.path.isdir(directory):  # noqa: PTH112  (never raises)
            return Failure(Reason.NO_DIRECTORY)
        if error.cause is not None and error.cause.errno != errno.ENOENT:
            return Failure(Reason.NOT_STARTED, str(error.cause.strerror))
        return Failure(Reason.NO_GIT if git_dir_at(directory) else Reason.NOT_A_REPOSITORY)

    def _without_git(self, failure: Failure, directory: Path) -> Reading:
        """The branch at least, where it was not git that refused and refs are kept in files."""
        git_dir = git_dir_at(directory) if failure.reason in _HEAD_AT_LEAST else None
        return Reading(failure=failure, head=head(None, small_file(git_dir, "HEAD")) if git_dir else NO_HEAD)
