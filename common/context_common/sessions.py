"""Bounded memory of one value per session."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Sessions(Generic[T]):
    """One value per session, made when first asked for; the least recently used are forgotten.

    Safe to use from several threads.
    """

    def __init__(self, factory: Callable[[], T], limit: int = 256) -> None:
        self._factory = factory
        self._limit = limit
        self._values: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session_id: str) -> T:
        """The value of ``session_id``."""
        with self._lock:
            if session_id not in self._values:
                self._values[session_id] = self._factory()
            self._values.move_to_end(session_id)
            while len(self._values) > self._limit:
                self._values.popitem(last=False)
            return self._values[session_id]
