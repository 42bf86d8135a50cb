"""The text of the section, from values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.git_corpus import answer, cases, data

from context_git_status.commits import Commit, parse_log
from context_git_status.config import SHOWN
from context_git_status.failures import Failure, Reason
from context_git_status.heads import head
from context_git_status.lines import Lines
from context_git_status.listings import levels, shares
from context_git_status.operations import operations
from context_git_status.porcelain import Change, Conflict, Status, parse
from context_git_status.reading import Gap, Reading
from context_git_status.render import ladder

if TYPE_CHECKING:
    from pathlib import Path

_OPENINGS = ("Read for this call; paths start at the repository root.\n", "Read for this call.\n")
_KEYS = {"title", "records", "cut", "head", "state", "main", "below", "shallow", "jujutsu", "gaps", "commits"}
_KEYS |= {"staged_lines", "unstaged_lines", "failure", "touched", "max_entries", "show", "bytes", "text"}


def reading_of(case: dict[str, Any], git_dir: Path) -> Reading:
    """The reading that a case describes."""
    assert set(case) <= _KEYS, set(case) - _KEYS
    for name, content in case.get("state", {}).items():
        (git_dir / name).parent.mkdir(exist_ok=True)
        (git_dir / name).write_text(content)
    status = None if "failure" in case else parse(answer(case), complete=not case.get("cut"))
    failure = Failure(Reason[case["failure"][0]], case["failure"][1]) if "failure" in case else None
    shown = levels(status or Status(), case.get("max_entries", 60))
    return Reading(
        below=data(case.get("below", "")),
        failure=failure,
        status=status,
        levels=shown,
        head=head(status, data(case.get("head", ""))),
        operations=operations(git_dir),
        main_branch=data(case.get("main", "")),
        commits=tuple(Commit(*commit) for commit in case.get("commits", ())),
        staged_lines=_lines(case.get("staged_lines", {})),
        unstaged_lines=_lines(case.get("unstaged_lines", {})),
        gaps=tuple(Gap[name] for name in case.get("gaps", ())),
        shallow=case.get("shallow", False),
        jujutsu=case.get("jujutsu", False),
    )


def _lines(table: dict[str, list[int]]) -> dict[bytes, Lines]:
    return {data(path): Lines(*counts) if counts else Lines(None, None) for path, counts in table.items()}


@pytest.mark.parametrize("case", cases("sections.toml"))
def test_sections(case: dict[str, Any], tmp_path: Path) -> None:
    """Values in, the text of the section out."""
    touched = [data(path) for path in case.get("touched", ())]
    texts = ladder(reading_of(case, tmp_path), touched, case.get("show", SHOWN))
    limit = case.get("bytes", 1_000_000)
    text = next(text for text in texts if len(text.encode()) <= limit)
    lists_paths = any(line.startswith(("  ", "* ")) for line in text.partition("\nRecent commits:")[0].splitlines())
    opening = _OPENINGS[not lists_paths]
    assert text.removeprefix(opening) == case["text"].removeprefix("\n")


_PATH = st.lists(st.binary(min_size=1, max_size=6), min_size=1, max_size=3).map(b"/".join)
_STATUSES = st.builds(
    Status,
    oid=st.just("1" * 40),
    head=st.binary(max_size=8),
    upstream=st.binary(max_size=8),
    stashes=st.integers(0, 3),
    changes=st.lists(
        st.builds(Change, _PATH, st.sampled_from(".MADR"), st.sampled_from(".MDR"), _PATH), max_size=12
    ).map(tuple),
    conflicts=st.lists(st.builds(Conflict, _PATH, st.sampled_from(["UU", "AA", "D\n"])), max_size=5).map(tuple),
    untracked=st.lists(_PATH, max_size=12).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(_STATUSES, st.integers(1, 20), st.lists(_PATH, max_size=4), st.binary(max_size=30))
def test_no_name_breaks_a_line_and_every_text_is_shorter_than_the_last(
    status: Status, limit: int, touched: list[bytes], subject: bytes
) -> None:
    """Whatever a repository calls things."""
    reading = Reading(
        status=status,
        levels=levels(status, limit),
        head=head(status, b""),
        commits=parse_log(b"%s\x1f12345678\x1f%s\0" % (b"1" * 40, subject))[1],
    )
    texts = ladder(reading, touched)
    sizes = [len(text.encode()) for text in texts]
    assert sizes == sorted(set(sizes), reverse=True)
    first = texts[0].splitlines()
    assert len(first) == texts[0].count("\n") + 1


@settings(deadline=None)
@given(st.integers(0, 40), st.lists(st.integers(0, 30), max_size=5))
def test_rows_are_dealt_out_completely_and_never_to_a_list_that_has_enough(limit: int, sizes: list[int]) -> None:
    dealt = shares(limit, sizes)
    assert sum(dealt) == min(limit, sum(sizes))
    assert all(share <= size for share, size in zip(dealt, sizes, strict=True))
    hungry = [share for share, size in zip(dealt, sizes, strict=True) if share < size]
    assert not hungry or max(dealt) <= min(hungry) + 1


@settings(max_examples=60, deadline=None)
@given(_STATUSES, st.integers(1, 12))
def test_at_most_max_entries_rows_are_listed(status: Status, limit: int) -> None:
    """Unless one row for each list that has any is more than that."""
    shown = levels(status, limit)
    rows = sum(map(len, shown.listings[0])) + len(shown.conflicts[0])
    assert rows <= limit


@settings(max_examples=60, deadline=None)
@given(_STATUSES)
def test_conflicts_are_whole_while_anything_else_is_listed(status: Status) -> None:
    """In every text of the ladder."""
    reading = Reading(
        status=status, levels=levels(status, 100), head=head(status, b""), commits=(Commit("12345678", "Subject"),)
    )
    for text in ladder(reading):
        lines = text.splitlines()
        if {"Staged:", "Unstaged:", "Untracked:", "Recent commits:"}.intersection(lines):
            conflicts = lines[lines.index("Conflicts:") + 1 :] if status.conflicts else []
            block = [line for line in conflicts[: len(status.conflicts)] if line.startswith("  ")]
            assert len(block) == len(status.conflicts)
