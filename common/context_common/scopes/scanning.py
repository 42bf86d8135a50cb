"""One look into a directory, for searches that must see all of it."""

from __future__ import annotations

import os
from pathlib import Path

from context_common.scopes.reading import signature


def scan(directory: Path) -> tuple[list[str], list[str]]:
    """The sorted names of the files in ``directory`` and of the directories, links among them left out.

    A linked file is a file; a linked directory is met where it really lies. Both are empty where the directory
    cannot be listed.
    """
    try:
        with os.scandir(directory) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return [], []
    directories = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [entry.name for entry in entries if not _leads_to_directory(entry)], directories


def _leads_to_directory(entry: os.DirEntry[str]) -> bool:
    # Not `is_dir`, which looks at what a link leads to, wherever that is.
    status = signature(Path(entry.path)) if entry.is_symlink() else None
    return entry.is_dir(follow_symlinks=False) if status is None else status.is_directory
