"""Working copies of sample repositories: copied to a temporary directory and made git repositories there.

Author, dates and configuration are fixed, so that every run gives the same commits.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from context_host.errors import HostError, UnusableError
from context_host.signals import undisturbed
from context_host.temporary import temporary_base

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from context_host.script import Edit

_EPOCH = 1_767_600_000  # the first commit, seconds since 1970; each further one is an hour later
_HOUR = 3600
_LAST_GIT_SECONDS, _RETRY_SECONDS = 2.0, 0.05
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Sam Sample",
    "GIT_AUTHOR_EMAIL": "sam@example.org",
    "GIT_COMMITTER_NAME": "Sam Sample",
    "GIT_COMMITTER_EMAIL": "sam@example.org",
}


class Workspace:
    """A temporary directory of repositories, with a home of its own; a context manager that removes it."""

    def __init__(self, search_path: str) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="context-host-", dir=temporary_base())).resolve()
        self.home = self.root / "home"
        self.repositories = self.root / "repositories"
        self._search_path = search_path
        self._commits = 0
        self._copies: dict[Path, Path] = {}
        try:
            self.home.mkdir()
            self.repositories.mkdir()
        except BaseException:
            self.close()
            raise

    def add(self, source: Path) -> Path:
        """A working copy of ``source``, committed as its first commit.

        Raises:
            HostError: git is missing or fails.
        """
        source = source.resolve()
        if source not in self._copies:
            taken = {copy.name for copy in self._copies.values()}
            names = (f"{source.name}-{number}" if number > 1 else source.name for number in count(1))
            directory = self.repositories / next(name for name in names if name not in taken)
            try:
                shutil.copytree(source, directory, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            except shutil.Error as error:
                raise UnusableError(f"{source} cannot be copied: {error.args[0][0][2]}") from None
            self._git(directory, "init", "--quiet", "--template=", "--initial-branch=main")
            self.commit(directory, "Add the sample project")
            self._copies[source] = directory
        return self._copies[source]

    def edit(self, directory: Path, edit: Edit) -> str:
        """Make a change; returns it in words.

        Raises:
            UnusableError: the file is not as the script expects.
        """
        what = "delete" if edit.delete else "edit"
        try:
            return _edit(directory, edit)
        except UnicodeDecodeError as error:
            reason = f"byte {error.start} is not UTF-8"
        except (FileExistsError, NotADirectoryError):
            reason = "Not a directory"
        except OSError as error:
            reason = str(error.strerror)
        raise UnusableError(f"cannot {what} {edit.path}: {reason}")

    def commit(self, directory: Path, message: str) -> str:
        """Commit everything in ``directory``; returns it in words."""
        self._git(directory, "add", "--all")
        self._git(directory, "commit", "--quiet", "--allow-empty", "--message", message)
        return f"commits “{message}”"

    def close(self) -> None:
        """Remove everything."""
        deadline = time.monotonic() + _LAST_GIT_SECONDS
        with undisturbed():
            # A git that was started in the moment of an interrupt may still be writing.
            while self.root.exists() and time.monotonic() < deadline:
                shutil.rmtree(self.root, ignore_errors=True)
                if self.root.exists():
                    time.sleep(_RETRY_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _git(self, directory: Path, *arguments: str) -> None:
        if arguments[0] == "commit":
            self._commits += 1
        try:
            subprocess.run(  # noqa: S603  (fixed arguments, in a directory of ours)
                ["git", *arguments],  # noqa: S607  (which git is the user's choice, as in every shell)
                cwd=directory,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
            )
        except FileNotFoundError:
            raise HostError("the demo needs the git program on PATH") from None
        except subprocess.CalledProcessError as error:
            raise HostError(f"git {arguments[0]} failed in the sample repository: {error.stderr.strip()}") from None

    def _environment(self) -> Mapping[str, str]:
        date = f"{_EPOCH + self._commits * _HOUR} +0000"
        return {
            "PATH": self._search_path,
            "HOME": str(self.home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            **_IDENTITY,
        }


def _edit(directory: Path, edit: Edit) -> str:
    path = directory / edit.path
    real = path.resolve()
    if not real.is_relative_to(directory):
        raise UnusableError(f"cannot edit {edit.path}: it leads out of the repository")
    if ".git" in map(str.lower, real.relative_to(directory).parts):
        # What git is configured to do, it does: programs are started from there.
        raise UnusableError(f"cannot edit {edit.path}: it leads into git's own files")
    if edit.delete:
        path.unlink()
        return f"deletes {edit.path}"
    created = not path.exists()
    before = "" if created else path.read_text(encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_edited(before, edit), encoding="utf-8")
    return f"{'adds' if created else 'edits'} {edit.path}"


def _edited(before: str, edit: Edit) -> str:
    if edit.text is not None:
        return edit.text
    if edit.append is not None:
        return before + edit.append
    if edit.replace is None or edit.replace not in before:
        raise UnusableError(f"{edit.path} does not contain {edit.replace!r}, which an edit of the script replaces")
    return before.replace(edit.replace, edit.with_)
