"""What an ``@`` token may mean: the names to look up, and whether it was meant as a path at all."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from context_common.scopes import home

if TYPE_CHECKING:
    from collections.abc import Iterator

# What ends a sentence, a bracket, a quotation or an emphasis, in the scripts that write it without a space.
_TRAILING = ".,;:!?)]}'\"*_~…’”»。，、；：！？）】」』》"  # noqa: RUF001  (these are meant)
_FILE = re.compile(
    r"\.(adoc|bash|cfg|conf|cpp|css|csv|env|go|graphql|html|ini|java|jsx?|json[5cl]?|kt|lua|markdown|md[cx]?|php|proto|ps1"
    r"|pyi?|rb|rs|rst|s[ac]ss|sh|sql|svelte|swift|toml|tsx?|tsv|txt|vue|xml|ya?ml)$",
    re.IGNORECASE,
)


class Spelling(NamedTuple):
    """One reading of a token: a path as written, and the heading of a section in it."""

    path: str
    heading: str = ""


def spellings(token: str) -> Iterator[Spelling]:
    """The readings of ``token``, the most literal first."""
    for text in dict.fromkeys((token, token.rstrip(_TRAILING))):
        path, _, heading = text.partition("#")
        if text:
            yield Spelling(text)
        if path and heading:
            yield Spelling(path, heading)


def resolve(path: str, base: Path) -> Path:
    """Where ``path``, as written in a file of the directory ``base``, is; nothing is looked up."""
    return _joined(home(), path[2:]) if path.startswith("~/") else _joined(base, path)


@lru_cache(maxsize=4096)
def _joined(base: Path, path: str) -> Path:
    return Path(os.path.normpath(base / path))


def is_optional(token: str) -> bool:
    """Whether the author says that the file may be missing."""
    return token.endswith("?")


def is_nameless(token: str) -> bool:
    """Whether ``token`` names no file or directory, as in "the prefix @/ stands for src"."""
    return not token.strip("./~" + _TRAILING)


def is_prose(token: str) -> bool:
    """Whether ``token`` looks like no path: a handle, a package or its alias, a decorator, the host of an e-mail address."""
    text = token.rstrip(_TRAILING).partition("#")[0]
    if text.startswith(("~/", "./", "../")) or "\\" in text or " " in text:
        return False
    is_path = _is_rooted(text) if text.startswith("/") else text.count("/") > 1
    return "(" in text or not (_FILE.search(text) or is_path)


def _is_rooted(path: str) -> bool:
    """Whether the first directory of ``path`` is one of this machine; in "@/components/ui" it hardly is."""
    return os.path.lexists("/" + path.split("/")[1])
