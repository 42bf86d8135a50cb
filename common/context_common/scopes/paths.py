"""Roots, directory chains, and the names that a path has inside a root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.scopes.links import follow
from context_common.scopes.reading import read, signature
from context_common.scopes.refusal import RefusedError, refused_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_POINTER_LIMIT = 4096
_LENGTH_LIMIT = 4096
_DEPTH_LIMIT = 256


def locate(path: str, base: Path) -> Path | None:
    """Where ``path``, absolute or relative to ``base``, leads with every link resolved; it need not exist.

    None where no file can have that name, or none has: one of more than 256 components. A link that leads from
    the host of ``base`` to another leads nowhere.
    """
    if len(path) > _LENGTH_LIMIT or path.count("/") > _DEPTH_LIMIT:
        return None
    try:
        return follow(base / path, (Path(os.path.realpath(base)),))
    except (OSError, ValueError, RefusedError):
        return None


def names_in(root: Path, path: str, base: Path) -> tuple[str, ...]:
    """The names of ``path`` relative to ``root``, with ``/``: as it was given, and with links resolved.

    Empty when neither lies inside ``root``. The way *to* the root may lead through links.
    """
    resolved = locate(path, base)
    if resolved is None:
        return ()
    top = Path(os.path.realpath(root))
    given = Path(os.path.normpath(base / path))
    ways = [(given, _outermost(given, top)), (resolved, top if resolved.is_relative_to(top) else None)]
    return tuple(dict.fromkeys(name.relative_to(start).as_posix() for name, start in ways if start is not None))


def _outermost(path: Path, directory: Path) -> Path | None:
    """The outermost parent of ``path`` that is ``directory``; by identity, since resolving each takes its depth squared."""
    plain: set[str] = set()
    wanted = signature(directory, plain)
    for parent in reversed(path.parents):
        status = signature(parent, plain)
        if status is None or wanted is None:
            return None
        if status.identity == wanted.identity:
            return parent
    return None


def is_inside(path: Path, root: Path) -> bool:
    """Whether ``path`` is ``root`` or lies below it, by whole components and with links resolved."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def home() -> Path:
    """The home directory with links resolved; ``/`` where there is none, or ``HOME`` is not absolute."""
    try:
        place = Path.home()
    except RuntimeError:
        place = Path("/")
    return Path(os.path.realpath(place)) if place.is_absolute() else Path("/")


def is_wide(directory: Path) -> bool:
    """Whether ``directory`` is the home directory or lies above it: nobody's project."""
    return home().is_relative_to(os.path.realpath(directory))


def find_root(start: Path, markers: Sequence[str] = (".git",), *, wide: bool = False) -> Path | None:
    """The nearest directory, from ``start`` upwards, that holds a file or directory named like a marker.

    The home directory and those above it (somebody's dotfiles repository) are no root unless ``wide``.
    """
    place = Path(os.path.realpath(start))
    top = None if wide else home()
    for directory in (place, *place.parents):
        if top and top.is_relative_to(directory):
            return None
        if any(os.path.lexists(directory / marker) for marker in markers):
            return directory
    return None


def chain(root: Path, directory: Path) -> tuple[Path, ...]:
    """The directories from ``root`` down to ``directory``, both included; empty when it is not below."""
    top, place = Path(os.path.realpath(root)), Path(os.path.realpath(directory))
    if not place.is_relative_to(top):
        return ()
    below = place.relative_to(top).parts
    return tuple(top.joinpath(*below[:depth]) for depth in range(len(below) + 1))


def common_git_dir(root: Path) -> Path | None:
    """The git directory that every worktree of the repository at ``root`` shares."""
    marker = locate(".git", root)
    if marker is None or marker.is_dir():
        return marker
    git_dir = _target(marker, root)
    return git_dir and (_target(git_dir / "commondir", git_dir) or git_dir)


def _target(pointer: Path, base: Path) -> Path | None:
    """Where the path in the file ``pointer`` leads; a repository can write anything there."""
    real = locate(str(pointer), base)
    try:
        # The file itself is the boundary: git metadata is refused only below one.
        data = b"" if real is None else read(real, inside=(real,), limit=_POINTER_LIMIT).data
    except RefusedError:
        return None
    text = os.fsdecode(data).removeprefix("gitdir:").strip()
    return locate(text, base) if text and not refused_by_name(text, (base,)) else None
