"""Front matter: found by us, read by python-frontmatter, and never at the price of prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from context_common.markdown.notice import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_LINES = 256
"""The closing delimiter stands within this many lines, or there is no front matter."""
MAX_SIZE = 2**16

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*(?P<separator>[:=])(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)$")
_COMMENT = re.compile(r"[ \t]*(?:#.*)?$")
_SPLITS = re.compile("[{},]")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)+")
_CLOSERS = {"---": ("---", "..."), "+++": ("+++",)}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A text split into what its front matter says and what is left.

    Attributes:
        metadata: the mapping, empty where there is no front matter.
        body: the text after the closing delimiter's line, byte for byte.
        first_line: the 1-based line of the text at which ``body`` begins.
    """

    metadata: Mapping[str, Any]
    body: str
    first_line: int = 1
    warnings: tuple[Notice, ...] = ()


def split_front_matter(text: str) -> FrontMatter:
    """Split YAML (``---``) or TOML (``+++``) front matter off ``text``, which has LF line ends and no BOM.

    Only a block that opens on line 1, closes within 256 lines and holds a mapping is front matter. A block that
    is not valid but whose lines look like ``key: value`` is read line by line, as strings, with a warning.
    Everything else is body.
    """
    delimiter = text[:3]
    if delimiter not in _CLOSERS:
        return FrontMatter({}, text, warnings=_behind_blank_lines(text))
    lines = text.split("\n", MAX_LINES)
    closer = _closing_line(lines, delimiter)
    if closer is None:
        return FrontMatter({}, text, warnings=_never_closed(lines, delimiter))
    block = lines[1:closer]
    if sum(map(len, block)) > MAX_SIZE:
        warning = Notice(1, f"front matter of more than {MAX_SIZE:,} characters is none: it stays as text")
        return FrontMatter({}, text, warnings=(warning,))
    body = "\n".join(lines[closer + 1 :])
    read: Callable[[str], object] = _read_yaml if delimiter == "---" else _read_toml
    try:
        metadata = read("\n".join(block))
    except Exception as error:  # noqa: BLE001  (YAML constructors raise whatever their value provokes)
        entries = _read_lines(block, ":" if delimiter == "---" else "=")
        if entries is None:
            return FrontMatter({}, text)
        reason = str(error).split("\n", 1)[0]
        warning = Notice(1, f"front matter was read line by line, because it is not valid: {reason}")
        return FrontMatter(entries, body, closer + 2, (warning,))
    if not isinstance(metadata, dict):
        return FrontMatter({}, text)
    return FrontMatter({str(key): value for key, value in metadata.items()}, body, closer + 2)


def _behind_blank_lines(text: str) -> tuple[Notice, ...]:
    """A warning about what would be front matter if it stood on line 1."""
    blank = _BLANK_LINES.match(text)
    if blank is None:
        return ()
    lines = text[blank.end() :].split("\n", MAX_LINES)
    delimiter = lines[0][:3]
    if delimiter not in _CLOSERS or not _closing_line(lines, delimiter) or not _KEY.match(lines[1]):
        return ()
    return (Notice(blank[0].count("\n") + 1, "front matter that does not begin on line 1 is none: it stays as text"),)


def _never_closed(lines: list[str], delimiter: str) -> tuple[Notice, ...]:
    """A warning about what would be front matter if it were shorter."""
    is_opened = lines[0].rstrip(" \t") == delimiter and len(lines) > MAX_LINES and _KEY.match(lines[1])
    if not is_opened or not any(f"\n{closer}\n" in lines[-1] for closer in _CLOSERS[delimiter]):
        return ()
    return (Notice(1, f"front matter of more than {MAX_LINES} lines is none: it stays as text"),)


def _closing_line(lines: list[str], delimiter: str) -> int | None:
    if lines[0].rstrip(" \t") != delimiter:
        return None
    closers = _CLOSERS[delimiter]
    return next((at for at, line in enumerate(lines[1:MAX_LINES], 1) if line.rstrip(" \t") in closers), None)


def _read_yaml(block: str) -> object:
    import frontmatter  # noqa: PLC0415  (most files have no front matter, and PyYAML takes 20 ms to import)

    from context_common.markdown.yaml_block import BlockHandler  # noqa: PLC0415

    handler = BlockHandler()
    frontmatter.parse(f"---\n{block}\n---", handler=handler)
    return handler.value


def _read_toml(block: str) -> object:
    import tomllib  # noqa: PLC0415  (rare)

    return tomllib.loads(block)


def _read_lines(block: list[str], separator: str) -> dict[str, Any] | None:
    """The entries of lines that look like ``key: value``, or None where one of them looks like prose."""
    entries: dict[str, Any] = {}
    key = ""
    for line in block:
        if _COMMENT.match(line):
            continue
        if (entry := _KEY.match(line)) and entry["separator"] == separator:
            key = entry["key"]
            entries[key] = _value(entry["value"] or "")
        elif key and (item := _ITEM.match(line)) and (entries[key] == "" or isinstance(entries[key], list)):
            entries[key] = [*(entries[key] or []), _unquoted(item["value"])]
        elif not key or not line.startswith((" ", "\t")):
            return None
    return entries or None


def _value(written: str) -> str | list[str]:
    text = written.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_unquoted(item) for item in split_commas(text[1:-1])]
    return _unquoted(text)


def split_commas(text: str) -> list[str]:
    """The parts of ``text`` between commas that stand outside braces, stripped, empty ones left out."""
    parts = []
    depth = start = 0
    for mark in _SPLITS.finditer(text):
        depth = max(0, depth + {"{": 1, "}": -1, ",": 0}[mark[0]])
        if mark[0] == "," and not depth:
            parts.append(text[start : mark.start()])
            start = mark.end()
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"  # noqa: PLR2004  (a pair)
    return text[1:-1] if quoted else text
