"""The example in the README is what the provider says."""

from __future__ import annotations

from pathlib import Path

from support.git_repos import Repo, section

_README = Path(__file__).resolve().parents[2] / "providers" / "git_status" / "README.md"
_DATE = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}


def commit(repo: Repo, subject: str, files: dict[str, str]) -> None:
    for name, content in files.items():
        repo.write(name, content)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", subject, **_DATE)


def test_the_example_in_the_readme(tmp_path: Path) -> None:
    """A clone, a commit of its own, and work that has begun; the dates are fixed, so the names of commits are too."""
    origin = Repo.init(tmp_path / "origin")
    commit(origin, "First", {"README.md": "Tally\n", "src/api.py": "def post(): ...\n"})
    origin.git("clone", "--quiet", origin.path.as_uri(), str(tmp_path / "clone"))
    repo = Repo(tmp_path / "clone")
    repo.git("switch", "--quiet", "--create", "retries", "--track", "origin/main")
    commit(repo, "Count attempts", {"src/api.py": "def post(): ...\n\nattempts = 0\n"})
    repo.write("src/api.py", "def post(): ...\n\nattempts = 0\nlimit = 3\nwait = 1\n")
    repo.git("add", "--all")
    repo.write("README.md", "# Tally\n")
    repo.write("notes/today")
    assert f"\n{section(repo, 'src/api.py')}\n" in _README.read_text(encoding="utf-8")
