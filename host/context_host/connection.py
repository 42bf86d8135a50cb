"""A plugin with everything around it: process, channel, callback server, broker, and one temporary directory."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from context_host.callbacks import Broker, CallbackServer, Kernel
from context_host.client import CALL_SECONDS, ContextClient
from context_host.launch import START_SECONDS, launch, plugin_environment
from context_host.signals import undisturbed
from context_host.temporary import temporary_base

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
    ("grpc.enable_http_proxy", 0),
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
        start_seconds: how long it may take to shake hands, and then to say what it is.
        call_seconds: how long any other call may take.
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
    """A plugin and the way to it; a context manager that leaves nothing behind.

    The process starts at once and is waited for in `connect`, so that several plugins can start side by side.

    Attributes:
        client: calls the plugin, once it is connected.

    Raises:
        PluginError: the program cannot be started.
    """

    client: ContextClient

    def __init__(self, start: Start, kernel: Kernel, on_entry: Callable[[Entry], None]) -> None:
        self._start = start
        with contextlib.ExitStack() as cleanup:
            directory = Path(tempfile.mkdtemp(prefix="ch-", dir=temporary_base(_LONGEST_BASE)))
            cleanup.callback(shutil.rmtree, directory, ignore_errors=True)
            temporary = directory / "t"
            temporary.mkdir()
            self._server = CallbackServer(kernel, directory)
            cleanup.callback(self._server.close)
            environment = start.environment(temporary)
            self.process = launch(
                start.name, start.command, environment=environment, directory=start.directory, on_entry=on_entry
            )
            # Until it is connected there is no way to ask it to leave.
            cleanup.callback(self.process.stop, 0)
            self._cleanup = cleanup.pop_all()

    @classmethod
    def open(cls, start: Start, kernel: Kernel, on_entry: Callable[[Entry], None]) -> Connection:
        """Start the plugin and connect to it.

        Raises:
            PluginError: it cannot be started, or does not shake hands; nothing of it is left.
        """
        connection = cls(start, kernel, on_entry)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def connect(self) -> None:
        """Shake hands, and tell the plugin where the callback is served.

        Raises:
            PluginError: it does not shake hands.
        """
        handshake = self.process.shake_hands(self._start.start_seconds)
        # A channel that was broken off while it began its first call could never be closed.
        with undisturbed():
            channel = grpc.insecure_channel(handshake.target, options=_CHANNEL_OPTIONS)
            self._cleanup.callback(channel.close)
            # Ended before the channel is: a stream that breaks off would make the plugin complain on stderr.
            self._cleanup.callback(self.process.stop)
            broker = Broker(channel, self._server.address)
            self._cleanup.callback(broker.close)
            self.client = ContextClient(self._start.name, channel, self._start.start_seconds, self._start.call_seconds)
            self._cleanup.callback(self.client.shut_down)

    def close(self) -> None:
        """Ask the plugin to leave, make it leave, and remove what it left on disk."""
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
