"""A plugin with everything around it: process, channel, callback server, broker, and one temporary directory."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from context_host.callbacks import Broker, CallbackServer, Kernel
from context_host.client import CALL_SECONDS, ContextClient
from context_host.launch import START_SECONDS, Process, launch, plugin_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from context_host.hclog import Entry

# A socket's path may have 107 bytes, and both the plugin's directory and its socket come below ours.
_LONGEST_BASE = 60
_CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.default_authority", "localhost"),
)


@dataclass(frozen=True)
class Start:
    """What to start and how.

    Attributes:
        name: the operator's local name.
        command: the program, and arguments only where a module is run instead of a script.
        directory: its working directory.
        declared: the block's ``environment {}``.
        inherited: the environment that ``PATH`` and ``HOME`` come from.
        start_seconds: how long it may take to shake hands.
        call_seconds: how long one call may take.
    """

    name: str
    command: Sequence[str]
    directory: Path
    declared: Mapping[str, str]
    inherited: Mapping[str, str]
    start_seconds: float = START_SECONDS
    call_seconds: float = CALL_SECONDS

    def environment(self, temporary: Path) -> dict[str, str]:
        """The whole environment of the process, with ``temporary`` as its ``TMPDIR``."""
        return plugin_environment(self.name, temporary=temporary, inherited=self.inherited, declared=self.declared)


class Connection:
    """A plugin that runs and can be called; a context manager that leaves nothing behind."""

    def __init__(self, client: ContextClient, process: Process, cleanup: contextlib.ExitStack) -> None:
        self.client = client
        self.process = process
        self._cleanup = cleanup

    @classmethod
    def open(cls, start: Start, kernel: Kernel, on_entry: Callable[[Entry], None]) -> Connection:
        """Start the plugin, shake hands, and serve it the callback.

        Raises:
            PluginError: it cannot be started.
        """
        with contextlib.ExitStack() as cleanup:
            directory = _temporary_directory()
            cleanup.callback(shutil.rmtree, directory, ignore_errors=True)
            temporary = directory / "t"
            temporary.mkdir()
            process = launch(
                start.name,
                start.command,
                environment=start.environment(temporary),
                directory=start.directory,
                on_entry=on_entry,
                start_seconds=start.start_seconds,
            )
            cleanup.callback(process.stop)
            channel = grpc.insecure_channel(process.handshake.target, options=_CHANNEL_OPTIONS)
            cleanup.callback(channel.close)
            server = CallbackServer(kernel, directory)
            cleanup.callback(server.close)
            broker = Broker(channel, server.address)
            cleanup.callback(broker.close)
            client = ContextClient(start.name, channel, start.call_seconds)
            cleanup.callback(client.shut_down)
            return cls(client, process, cleanup.pop_all())

    def close(self) -> None:
        """Ask the plugin to leave, make it leave, and remove what it left on disk."""
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _temporary_directory() -> Path:
    base = tempfile.gettempdir()
    too_long = len(os.fsencode(base)) > _LONGEST_BASE
    return Path(tempfile.mkdtemp(prefix="ch-", dir="/tmp" if too_long else base))  # noqa: S108  (mkdtemp makes a private directory in it)
