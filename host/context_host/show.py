"""``context-host show``: what an agent working here would read right now."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from context_host.errors import Exit, UnusableError
from context_host.host import Host, Setting
from context_host.models import Model, read_model
from context_host.options import add_common_options, configuration_of, counter_of
from context_host.progress import progress
from context_host.prompt import assembled_prompt
from context_host.report import print_json, show_report
from context_host.rows import plain
from context_host.screen import screen
from context_host.session import Session
from context_host.view import is_loud, print_log, print_request, print_turn, print_warnings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from context_host.hclog import Entry
    from context_host.session import Turn

_DEFAULT_AGENT_HCL = Path("agent.hcl")
_DEFAULT_MODEL = Model()


def add_parser(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "show",
        help="what an agent working here would read",
        description="Show what an agent working in this directory would read right now.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="count PATH as touched before the first firing")
    parser.add_argument(
        "--turn",
        metavar="PATH[,PATH…]",
        action="append",
        default=[],
        help="fire once more, with these paths touched; repeatable",
    )
    parser.add_argument(
        "--agent-hcl",
        metavar="FILE",
        type=Path,
        help="the configuration (default: ./agent.hcl, else the three providers with their defaults)",
    )
    parser.add_argument(
        "--provider",
        metavar="NAME",
        action="append",
        default=[],
        help="without agent.hcl: start only this provider; repeatable, in this order",
    )
    parser.add_argument(
        "--set",
        metavar="NAME.ATTRIBUTE=VALUE",
        action="append",
        default=[],
        help="without agent.hcl: configure a provider; VALUE is HCL or a bare word",
    )
    parser.add_argument(
        "--model",
        metavar="NAME:WINDOW",
        type=str,
        help="the model to assemble for (default: claude-opus-5:200000); "
        f"{_DEFAULT_MODEL.context_window - _DEFAULT_MODEL.effective_ceiling:,} tokens of the window are not for context",
    )
    parser.add_argument("--prompt", action="store_true", help="print the assembled text and nothing else")
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fire, print, return the exit code."""
    model = read_model(options.model) if options.model else _DEFAULT_MODEL
    setting = Setting(
        _directory(), counter=counter_of(options), strict=options.strict, start_seconds=options.start_timeout
    )
    firings = [_touched(paths) for paths in [options.paths, *(turn.split(",") for turn in options.turn)]]
    console, stderr = screen(), Console(stderr=True, highlight=False)
    configuration = configuration_of(_agent_hcl(options), options.provider, options.set)
    with ExitStack() as cleanup:
        with progress(stderr, "starting the plugins …"):
            host = cleanup.enter_context(Host(configuration, setting))
        session = Session(host, model, setting.directory)
        with progress(stderr, "asking the plugins …"):
            turns = [session.fire(paths) for paths in firings]
        warnings = host.warnings([model])
    logs = host.journal.slices([turn.started for turn in turns])
    prompt = assembled_prompt(turns[-1].assembled.sections)
    if options.json:
        print_json(show_report(turns, logs, warnings, prompt))
    elif options.prompt:
        _print_prompt(prompt)
    else:
        _print(console, turns, logs, warnings, everything=options.verbose)
    return Exit.PLUGIN_FAILED if turns[-1].assembled.failed else Exit.DONE


def _directory() -> Path:
    try:
        directory = Path.cwd()
    except FileNotFoundError:
        raise UnusableError("the working directory is gone") from None
    _must_be_utf8(str(directory))
    return directory


def _touched(paths: Sequence[str]) -> list[str]:
    for path in paths:
        _must_be_utf8(path)
    return [path for path in paths if path]


def _must_be_utf8(path: str) -> None:
    if path.encode("utf-8", "replace").decode() != path:
        raise UnusableError(f"path {path!r} is not UTF-8, and the protocol carries no other")


def _agent_hcl(options: argparse.Namespace) -> Path | None:
    if options.agent_hcl:
        return Path(options.agent_hcl)
    named = options.provider or options.set
    return _DEFAULT_AGENT_HCL if _DEFAULT_AGENT_HCL.is_file() and not named else None


def _print_prompt(prompt: str) -> None:
    if sys.stdout.isatty():
        # Line ends and tabs may act on the terminal, nothing else.
        prompt = "\n".join("\t".join(map(plain, line.split("\t"))) for line in prompt.split("\n"))
    sys.stdout.write(f"{prompt}\n" if prompt else "")


def _print(
    console: Console,
    turns: Sequence[Turn],
    logs: Sequence[Sequence[Entry]],
    warnings: Sequence[str],
    *,
    everything: bool,
) -> None:
    print_warnings(console, warnings)
    before = None
    for turn, log in zip(turns, logs, strict=True):
        if before:
            console.print()
        touched = ", ".join(map(plain, turn.touched)) or "nothing newly touched"
        console.rule(Text.assemble((f"Turn {turn.number}", "bold"), f" · {touched}"), align="left", style="blue")
        print_turn(console, turn, before)
        if before:
            print_request(console, turn)
        print_log(console, log, everything=everything)
        before = turn
    if not turns[-1].assembled.sections and not any(map(is_loud, logs[-1])):
        console.print("  Nothing: no provider has anything to say about this directory.")
