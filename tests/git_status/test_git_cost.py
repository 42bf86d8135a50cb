"""What a firing costs: processes, and bytes that stay the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Asked, Repo

from context_common.budget import fit
from context_common.provider import Stability

if TYPE_CHECKING:
    from pathlib import Path

ALL = ["rev-parse", "config", "log", "status", "diff-index", "diff-files"]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Something in every list, and all of it older than a tick of the clock."""
    repo = Repo.with_commit(tmp_path / "r", {"a": "1\n", "b": "1\n", "gone": "1\n"})
    repo.write("a", "2\n")
    repo.git("add", "a")
    repo.write("b", "2\n")
    (repo.path / "gone").unlink()
    repo.write("new")
    time.sleep(0.02)
    return repo


@pytest.fixture
def asked(repo: Repo) -> Asked:
    """Fired once."""
    asked = Asked.about(repo)
    asked.fire()
    return asked


def verbs(asked: Asked, *touched: str) -> list[str]:
    asked.fire(*touched)
    return asked.verbs


def test_the_first_firing_takes_six_processes_and_the_next_one(repo: Repo) -> None:
    asked = Asked.about(repo)
    assert verbs(asked) == ALL
    for _ in range(3):
        assert verbs(asked) == ["status"]


def test_a_clean_repository_takes_four_and_then_one(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path)
    time.sleep(0.02)
    asked = Asked.about(repo)
    assert verbs(asked) == ALL[:4]
    assert verbs(asked) == ["status"]


def test_nothing_moved_and_the_draft_is_the_same_object(asked: Asked) -> None:
    before = asked.drafts
    asked.fire()
    assert asked.drafts is before


def test_the_bytes_are_those_of_a_provider_that_starts_afresh(asked: Asked, repo: Repo) -> None:
    repo.write("b", "3\n4\n")
    repo.commit("Second")
    repo.write("b", "5\n")
    asked.fire()
    assert Asked.about(repo).fire() == asked.ladder[0]


def test_time_that_passes_changes_no_byte(asked: Asked) -> None:
    before = asked.ladder
    time.sleep(1.1)
    asked.fire()
    assert asked.ladder == before


def test_files_that_only_look_changed_change_no_byte(asked: Asked, repo: Repo) -> None:
    """Their lines are counted again, once."""
    before = asked.ladder
    (repo.path / "b").write_text("2\n")
    time.sleep(0.02)
    assert verbs(asked) == ["status", "diff-files"]
    assert asked.ladder == before
    assert verbs(asked) == ["status"]


def test_a_listed_file_that_changes_again_is_counted_again(asked: Asked, repo: Repo) -> None:
    """Although git's status says the very same."""
    repo.write("b", "2\n3\n")
    assert verbs(asked) == ["status", "diff-files"]
    assert "  M +2 -1 b" in asked.ladder[0]
    (command,) = [command for command in asked.commands if "diff-files" in command]
    assert command[command.index("--") + 1 :] == ("b",)


def test_a_change_that_is_staged_is_counted_in_the_index(asked: Asked, repo: Repo) -> None:
    repo.git("add", "b")
    assert verbs(asked) == ["status", "diff-index"]
    assert "  M +1 -1 b" in asked.ladder[0]


def test_a_commit_moves_the_log_and_nothing_else(asked: Asked, repo: Repo) -> None:
    repo.git("commit", "--quiet", "--message", "Second")
    assert verbs(asked) == ["status", "log"]
    assert verbs(asked) == ["status"]


def test_a_new_untracked_file_costs_nothing_more(asked: Asked, repo: Repo) -> None:
    repo.write("newer")
    assert verbs(asked) == ["status"]
    assert "  newer" in asked.ladder[0]


def test_another_configuration_is_probed(asked: Asked, repo: Repo) -> None:
    repo.git("config", "status.showUntrackedFiles", "no")
    assert verbs(asked) == ["rev-parse", "config", "status"]
    assert "status.showUntrackedFiles=no" in asked.ladder[0]
    time.sleep(0.02)
    asked.fire()
    assert verbs(asked) == ["status"]


def test_lines_are_counted_again_when_a_filter_comes_or_goes(asked: Asked, repo: Repo) -> None:
    """What it makes of a file decides."""
    repo.git("config", "filter.x.clean", "cat")
    assert verbs(asked) == ["rev-parse", "config", "status", "diff-index", "diff-files"]


def test_a_branch_that_is_switched_is_probed(asked: Asked, repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "topic")
    time.sleep(0.02)
    assert verbs(asked) == ["rev-parse", "config", "status"]
    assert "On branch topic" in asked.ladder[0]


