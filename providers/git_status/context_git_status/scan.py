"""Running ``git status``: with which options, how often in full, and what to do when it fails."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from context_git_status.failures import Failure, Reason, explain
from context_git_status.git import OUTPUT_LIMIT
from context_git_status.listings import NO_LEVELS, Levels, levels
from context_git_status.porcelain import Status, parse
from context_git_status.reading import CAREFUL, Gap
from context_git_status.runner import End, Result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from context_git_status.config import GitStatusConfig
    from context_git_status.git import Git
    from context_git_status.settings import Probe

_STATUS: Final = ("status", "--porcelain=v2", "-z", "--branch", "--show-stash")
_RECORDED_ONLY: Final = "--ignore-submodules=dirty"
_CAREFUL: Final = ("--no-renames", _RECORDED_ONLY)
_SUBMODULE: Final = re.compile(rb"submodule|not a git repository")
"""Chooses between two sentences; that something is broken, the exit code said."""
_UNSEEN: Final = (
    (Gap.UNREADABLE, re.compile(rb"^warning: could not open directory", re.MULTILINE)),
    (Gap.UNSEARCHABLE, re.compile(rb"^(?!warning: ).*: Permission denied$", re.MULTILINE)),
)
"""Here git says it in words alone, and exits with 0."""
_LONGEST_PAUSE: Final = 63


class Scanner:
    """The status of one work tree, parsed again only when git's answer differs.

    A scan for untracked files that ran into the time limit is not tried again at once: the next firing leaves them
    out, after the second time-out the next three do, then seven, and so on.
    """

    def __init__(self, config: GitStatusConfig) -> None:
        self._config = config
        self._answer: tuple[End, bytes] | None = None
        self._timeouts = 0
        self._pause = 0
        self.status: Status | None = None
        self.levels: Levels = NO_LEVELS
        self.gaps: tuple[Gap, ...] = ()

    def scan(self, git: Git, top: Path, environment: Mapping[str, str], probe: Probe) -> Failure | None:
        """Bring `status`, `levels` and `gaps` up to date, or say why that failed; then there is no status."""
        unscanned = self._unscanned(probe)
        # A firing that waited for another has little time, and says nothing about the repository.
        was_fair = git.left * 3 > self._config.timeout_ms / 1000
        result, careful = self._run(git, top, environment, probe, unscanned)
        failure = self._failure(result, full=unscanned is None, was_fair=was_fair)
        if failure is not None:
            self.forget()
            return failure
        self._take(result)
        unseen = [gap for gap, words in _UNSEEN if words.search(result.errors)]
        met = [gap for gap in (unscanned, *unseen, careful) if gap is not None]
        self.gaps = tuple(self._gaps(top, probe, met))
        return None

    def forget(self) -> None:
        """Have no status, because nothing is known to hold."""
        self.status, self.levels, self.gaps, self._answer = None, NO_LEVELS, (), None

    def _run(
        self, git: Git, top: Path, environment: Mapping[str, str], probe: Probe, unscanned: Gap | None
    ) -> tuple[Result, Gap | None]:
        """The answer in full, or a careful one with what it leaves out; tried anew each time, as it may be mended."""
        untracked = "no" if unscanned else self._config.untracked
        command = (*_STATUS, f"--untracked-files={untracked}")

        def run(*options: str) -> Result:
            return git((*command, *options), top, environment, limit=OUTPUT_LIMIT)

        renames = "--find-renames=100%" if probe.partial else "--find-renames"
        result = run(renames, *(() if self._config.trust_repository_config else (_RECORDED_ONLY,)))
        if result.end is not End.EXITED or result.code == 0:
            return result, None
        second = run(*_CAREFUL)
        if second.end is End.EXITED and second.code != 0:
            return result, None
        return second, Gap.BROKEN_SUBMODULE if _SUBMODULE.search(result.errors) else Gap.OBJECTS

    def _unscanned(self, probe: Probe) -> Gap | None:
        """Why untracked files are left out this time, if they are."""
        if self._config.untracked == "no" or "changes" not in self._config.show:
            return Gap.UNTRACKED_BY_OPERATOR
        if probe.hides_untracked:
            return Gap.UNTRACKED_BY_REPOSITORY
        if self._pause > 0:
            self._pause -= 1
            return Gap.UNTRACKED_TOO_SLOW
        return None

    def _failure(self, result: Result, *, full: bool, was_fair: bool) -> Failure | None:
        if result.end is End.TIMED_OUT:
            if full and was_fair:
                self._timeouts += 1
                self._pause = min(2**self._timeouts - 1, _LONGEST_PAUSE)
            return Failure(Reason.TIMED_OUT, str(self._config.timeout_ms))
        if result.end is End.EXITED and result.code != 0:
            return explain(result.code, result.errors)
        if full:
            self._timeouts = 0
        return None

    def _take(self, result: Result) -> None:
        """Parse the answer, unless it is the same as the last one."""
        answer = (result.end, result.output)
        if answer != self._answer:
            self._answer = answer
            self.status = parse(result.output, complete=result.end is not End.CUT)
            self.levels = levels(self.status, self._config.max_entries)

    def _gaps(self, top: Path, probe: Probe, met: Collection[Gap]) -> Iterator[Gap]:
        if self.status is not None and not self.status.complete:
            yield Gap.CUT
        if self.status is not None and self.status.odd:
            yield Gap.ODD
        yield from met
        if CAREFUL.isdisjoint(met) and not self._config.trust_repository_config and _has_submodules(top):
            yield Gap.SUBMODULES
        if probe.partial and Gap.OBJECTS not in met:
            yield Gap.PARTIAL
        if probe.sparse:
            yield Gap.SPARSE
        if probe.filters and self.levels.counts.unstaged:
            yield Gap.FILTERS


def _has_submodules(top: Path) -> bool:
    return os.path.lexists(top / ".gitmodules")
