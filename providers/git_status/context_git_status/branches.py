"""The branch that ``origin`` calls its main one, and refs that are not kept in files."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from context_git_status.operations import small_file
from context_git_status.watch import Watch

if TYPE_CHECKING:
    from pathlib import Path

_ORIGIN_HEAD: Final = "refs/remotes/origin/HEAD"
_MAIN: Final = re.compile(rb"(?:ref:\s*)?refs/remotes/origin/(\S+)\s*")
_PSEUDO_REFS: Final = ("CHERRY_PICK_HEAD", "REVERT_HEAD")
REFS_ARGUMENTS: Final = (
    "for-each-ref",
    "--include-root-refs",
    "--format=%(refname) %(objectname) %(symref)",
    _ORIGIN_HEAD,
    *_PSEUDO_REFS,
)
"""Asks for all of these at once; git that knows another format of refs knows this option."""


class MainBranch:
    """What ``refs/remotes/origin/HEAD`` points at; a symbolic ref is a file of its own, and is read when that moved."""

    def __init__(self) -> None:
        self._watch = Watch()
        self._name = b""

    def read(self, common_dir: Path) -> bytes:
        """The branch, ``b""`` when ``origin`` does not say."""
        if self._watch.moved():
            self._watch.note([common_dir / _ORIGIN_HEAD], time.time_ns())
            self._name = main_branch(small_file(common_dir, _ORIGIN_HEAD))
        return self._name


def main_branch(target: bytes) -> bytes:
    """The branch in the target of ``origin/HEAD``; its slashes belong to it."""
    match = _MAIN.fullmatch(target)
    return match[1] if match else b""


def parse_refs(output: bytes) -> tuple[bytes, dict[str, str]]:
    """The main branch, and the commits of those pseudo refs that exist."""
    rows = [line.split(b" ", 2) for line in output.splitlines()]
    found = {row[0].decode("latin-1"): row for row in rows if len(row) == 3}  # noqa: PLR2004  (the format's own number)
    main = main_branch(found[_ORIGIN_HEAD][2]) if _ORIGIN_HEAD in found else b""
    return main, {name: found[name][1].decode("latin-1") for name in _PSEUDO_REFS if name in found}
