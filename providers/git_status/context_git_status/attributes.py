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
    yield location.top / ".gitattributes"
    for directory in _real_directories(location.top, paths):
        yield directory / ".gitattributes"


def _real_directories(top: Path, paths: Iterable[bytes]) -> Iterator[Path]:
    """Every directory above ``paths``; where a link stands in its place git looks no further, and neither do we."""
    real = {b""}
    for directory in sorted({above for path in paths for above in _directories(path)}):
        place = top / os.fsdecode(directory)
        if directory.rpartition(b"/")[0] in real and not os.path.islink(place):  # noqa: PTH114  (never raises)
            real.add(directory)
            yield place


def _directories(path: bytes) -> Iterator[bytes]:
    return accumulate(path.split(b"/", _DEPTH)[:-1], lambda above, name: above + b"/" + name)
