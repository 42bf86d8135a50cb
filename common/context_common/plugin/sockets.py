"""Where a plugin listens: a unix socket in a directory that only its user can enter."""

from __future__ import annotations

import os
import tempfile
from typing import Final
from urllib.parse import quote

_PATH_LIMIT: Final = 100
"""Bytes; the kernel takes 107, and grpc fails to start above that."""
_FRAMING: Final = frozenset("|\r\n")
"""What the handshake line is made of, so that no path in it may hold any."""


def private_directory() -> str:
    """A new directory, mode 0700, whose path leaves room for a socket's name."""
    directory = tempfile.mkdtemp(prefix="plugin-")
    if len(os.fsencode(directory)) + len("/s") <= _PATH_LIMIT and not _FRAMING.intersection(directory):
        return directory
    os.rmdir(directory)  # noqa: PTH106  (pathlib would cost start-up time)
    return tempfile.mkdtemp(prefix="plugin-", dir="/tmp")


def target(path: str) -> str:
    """The grpc target of a socket path; grpc reads it as a URI, so spaces, ``%`` and ``#`` must be quoted."""
    return "unix:" + quote(os.fsencode(path))
