"""``context-host``: the command line."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING

from context_common import __version__
from context_host import demo, show
from context_host.errors import Exit, HostError
from context_host.rows import fitted, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

_EPILOG = "exit codes: 0 done; 1 a plugin failed; 2 the command line or an input cannot be used; 129 hung up; 130 interrupted; 143 terminated"
_LONGEST_SENTENCE = 2000
_COMMANDS = (demo, show)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. An interrupt is the caller's to tell."""
    _survive_any_locale()
    parser = argparse.ArgumentParser(
        prog="context-host",
        description="A small, honest host for context providers: see what an agent would read.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"context-host {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except HostError as error:
        _tell(str(error))
        return error.exit_code
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        _drop_output()
        return Exit.DONE
    except OSError as error:
        _drop_output()
        _tell(": ".join(filter(None, [error.filename, error.strerror or str(error)])))
        return Exit.PLUGIN_FAILED
    return code


def _tell(sentence: str) -> None:
    """Failures quote what plugins and files say, which may be anything."""
    line = " ".join(sentence.splitlines())
    sys.stderr.write(f"context-host: {fitted(plain(line), _LONGEST_SENTENCE)}\n")


def _drop_output() -> None:
    """What is still to be written would fail once more when Python flushes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _survive_any_locale() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
