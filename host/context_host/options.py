"""Command-line options that several commands share."""

from __future__ import annotations

import argparse
import contextlib
import os
from typing import TYPE_CHECKING

from context_host.agent_hcl import read_agent_hcl
from context_host.counting import FALLBACK, Counter, load_tokenizer
from context_host.declarations import BUNDLED, Configuration, Declaration, Value
from context_host.errors import UnusableError
from context_host.launch import START_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that fires plugins."""
    parser.add_argument("--json", action="store_true", help="print one JSON document with stable keys")
    parser.add_argument(
        "--strict", action="store_true", help="end the turn when a plugin fails, instead of leaving it out"
    )
    parser.add_argument(
        "--tokenizer",
        metavar="MODULE:CALLABLE",
        help="count with this callable (text → tokens or their number) instead of bytes/4",
    )
    parser.add_argument(
        "--start-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=START_SECONDS,
        help="how long a plugin may take to start, and then to say what it is and can do (default %(default)g)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show every log entry, not only warnings and errors"
    )


def counter_of(options: argparse.Namespace) -> Counter:
    """The counter that the options ask for."""
    return load_tokenizer(options.tokenizer) if options.tokenizer else FALLBACK


def configuration_of(agent_hcl: Path | None, providers: Sequence[str], settings: Sequence[str]) -> Configuration:
    """The plugins to start: from ``agent_hcl``, or as named and configured on the command line.

    Raises:
        UnusableError: a file or a setting cannot be used.
    """
    if agent_hcl:
        if providers or settings:
            raise UnusableError(f"--provider and --set configure plugins without an agent.hcl; {agent_hcl} is in use")
        return read_agent_hcl(agent_hcl, os.environ)
    arguments: dict[str, dict[str, Value]] = {name: {} for name in providers or BUNDLED}
    for setting in settings:
        name, attribute, value = _setting(setting, arguments)
        arguments[name][attribute] = value
    return Configuration(
        tuple(Declaration(name, f"--provider {name}", arguments=given) for name, given in arguments.items())
    )


def _setting(setting: str, names: Iterable[str]) -> tuple[str, str, Value]:
    from context_host.hcl import read_value  # noqa: PLC0415  (its grammar costs more than the rest of the host)

    target, found, text = setting.partition("=")
    name, dot, attribute = target.partition(".")
    if not (found and dot and attribute):
        raise UnusableError(f"--set {setting}: accepted is NAME.ATTRIBUTE=VALUE, such as claude-md.path=CLAUDE.md")
    if name not in names:
        raise UnusableError(f"--set {setting}: {name!r} is not among the providers {', '.join(names)}")
    where = f"--set {target}"
    return name, attribute, Value(read_value(text, where, os.environ), where)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if 0 < seconds < 1e6:  # noqa: PLR2004  (some end there must be: a timer takes no infinity)
            return seconds
    raise argparse.ArgumentTypeError("accepted is a number of seconds above 0")
