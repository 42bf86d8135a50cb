"""What an operator can say about CLAUDE.md files in agent.hcl."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from context_common.config import Config, option


class Scope(StrEnum):
    """Where files are looked for."""

    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    RULES = "rules"
    NESTED = "nested"


class Ancestors(StrEnum):
    """How far above the working directory files are looked for."""

    NONE = "none"
    REPOSITORY = "repository"
    HOME = "home"
    FILESYSTEM = "filesystem"


@dataclass(frozen=True)
class ClaudeMdConfig(Config):
    """The provider's block."""

    path: str = option("", "One declared file, and then only it with its imports; Configure fails if it is not there.")
    paths: tuple[str, ...] = option((), "Several declared files or globs; each must resolve.")
    scopes: tuple[str, ...] = option(
        (Scope.PROJECT, Scope.LOCAL, Scope.RULES, Scope.NESTED),
        "Where to look: any of `managed`, `user`, `project`, `local`, `rules`, `nested`.",
        choices=tuple(Scope),
    )
    ancestors: str = option(
        Ancestors.REPOSITORY,
        "How far up to look: `none`, `repository`, `home` or `filesystem`.",
        choices=tuple(Ancestors),
    )
    imports: str = option("expand", "What to do with `@path`: `expand` or `off`.", choices=("expand", "off"))
    max_import_depth: int = option(4, "Import hops that are followed, 1 to 16.", minimum=1, maximum=16)
    import_roots: tuple[str, ...] = option(
        (), "Directories outside the repository from which imports are allowed (`~` allowed)."
    )
    strip_comments: str = option(
        "all", "HTML comments that are removed: `all`, `block` or `none`.", choices=("all", "block", "none")
    )
    exclude: tuple[str, ...] = option((), "Globs of files that are never read, matched on link and target path.")
    on_change: str = option(
        "append",
        "What a session is told when a file changes: `append` an update, `replace` in place, or nothing (`freeze`).",
        choices=("append", "replace", "freeze"),
    )

    @property
    def declared(self) -> tuple[str, ...]:
        """What the operator declared; empty where files are discovered."""
        return (*filter(None, (self.path,)), *self.paths)
