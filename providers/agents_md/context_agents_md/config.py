"""What the operator may say in the provider's block of ``agent.hcl``."""

from __future__ import annotations

from dataclasses import dataclass

from context_common.config import Config, option
from context_common.provider import OnChange

NAME = "AGENTS.md"
"""The convention's own file name, which a ``glob`` may name to mean all of ``filenames``."""


@dataclass(frozen=True)
class AgentsMdConfig(Config):
    """The configuration of ``agents-md``."""

    glob: str = option(
        "",
        "Which files take part, relative to the root; declared and matching nothing fails Configure. Empty: `**/AGENTS.md`, and none is no error.",
    )
    filenames: tuple[str, ...] = option(
        ("AGENTS.override.md", NAME),
        "Tried in each directory, the first that is not empty wins; used when `glob` is not declared or names AGENTS.md.",
    )
    root_markers: tuple[str, ...] = option(
        (".git",), "Files or directories that end the way up: the directory that holds one is the root."
    )
    boundary: str = option(
        "",
        'The root itself, in place of markers; `"."` is the working directory. One that is not there fails Configure.',
    )
    include_outer: bool = option(False, "Inside a submodule or inner clone: also the outer repository's files.")
    user_file: str = option(
        "",
        "A personal file that is read first, such as `~/.config/agents/AGENTS.md`. One that is not there fails Configure.",
    )
    prune: tuple[str, ...] = option(
        ("node_modules", ".venv", "venv", "site-packages", "vendor", "target", "dist", "build", "__pycache__"),
        "Names of directories whose files never take part, unless the working directory lies in one.",
    )
    exclude: tuple[str, ...] = option((), "Globs of files that are never read, matched on link and target path.")
    strip_comments: str = option(
        "all",
        "HTML comments that are removed: `all`, `block` or `none`.",
        choices=("all", "block", "none"),
    )
    on_change: str = option(
        "append",
        "What a session is told when a file changes: `append` an update, `replace` in place, or nothing (`freeze`).",
        choices=tuple(OnChange),
    )
