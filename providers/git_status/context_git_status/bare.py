"""A bare repository: no work tree, but a branch and commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_git_status.commits import log_arguments, parse_log
from context_git_status.failures import Failure, Reason
from context_git_status.heads import head
from context_git_status.operations import small_file
from context_git_status.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_git_status.config import GitStatusConfig
    from context_git_status.git import Git
    from context_git_status.location import BareLocation

BARE = Failure(Reason.BARE)


def read_bare(git: Git, location: BareLocation, config: GitStatusConfig, environment: Mapping[str, str]) -> Reading:
    """What can be told of the repository at ``location``."""
    commits = b""
    if "commits" in config.show:
        commits = git(log_arguments("HEAD", config.recent_commits), location.directory, environment).output
    return Reading(failure=BARE, head=head(None, small_file(location.git_dir, "HEAD")), commits=parse_log(commits)[1])
