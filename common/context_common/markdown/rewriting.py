"""A document's lines written anew without its comments."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from context_common.markdown.inline_comments import HELD
from context_common.markdown.parser import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_common.markdown.block_comments import Removal

_QUOTED = BLANKS + ">"


class Rewriting:
    """What is left of ``lines`` when ``removals`` are gone and ``changed`` lines are what they became.

    Attributes:
        lines: the lines that are left.
        sources: the original line, 0-based, that each of them comes from.
    """

    def __init__(
        self,
        lines: list[str],
        removals: Iterable[Removal],
        changed: dict[int, str | None],
        *,
        hold: bool,
    ) -> None:
        self.lines: list[str] = []
        self.sources: list[int] = []
        self._gap: tuple[str, int] | None = None
        self._item: str | None = None
        done = 0
        for removal in removals:
            for comment in removal.each() if hold or removal.held else [removal]:
                self._copy(lines, range(done, comment.start), changed)
                done = comment.end
                if hold or removal.held:
                    self._hold(comment)
                else:
                    self._remove(comment)
        self._copy(lines, range(done, len(lines)), changed)
        if not self.lines:
            self._append("", 0)

    def line_of(self, source: int) -> int:
        """The first line with text that comes from ``source`` or from below it; one past the end without one."""
        line = bisect_left(self.sources, source)
        while line < len(self.lines) and not self.lines[line].strip(_QUOTED):
            line += 1
        return line

    def _copy(self, lines: list[str], span: range, changed: dict[int, str | None]) -> None:
        for line in span:
            text = changed.get(line, lines[line])
            if text is not None:
                self._write(text, line)

    def _remove(self, removal: Removal) -> None:
        if not (removal.begins_item or removal.heads_item):
            self._leave_gap(removal.prefix, removal.start)
        if removal.tail:
            self._write(removal.prefix + removal.tail, removal.end - 1)
            self._leave_gap(_without_markers(removal.prefix), removal.end - 1)
        elif removal.begins_item and self._item is None:
            self._item = removal.prefix

    def _hold(self, comment: Removal) -> None:
        self._write(f"{comment.prefix}{HELD} {comment.tail}".rstrip(BLANKS), comment.start)

    def _leave_gap(self, prefix: str, source: int) -> None:
        """Leave a blank line, should text follow text; between containers the outer one's."""
        blank = prefix.rstrip(BLANKS)
        if self._gap is None or blank.count(">") < self._gap[0].count(">"):
            self._gap = (blank, source)

    def _write(self, text: str, source: int) -> None:
        is_blank = not text.strip(_QUOTED)
        if self._item is not None:
            if is_blank:
                return
            text = _behind(self._item, text)
            self._item = None
        if self._gap and not is_blank and self.lines and self.lines[-1].strip(_QUOTED):
            self._append(*self._gap)
        self._gap = None
        self._append(text, source)

    def _append(self, text: str, source: int) -> None:
        self.lines.append(text)
        self.sources.append(source)


def _without_markers(prefix: str) -> str:
    """``prefix`` with list markers turned into indentation."""
    return "".join(char if char in _QUOTED else " " for char in prefix)


def _behind(prefix: str, text: str) -> str:
    """``text``, the first line that is left of a list item, behind the markers that stood before its comment."""
    head, rest = text[: len(prefix)], text[len(prefix) :]
    if "\t" in prefix or _without_markers(prefix) != head:
        return prefix + text.lstrip(_QUOTED)
    # More blanks behind a marker would move the column of the item's content, four begin indented code.
    return prefix + (rest if rest.startswith(("    ", "\t")) else rest.lstrip(" "))
