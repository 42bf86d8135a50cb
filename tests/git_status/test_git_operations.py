"""State files of a git directory, whatever they are made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.patience import Stopwatch

from context_git_status.operations import Operation, OperationKind, operations, small_file

if TYPE_CHECKING:
    from pathlib import Path

OID = "3" * 40


def test_an_idle_directory_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "open", lambda *_args, **_kwargs: pytest.fail("a file was opened"))
    assert operations(tmp_path) == ()


@pytest.mark.parametrize("name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"])
def test_a_fifo_in_place_of_a_state_file_holds_nothing_up(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    watch = Stopwatch()
    (operation,) = operations(tmp_path)
    assert watch.seconds < 0.2
    assert operation.commits == ()


def test_fifos_inside_a_rebase_hold_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "rebase-merge").mkdir()
    for name in ("head-name", "onto", "msgnum", "end"):
        os.mkfifo(tmp_path / "rebase-merge" / name)
    assert operations(tmp_path) == (Operation(OperationKind.REBASE, stale=True),)


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "elsewhere", "missing"])
def test_a_link_in_place_of_a_state_file_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").write_text(OID)
    (tmp_path / "MERGE_HEAD").symlink_to(target)
    assert operations(tmp_path) == (Operation(OperationKind.MERGE, stale=True),)


def test_a_link_in_place_of_a_state_directory_leads_nowhere(tmp_path: Path) -> None:
    outside, git_dir = tmp_path / "outside", tmp_path / "git"
    outside.mkdir()
    git_dir.mkdir()
    (outside / "head-name").write_text("refs/heads/secret")
    (git_dir / "rebase-merge").symlink_to(outside)
    assert operations(git_dir) == (Operation(OperationKind.REBASE, stale=True),)


def test_a_state_file_over_four_kibibytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 4097)
    (tmp_path / "small").write_bytes(b"x" * 4096)
    assert small_file(tmp_path, "big") == b""
    assert len(small_file(tmp_path, "small")) == 4096


def test_a_directory_in_place_of_a_state_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "MERGE_HEAD").mkdir()
    assert operations(tmp_path) == (Operation(OperationKind.MERGE, stale=True),)


def test_numbers_that_are_none_are_none(tmp_path: Path) -> None:
    (tmp_path / "rebase-merge").mkdir()
    (tmp_path / "rebase-merge" / "head-name").write_text("refs/heads/x")
    (tmp_path / "rebase-merge" / "msgnum").write_text("9" * 5000)
    (tmp_path / "rebase-merge" / "end").write_text("-1")
    assert operations(tmp_path) == (Operation(OperationKind.REBASE, branch=b"x", stale=True),)


def test_pseudo_refs_that_are_no_files_are_believed(tmp_path: Path) -> None:
    """Where refs are kept in tables, git is asked for them."""
    found = operations(tmp_path, {"CHERRY_PICK_HEAD": OID})
    assert found == (Operation(OperationKind.CHERRY_PICK, commits=(OID,)),)


_FILES = st.sampled_from(
    [
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "BISECT_LOG",
        "BISECT_START",
        "sequencer/todo",
        "rebase-merge/head-name",
        "rebase-merge/msgnum",
        "rebase-merge/end",
        "rebase-apply/applying",
        "rebase-apply/next",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(_FILES, st.binary(max_size=60), max_size=5))
def test_no_content_is_refused(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]) -> None:
    git_dir = tmp_path_factory.mktemp("git")
    for name, content in files.items():
        (git_dir / name).parent.mkdir(exist_ok=True)
        (git_dir / name).write_bytes(content)
    assert all(isinstance(operation, Operation) for operation in operations(git_dir))
