"""Imports that leave out what a module would load if it could, and nobody here uses."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Modules imported in this block find none of ``names``, unless they are loaded already; later imports do."""
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # this is how an import is refused
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
