"""A git that is slow, and a repository that others work in meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Asked, Repo, all_gone
from support.patience import Stopwatch

from context_git_status.config import GitStatusConfig
from context_git_status.runner import End, Result
from context_git_status.scan import Scanner
from context_git_status.settings import Probe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HELD = 0.3
"""Seconds by which the time limit may be exceeded."""
LIMIT = 1_500
"""Milliseconds in which whatever does not sleep is done on any machine."""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.with_commit(tmp_path / "r", {"a": "1\n"})
    repo.write("a", "2\n")
    repo.write("new")
    return repo


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a git on PATH that first runs some shell for commands that match a pattern; what it writes its pids to."""
    real = shutil.which("git")
    pids = tmp_path / "pids"

    def install(pattern: str, script: str) -> Path:
        fake = tmp_path / "bin" / "git"
        fake.parent.mkdir(exist_ok=True)
        pids.touch()
        fake.write_text(f'#!/bin/sh\necho $$ >> {pids}\ncase "$*" in {pattern}) {script};; esac\nexec {real} "$@"\n')
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
        return pids

    return install


def pids_in(path: Path) -> list[int]:
    return list(map(int, path.read_text().split()))


@pytest.mark.parametrize("pattern", ["*rev-parse*", "*get-regexp*", "*log*", "*porcelain*", "*diff-files*", "*"])
def test_whatever_sleeps_the_time_limit_holds_and_nothing_is_left(
    repo: Repo, slow: Callable[[str, str], Path], pattern: str
) -> None:
    """In the program itself and in its children."""
    pids = slow(pattern, f"sh -c 'echo $$ >> {repo.path.parent}/pids; sleep 30' & sleep 30")
    asked = Asked.about(repo, timeout_ms=500)
    watch = Stopwatch()
    shown = asked.fire()
    assert watch.seconds < 0.5 + HELD
    assert shown.startswith(("On branch main", "Read for this call"))
    assert all_gone(*pids_in(pids))


