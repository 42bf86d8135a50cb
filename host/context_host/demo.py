"""``context-host demo``: a scripted session on a sample repository, through real plugins."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from context_host.agent_hcl import configuration_home, read_agent_hcl
from context_host.bundled import examples_directory
from context_host.errors import Exit, UnusableError
from context_host.hclog import Entry
from context_host.host import Host, Setting
from context_host.options import add_common_options, configuration_of, counter_of
from context_host.play import Player
from context_host.progress import progress
from context_host.record import TranscriptError
from context_host.report import demo_report, print_json
from context_host.rows import plain
from context_host.screen import screen
from context_host.script import Script, read_script
from context_host.signals import undisturbed
from context_host.transcript import Transcript
from context_host.view import print_legend, print_log, print_played, print_shares, print_warnings
from context_host.workspace import Workspace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from context_host.play import Played
    from context_host.session import Turn


def add_parser(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "demo",
        help="play a scripted session on a sample repository",
        description="Play a scripted session through real plugins and show what each turn's context becomes.",
    )
    parser.add_argument("--script", metavar="FILE", type=Path, help="play this script instead of the bundled one")
    parser.add_argument(
        "--transcript",
        metavar="FILE",
        type=Path,
        help="record every request in this new file, before it counts as sent",
    )
    parser.add_argument("--resume", action="store_true", help="go on where the transcript ends, under the next epoch")
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play, print, return the exit code."""
    script = read_script(options.script or examples_directory() / "demo.toml")
    console, stderr = screen(), Console(stderr=True, highlight=False)
    played: list[Played] = []
    with ExitStack() as cleanup:
        with progress(stderr, "starting the plugins …"):
            with undisturbed():
                workspace = cleanup.enter_context(Workspace(os.environ.get("PATH", "")))
            transcript = _transcript(options, cleanup)
            player, host = _player(script, workspace, options, cleanup, transcript)
        readable = partial(_readable, root=workspace.repositories)
        warnings = host.warnings(script.models)
        teller = _Teller(console, everything=options.verbose)
        if not options.json:
            teller.begin(script.title, warnings)
        live = console.file.isatty() and not options.json
        try:
            for item in _watched(player.play(), stderr):
                played.append(item)
                if live:
                    teller.tell(item, readable(host.journal.news()))
        finally:
            # Only then every entry is there, in whatever turn it was made; somebody who watches does not want to wait.
            host.close()
            logs = [readable(log) for log in host.journal.slices([item.turn.started for item in played])]
            if not live and not options.json:
                for item, log in zip(played, logs, strict=True):
                    teller.tell(item, log)
    shares = {name: session.meter.share for name, session in player.sessions.items()}
    if options.json:
        print_json(demo_report(script.title, played, logs, warnings, shares))
    else:
        if not played:
            console.print("Nothing is left to play: the transcript holds every turn of the script.")
        if live:
            print_log(console, readable(host.journal.news()), everything=options.verbose)
        print_shares(console, {name: share for name, share in shares.items() if len(player.sessions[name].turns) > 1})
    return Exit.PLUGIN_FAILED if any(item.turn.assembled.failed for item in played) else Exit.DONE


class _Teller:
    """Prints turn after turn, each against the one before in its session."""

    def __init__(self, console: Console, *, everything: bool) -> None:
        self._console = console
        self._everything = everything
        self._before: dict[str, Turn] = {}

    def begin(self, title: str, warnings: Iterable[str]) -> None:
        self._console.print(Text(plain(title), "bold"))
        print_legend(self._console)
        print_warnings(self._console, warnings)

    def tell(self, item: Played, log: Iterable[Entry]) -> None:
        print_played(self._console, item, self._before.get(item.plan.session))
        print_log(self._console, log, everything=self._everything)
        self._before[item.plan.session] = item.turn


def _watched(played: Iterator[Played], console: Console) -> Iterator[Played]:
    while True:
        with progress(console, "the next turn …"):
            item = next(played, None)
        if item is None:
            return
        yield item


def _transcript(options: argparse.Namespace, cleanup: ExitStack) -> Transcript | None:
    if options.transcript is None:
        if options.resume:
            raise UnusableError("--resume needs the transcript to go on from: --transcript FILE")
        return None
    try:
        transcript = cleanup.enter_context(Transcript(options.transcript))
    except TranscriptError as error:
        raise UnusableError(str(error)) from error
    if transcript.lines and not options.resume:
        raise UnusableError(f"{options.transcript} holds a session already; go on with --resume, or name another file")
    return transcript


def _player(
    script: Script, workspace: Workspace, options: argparse.Namespace, cleanup: ExitStack, transcript: Transcript | None
) -> tuple[Player, Host]:
    repositories = {
        name: workspace.add(script.directory / name)
        for name in dict.fromkeys(plan.repository for plan in script.sessions.values())
    }
    # A home of its own keeps the user's git configuration and personal files out of what everybody should see alike;
    # the bundled script does without the user's developer overrides as well.
    config = str(configuration_home(os.environ)) if options.script else ""
    environment = {**os.environ, "HOME": str(workspace.home), "XDG_CONFIG_HOME": config}
    setting = Setting(
        next(iter(repositories.values())), environment, counter_of(options), options.strict, options.start_timeout
    )
    configuration = (
        read_agent_hcl(script.directory / script.agent_hcl, os.environ)
        if script.agent_hcl
        else configuration_of(None, (), ())
    )
    host = cleanup.enter_context(Host(configuration, setting))
    return Player(script, host, workspace, repositories, transcript), host


def _readable(entries: Iterable[Entry], root: Path) -> list[Entry]:
    """The entries with paths as they are below ``root``, so that every run prints the same."""

    def shortened(text: str) -> str:
        return text.replace(f"{root}/", "")

    return [
        Entry(
            entry.provider,
            entry.level,
            shortened(entry.message),
            {name: shortened(value) for name, value in entry.fields.items()},
        )
        for entry in entries
    ]
