"""Changed paths, whatever they are called."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from support.git_repos import Repo, lines, section

if TYPE_CHECKING:
    from pathlib import Path


def test_a_rename_in_the_index(tmp_path: Path) -> None:
    repo = Repo.with_commit(tmp_path, {"old": "a text that is long enough to be recognised\n" * 5})
    repo.git("mv", "old", "new")
    repo.write("new", "a text that is long enough to be recognised\n" * 5 + "more\n")
    repo.git("add", "new")
    assert "  R +1 -0 old -> new" in lines(repo)


def test_all_seven_kinds_of_conflict(tmp_path: Path) -> None:
    """Written into the index stage by stage: base, ours, theirs."""
    repo = Repo.with_commit(tmp_path, {"seed": "1"})
    blob = repo.oid("HEAD:seed")
    stages = {"dd": "1", "au": "2", "ud": "12", "ua": "3", "du": "13", "aa": "23", "uu": "123"}
    feed = "".join(f"100644 {blob} {stage}\t{name}\n" for name, kinds in stages.items() for stage in kinds)
    (tmp_path.parent / "feed").write_text(feed)
    with (tmp_path.parent / "feed").open() as source:
        subprocess.run(["git", "update-index", "--index-info"], cwd=tmp_path, stdin=source, check=True)
    assert lines(repo)[2:11] == [
        "Conflicts:",
        "  both added aa",
        "  added by us au",
        "  both deleted dd",
        "  deleted by us du",
        "  added by them ua",
        "  deleted by them ud",
        "  both modified uu",
        "7 conflicts",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("文件", "文件"),
        (b"caf\xe9", r"caf\xe9"),
        ("a\nOn branch forged", r'"a\nOn branch forged"'),
        ("tab\there", r"tab\there"),
        ("\x1b[31mred", r"\x1b[31mred"),
        (" leading", '" leading"'),
        ("trailing ", '"trailing "'),
        ("a -> b", '"a -> b"'),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("-option", "-option"),
        (":(glob)*", ":(glob)*"),
    ],
)
def test_hostile_file_names(repo: Repo, name: str | bytes, shown: str) -> None:
    """Untracked, staged and changed; line counts are found by the exact name."""
    repo.write(name, "1\n")
    assert f"  {shown}" in lines(repo)
    repo.git("add", "--all")
    assert f"  A +1 -0 {shown}" in lines(repo)
    repo.git("commit", "--quiet", "--message", "x")
    repo.write(name, "2\n")
    assert f"  M +1 -1 {shown}" in lines(repo)


def test_untracked_files_that_the_repository_hides_stay_hidden(repo: Repo) -> None:
    repo.write("new")
    repo.git("config", "status.showUntrackedFiles", "no")
    assert lines(repo)[2:4] == [
        "Nothing staged or modified, untracked unknown",
        "Untracked files were not scanned: status.showUntrackedFiles=no.",
    ]


def test_untracked_as_configured(repo: Repo) -> None:
    repo.write("d/a")
    repo.write("d/b")
    assert lines(repo)[3:5] == ["Untracked:", "  d/"]
    assert lines(repo, untracked="all")[3:6] == ["Untracked:", "  d/a", "  d/b"]
    assert lines(repo, untracked="no")[3] == 'Untracked files were not scanned: untracked = "no".'


def test_settings_that_reach_the_output_of_git_status_change_nothing(repo: Repo) -> None:
    repo.write("new")
    repo.write("file.txt", "two\n")
    before = section(repo)
    for setting in (
        "color.ui=always", "color.status=always", "status.short=true", "status.branch=true", "status.showStash=true",
        "status.relativePaths=false", "status.aheadBehind=false", "status.submoduleSummary=true", "column.ui=always",
        "core.quotePath=true", "core.abbrev=4", "log.decorate=full", "log.date=relative", "format.pretty=raw",
        "diff.noprefix=true", "diff.relative=true", "log.follow=true", "i18n.logOutputEncoding=UTF-16",
        "alias.status=!exit 7", "core.pager=exit 7", "status.renames=false",
    ):  # fmt: skip
        repo.git("config", *setting.split("=", 1))
    assert section(repo) == before


def test_five_thousand_untracked_files_are_counted_and_not_listed(repo: Repo) -> None:
    repo.write("d/.keep")
    repo.commit("Keep")
    for number in range(5000):
        (repo.path / "d" / str(number)).touch()
    assert lines(repo)[2:5] == ["5,000 untracked", "Untracked:", "  5,000 in d/"]
