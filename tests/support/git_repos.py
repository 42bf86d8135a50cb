"""Real repositories for tests of git status, and a provider that is asked about them."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from context_common.provider import Draft, Level, Log, Request
from context_git_status.config import GitStatusConfig
from context_git_status.provider import GitStatusProvider

NOTHING = "Nothing staged, modified or untracked"
_IDENTITY = """\
[user]
	name = A U Thor
	email = author@example.com
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[protocol "file"]
	allow = always
"""


def settle(home: Path) -> Path:
    """Make ``home`` a home directory with an identity for git."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(_IDENTITY)
    return home


@dataclass(frozen=True)
class Repo:
    """A work tree (or a bare repository) at ``path``."""

    path: Path

    @classmethod
    def init(cls, path: Path, *options: str) -> Repo:
        """A new, empty repository."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "--quiet", *options)
        return repo

    @classmethod
    def with_commit(cls, path: Path, files: dict[str, str] | None = None) -> Repo:
        """A repository with one commit that holds ``files``."""
        repo = cls.init(path)
        repo.commit("First", files or {"file.txt": "one\n"})
        return repo

    def clone(self, path: Path, *options: str) -> Repo:
        """A clone at ``path``."""
        self.git("clone", "--quiet", *options, self.path.as_uri(), str(path))
        return Repo(path)

    @property
    def git_dir(self) -> Path:
        """The work tree's own git directory."""
        return Path(self.git("rev-parse", "--absolute-git-dir").rstrip("\n"))

    def git(self, *arguments: str | bytes, check: bool = True, **environment: str) -> str:
        """Run git here, with nobody's settings but the test's, and give its output."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        result = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=inherited | {"LC_ALL": "C", "LANGUAGE": "", "GIT_EDITOR": "true"} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if check and result.returncode != 0:
            raise AssertionError(f"git {arguments}: {result.stderr!r}")
        return result.stdout.decode("utf-8", "surrogateescape")

    def write(self, name: str | bytes, content: str | bytes = "text\n") -> Path:
        """Write a file, with the directories above it."""
        path = Path(os.fsdecode(os.path.join(os.fsencode(self.path), os.fsencode(name))))  # noqa: PTH118  (bytes)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def commit(self, subject: str, files: dict[str, str] | None = None) -> str:
        """Write ``files`` and commit everything; the name of the commit."""
        for name, content in (files or {}).items():
            self.write(name, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.oid()

    def oid(self, revision: str = "HEAD") -> str:
        """The full name of ``revision``."""
        return self.git("rev-parse", "--verify", revision).strip()

    def conflict(self) -> Repo:
        """Give this repository branches ``main`` and ``side`` that clash in ``file.txt``, and stand on ``main``."""
        self.git("switch", "--quiet", "--create", "side")
        self.commit("Side", {"file.txt": "side\n"})
        self.git("switch", "--quiet", "main")
        self.commit("Main", {"file.txt": "main\n"})
        return self


@dataclass
class Asked:
    """A configured provider, what it was told, and what it started."""

    provider: GitStatusProvider
    directory: Path
    commands: list[tuple[str, ...]] = field(default_factory=list)
    log: list[tuple[Level, str]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)

    @classmethod
    def about(cls, directory: Path | Repo, **config: Any) -> Asked:
        """A provider with ``config`` whose requests come from ``directory``; a busy machine has ten times the usual limit."""
        provider = GitStatusProvider()
        provider.configure(GitStatusConfig(**{"timeout_ms": 20_000, **config}))
        asked = cls(provider, directory.path if isinstance(directory, Repo) else directory)
        run = provider._runner.run

        def recorded(command: Any, **options: Any) -> Any:
            asked.commands.append(tuple(command[2:]))
            return run(command, **options)

        provider._runner.run = recorded  # type: ignore[method-assign]  (a spy)
        return asked

    def fire(self, *touched: str, session: str = "s", directory: Path | None = None) -> str:
        """The fullest text of the section, ``""`` where there is none; `commands` are this firing's."""
        self.commands.clear()
        log = Log(lambda level, message, _fields, _session: self.log.append((level, message)))
        self.drafts = self.provider.contribute(
            Request(session_id=session, working_directory=directory or self.directory, files_touched=touched, log=log)
        )
        return self.drafts[0].ladder[0] if self.drafts else ""

    @property
    def ladder(self) -> tuple[str, ...]:
        """Every text of the last section, fullest first."""
        return self.drafts[0].ladder if self.drafts else ()

    @property
    def verbs(self) -> list[str]:
        """What git was asked to do in the last firing."""
        return [next(word for word in command if not word.startswith("-")) for command in self.commands]


def all_gone(*pids: int) -> bool:
    """Whether none of ``pids`` runs; one that was killed a moment ago has some seconds to go."""
    deadline = time.monotonic() + 10
    while any(map(_is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(_is_alive, pids))


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    # A zombie that nobody reaped does not run.
    return state not in "ZX"


def section(directory: Path | Repo, *touched: str, **config: Any) -> str:
    """The fullest text about ``directory``."""
    return Asked.about(directory, **config).fire(*touched)


def lines(directory: Path | Repo, *touched: str, **config: Any) -> list[str]:
    """The lines of the fullest text but the first, which is the same everywhere."""
    return section(directory, *touched, **config).splitlines()[1:]