def test_everything_at_once_takes_six_at_most(asked: Asked, repo: Repo) -> None:
    shutil.move(repo.path / ".git", repo.path.parent / "moved")
    shutil.copytree(repo.path.parent / "moved", repo.path / ".git")
    repo.git("config", "a.b", "c")
    repo.commit("Second")
    repo.write("a", "3\n")
    repo.git("add", "a")
    repo.write("b", "3\n")
    assert len(verbs(asked)) <= 6


def test_an_unborn_branch_asks_for_its_log_once(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    time.sleep(0.02)
    asked = Asked.about(repo)
    asked.fire()
    assert verbs(asked) == ["status"]


def test_the_main_branch_is_read_without_a_process(asked: Asked, repo: Repo) -> None:
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert verbs(asked) == ["status"]
    assert "On branch main (the main branch)" in asked.ladder[0]


def test_what_is_not_shown_is_not_asked_for(repo: Repo) -> None:
    asked = Asked.about(repo, show=("state",))
    assert verbs(asked) == ["rev-parse", "config", "status"]
    assert "--untracked-files=no" in asked.commands[-1]
    asked = Asked.about(repo, show=("state", "changes"))
    assert verbs(asked) == ["rev-parse", "config", "status"]


def test_a_path_that_is_touched_costs_no_process(asked: Asked, repo: Repo) -> None:
    assert verbs(asked, str(repo.path / "b")) == ["status"]
    assert "* M +1 -1 b" in asked.ladder[0]


def test_sessions_share_what_was_read_and_not_what_was_touched(asked: Asked) -> None:
    asked.fire("b")
    assert "* M +1 -1 b" in asked.ladder[0]
    asked.fire(session="another")
    assert "*" not in asked.ladder[0]
    assert asked.verbs == ["status"]
    asked.fire("b")
    assert "* M +1 -1 b" in asked.ladder[0]


def test_lines_of_very_large_files_are_not_counted(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"big": "1\n", "small": "1\n"})
    repo.write("big", b"2\n" * (3 * 1024 * 1024))
    repo.write("small", "2\n")
    assert Asked.about(repo).fire().splitlines()[5:7] == ["  M big", "  M +1 -1 small"]


def test_an_answer_over_the_limit_is_cut_and_said_to_be(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_git_status.scan.OUTPUT_LIMIT", 10_000)
    for number in range(1000):
        (repo.path / f"untracked{number:04}").touch()
    shown = Asked.about(repo).fire()
    count = next(line for line in shown.splitlines() if line.startswith("At least "))
    assert count.startswith("At least 1 staged, 2 unstaged, ")
    assert 500 < int(count.split(", ")[2].split()[0]) < 1000
    assert "git listed more than was read, so the counts are the least there is." in shown


def test_a_budget_is_used_well(tmp_path: Path) -> None:
    """With sixty files in six directories, no budget leaves more than a directory's worth of it unused."""
    repo = Repo.init(tmp_path)
    for number in range(60):
        repo.write(f"package{number // 10}/module{number:02}.py")
    repo.git("add", "--all")
    asked = Asked.about(repo)
    whole = len(asked.fire().encode())
    smallest = len(asked.ladder[-1].encode())
    for budget in range(smallest, whole, 50):
        (section,) = fit(asked.drafts, budget, lambda text: len(text.encode()))
        assert section.truncated
        assert section.tokens <= budget
        assert budget - section.tokens < 350, budget
    (section,) = fit(asked.drafts, whole, lambda text: len(text.encode()))
    assert not section.truncated
    assert section.stability is Stability.DYNAMIC


def test_rolling_up_to_max_entries_is_not_called_truncated(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    for number in range(30):
        repo.write(f"d/{number}")
    repo.git("add", "--all")
    asked = Asked.about(repo, max_entries=10)
    assert "  30 A in d/" in asked.fire() or "30 staged" in asked.ladder[0]
    (section,) = fit(asked.drafts, 100_000, len)
    assert not section.truncated


def test_the_provider_never_pays_for_a_library_that_it_does_not_use(repo: Repo) -> None:
    """Not when it is imported, and not when its section is shortened."""
    script = (
        "import sys; from pathlib import Path; from context_common.budget import fit;"
        "from context_common.provider import Request; from context_git_status.config import GitStatusConfig;"
        "from context_git_status.provider import GitStatusProvider; provider = GitStatusProvider();"
        "provider.configure(GitStatusConfig());"
        "drafts = provider.contribute(Request(working_directory=Path.cwd()));"
        "assert fit(drafts, 60, len)[0].truncated;"
        "print(*{'markdown_it', 'yaml', 'frontmatter', 'pathspec', 'bracex', 'grpc'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=repo.path, capture_output=True, check=True, text=True)
    assert run.stdout.strip() == ""
