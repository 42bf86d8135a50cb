"""The one search that Configure makes: is there any file that the declared glob selects?"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from context_common.scopes.scanning import scan

if TYPE_CHECKING:
    from pathlib import Path

    from context_agents_md.selection import Parts, Selection


def find_any(root: Path, selection: Selection, working_directory: Parts) -> Path | None:
    """The first file found that takes part, the shallowest directories first; None where there is none."""
    begin = selection.prefix
    waiting = deque([] if selection.prunes(begin, working_directory) else [begin])
    while waiting:
        parts = waiting.popleft()
        directory = root.joinpath(*parts)
        files, directories = scan(directory)
        chosen = selection.choose(parts, files) if selection.includes(parts) else ()
        if chosen:
            return directory / chosen[0]
        below = ((*parts, name) for name in directories if name != ".git")
        waiting.extend(child for child in below if not selection.prunes(child, working_directory))
    return None
