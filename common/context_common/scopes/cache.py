"""Reading each file once, and again only when it changed."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from context_common.scopes.reading import (
    SIZE_LIMIT,
    Signature,
    Source,
    entries,
    read,
    signature,
)
from context_common.scopes.refusal import Reason, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

T = TypeVar("T")

# Two writes within one tick of the file system's clock can leave equal signatures: what was changed this
# shortly before it was read is read again at the next look.
_TICK_NS = 20_000_000
_ENTRY_WEIGHT = 1_000
_VIEW_LIMIT = 16 * 1024 * 1024
# Front matter stands at a file's beginning, and reading it takes a second for every four million characters.
_BEGINNING = 64 * 1024
_BEGINNINGS_LIMIT = 2 * 1024 * 1024


def _is_settled(status: Signature | None) -> bool:
    return status is None or time.time_ns() - status.ctime_ns > _TICK_NS


@dataclass(slots=True)
class _Entry:
    signature: Signature | None
    value: Any = None
    weight: int = 0
    digest: bytes = b""
    refusal: Reason | None = None
    settled: bool = False

    def __post_init__(self) -> None:
        self.settled = _is_settled(self.signature)


class FileCache:
    """What was made of files and directories, kept while their signatures stay as they are; thread-safe.

    Refusals are remembered in the same way.

    Args:
        weight_limit: how many bytes of sources to remember results for; least recently used are forgotten.
    """

    def __init__(self, weight_limit: int = 64 * 1024 * 1024) -> None:
        """Start empty."""
        self._weight_limit = weight_limit
        self._weight = 0
        self._entries: OrderedDict[tuple[object, ...], _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: Path, load: Callable[[Source], T], *, inside: Sequence[Path]) -> T:
        """``load`` of the file at ``path``: the same object while it leads to the same bytes in the same place.

        Raises:
            RefusedError: as `read`, or as ``load`` has it.
        """
        return View(self).get(path, load, inside=inside)

    def names(self, directory: Path, *, inside: Sequence[Path]) -> tuple[str, ...]:
        """The sorted names in ``directory``.

        Raises:
            RefusedError: as `entries`.
        """
        return View(self).names(directory, inside=inside)

    def look(
        self, key: tuple[object, ...], path: Path, now: Signature | None, fresh: Callable[[_Entry | None], _Entry]
    ) -> Any:
        """The value under ``key``, from ``fresh`` where the signature of ``path`` is ``now`` for the first time."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
        if entry is None or not entry.settled or entry.signature != now:
            try:
                entry = fresh(entry)
            except RefusedError as error:
                entry = _Entry(now, refusal=error.reason)
                # What failed for want of a right or a descriptor may succeed while the file stays as it is.
                entry.settled = entry.settled and error.reason is not Reason.UNREADABLE
            self._keep(key, entry)
        if entry.refusal is not None:
            raise RefusedError(entry.refusal, path)
        return entry.value

    def _keep(self, key: tuple[object, ...], entry: _Entry) -> None:
        entry.weight += _ENTRY_WEIGHT
        with self._lock:
            replaced = self._entries.pop(key, None)
            self._weight += entry.weight - (replaced.weight if replaced else 0)
            self._entries[key] = entry
            while self._weight > self._weight_limit and len(self._entries) > 1:
                self._weight -= self._entries.popitem(last=False)[1].weight


class View:
    """The file system at one time: each path is looked at once, and what was seen can be compared later.

    Files of 16 MiB in all are read through it, and of 2 MiB when only the first 64 KiB of each count, whether they
    are remembered or not; others are refused. Not thread-safe: a view is for one answer.
    """

    def __init__(self, cache: FileCache) -> None:
        """Look through ``cache``."""
        self._cache = cache
        self._seen: dict[Path, Signature | None] = {}
        self._plain: set[str] = set()
        self._taken: dict[Path, bool] = {}
        self._room = _VIEW_LIMIT
        self._beginnings = _BEGINNINGS_LIMIT
        self._settled = True

    def holds(self) -> bool:
        """Whether everything that was seen still is as it was; a look at each path, nothing is opened."""
        plain: set[str] = set()
        return self._settled and all(signature(path, plain) == seen for path, seen in self._seen.items())

    def signature(self, path: Path) -> Signature | None:
        """The signature of what ``path`` leads to, or None."""
        if path not in self._seen:
            self._seen[path] = signature(path, self._plain)
            self._settled = self._settled and _is_settled(self._seen[path])
        return self._seen[path]

    def get(self, path: Path, load: Callable[[Source], T], *, inside: Sequence[Path]) -> T:
        """As `FileCache.get`."""

        def fresh(old: _Entry | None) -> _Entry:
            source = read(path, inside=inside)
            digest = hashlib.sha256(b"%b\0%b" % (os.fsencode(source.real), source.data)).digest()
            value = old.value if old is not None and old.digest == digest else load(source)
            return _Entry(source.signature, value, len(source.data), digest)

        if not self._takes(path):
            raise RefusedError(Reason.LIMIT, path)
        value: T = self._look((load, path, *inside), path, fresh)
        return value

    def names(self, directory: Path, *, inside: Sequence[Path]) -> tuple[str, ...]:
        """As `FileCache.names`."""

        def fresh(_old: _Entry | None) -> _Entry:
            # Taken before the listing: a name that is added meanwhile then shows at the next look.
            before = signature(directory)
            names = entries(directory, inside=inside)
            return _Entry(before, names, sum(map(len, names)))

        names: tuple[str, ...] = self._look((entries, directory, *inside), directory, fresh)
        return names

    def _takes(self, path: Path) -> bool:
        if path not in self._taken:
            status = self.signature(path)
            size = status.size if status and status.size <= SIZE_LIMIT else 0
            beginning = min(size, _BEGINNING)
            fits = size <= self._room and beginning <= self._beginnings
            self._room -= size * fits
            self._beginnings -= beginning * fits
            self._taken[path] = fits
        return self._taken[path]

    def _look(self, key: tuple[object, ...], path: Path, fresh: Callable[[_Entry | None], _Entry]) -> Any:
        try:
            return self._cache.look(key, path, self.signature(path), fresh)
        except RefusedError as error:
            self._settled = self._settled and error.reason is not Reason.UNREADABLE
            raise
