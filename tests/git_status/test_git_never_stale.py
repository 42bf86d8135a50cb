"""What was true a moment ago and no longer is, is not told."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Asked, Repo, section

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.with_commit(tmp_path / "r", {"a": "1\n2\n3\n4\n", "deep/er/b": "1\n"})
    repo.write("a", "1\n2\n3\nX\n")
    repo.write("deep/er/b", "2\n")
    return repo


@pytest.fixture
def asked(repo: Repo) -> Asked:
    """Fired until nothing is asked again."""
    time.sleep(0.02)
    asked = Asked.about(repo)
    asked.fire()
    asked.fire()
    assert asked.verbs == ["status"]
    return asked


def detach(repo: Repo) -> None:
    (repo.git_dir / "HEAD").write_text(repo.oid() + "\n")


def users_own(name: str, content: str) -> None:
    path = Path.home() / ".config/git" / name
    path.parent.mkdir(parents=True)
    path.write_text(content)


def other_commit(repo: Repo) -> str:
    return repo.git("commit-tree", "HEAD^{tree}", "-m", "Other").strip()


def same_size_and_time(repo: Repo) -> None:
    path = repo.path / "a"
    times = path.stat()
    path.write_text("A\nB\nC\nX\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


CHANGES: dict[str, Callable[[Repo], object]] = {
    "a commit": lambda repo: repo.commit("Second"),
    "another branch": lambda repo: repo.git("switch", "--quiet", "--create", "topic"),
    "a detached HEAD": detach,
    "a stash": lambda repo: repo.git("stash"),
    "an upstream": lambda repo: repo.git("branch", "--set-upstream-to=other"),
    "an amended commit": lambda repo: repo.git("commit", "--quiet", "--amend", "--message", "Fresh"),
    "an exclude file": lambda repo: (repo.git_dir / "info/exclude").write_text("noise\n"),
    "the user's exclude file": lambda _repo: users_own("ignore", "noise\n"),
    "an ignore file": lambda repo: repo.write(".gitignore", "noise\n"),
    "an attribute of the tree": lambda repo: repo.write(".gitattributes", "a binary\n"),
    "an attribute of the repository": lambda repo: (repo.git_dir / "info/attributes").write_text("a binary\n"),
    "an attribute of a directory": lambda repo: repo.write("deep/.gitattributes", "b binary\n"),
    "an attribute of the user's": lambda _repo: users_own("attributes", "a binary\n"),
    "what is too big for text": lambda repo: repo.git("config", "core.bigFileThreshold", "1"),
    "another commit in place of HEAD": lambda repo: repo.git("replace", "HEAD", other_commit(repo)),
    "another parent": lambda repo: (repo.git_dir / "info/grafts").write_text(f"{repo.oid()} {other_commit(repo)}\n"),
    "line ends": lambda repo: repo.git("config", "core.autocrlf", "input"),
    "an index that was only read": lambda repo: repo.git("update-index", "--refresh", check=False),
    "a file that is forgotten": lambda repo: repo.git("rm", "--quiet", "--cached", "a"),
    "a merge": lambda repo: (repo.git_dir / "MERGE_HEAD").write_text(repo.oid() + "\n"),
    "no repository": lambda repo: shutil.rmtree(repo.git_dir),
    "a bare repository": lambda repo: repo.git("config", "core.bare", "true"),
    "the main branch": lambda repo: repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/x"),
    "an edit of the same size and time": same_size_and_time,
    "a file in place of a directory": lambda repo: (shutil.rmtree(repo.path / "sub"), repo.write("sub")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_after_any_change_the_bytes_are_those_of_a_fresh_process(
    repo: Repo, asked: Asked, change: Callable[[Repo], object]
) -> None:
    repo.git("branch", "other")
    repo.write("noise")
    repo.write("sub/file")
    asked.fire()
    change(repo)
    assert asked.fire() == section(repo)
    assert asked.fire() == section(repo)


def test_another_file_of_attributes_is_watched_from_then_on(repo: Repo, asked: Asked, tmp_path: Path) -> None:
    repo.git("config", "core.attributesFile", str(tmp_path / "attributes"))
    time.sleep(0.02)
    asked.fire()
    assert "M +1 -1 a" in asked.fire()
    (tmp_path / "attributes").write_text("a binary\n")
    assert "M (binary) a" in asked.fire()


def test_an_edit_within_the_same_tick_of_the_clock_is_counted(
    repo: Repo, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One stat cannot tell it from the edit before, so what was edited a moment ago is counted each time."""
    path = repo.path / "a"
    path.write_text("A\n2\n3\nX\n")
    frozen = path.stat()
    monkeypatch.setattr("context_git_status.lines.time.time_ns", lambda: frozen.st_ctime_ns)
    real = os.lstat
    monkeypatch.setattr(os, "lstat", lambda name: frozen if str(name) == str(path) else real(name))
    assert "M +2 -2 a" in asked.fire()
    path.write_text("A\nB\nC\nX\n")
    assert "M +4 -4 a" in asked.fire()


