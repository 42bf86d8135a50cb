"""The provider as the runtime sees it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.git_repos import Asked, Repo, lines, section

from context_common.config import read
from context_common.errors import InvalidRequestError, SourceUnavailableError
from context_common.provider import Level, Stability
from context_git_status.config import GitStatusConfig
from context_git_status.provider import GitStatusProvider


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.with_commit(tmp_path / "r", {"src/a.py": "1\n", "b.py": "1\n"})


def test_the_facts() -> None:
    provider = GitStatusProvider
    assert (provider.name, provider.default_token_budget, provider.stability) == ("git-status", 500, Stability.DYNAMIC)


def test_the_section_is_dynamic_and_labelled(repo: Repo) -> None:
    asked = Asked.about(repo)
    asked.fire()
    (draft,) = asked.drafts
    assert (draft.label, draft.stability) == ("Git status", Stability.DYNAMIC)


def test_the_defaults() -> None:
    assert read(GitStatusConfig, {}) == GitStatusConfig(
        repository="",
        show=("state", "changes", "lines", "commits", "stashes"),
        recent_commits=5,
        untracked="normal",
        max_entries=60,
        timeout_ms=2000,
        trust_repository_config=False,
    )


@pytest.mark.parametrize(
    "values",
    [
        {"recent_commits": 51},
        {"recent_commits": -1},
        {"untracked": "some"},
        {"show": ["everything"]},
        {"max_entries": -1},
        {"timeout_ms": 1.5},
        {"trust_repository_config": "yes"},
    ],
)
def test_what_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(InvalidRequestError):
        read(GitStatusConfig, values)


def test_a_declared_repository_that_is_none_is_refused(tmp_path: Path, repo: Repo) -> None:
    bare = Repo.init(tmp_path / "bare.git", "--bare")
    for path in (tmp_path, tmp_path / "missing", bare.path, repo.path / ".git", "~nobody-of-that-name/x"):
        with pytest.raises(SourceUnavailableError, match="attribute 'repository' is '"):
            GitStatusProvider().configure(GitStatusConfig(repository=str(path)))


def test_a_declared_repository_is_reported_wherever_the_work_goes_on(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/new")
    asked = Asked.about(tmp_path, repository=str(repo.path / "src"))
    assert "The working directory is src/." in asked.fire()


def test_a_declared_repository_may_begin_at_home(home: Path) -> None:
    Repo.with_commit(home / "project")
    assert "On branch main" in section(home, repository="~/project")


def test_a_relative_repository_is_looked_up_from_the_working_directory_first(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    other = Repo.with_commit(tmp_path / "elsewhere" / "r")
    other.git("switch", "--quiet", "--create", "other")
    asked = Asked.about(tmp_path, repository="r")
    assert "On branch main" in asked.fire()
    assert "On branch other" in asked.fire(directory=tmp_path / "elsewhere")
    assert "On branch main" in asked.fire(directory=Path("/" + "x" * 5000))


def test_touched_paths_are_found_however_they_are_spelled(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "2\n")
    (tmp_path / "link").symlink_to(repo.path)
    spellings = ("src/a.py", "./src/../src/a.py", str(repo.path / "src/a.py"), str(tmp_path / "link/src/a.py"))
    for spelling in spellings:
        assert "* M +1 -1 src/a.py" in lines(repo, spelling), spelling
    asked = Asked.about(repo.path / "src")
    assert "* M +1 -1 src/a.py" in asked.fire("a.py")


def test_touched_paths_that_are_elsewhere_or_nonsense_mark_nothing(repo: Repo) -> None:
    repo.write("src/a.py", "2\n")
    for spelling in ("/etc/passwd", "..", "", "a\0b", "x" * 5000, "src"):
        assert "  M +1 -1 src/a.py" in lines(repo, spelling), spelling


def test_a_touched_file_marks_the_untracked_directory_that_holds_it(repo: Repo) -> None:
    repo.write("new/deep/file")
    assert lines(repo, "new/deep/file")[2:5] == ["1 untracked (* = touched in this session)", "Untracked:", "* new/"]


def test_a_touched_file_that_is_gone_is_marked(repo: Repo) -> None:
    (repo.path / "b.py").unlink()
    assert "* D +0 -1 b.py" in lines(repo, "b.py")


def test_a_failure_is_logged_once(repo: Repo) -> None:
    asked = Asked.about(repo)
    (repo.git_dir / "index").write_bytes(b"garbage")
    asked.fire()
    asked.fire()
    warnings = [message for level, message in asked.log if level is Level.WARN]
    assert len(warnings) == 1
    assert warnings[0].startswith("git cannot read this repository")


def test_what_was_read_is_logged_for_whoever_looks_for_it(repo: Repo) -> None:
    asked = Asked.about(repo)
    asked.fire()
    asked.fire()
    assert asked.log == [(Level.DEBUG, "read what moved")]


def test_two_repositories_in_one_session(repo: Repo, tmp_path: Path) -> None:
    other = Repo.with_commit(tmp_path / "other")
    other.git("switch", "--quiet", "--create", "other")
    asked = Asked.about(repo)
    for _ in range(2):
        assert "On branch main" in asked.fire()
        assert "On branch other" in asked.fire(directory=other.path)


def test_sessions_of_many_threads_at_once(repo: Repo) -> None:
    repo.write("b.py", "2\n")
    provider = Asked.about(repo)
    expected = provider.fire()
    texts: list[str] = []

    def work(name: str) -> None:
        asked = Asked(provider.provider, repo.path)
        texts.extend(asked.fire(session=name) for _ in range(5))

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [expected] * 30


def test_a_working_directory_that_cannot_be_one(tmp_path: Path) -> None:
    for directory in (tmp_path / "missing", tmp_path / "nul\0", Path("/dev/null"), Path("/" + "x" * 5000)):
        assert section(directory) == ""


def test_nothing_to_say_is_no_section(repo: Repo) -> None:
    """No stash, and nothing else is asked for."""
    asked = Asked.about(repo, show=("stashes",))
    assert asked.fire() == ""
    assert asked.drafts == []
