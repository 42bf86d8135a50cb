"""Clones, indexes and object formats that are not the plain ones."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from support.git_repos import NOTHING, Asked, Repo, lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_shallow(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}")
    other = repo.clone(tmp_path / "c", "--depth=1")
    repo.commit("One more")
    other.git("fetch", "--quiet", "--depth=1")
    shown = lines(other)
    assert shown[1] == "Upstream origin/main: 1 ahead, 1 behind (a guess: the clone is shallow)"
    other.git("fetch", "--quiet", "--unshallow")
    assert lines(other)[1] == "Upstream origin/main: 1 behind"


def test_sparse(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"in/a": "1", "out/b": "1"})
    repo.git("sparse-checkout", "set", "in")
    assert not (tmp_path / "out").exists()
    assert lines(repo)[2:4] == [NOTHING, "Sparse checkout: tracked files outside it are absent on purpose."]


def test_a_sparse_index(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"in/a": "1", "out/b": "1"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.write("in/a", "2")
    assert "  M +1 -1 in/a" in lines(repo)


def test_a_split_index(repo: Repo) -> None:
    repo.git("update-index", "--split-index")
    repo.write("file.txt", "two\n")
    assert "  M +1 -1 file.txt" in lines(repo)


def test_an_index_without_a_checksum(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    repo.git("config", "index.skipHash", "true")
    repo.commit("First", {"a": "1\n"})
    repo.write("a", "2\n")
    assert "  M +1 -1 a" in lines(repo)


def test_sha256(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path, "--object-format=sha256")
    repo.write("a", "1\n")
    repo.git("add", "a")
    assert "  A +1 -0 a" in lines(repo)
    repo.commit("First")
    repo.write("a", "2\n")
    repo.git("add", "a")
    shown = lines(repo)
    assert "  M +1 -1 a" in shown
    assert shown[-1] == f"  {repo.oid()[:8]} First"


def test_where_refs_are_kept_in_tables_git_is_asked_for_them(repo: Repo, instead: Callable[[str], None]) -> None:
    """This git knows no such format, so its answers are written here as the newer one gives them."""
    oid = repo.oid()
    instead(
        r"*get-regexp*) printf 'local\0file:.git/config\0extensions.refstorage\nreftable\0'; exit;; "
        f"*for-each-ref*) printf '%s\\n' 'CHERRY_PICK_HEAD {oid} ' "
        f"'refs/remotes/origin/HEAD {oid} refs/remotes/origin/trunk'; exit;;"
    )
    repo.write("file.txt", "2\n")
    asked = Asked.about(repo)
    shown = asked.fire().splitlines()
    assert shown[1:3] == ["On branch main; the main branch is trunk", f"Cherry-picking {oid[:8]}"]
    assert len(asked.commands) <= 6
    time.sleep(0.02)
    asked.fire()
    asked.fire()
    assert asked.verbs == ["status"]