def test_a_work_tree_that_is_put_elsewhere_later_is_not_listed(repo: Repo, asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "password").touch()
    repo.git("config", "core.worktree", str(tmp_path / "secrets"))
    shown = asked.fire()
    assert shown.startswith("This repository's configuration puts its work tree elsewhere (core.worktree)")
    assert "password" not in shown
    repo.git("config", "--unset", "core.worktree")
    assert "M +1 -1 a" in asked.fire()


def test_a_work_tree_that_is_deleted_and_made_again(repo: Repo, asked: Asked, tmp_path: Path) -> None:
    before = asked.ladder
    shutil.copytree(repo.path, tmp_path / "copy")
    shutil.rmtree(repo.path)
    assert asked.fire() == ""
    shutil.copytree(tmp_path / "copy", repo.path)
    asked.fire()
    assert asked.ladder == before


def test_a_session_that_works_elsewhere_has_its_relative_paths_read_anew(repo: Repo, tmp_path: Path) -> None:
    repo.write("sub/a", "new\n")
    repo.git("add", "sub/a")
    asked = Asked.about(tmp_path, repository=str(repo.path))
    assert "* M +1 -1 a" in asked.fire("a", directory=repo.path)
    shown = asked.fire("a", directory=repo.path / "sub")
    assert "* A +1 -0 sub/a" in shown
    assert "  M +1 -1 a" in shown


class Queue:
    """A lock that tells who comes to wait for it."""

    def __init__(self) -> None:
        self.arrived = threading.Semaphore(0)
        self._lock = threading.Lock()
        self.release = self._lock.release

    def acquire(self, *, timeout: float) -> bool:
        self.arrived.release()
        return self._lock.acquire(timeout=timeout)


def test_sessions_that_ask_at_once_share_the_next_reading(repo: Repo) -> None:
    """One that was begun before they asked is not good enough, and one each would be a queue."""
    asked = Asked.about(repo, timeout_ms=20_000)
    asked.fire()
    queue = asked.provider._repositories.get(str(repo.path))._lock = Queue()  # type: ignore[assignment]
    run = asked.provider._runner.run
    first, release = threading.Event(), threading.Event()
    statuses: list[object] = []

    def held(command: tuple[str, ...], **options: object) -> object:
        if "status" in command:
            statuses.append(command)
            first.set()
            release.wait(20)
        return run(command, **options)  # type: ignore[arg-type]

    asked.provider._runner.run = held  # type: ignore[method-assign, assignment]
    texts: dict[str, str] = {}

    def ask(session: str) -> None:
        texts[session] = Asked(asked.provider, repo.path).fire(session=session)

    threads = [threading.Thread(target=ask, args=(str(number),)) for number in range(8)]
    threads[0].start()
    first.wait(20)
    for thread in threads[1:]:
        thread.start()
    for _ in threads:
        queue.arrived.acquire(timeout=20)
    repo.commit("While they wait")
    release.set()
    for thread in threads:
        thread.join()
    assert len(statuses) == 2
    assert all("While they wait" in texts[str(number)] for number in range(1, 8))
