"""One work tree, and what is remembered of it so that a firing asks only for what moved."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from context_git_status.branches import REFS_ARGUMENTS, MainBranch, parse_refs
from context_git_status.commits import Commit, log_arguments, parse_log
from context_git_status.counting import Counting
from context_git_status.environment import ALWAYS, UNTRUSTED, environment
from context_git_status.failures import Failure, Reason, explain
from context_git_status.heads import AMBIGUOUS, head
from context_git_status.operations import operations, small_file
from context_git_status.reading import Reading
from context_git_status.runner import End
from context_git_status.scan import Scanner
from context_git_status.settings import NOTHING_FOUND, PROBE, Probe, Sources, parse_probe, understand
from context_git_status.watch import Watch, look

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_git_status.config import GitStatusConfig
    from context_git_status.git import Git
    from context_git_status.location import Location
    from context_git_status.porcelain import Status
    from context_git_status.runner import Result

_HISTORY: Final = ("shallow", "info/grafts", "refs/replace", "packed-refs", "reftable/tables.list")
"""What can give a commit other parents or another subject."""


class WorkTree:
    """The work tree at one location.

    Args:
        location: where it is.
        config: what to report.
        inherited: the environment that git's is made from, and ``path`` the PATH in it.
        path: the PATH that git's children see.
    """

    def __init__(self, location: Location, config: GitStatusConfig, inherited: Mapping[str, str], path: str) -> None:
        self.location = location
        self._config = config
        self._inherited = inherited
        self._path = path
        # Without what the last probe led to: that would pass for the user's own values.
        self._probing = environment(inherited, ALWAYS + UNTRUSTED, path)
        self._environment = self._probing
        self._located: int | None = None
        self._sources = Sources(location.git_dir, location.common_dir, location.top)
        self._probe = Probe()
        self._scanner = Scanner(config)
        self._main_branch = MainBranch()
        self._tables = Watch()
        self._refs: tuple[bytes, dict[str, str]] = (b"", {})
        self._log_start: str | None = None
        self._commits: tuple[Commit, ...] = ()
        self._history = Watch()
        self._counting = Counting(location)

    def moved(self) -> bool:
        """Whether the configuration moved, which also decides where the work tree is."""
        return self._sources.moved()

    def located(self, since: int) -> None:
        """Take note that this is where the work tree is, asked at ``since`` (``time.time_ns``)."""
        self._located = since

    def read(self, git: Git) -> Reading:
        """What holds now."""
        failure = self._probe_configuration(git)
        if failure is None:
            failure = self._scan(git)
        else:
            self._forget()
        return self._reading(self._scanner.status, failure)

    def _scan(self, git: Git) -> Failure | None:
        knew_status = self._scanner.status is not None
        if not knew_status:
            # So that the commits are known even when the scan takes too long.
            self._log(git, "HEAD")
        failure = self._scanner.scan(git, self.location.top, self._environment, self._probe)
        if self._probe.reftable:
            self._read_refs(git)
        if self._scanner.status is not None:
            self._log(git, self._scanner.status.oid)
            self._count_lines(git, self._scanner.status)
        elif knew_status:
            self._forget()
        return failure

    def _forget(self) -> None:
        """Tell nothing from memory: without a status, nobody knows whether HEAD is where it was."""
        self._scanner.forget()
        self._log_start, self._commits = None, ()

    def _reading(self, status: Status | None, failure: Failure | None) -> Reading:
        git_dir, common_dir, top = self.location.git_dir, self.location.common_dir, self.location.top
        main, pseudo_refs = self._refs if self._probe.reftable else (self._main_branch.read(common_dir), {})
        ambiguous = status is None or status.head in AMBIGUOUS
        return Reading(
            top=top,
            below=self.location.below,
            failure=failure,
            status=status,
            levels=self._scanner.levels,
            head=head(status, small_file(git_dir, "HEAD") if ambiguous else b""),
            operations=operations(git_dir, pseudo_refs),
            main_branch=main,
            commits=self._commits,
            staged_lines=self._counting.staged.lines,
            unstaged_lines=self._counting.unstaged.lines,
            gaps=self._scanner.gaps,
            shallow=self._shallow() is not None,
            jujutsu=os.path.lexists(top / ".jj"),
        )

    def _probe_configuration(self, git: Git) -> Failure | None:
        if self._located is None:
            return None
        result = git(PROBE, self.location.top, self._probing)
        if result.end is End.TIMED_OUT:
            return Failure(Reason.CONFIGURATION_TIMED_OUT, str(self._config.timeout_ms))
        if result.end is End.EXITED and result.code not in (0, NOTHING_FOUND):
            return explain(result.code, result.errors)
        values = parse_probe(result.output)
        probe = understand(values, trusted=self._config.trust_repository_config)
        if probe is None or result.end is End.CUT:
            return Failure(Reason.TOO_MANY_FILTERS)
        # Since before it was asked where the work tree is: that and this answer belong together.
        self._sources.note(values, self._located)
        self._located = None
        if probe.conversions != self._probe.conversions:
            self._counting.forget()
        self._probe = probe
        self._environment = environment(self._inherited, self._probe.overrides, self._path)
        return None

    def _log(self, git: Git, start: str) -> None:
        known = start == self._log_start and not self._history.moved()
        if "commits" not in self._config.show or known or git.exhausted:
            return
        self._history.note([self.location.common_dir / name for name in _HISTORY], time.time_ns())
        self._log_start, self._commits = start, ()
        if start:
            result = self._run(git, log_arguments(start, self._config.recent_commits))
            oid, self._commits = parse_log(result.output)
            if result.end is End.TIMED_OUT:
                self._log_start, self._commits = None, ()
            elif start == "HEAD":
                self._log_start = oid

    def _read_refs(self, git: Git) -> None:
        """What the files of refs would say, where there are none."""
        if self._tables.moved() and not git.exhausted:
            since, result = time.time_ns(), self._run(git, REFS_ARGUMENTS)
            self._refs = parse_refs(result.output)
            if result.end is not End.TIMED_OUT:
                places = (self.location.git_dir, self.location.common_dir)
                self._tables.note([place / "reftable/tables.list" for place in places], since)

    def _count_lines(self, git: Git, status: Status) -> None:
        def run(arguments: Sequence[str]) -> Result | None:
            # Last and least: what does not fit into this firing's processes is counted in the next.
            return None if git.exhausted else self._run(git, arguments)

        if {"changes", "lines"} <= set(self._config.show):
            self._counting.update(status, self._scanner.levels, self._probe.attributes, run)

    def _run(self, git: Git, arguments: Sequence[str]) -> Result:
        """Run what the status can do without, and leave it half of the time."""
        return git(arguments, self.location.top, self._environment, share=0.5)

    def _shallow(self) -> object:
        found = look(self.location.common_dir / "shallow")
        return found if found is not None and found.size else None
