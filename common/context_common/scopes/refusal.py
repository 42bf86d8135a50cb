"""Why a path of an untrusted repository is not read, and which names are not even looked up."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_AREA = re.compile(r"/(?:(?:net|Network)/[^/]+|proc|dev|sys)(?=/|$)")


class Reason(StrEnum):
    """Why a path was not read; ``BINARY`` is for those who decode, ``LIMIT`` for those who read many."""

    MISSING = "missing"
    DIRECTORY = "directory"
    NOT_A_FILE = "not_a_file"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    LINK_LOOP = "link_loop"
    OUTSIDE = "outside"
    GIT_METADATA = "git_metadata"
    DEVICE = "device"
    REMOTE = "remote"
    BINARY = "binary"
    LIMIT = "limit"


class RefusedError(Exception):
    """A path that was not read.

    Attributes:
        reason: why.
        path: as it was asked for.
    """

    def __init__(self, reason: Reason, path: Path) -> None:
        """Refuse ``path`` because of ``reason``."""
        super().__init__(f"{path}: {reason}")
        self.reason = reason
        self.path = path


def refused_by_name(name: str, allowed: Iterable[Path] = ()) -> Reason | None:
    """Why ``name``, as somebody wrote it, must not even be looked up: another host, or a device.

    Args:
        name: absolute or not; nothing but what stands there counts.
        allowed: directories whose host, or whose part of the devices, may be looked at.
    """
    slashes = name.replace("\\", "/")
    if slashes.startswith(("//", "/??/")):
        return Reason.REMOTE
    area = area_of(os.path.normpath(slashes))
    if not area or any(area == area_of(str(directory)) for directory in allowed):
        return None
    return Reason.REMOTE if area.startswith(("/net/", "/Network/")) else Reason.DEVICE


def area_of(path: str) -> str:
    """The host in the absolute ``path`` or the kind of devices it is among, as the first part of it; else empty."""
    area = _AREA.match(path)
    return area[0] if area else ""
