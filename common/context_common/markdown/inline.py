"""What inline content has besides plain text: code spans, HTML, autolinks, images and the targets of links.

Read in one pass with a stack of open brackets. markdown-it's inline rules look ahead from every bracket, which costs a
paragraph of nothing but brackets a minute per megabyte.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import TYPE_CHECKING, Any

from context_common.markdown.parser import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PARENTHESES = 32
"""How deep parentheses nest in a link's destination; CommonMark leaves the limit to its readers."""

MAX_LABEL = 999
"""How long a label may be, by CommonMark."""


class SpanKind(StrEnum):
    """What a span is."""

    CODE = "code"
    HTML = "html"
    AUTOLINK = "autolink"
    IMAGE = "image"
    TARGET = "target"
    """Of a link, all behind its text: from the closing bracket on."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of inline content that is not plain text."""

    kind: SpanKind
    start: int
    end: int

    def text_in(self, content: str) -> str:
        """The stretch of ``content``."""
        return content[self.start : self.end]


def inline_spans(content: str, references: Mapping[str, Any]) -> list[Span]:
    """What in ``content`` is not plain text, in order; what stands in the description of an image is part of that."""
    return _Scan(content, references).spans


def labels_used(content: str, references: Mapping[str, Any]) -> set[str]:
    """The normalised labels of the definitions that links and images in ``content`` use."""
    return _Scan(content, references).labels if references and "[" in content else set()


_TOKEN = re.compile(r"\\.|`+|<|!?\[|\]", re.DOTALL)

_LABEL = re.compile(rf"\[((?:[^\[\]\\]|\\.){{0,{MAX_LABEL}}}+)\]", re.DOTALL)
_TO = reduce(lambda inner, _: rf"(?:[^\x00-\x20\x7f()\\]|\\[()\\]?|\({inner}\))*+", range(MAX_PARENTHESES), "")
_TARGET = re.compile(
    rf"""\([ \t\n]*+(?:<(?:[^<>\n\\]|\\.)*+>|(?!<){_TO})"""
    r"""(?:[ \t\n]++(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+[ \t\n]*+\)""",
    re.DOTALL,
)

_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+"
    r"|[\w.!#$%&'*+/=?^`{|}~-]++@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*+)>",
    re.IGNORECASE | re.ASCII,
)
_TAG = re.compile(
    r"""<(?:[a-z][a-z0-9-]*+(?:[ \t\n]++[a-z_:][a-z0-9_:.-]*+"""
    r"""(?:[ \t\n]*+=[ \t\n]*+(?:[^ \t\n"'=<>`]++|'[^']*+'|"[^"]*+"))?)*+[ \t\n]*+/?|/[a-z][a-z0-9-]*+[ \t\n]*+)>""",
    re.IGNORECASE | re.ASCII,
)
_DECLARATION = re.compile("<![a-z]", re.IGNORECASE | re.ASCII)
# What opens HTML that is no tag, what ends it, and how far behind the opening's first character that may begin.
_RAW = (("<!--", "-->", 2), ("<?", "?>", 2), ("<![CDATA[", "]]>", 9), ("<!", ">", 3))


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open.

    Attributes:
        start: where it stands, or the ``!`` before it.
        text: where the text behind it begins.
        spans: how many spans there are before it.
        has_link: whether there is a link in it, so that it is none itself.
        has_brackets: whether there are brackets in it, so that its text is no label.
    """

    start: int
    text: int
    spans: int
    has_link: bool = False
    has_brackets: bool = False

    @property
    def is_image(self) -> bool:
        return self.text - self.start > 1


class _Scan:
    def __init__(self, content: str, references: Mapping[str, Any]) -> None:
        self.spans: list[Span] = []
        self.labels: set[str] = set()
        self._content = content
        self._references = references
        self._open: list[_Bracket] = []
        self._backticks: dict[int, list[int]] | None = None
        self._never: set[str] = set()
        position = 0
        while token := _TOKEN.search(content, position):
            position = self._after(token)

    def _after(self, token: re.Match[str]) -> int:
        """Read ``token`` and what it begins; where that ends."""
        start, end = token.span()
        match token[0][-1]:
            case _ if token[0][0] == "\\":
                return end
            case "[":
                self._open.append(_Bracket(start, end, len(self.spans)))
                return end
            case "]":
                return self._close(start) if self._open else end
            case "`":
                return self._add(SpanKind.CODE, start, self._end_of_code(start, end)) or end
        if autolink := _AUTOLINK.match(self._content, start):
            return self._add(SpanKind.AUTOLINK, start, autolink.end()) or end
        return self._add(SpanKind.HTML, start, self._end_of_html(start)) or end

    def _add(self, kind: SpanKind, start: int, end: int) -> int:
        if end:
            self.spans.append(Span(kind, start, end))
        return end

    def _end_of_code(self, start: int, end: int) -> int:
        """Where the next run of as many backticks ends; 0 without one."""
        if self._backticks is None:
            self._backticks = {}
            for run in re.finditer("`+", self._content):
                self._backticks.setdefault(len(run[0]), []).append(run.start())
        runs = self._backticks.get(end - start, [])
        at = bisect_left(runs, end)
        return runs[at] + end - start if at < len(runs) else 0

    def _end_of_html(self, start: int) -> int:
        """Where the HTML that begins at ``start`` ends; 0 if none does."""
        content = self._content
        if tag := _TAG.match(content, start):
            return tag.end()
        for opening, ending, offset in _RAW:
            if content.startswith(opening, start) and ending not in self._never:
                if opening == "<!" and not _DECLARATION.match(content, start):
                    continue
                at = content.find(ending, start + offset)
                if at >= 0:
                    return at + len(ending)
                # What does not end here never does, and to look again from every opening would take forever.
                self._never.add(ending)
        return 0

    def _close(self, position: int) -> int:
        """Close the innermost bracket at ``position``; where the link or image ends that it may begin."""
        bracket = self._open.pop()
        end = 0 if bracket.has_link and not bracket.is_image else self._end_of_target(bracket, position)
        if self._open:
            around = self._open[-1]
            around.has_brackets = True
            around.has_link = around.has_link or (not bracket.is_image if end else bracket.has_link)
        if end and bracket.is_image:
            del self.spans[bracket.spans :]
            return self._add(SpanKind.IMAGE, bracket.start, end)
        return self._add(SpanKind.TARGET, position, end) or position + 1

    def _end_of_target(self, bracket: _Bracket, position: int) -> int:
        """Where that ends which makes a link or an image of a bracket that is closed at ``position``; 0 without it."""
        if target := _TARGET.match(self._content, position + 1):
            return target.end()
        written = _LABEL.match(self._content, position + 1)
        is_label = not bracket.has_brackets and position - bracket.text <= MAX_LABEL
        label = (written and written[1]) or (self._content[bracket.text : position] if is_label else "")
        if not self._references or normalised(label) not in self._references:
            return 0
        self.labels.add(normalised(label))
        return written.end() if written else position + 1
