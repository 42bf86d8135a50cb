"""Starting git: the only place in this project that starts a program.

Every program gets a session and process group of its own, ``/dev/null`` to read from, two pipes to write to, a time
limit and an output limit. When `Runner.run` returns, nothing of the group is left.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_BLOCK: Final = 1 << 16
"""What a pipe holds."""
_ERROR_LIMIT: Final = 1 << 16
_GRACE_SECONDS: Final = 0.1
"""How long a program has to leave after SIGTERM, and then after SIGKILL."""
_TICK_SECONDS: Final = 0.02


class End(StrEnum):
    """How a run came to its end."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Result:
    """What a program answered; ``code`` is its exit code, negative for a signal, and says nothing unless it exited."""

    end: End
    code: int
    output: bytes
    errors: bytes

    @property
    def succeeded(self) -> bool:
        """Whether it exited with 0."""
        return self.end is End.EXITED and self.code == 0


class Runner:
    """Runs programs, in several threads at once, and ends them all when it is closed."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(
        self, command: Sequence[str], *, directory: Path, environment: Mapping[str, str], deadline: float, limit: int
    ) -> Result:
        """Run ``command`` until it exits, ``deadline`` (on the monotonic clock) passes, or it wrote ``limit`` bytes.

        Raises:
            OSError: it cannot be started, or ``directory`` is none.
        """
        process = subprocess.Popen(  # noqa: S603  (an absolute program, no shell, arguments of ours)
            command,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=environment,
            start_new_session=True,
        )
        try:
            self._begin(process.pid)
            with _watch(process) as watch:
                run = _Run(process, watch, limit)
                end = run.read(deadline)
        finally:
            self._end(process)
        code = -signal.SIGKILL if process.returncode is None else process.returncode
        return Result(end, code, run.output.data, run.errors.data)

    def close(self) -> None:
        """End what is running, and whatever is started later."""
        with self._lock:
            self._closed = True
            for group in self._running:
                _signal(group, signal.SIGKILL)

    def _begin(self, group: int) -> None:
        with self._lock:
            self._running.add(group)
            if self._closed:
                _signal(group, signal.SIGKILL)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            # Until it is reaped its number, which is the group's too, cannot become anybody else's.
            _signal(process.pid, signal.SIGKILL)
            self._running.discard(process.pid)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)


class _Pipe:
    """One pipe and what came out of it, of which ``limit`` bytes are kept."""

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self.descriptor = pipe.fileno()
        self._blocks: list[bytes] = []
        self._room = limit
        os.set_blocking(self.descriptor, False)

    @property
    def data(self) -> bytes:
        return b"".join(self._blocks)

    @property
    def is_full(self) -> bool:
        return self._room == 0

    def take(self) -> bool:
        """Read what is there; False at the end."""
        try:
            block = os.read(self.descriptor, _BLOCK)
        except BlockingIOError:
            return True
        if not self.is_full:
            self._blocks.append(block[: self._room])
            self._room -= len(self._blocks[-1])
        return bool(block)


class _Run:
    """One running program and what it wrote so far."""

    def __init__(self, process: subprocess.Popen[bytes], watch: int | None, limit: int) -> None:
        self._process = process
        self._watch = watch
        self.output = _Pipe(cast("IO[bytes]", process.stdout), limit)
        self.errors = _Pipe(cast("IO[bytes]", process.stderr), _ERROR_LIMIT)
        self._pipes = {pipe.descriptor: pipe for pipe in (self.output, self.errors)}
        self._poller = select.poll()
        for descriptor in (*self._pipes, *([] if watch is None else [watch])):
            self._poller.register(descriptor, select.POLLIN)

    def read(self, deadline: float) -> End:
        while (left := deadline - time.monotonic()) > 0:
            ready = [descriptor for descriptor, _event in self._poller.poll(self._patience(left) * 1000)]
            gone = self._watch in ready if self._watch is not None else _has_exited(self._process)
            # One more read empties a pipe that something in the background may hold open for ever.
            for pipe in [self._pipes[descriptor] for descriptor in (self._pipes if gone else ready)]:
                if not pipe.take() and not gone:
                    self._poller.unregister(pipe.descriptor)
            if self.output.is_full:
                self._ask_to_leave()
                return End.CUT
            if gone:
                return End.EXITED
        self._ask_to_leave()
        return End.TIMED_OUT

    def _ask_to_leave(self) -> None:
        """Give git the chance to remove its lock files, before the whole group is killed."""
        _signal(self._process.pid, signal.SIGTERM)
        poller = select.poll()
        if self._watch is not None:
            poller.register(self._watch, select.POLLIN)
        end = time.monotonic() + _GRACE_SECONDS
        while not _has_exited(self._process) and (left := end - time.monotonic()) > 0:
            poller.poll(self._patience(left) * 1000)

    def _patience(self, left: float) -> float:
        return left if self._watch is not None else min(left, _TICK_SECONDS)


@contextlib.contextmanager
def _watch(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that is readable once ``process`` has exited, where the system has such a thing."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether ``process`` is gone; it is not reaped yet, where the system can tell without that."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