def test_a_git_that_ignores_sigterm_is_killed(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    pids = slow("*porcelain*", "trap '' TERM; while :; do sleep 0.1; done")
    watch = Stopwatch()
    Asked.about(repo, timeout_ms=600).fire()
    assert watch.seconds < 0.6 + HELD
    assert all_gone(*pids_in(pids))


def test_what_is_known_is_told_when_the_status_times_out(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    slow("*porcelain*", "sleep 30")
    (repo.git_dir / "MERGE_HEAD").write_text(repo.oid() + "\n")
    oid = repo.oid()[:8]
    assert Asked.about(repo, timeout_ms=LIMIT).fire() == (
        f"On branch main\nMerging {oid}\n"
        f"git status timed out after {LIMIT} ms; changes are not known.\n"
        f"Recent commits:\n  {oid} First"
    )


def test_after_a_time_out_untracked_files_wait(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    """A scan that is too slow is not tried at every call, but it is tried again."""
    slow("*untracked-files=normal*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=LIMIT)
    texts = [asked.fire() for _ in range(6)]
    slow_ones = ["timed out" in text for text in texts]
    assert slow_ones == [True, False, True, False, False, False]
    assert "1 unstaged" in texts[1]
    assert "Untracked files were not scanned: the full scan exceeded the time limit." in texts[1]


@dataclass
class Hanging:
    """A git that has ``left`` seconds for a status that never ends."""

    left: float
    commands: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, arguments: tuple[str, ...], *_where: object, limit: int) -> Result:
        assert limit
        self.commands.append(arguments)
        return Result(End.TIMED_OUT, -15, b"", b"")


@pytest.mark.parametrize(("left", "untracked"), [(0.9, "no"), (0.5, "normal")])
def test_a_scan_that_had_no_time_because_others_were_asking_is_no_slow_one(
    tmp_path: Path, left: float, untracked: str
) -> None:
    """Or two sessions at once would take untracked files out of each other's sections."""
    scanner, git = Scanner(GitStatusConfig(timeout_ms=2000)), Hanging(left)
    for _ in range(2):
        scanner.scan(git, tmp_path, {}, Probe())  # type: ignore[arg-type]
    assert f"--untracked-files={untracked}" in git.commands[-1]


def test_a_scan_that_is_fast_again_is_complete_again(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    slow("*untracked-files=normal*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=LIMIT)
    asked.fire()
    slow("nothing", ":")
    assert "not scanned" in asked.fire()
    assert "1 unstaged, 1 untracked" in asked.fire()
    assert "1 unstaged, 1 untracked" in asked.fire()


def test_commits_are_not_told_from_memory_when_the_status_is_unknown(
    repo: Repo, slow: Callable[[str, str], Path]
) -> None:
    slow("nothing", ":")
    asked = Asked.about(repo, timeout_ms=LIMIT)
    asked.fire()
    slow("*porcelain*", "sleep 30")
    repo.commit("Second")
    assert "First" not in asked.fire()
    shown = asked.fire()
    assert shown.splitlines()[-2].endswith("Second")


def test_commits_that_took_too_long_are_asked_for_again(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    """A disk that was cold once does not hide them until the next commit."""
    slow("*log*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=LIMIT)
    assert "Recent commits" not in asked.fire()
    slow("nothing", ":")
    assert asked.fire().splitlines()[-1].endswith("First")


def test_nothing_is_told_from_memory_when_the_configuration_cannot_be_read(repo: Repo) -> None:
    asked = Asked.about(repo)
    asked.fire()
    path = repo.git_dir / "config"
    config = path.read_text()
    path.write_text("[core\n")
    assert asked.fire() == (
        "On branch main\ngit cannot read this repository's configuration: bad config line 1 in file .git/config"
    )
    path.write_text(config)
    assert "First" in asked.fire()


def test_lines_that_take_too_long_to_count_are_left_out(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    """And are not tried again until the file is another."""
    slow("*numstat*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=LIMIT)
    assert "\n  M a\n" in asked.fire()
    asked.fire()
    assert asked.verbs == ["status"]


def test_two_sessions_wait_for_each_other_only_as_long_as_the_limit(
    repo: Repo, slow: Callable[[str, str], Path]
) -> None:
    slow("*porcelain*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=500)
    texts: list[str] = []
    watch = Stopwatch()
    threads = [
        threading.Thread(target=lambda name=name: texts.append(asked.fire(session=name))) for name in ("one", "two")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert watch.seconds < 0.5 + 0.5 + HELD
    assert all("timed out" in text for text in texts)


def test_closing_ends_a_running_git(repo: Repo, slow: Callable[[str, str], Path]) -> None:
    pids = slow("*porcelain*", "sleep 30")
    asked = Asked.about(repo, timeout_ms=20_000)
    thread = threading.Thread(target=asked.fire)
    thread.start()
    while "status" not in asked.verbs:
        time.sleep(0.01)
    asked.provider.close()
    thread.join(3)
    assert not thread.is_alive()
    assert all_gone(*pids_in(pids))


def test_sixty_adds_beside_a_loop_of_firings_all_succeed(repo: Repo) -> None:
    """And no lock is left."""
    asked = Asked.about(repo)
    done = threading.Event()
    fired = 0

    def loop() -> None:
        nonlocal fired
        while not done.is_set():
            asked.fire()
            fired += 1

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        for number in range(60):
            # However fast it is beside the other: a firing for every ten.
            while fired < number // 10:
                time.sleep(0.01)
            repo.write(f"file{number}", str(number))
            added = subprocess.run(["git", "add", f"file{number}"], cwd=repo.path, capture_output=True, check=False)
            assert added.returncode == 0, added.stderr
    finally:
        done.set()
        thread.join()
    assert fired >= 5
    assert list(repo.git_dir.rglob("*.lock")) == []
    assert "60 staged" in asked.fire()


def test_a_firing_writes_nothing_into_the_repository(repo: Repo) -> None:
    """Not even a refreshed index."""
    os.utime(repo.path / "a", (1, 1))

    def everything() -> dict[Path, tuple[int, int]]:
        found = [path for path in repo.path.rglob("*") if path.is_file()]
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in found}

    before = everything()
    asked = Asked.about(repo)
    asked.fire()
    asked.fire()
    assert everything() == before
