"""A convention file, read: decoded, without front matter and comments, its lines and marks known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from context_common.markdown import comments
from context_common.markdown.comments import CommentMode, Stripped
from context_common.markdown.decode import NotTextError, Undecodable, decode
from context_common.markdown.frontmatter import split_front_matter
from context_common.markdown.limits import LINE_LIMIT, SIZE_LIMIT, is_too_long
from context_common.markdown.marks import Mark, MarkKind, Reach
from context_common.markdown.notice import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CommentMode",
    "Document",
    "Mark",
    "MarkKind",
    "NotTextError",
    "Notice",
    "Reach",
    "Undecodable",
    "read_document",
]


@dataclass(frozen=True, slots=True)
class Document:
    """What a source says to the model, and what it says about itself.

    Attributes:
        text: the text without front matter and comments, LF line ends.
        lines: the 1-based source line of every line of ``text``; empty where they count up from 1.
        marks: the keep and drop marks that stood in the source.
        metadata: the front matter, empty where there is none.
        warnings: what its author should mend, by source line.
    """

    text: str
    lines: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()


def read_document(data: bytes, strip_comments: CommentMode = CommentMode.ALL) -> Document:
    """The document that the bytes of a file hold.

    Raises:
        NotTextError: they are not text.
    """
    decoded = decode(data)
    front = split_front_matter(decoded.text)
    stripped = _stripped(front.body, strip_comments)
    offset = front.first_line
    lines = tuple(line + offset for line in stripped.lines)
    if offset > 1 and not lines:
        lines = tuple(range(offset, offset + stripped.text.count("\n") + 1))
    return Document(
        text=stripped.text,
        lines=lines,
        marks=stripped.marks,
        metadata=front.metadata,
        warnings=(
            *decoded.warnings,
            *front.warnings,
            *(Notice(warning.line + offset - 1, warning.message) for warning in stripped.warnings),
        ),
    )


def _stripped(body: str, mode: CommentMode) -> Stripped:
    if "<!--" in body and is_too_long(body):
        limit = f"over {LINE_LIMIT:,} lines or {SIZE_LIMIT:,} characters"
        return Stripped(body, warnings=(Notice(1, f"the text is too long to look for comments, {limit}: they stay"),))
    return comments.strip_comments(body, mode)
