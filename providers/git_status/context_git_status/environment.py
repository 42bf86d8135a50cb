"""The program and the environment that git is started with; nothing here starts it."""

from __future__ import annotations

import os
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_common.scopes import home, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Settings = tuple[tuple[str, str], ...]
"""Configuration values that override every file, as ``(key, value)``."""

ALWAYS: Final[Settings] = (
    ("core.hooksPath", os.devnull),
    ("safe.bareRepository", "explicit"),
    ("log.showSignature", "false"),
)
STANDING_ALONE: Final[Settings] = (("safe.bareRepository", "all"),)
"""After `ALWAYS`: where no work tree is around, a bare repository is none that came hidden inside one."""
UNTRUSTED: Final[Settings] = (("core.fsmonitor", "false"),)

_FIXED: Final = {
    # Only plain C switches LANGUAGE off; the empty LANGUAGE is for systems where it does not.
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ADVICE": "0",
    # Neither way of fetching an object that a partial clone lacks; older git knows only the second.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


def environment(
    inherited: Mapping[str, str], settings: Settings, path: str, *, frozen: bool = getattr(sys, "frozen", False)
) -> dict[str, str]:
    """What git sees: ``inherited`` without any ``GIT_*``, with fixed values of ours and ``settings``.

    Args:
        inherited: this process's environment.
        settings: passed as GIT_CONFIG_KEY_n, because a ``-c`` override does not reach a name that holds ``=``.
        path: the PATH that git's own children see.
        frozen: whether this process is a frozen build, whose library path is not for other programs.
    """
    values = {name: value for name, value in inherited.items() if not name.startswith("GIT_")}
    if frozen:
        original = values.pop("LD_LIBRARY_PATH_ORIG", None)
        values.pop("LD_LIBRARY_PATH", None)
        if original is not None:
            values["LD_LIBRARY_PATH"] = original
    values |= _FIXED | {"PATH": path, "GIT_CEILING_DIRECTORIES": str(home())}
    values["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings):
        values[f"GIT_CONFIG_KEY_{number}"] = key
        values[f"GIT_CONFIG_VALUE_{number}"] = value
    return values


def users_file(name: str) -> Path:
    """Where git looks for a file of the user's own."""
    directory = os.environ.get("XDG_CONFIG_HOME") or Path(os.environ.get("HOME", "/"), ".config")
    return Path(directory, "git", name)


def trusted_path(path: str, directory: Path) -> Sequence[str]:
    """The directories of ``path`` that no repository around ``directory`` can fill: absolute, and outside it."""
    owned = _owned_by_repository(directory)
    return [entry for entry in path.split(os.pathsep) if Path(entry).is_absolute() and not _inside(entry, owned)]


def find_git(path: Iterable[str], directory: Path) -> str | None:
    """The absolute path of the git program in one of the directories of ``path``, outside ``directory``'s repository."""
    owned = _owned_by_repository(directory)
    for entry in path:
        program = Path(entry, "git")
        if os.access(program, os.X_OK) and program.is_file() and not _inside(program, owned):
            return str(program)
    return None


def _owned_by_repository(directory: Path) -> Path | None:
    """The outermost directory around ``directory`` that is a repository, or ``directory`` itself.

    The outermost, because a repository inside another does not make the outer one's files trustworthy; but never
    the home directory, where somebody's dotfiles live beside their programs.
    """
    place = Path(os.path.realpath(directory))
    around = list(takewhile(lambda candidate: not is_wide(candidate), (place, *place.parents)))
    repositories = [candidate for candidate in around if os.path.lexists(candidate / ".git")]
    return next(iter([*reversed(repositories), *around]), None)


def _inside(path: str | Path, directory: Path | None) -> bool:
    """Whether ``path``, or what it leads to, lies in ``directory``."""
    if directory is None:
        return False
    return any(Path(spelled).is_relative_to(directory) for spelled in (os.path.normpath(path), os.path.realpath(path)))
