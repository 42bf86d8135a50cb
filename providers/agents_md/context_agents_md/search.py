"""The one search that Configure makes: is there any file that the declared glob selects?"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from context_agents_md.selection import Parts, Selection


def find_any(root: Path, selection: Selection, working_directory: Parts | None) -> Path | None:
    """The first file found that takes part, the shallowest directories first; None where there is none."""
    waiting = deque([selection.prefix])
    while waiting:
        parts = waiting.popleft()
        directory = root.joinpath(*parts)
        files, directories = _listed(directory)
        chosen = selection.choose(parts, files) if selection.includes(parts) else ()
        if chosen:
            return directory / chosen[0]
        below = ((*parts, name) for name in directories if name != ".git")
        waiting.extend(child for child in below if not selection.prunes(child, working_directory))
    return None


def _listed(directory: Path) -> tuple[list[str], list[str]]:
    """Names of files and of directories; a linked directory is seen where it really lies."""
    try:
        with os.scandir(directory) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return [], []
    directories = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [entry.name for entry in entries if not entry.is_dir()], directories
