"""Which program a declaration stands for."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_host.declarations import Declaration, Value


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
    beside = str(Path(sys.executable).parent)
    if script := shutil.which(declaration.program, path=beside) or shutil.which(declaration.program, path=search_path):
        return (str(Path(script).absolute()),)
    module = declaration.program.replace("-", "_")
    if module.startswith("context_") and module.isidentifier() and importlib.util.find_spec(module):
        return (sys.executable, "-m", module)
    return None
