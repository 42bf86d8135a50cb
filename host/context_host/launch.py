"""A plugin as a subprocess: started with nothing but what the protocol allows, read, stopped, never left behind."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from typing import IO, TYPE_CHECKING

from context_host.errors import PluginError
from context_host.handshake import GO_PLUGIN_ENVIRONMENT, HandshakeError, producer_stamp, read_handshake
from context_host.hclog import LINE_LIMIT, Entry, read_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from context_host.handshake import Handshake

START_SECONDS = 10.0
STOP_SECONDS = 2.0
_EVICTED_SECONDS = 0.5
_SIGNAL_NAMES = {number.value: number.name for number in signal.Signals}


def plugin_environment(
    name: str, *, temporary: Path, inherited: Mapping[str, str], declared: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Everything that a plugin finds in its environment.

    Args:
        name: the operator's local name for the plugin.
        temporary: the directory it may fill; the host removes it afterwards.
        inherited: the host's own environment, of which ``PATH`` and ``HOME`` are handed on.
        declared: the entries of the block's ``environment {}``.
    """
    allowed = {key: inherited[key] for key in ("PATH", "HOME") if key in inherited}
    stamp = {"OTEL_RESOURCE_ATTRIBUTES": producer_stamp(name, "dev")}
    return {**allowed, "TMPDIR": str(temporary), **stamp, **(declared or {}), **GO_PLUGIN_ENVIRONMENT}


class Process:
    """A plugin that was started."""

    def __init__(self, name: str, popen: subprocess.Popen[bytes], on_entry: Callable[[Entry], None]) -> None:
        self.name = name
        self._popen = popen
        self._stopped = False
        self._on_entry = on_entry
        self._first_line: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last_words: deque[str] = deque(maxlen=1)
        self._readers = [
            threading.Thread(target=read, args=(stream,), daemon=True)
            for read, stream in ((self._read_stdout, popen.stdout), (self._read_stderr, popen.stderr))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def exit_code(self) -> int | None:
        """How the process ended; None while it runs."""
        return self._popen.poll()

    def shake_hands(self, seconds: float) -> Handshake:
        """Wait for the handshake line.

        Raises:
            PluginError: the process ended, printed something else, or printed nothing in time.
        """
        try:
            line = self._first_line.get(timeout=seconds)
        except queue.Empty:
            raise PluginError(self.name, f"did not print its handshake line within {seconds:g} s") from None
        if not line:
            raise PluginError(self.name, self.obituary("before its handshake"))
        try:
            return read_handshake(line.decode("utf-8", "replace").strip())
        except HandshakeError as error:
            raise PluginError(self.name, str(error)) from None

    def has_ended(self) -> bool:
        """Whether the process is gone, or goes within a moment: its socket closes a little before it ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_EVICTED_SECONDS)
        return self.exit_code is not None

    def obituary(self, when: str) -> str:
        """How the process ended, with its last line on stderr."""
        self.has_ended()
        self._readers[1].join(_EVICTED_SECONDS)
        code = self.exit_code
        if code is None:
            ended = "closed its stdout"
        elif code < 0:
            ended = f"was ended by {_SIGNAL_NAMES.get(-code, f'signal {-code}')}"
        else:
            ended = f"exited with code {code}"
        said = f"; its last line on stderr: {self._last_words[0]}" if self._last_words else ""
        return f"{ended} {when}{said}"

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Wait for the process to leave, then make sure that nothing of its group is left; a second call does nothing."""
        if self._stopped:
            return
        self._stopped = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
        # The group is killed in either case: a plugin may leave while a child of its own stays.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._popen.wait()
        for reader in self._readers:
            reader.join(_EVICTED_SECONDS)

    def _read_stdout(self, stream: IO[bytes]) -> None:
        with stream:
            self._first_line.put(stream.readline(LINE_LIMIT))
            # Read on for ever: a full pipe would block the plugin in its next print.
            while line := stream.readline(LINE_LIMIT):
                text = line.decode("utf-8", "replace").rstrip()
                self._on_entry(
                    Entry(
                        self.name,
                        "warn",
                        "wrote on stdout, which carries the handshake line and nothing else",
                        {"text": text},
                    )
                )

    def _read_stderr(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(LINE_LIMIT):
                text = line.decode("utf-8", "replace").rstrip()
                if text:
                    entry = read_line(self.name, text)
                    self._last_words.append(entry.message)
                    self._on_entry(entry)


def launch(
    name: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    directory: Path,
    on_entry: Callable[[Entry], None],
) -> Process:
    """Start ``command``.

    Args:
        name: the local name, for messages.
        command: the program; the protocol gives it no arguments.
        environment: its whole environment.
        directory: its working directory.
        on_entry: receives what it writes on stderr, from another thread.

    Raises:
        PluginError: it cannot be started.
    """
    try:
        popen = subprocess.Popen(  # noqa: S603  (starting what the operator declared is this module's purpose)
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise PluginError(name, f"cannot start {command[0]}: {error.strerror}") from None
    return Process(name, popen, on_entry)
