"""The files of attributes: beside the configuration, they decide what the lines of a file are."""

from __future__ import annotations

import os
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_git_status.environment import users_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_git_status.location import Location

_DEPTH: Final = 32
"""How many directories above a path are looked into."""


def attribute_files(location: Location, configured: str, paths: Iterable[bytes]) -> Iterator[Path]:
    """Every file, present or not, that can give an attribute to one of ``paths``.

    Args:
        location: where the work tree is.
        configured: the value of ``core.attributesFile``.
        paths: relative to the work tree's root.
    """
    yield Path("/etc/gitattributes")
    yield location.top / os.path.expanduser(configured) if configured else users_file("attributes")  # noqa: PTH111  (never raises)
    yield location.common_dir / "info/attributes"
    for directory in {b"", *(above for path in paths for above in _directories(path))}:
        yield location.top / os.fsdecode(directory) / ".gitattributes"


def _directories(path: bytes) -> Iterator[bytes]:
    return accumulate(path.split(b"/", _DEPTH)[:-1], lambda above, name: above + b"/" + name)
