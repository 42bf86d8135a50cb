"""Opening a file of an untrusted repository, or saying why not."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.scopes.links import end_of, follow
from context_common.scopes.refusal import Reason, RefusedError, refused_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZE_LIMIT = 4 * 1024 * 1024
"""Bytes of one convention file; a larger one is left out."""

_ENTRY_LIMIT = 10_000
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


_REASONS = {
    errno.ENOENT: Reason.MISSING,
    errno.ENOTDIR: Reason.MISSING,
    errno.ENAMETOOLONG: Reason.MISSING,
    errno.ELOOP: Reason.LINK_LOOP,
}


@dataclass(frozen=True, slots=True)
class Signature:
    """What one ``stat`` tells of a file: while it is equal, the content is taken to be."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int
    device: int
    is_directory: bool

    @property
    def identity(self) -> tuple[int, int]:
        """The same for every name of one file."""
        return self.device, self.inode

    @classmethod
    def of(cls, status: os.stat_result) -> Signature:
        """The signature that ``status`` shows."""
        is_directory = stat.S_ISDIR(status.st_mode)
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev, is_directory)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: ``path`` as asked for, ``real`` with every link resolved."""

    path: Path
    real: Path
    signature: Signature
    data: bytes


def signature(path: Path, plain: set[str] | None = None) -> Signature | None:
    """The signature of what ``path`` leads to, or None; nothing is opened; ``plain`` is as for `follow`."""
    try:
        plain = set() if plain is None else plain
        name = str(path)
        if name[: name.rfind("/")] in plain:
            status = os.lstat(name)
            if not stat.S_ISLNK(status.st_mode):
                return Signature.of(status)
        return Signature.of(os.stat(end_of(name, (), plain)))  # noqa: PTH116  (a Path takes its depth)
    except (OSError, ValueError, RefusedError):
        return None


def is_hidden(path: Path) -> bool:
    """Whether nobody can tell now if ``path`` is there, as in a directory that this user may not search."""
    try:
        follow(path).stat()
    except OSError as error:
        return error.errno not in _REASONS
    except (ValueError, RefusedError):
        return False
    return False


def below(path: Path, directory: Path) -> tuple[str, ...] | None:
    """The components of ``path`` below ``directory``, as both are spelled; None where it is neither there nor it.

    `Path.is_relative_to` makes a path of every parent in Python 3.12 and 3.13, which takes the depth squared.
    """
    parts, top = path.parts, directory.parts
    return parts[len(top) :] if parts[: len(top)] == top else None


def read(path: Path, *, inside: Sequence[Path], limit: int = SIZE_LIMIT) -> Source:
    """Read ``path``, which must lead to a regular file of at most ``limit`` bytes inside one of ``inside``.

    Raises:
        RefusedError: with the reason; nothing of the file was read.
    """
    try:
        return _read(path, inside, limit)
    except _ReplacedError:
        return _read(path, inside, limit)


def entries(directory: Path, *, inside: Sequence[Path]) -> tuple[str, ...]:
    """The names in ``directory``, sorted.

    Raises:
        RefusedError: ``directory`` is none, cannot be listed, lies outside, or has over 10,000 entries.
    """
    with _opened(directory, inside, os.O_DIRECTORY) as (descriptor, _real), os.scandir(descriptor) as listing:
        names = [entry.name for entry in islice(listing, _ENTRY_LIMIT + 1)]
    if len(names) > _ENTRY_LIMIT:
        raise RefusedError(Reason.TOO_LARGE, directory)
    return tuple(sorted(names))


class _ReplacedError(Exception):
    pass


def _read(path: Path, inside: Sequence[Path], limit: int) -> Source:
    with _opened(path, inside) as (descriptor, real):
        # Taken before the bytes: a file that changes meanwhile then differs at the next look.
        status = os.fstat(descriptor)
        _require_regular(path, status)
        data = b"" if status.st_size > limit else _bytes_of(descriptor, limit)
        if status.st_size > limit or len(data) > limit:
            raise RefusedError(Reason.TOO_LARGE, path)
        return Source(path, real, Signature.of(status), data)


@contextmanager
def _opened(path: Path, inside: Sequence[Path], flags: int = 0) -> Iterator[tuple[int, Path]]:
    reason = refused_by_name(str(path), inside)
    if reason:
        raise RefusedError(reason, path)
    try:
        roots = [Path(os.path.realpath(root)) for root in inside]
        real = follow(path)
        _require_inside(path, real, roots)
        if not flags & os.O_DIRECTORY:
            # Opening a FIFO or a device can already do something, so that is tried on no path that shows one.
            _require_regular(path, real.stat())
        descriptor = os.open(real, _FLAGS | flags)
        try:
            # The path may lead elsewhere by now: what counts is where the opened file is.
            real = _path_of(descriptor, path)
            _require_inside(path, real, roots)
            yield descriptor, real
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RefusedError(_REASONS.get(error.errno or 0, Reason.UNREADABLE), path) from error
    except ValueError as error:  # a NUL in the path
        raise RefusedError(Reason.MISSING, path) from error


def _path_of(descriptor: int, path: Path) -> Path:
    if os.fstat(descriptor).st_nlink == 0:
        raise _ReplacedError
    try:
        if sys.platform == "darwin":
            import fcntl  # noqa: PLC0415  (only this platform has F_GETPATH)

            return Path(os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")))
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError as error:
        raise RefusedError(Reason.UNREADABLE, path) from error


def _require_regular(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise RefusedError(Reason.DIRECTORY, path)
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(Reason.NOT_A_FILE, path)


def _require_inside(path: Path, real: Path, roots: Sequence[Path]) -> None:
    homes = [root for root in roots if below(real, root) is not None]
    reason = refused_by_name(str(real), homes)
    if reason:
        raise RefusedError(reason, path)
    if not homes:
        raise RefusedError(Reason.OUTSIDE, path)
    # A root may itself lie below a directory named .git: the widest one that holds the file is the judge.
    root = min(homes, key=lambda home: len(home.parts))
    if _is_git_metadata(root, below(real, root) or ()):
        raise RefusedError(Reason.GIT_METADATA, path)


def _is_git_metadata(root: Path, parts: Sequence[str]) -> bool:
    if any(part.casefold() == ".git" for part in parts):
        return True
    # Strings, because making a Path takes its depth.
    directories = accumulate(parts[:-1], lambda above, part: f"{above}/{part}", initial=str(root))
    return any(_is_git_directory(directory) for directory in islice(directories, 1, None))


def _is_git_directory(directory: str) -> bool:
    paths = (f"{directory}/HEAD", f"{directory}/objects", f"{directory}/refs")
    return os.path.lexists(paths[0]) and all(os.path.isdir(path) for path in paths[1:])  # noqa: PTH112  (Path.is_dir raises where access is denied)


def _bytes_of(descriptor: int, limit: int) -> bytes:
    blocks: list[bytes] = []
    room = limit + 1
    while room and (block := os.read(descriptor, room)):
        blocks.append(block)
        room -= len(block)
    return b"".join(blocks)
