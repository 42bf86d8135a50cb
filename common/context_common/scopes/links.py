"""Following links by hand: where an automounter watches, a mere look connects to the host in the name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.scopes.refusal import RefusedError, area_of, refused_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINK_LIMIT = 40


def follow(path: Path, allowed: Iterable[Path] = (), plain: set[str] | None = None) -> Path:
    """``path`` with every link resolved, as by ``realpath``; it need not exist.

    Args:
        path: absolute, or relative to where this process works.
        allowed: directories to whose host links may lead.
        plain: paths that are known to be no links; those that are found to be are added.

    Raises:
        RefusedError: a link leads to another host or to a device; it was not looked at where it leads.
        OSError: links lead in a circle.
    """
    return Path(end_of(str(path), allowed, set() if plain is None else plain))


def end_of(path: str, allowed: Iterable[Path], plain: set[str]) -> str:
    """As `follow`, on strings: making a Path takes its depth, and there is one for every file of a firing."""
    areas = {"", area_of(path), *(area_of(str(directory)) for directory in allowed)}
    way = path if path.startswith("/") else f"{os.getcwd()}/{path}"  # noqa: PTH109  (a Path takes its depth)
    known = len(way)
    while known > 0 and way[:known] not in plain:
        known = way.rfind("/", 0, known)
    place, links = way[:known], 0
    ahead = way[len(place) :].split("/")[::-1]
    while ahead:
        name = ahead.pop()
        if name == "..":
            place = place.rpartition("/")[0]
            continue
        if name in ("", "."):
            continue
        way = f"{place}/{name}"
        if way not in plain:
            if links and area_of(way) not in areas:
                _refuse(way, Path(path))
            if _is_link(way):
                target = os.readlink(way)  # noqa: PTH115  (a Path takes its depth)
                if target.startswith("//"):
                    _refuse(target, Path(path))
                links += 1
                if links > _LINK_LIMIT:
                    raise OSError(errno.ELOOP, "links lead in a circle", path)
                place = "" if target.startswith("/") else place
                ahead += target.split("/")[::-1]
                continue
            plain.add(way)
        place = way
    return place or "/"


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _refuse(name: str, path: Path) -> None:
    reason = refused_by_name(name)
    if reason:
        raise RefusedError(reason, path)
