"""From a reading to the texts of the section, fullest first.

Names that the repository chose stand behind words of ours on a line of ours, and hold no blank unless quoted; a
commit's subject ends its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from context_git_status.config import SHOWN
from context_git_status.heads import HeadKind
from context_git_status.names import name
from context_git_status.outline import Entry
from context_git_status.phrases import age_line, counts_line, head_line, operation_line, short_head_line, upstream_line
from context_git_status.porcelain import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from context_git_status.lines import Lines
    from context_git_status.outline import Group, Row
    from context_git_status.porcelain import Status
    from context_git_status.reading import Reading

_NO_LINES: Final[Mapping[bytes, Lines]] = {}
_SLASH: Final = ord("/")
_LEGEND: Final = " (* = touched in this session)"


class _Cut(NamedTuple):
    """How much of a reading one text shows."""

    listing: int
    lines: bool
    commits: int
    conflicts: int


def ladder(reading: Reading, touched: Collection[bytes] = (), show: Collection[str] = SHOWN) -> tuple[str, ...]:
    """The texts of ``reading``, fullest first, each shorter than the one before; empty when there is nothing to say.

    First line counts go, then paths become directories and directories counts, then commits go from the oldest,
    and only then are conflicts rolled up. The last texts are counts below less and less of the state.

    Args:
        reading: what was found out.
        touched: paths, relative to the work tree's root, to mark in the lists.
        show: what the section holds, as in the configuration.
    """
    page = _Page(reading, touched, show)
    texts: list[str] = []
    for lines in (*(page.lines(cut) for cut in _cuts(reading, show)), *page.briefs()):
        text = "\n".join(lines)
        if text and (not texts or len(text.encode()) < len(texts[-1].encode())):
            texts.append(text)
    return tuple(texts)


def _cuts(reading: Reading, show: Collection[str]) -> Iterator[_Cut]:
    last = len(reading.levels.listings) - 1
    commits = len(reading.commits)
    if "lines" in show:
        yield _Cut(0, True, commits, 0)
    for listing in range(last + 1):
        yield _Cut(listing, False, commits, 0)
    for fewer in range(commits - 1, -1, -1):
        yield _Cut(last, False, fewer, 0)
    for conflicts in range(1, len(reading.levels.conflicts)):
        yield _Cut(last, False, 0, conflicts)


class _Page:
    """A reading with everything that its texts share."""

    def __init__(self, reading: Reading, touched: Collection[bytes], show: Collection[str]) -> None:
        self._reading = reading
        self._show = show
        self._marks = _Marks.of(reading.status, touched)
        self._head, self._operations, self._upstream = self._state_lines() if "state" in show else ([], [], [])
        self._failure = [] if reading.failure is None else [reading.failure.text]

    def lines(self, cut: _Cut) -> list[str]:
        status, show = self._reading.status, self._show
        lines = [*self._head, *self._operations, *self._upstream, *self._failure]
        if status is not None and "changes" in show:
            lines += self._changes(cut)
        if status is not None and status.stashes and "stashes" in show:
            lines.append(f"Stashes: {status.stashes:,}")
        if cut.commits and "commits" in show:
            lines.append("Recent commits:")
            lines += [f"  {commit.oid} {commit.subject}" for commit in self._reading.commits[: cut.commits]]
        if lines and status is not None:
            lines.insert(0, age_line(self._reading.below, paths="changes" in show and self._lists_paths(cut)))
        return lines

    def briefs(self) -> Iterator[list[str]]:
        """Less and less of the state, above the counts."""
        counts = [counts_line(self._reading)] if self._reading.status is not None and "changes" in self._show else []
        short_head = [short_head_line(self._reading)] if self._head else []
        for state in (
            [*self._head, *self._operations, *self._upstream],
            [*self._head, *self._operations],
            [*short_head, *self._operations],
            short_head,
        ):
            yield [*state, *self._failure, *counts]

    def _state_lines(self) -> tuple[list[str], list[str], list[str]]:
        reading = self._reading
        says_nothing = reading.failure is not None and reading.head.kind is HeadKind.UNKNOWN
        return (
            [] if says_nothing else [head_line(reading)],
            [operation_line(operation, reading.status) for operation in reading.operations],
            list(upstream_line(reading)),
        )

    def _lists_paths(self, cut: _Cut) -> bool:
        levels = self._reading.levels
        return any((levels.conflicts[cut.conflicts], *levels.listings[cut.listing]))

    def _changes(self, cut: _Cut) -> list[str]:
        reading, marks = self._reading, self._marks
        listing = reading.levels.listings[cut.listing]
        staged, unstaged = (reading.staged_lines, reading.unstaged_lines) if cut.lines else (_NO_LINES, _NO_LINES)
        conflicts = _block("Conflicts", reading.levels.conflicts[cut.conflicts], marks.conflicts)
        lists = [
            *_block("Staged", listing.staged, marks.staged, staged),
            *_block("Unstaged", listing.unstaged, marks.unstaged, unstaged),
            *_block("Untracked", listing.untracked, marks.untracked),
        ]
        legend = _LEGEND if any(line.startswith("*") for line in (*conflicts, *lists)) else ""
        return [*conflicts, counts_line(reading) + legend, *reading.gaps, *lists]


class _Marks(NamedTuple):
    """The touched paths of each list, as the list spells them."""

    conflicts: frozenset[bytes]
    staged: frozenset[bytes]
    unstaged: frozenset[bytes]
    untracked: frozenset[bytes]

    @classmethod
    def of(cls, status: Status | None, touched: Collection[bytes]) -> _Marks:
        if status is None or not touched:
            return cls(*[frozenset()] * 4)
        # An untracked directory is touched when something in it is.
        places = {path[: end + 1] for path in touched for end, byte in enumerate(path) if byte == _SLASH}
        wanted = places.union(touched)
        return cls(
            frozenset(conflict.path for conflict in status.conflicts if conflict.path in wanted),
            frozenset(c.path for c in status.changes if c.staged != UNCHANGED and {c.path, c.origin} & wanted),
            frozenset(c.path for c in status.changes if c.unstaged != UNCHANGED and {c.path, c.origin} & wanted),
            frozenset(wanted.intersection(status.untracked)),
        )


def _block(
    title: str, rows: Iterable[Row], marks: Collection[bytes], lines: Mapping[bytes, Lines] = _NO_LINES
) -> list[str]:
    shown = [_entry(row, marks, lines) if isinstance(row, Entry) else _group(row, marks) for row in rows]
    return [f"{title}:", *shown] if shown else []


def _entry(entry: Entry, marks: Collection[bytes], lines: Mapping[bytes, Lines]) -> str:
    words = ["*" if entry.path in marks else " "]
    if entry.code:
        words.append(entry.code)
    if entry.note:
        words.append(f"({entry.note})")
    if (counted := lines.get(entry.path)) is not None:
        words.append("(binary)" if counted.added is None else f"+{counted.added} -{counted.removed}")
    if entry.origin:
        words.append(f"{name(entry.origin)} ->")
    return " ".join([*words, name(entry.path)])


def _group(group: Group, marks: Collection[bytes]) -> str:
    counts = ", ".join(f"{count:,} {code}".rstrip() for code, count in group.codes.items())
    where = "directly in" if group.direct else "in"
    return f"{'*' if any(map(group.covers, marks)) else ' '} {counts} {where} {name(group.path)}"
