"""A host for one run: brings all plugins up, all or none, and takes all of them down again."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_host.agent_hcl import read_dev_overrides
from context_host.client import CALL_SECONDS
from context_host.connection import Connection, Start
from context_host.counting import FALLBACK, Counter
from context_host.errors import UnusableError
from context_host.journal import Journal, PluginKernel
from context_host.launch import START_SECONDS
from context_host.lint import configuration_warnings
from context_host.plugins import NotAContextProviderError, Plugin
from context_host.programs import find_program
from context_host.signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Self

    from context_host.declarations import Configuration, Declaration
    from context_host.models import Model


@dataclass(frozen=True)
class Setting:
    """Where and how plugins are started.

    Attributes:
        directory: the working directory of every plugin.
        environment: what ``PATH``, ``HOME`` and the global configuration come from.
        counter: what CountTokens answers with.
        strict: end a turn at the first failing plugin.
        start_seconds: how long a plugin may take to shake hands, and then to say what it is.
        call_seconds: how long any other call may take.
    """

    directory: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    counter: Counter = FALLBACK
    strict: bool = False
    start_seconds: float = START_SECONDS
    call_seconds: float = CALL_SECONDS


class Host:
    """Plugins that run, in declaration order; a context manager."""

    def __init__(self, configuration: Configuration, setting: Setting) -> None:
        self.setting = setting
        self.journal = Journal()
        self.notes = list(configuration.notes)
        self.plugins: tuple[Plugin, ...] = ()
        self._declarations = configuration.declarations
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Self:
        try:
            # All are started before the first is waited for.
            started = [(declaration, self._started(start)) for declaration, start in list(self._starts())]
            self.plugins = tuple(
                plugin for declaration, connection in started if (plugin := self._bring_up(declaration, connection))
            )
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every plugin; their last log entries are in the journal afterwards."""
        with undisturbed():
            self._cleanup.close()

    def warnings(self, models: Iterable[Model]) -> list[str]:
        """What the user should know before a session: notes on the configuration, and the two lint warnings."""
        return [*self.notes, *configuration_warnings(self.plugins, models)]

    def _starts(self) -> Iterable[tuple[Declaration, Start]]:
        overrides = read_dev_overrides(self.setting.environment)
        for declaration in self._declarations:
            command = find_program(declaration, overrides, self.setting.environment.get("PATH", ""))
            if command is None and not declaration.certain and not declaration.program.startswith("context-"):
                self.notes.append(
                    f"{declaration.where}: {declaration.name!r} is left out: it is no context provider that is installed here"
                )
                continue
            if command is None:
                raise UnusableError(
                    f"{declaration.where}: there is no program {declaration.program!r} for {declaration.name!r} beside {sys.executable} or on "
                    "PATH; install it, or name it under dev_overrides in the global config.hcl"
                )
            yield (
                declaration,
                Start(
                    name=declaration.name,
                    command=command,
                    directory=self.setting.directory,
                    declared=declaration.environment,
                    inherited=self.setting.environment,
                    start_seconds=self.setting.start_seconds,
                    call_seconds=self.setting.call_seconds,
                ),
            )

    def _started(self, start: Start) -> Connection:
        kernel = PluginKernel(start.name, self.setting.counter, self.journal)
        with undisturbed():
            connection = Connection(start, kernel, self.journal.add)
            self._cleanup.callback(connection.close)
        return connection

    def _bring_up(self, declaration: Declaration, connection: Connection) -> Plugin | None:
        try:
            return Plugin.bring_up(declaration, connection)
        except NotAContextProviderError as error:
            if declaration.certain:
                raise
            self.notes.append(f"{declaration.where}: {declaration.name!r} is left out: {error.reason}")
            return None
