"""A real host over `odd_plugin.py` processes, one for each (local name, mode)."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from pathlib import Path

from context_host.declarations import Configuration, Declaration, Value
from context_host.host import Host, Setting
from context_host.models import Model
from context_host.session import Session

ODD_PLUGIN = Path(__file__).with_name("odd_plugin.py")
MODEL = Model("test-model", context_window=10_000, reserved_output=1_000, system_overhead=1_000)


def odd_program(directory: Path, mode: str) -> Path:
    """An executable that is the odd plugin in ``mode``, started without arguments as a host does."""
    path = directory / f"odd-{mode}"
    path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(ODD_PLUGIN))} {mode}\n")
    path.chmod(0o755)
    return path


def overriding(directory: Path, programs: dict[str, Path]) -> dict[str, str]:
    """An environment whose global configuration file overrides each name with its program."""
    folder = directory / "config" / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f'  {name} = "{program}"\n' for name, program in programs.items())
    (folder / "config.hcl").write_text(f"dev_overrides {{\n{lines}}}\n")
    return {"PATH": os.environ["PATH"], "HOME": str(directory), "XDG_CONFIG_HOME": str(directory / "config")}


@contextlib.contextmanager
def odd_host(
    directory: Path, modes: dict[str, str], *, arguments: dict[str, dict[str, object]] | None = None, **setting: object
):
    """A host whose plugins, in this order, are odd in these modes."""
    environment = overriding(directory, {name: odd_program(directory, mode) for name, mode in modes.items()})
    declarations = tuple(
        Declaration(
            name,
            f"agent.hcl:{line}",
            arguments={
                key: Value(value, f"agent.hcl:{line}") for key, value in (arguments or {}).get(name, {}).items()
            },
        )
        for line, name in enumerate(modes, 1)
    )
    with Host(Configuration(declarations), Setting(directory, environment, **{"start_seconds": 60, **setting})) as host:
        yield host


def fire(
    directory: Path, modes: dict[str, str], *, touched: tuple[str, ...] = (), model: Model = MODEL, **options: object
):
    """The first turn of a session over such a host."""
    with odd_host(directory, modes, **options) as host:
        return Session(host, model, directory).fire(touched)


def texts(turn) -> list[str]:
    """The chain as ``provider: text``."""
    return [f"{view.provider}: {view.text}" for view in turn.assembled.sections]


def told(turn) -> list[str]:
    """What the host logged about the turn."""
    return [f"{entry.level} {entry.provider}: {entry.message}" for entry in turn.assembled.entries]
