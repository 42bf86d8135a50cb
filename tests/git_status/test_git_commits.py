"""Recent commits, whatever their subjects hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.git_repos import lines, section

if TYPE_CHECKING:
    from support.git_repos import Repo


def test_no_url_and_no_address_is_shown(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "https://user:token@host.example/r")
    repo.git("config", "branch.main.remote", "https://user:token@host.example/r")
    repo.git("config", "branch.main.merge", "refs/heads/main")
    shown = section(repo)
    assert "token" not in shown
    assert "example" not in shown


def test_a_subject_of_two_hundred_thousand_bytes(repo: Repo) -> None:
    (repo.path.parent / "message").write_text("x" * 200_001)
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    assert lines(repo)[-2] == f"  {repo.oid()[:8]} {'x' * 79}…"


def test_a_subject_of_two_hundred_thousand_characters_without_width(repo: Repo) -> None:
    """Git measures columns, so its own cut does not help here; the other commits are still told."""
    (repo.path.parent / "message").write_text("y" + "\u0301" * 100_000)
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    shown = lines(repo)
    assert shown[-1].endswith(" First")
    assert len(shown[-2]) < 120


def test_a_subject_that_is_no_utf8(repo: Repo) -> None:
    (repo.path.parent / "message").write_bytes(b"\xe9\xff \x1b[31m\n\nbody")
    repo.git("commit", "--quiet", "--allow-empty", "--file", str(repo.path.parent / "message"))
    shown = lines(repo)[-2]
    assert shown.isprintable()
    assert shown.endswith(r" \x1b[31m")


def test_a_subject_in_another_encoding(repo: Repo) -> None:
    (repo.path.parent / "message").write_bytes(b"caf\xe9")
    options = ("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "--allow-empty")
    repo.git(*options, "--file", str(repo.path.parent / "message"))
    assert lines(repo)[-2].endswith(" café")


def test_recent_commits_are_as_many_as_asked_for(repo: Repo) -> None:
    for number in range(6):
        repo.commit(f"Commit {number}")
    assert len(lines(repo)) - lines(repo).index("Recent commits:") - 1 == 5
    shown = lines(repo, recent_commits=2)
    assert [line.split(" ", 3)[3] for line in shown[shown.index("Recent commits:") + 1 :]] == ["Commit 5", "Commit 4"]
