"""Counting what a host left behind: processes by the temporary directory in their environment, and that directory's entries."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path


@contextlib.contextmanager
def short_temporary():
    """A fresh directory that temporary files go to meanwhile, short enough for unix sockets below it."""
    directory = Path(tempfile.mkdtemp(prefix="t-", dir="/tmp"))
    before = tempfile.tempdir
    tempfile.tempdir = str(directory)
    try:
        yield directory
    finally:
        tempfile.tempdir = before
        shutil.rmtree(directory, ignore_errors=True)


def left_of(temporary: Path) -> list[str]:
    """What is left in ``temporary`` and every process that still has it in its environment."""
    deadline = time.monotonic() + 10
    # A killed process may be listed for a moment longer.
    while processes_of(temporary) and time.monotonic() < deadline:
        time.sleep(0.01)
    return sorted(entry.name for entry in temporary.iterdir()) + processes_of(temporary)


def processes_of(temporary: Path) -> list[str]:
    """The command lines of processes, other than this one, whose environment names ``temporary``."""
    found = []
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit() or int(directory.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if os.fsencode(temporary) in (directory / "environ").read_bytes():
                found.append((directory / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found
