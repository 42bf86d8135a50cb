"""Which program a declaration stands for."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_host.declarations import Declaration, Value


_PROGRAM = re.compile(r"context-[a-z0-9][a-z0-9_-]*", re.IGNORECASE)


def find_program(declaration: Declaration, overrides: Mapping[str, Value], search_path: str) -> tuple[str, ...] | None:
    """The command that starts the plugin; None when there is no such program here.

    A developer override wins; then the console script beside this interpreter, on ``search_path``, and last
    the module itself, for a checkout whose scripts are not installed.

    Raises:
        UnusableError: the override names no executable file.
    """
    if override := overrides.get(declaration.name):
        if not os.access(override.value, os.X_OK) or not Path(override.value).is_file():
            raise UnusableError(f"{override.where}: {override.value} is not an executable file")
        return (override.value,)
    if not _PROGRAM.fullmatch(declaration.program):
        # An agent.hcl may come with a repository, and must not be able to start whatever is on PATH.
        return None
    beside = str(Path(sys.executable).parent)
    found = shutil.which(declaration.program, path=beside) or shutil.which(declaration.program, path=search_path)
    if found:
        return (str(Path(found).absolute()),)
    module = declaration.program.replace("-", "_")
    return (sys.executable, "-m", module) if importlib.util.find_spec(module) else None
