"""What a repository's configuration would make git do, and the overrides that stop it.

One probe reads the values that matter, with the scope and the file of each. The system's, the user's own and ours are
trusted; all others come with the repository.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from context_git_status.environment import ALWAYS, UNTRUSTED, Settings, users_file
from context_git_status.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_KEYS: Final = (
    r"^(filter\..*\.(clean|smudge|process|required)|include\.path|includeif\..*\.path|status\.showuntrackedfiles"
    r"|core\.(sparsecheckout|autocrlf|eol|attributesfile|bigfilethreshold)|diff\..*\.(binary|algorithm)"
    r"|extensions\.(partialclone|refstorage)|remote\..*\.promisor)$"
)
PROBE: Final = (
    "config",
    "-z",
    "--show-scope",
    "--show-origin",
    "--get-regexp",
    _KEYS,
)
NOTHING_FOUND: Final = 1
"""The probe's exit code when no value matches."""

_CONVERSIONS: Final = re.compile(r"core\.(autocrlf|eol|attributesfile|bigfilethreshold)|(diff|filter)\..*")
_TRUSTED_SCOPES: Final = frozenset({"system", "global", "command"})
_OVERRIDES_LIMIT: Final = 64 * 1024
"""Bytes of overrides; an environment cannot grow for ever, and no honest repository comes near."""


class Value(NamedTuple):
    """One value of the configuration; ``key`` as git spells it, ``origin`` the file that holds it."""

    scope: str
    origin: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What the probe found.

    Attributes:
        overrides: every setting that git is to be started with.
        filters: whether a filter of the repository's own was switched off or replaced.
        hides_untracked: whether status.showUntrackedFiles is no.
        sparse: whether only a part of the tree is checked out.
        partial: whether objects may be missing.
        reftable: whether refs are kept elsewhere than in files.
        attributes: the value of core.attributesFile.
        conversions: what decides, beside attributes, about the lines of a file.
    """

    overrides: Settings = ALWAYS + UNTRUSTED
    filters: bool = False
    hides_untracked: bool = False
    sparse: bool = False
    partial: bool = False
    reftable: bool = False
    attributes: str = ""
    conversions: tuple[Value, ...] = ()


def parse_probe(data: bytes) -> tuple[Value, ...]:
    """The values in the output of `PROBE`."""
    fields = os.fsdecode(data).split("\0")
    records = zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    return tuple(Value(scope, origin.removeprefix("file:"), *_key_and_value(rest)) for scope, origin, rest in records)


def understand(values: Iterable[Value], *, trusted: bool) -> Probe | None:
    """What ``values`` mean, the last one of a key, as in git; None where there are more filters than can be stopped."""
    values = tuple(values)
    last = {value.key: value.value for value in values}
    drivers = () if trusted else _driver_overrides(values)
    if sum(len(os.fsencode(key + value)) for key, value in drivers) > _OVERRIDES_LIMIT:
        return None
    return Probe(
        overrides=ALWAYS + (() if trusted else UNTRUSTED) + drivers,
        filters=any(last.get(key, value) != value for key, value in drivers),
        hides_untracked=last.get("status.showuntrackedfiles", "").lower() in {"no", "false", "off", "0"},
        sparse=_is_true(last.get("core.sparsecheckout", "false")),
        partial=any(_is_promisor(key, value) for key, value in last.items()),
        reftable=last.get("extensions.refstorage", "files") != "files",
        attributes=last.get("core.attributesfile", ""),
        conversions=tuple(value for value in values if _CONVERSIONS.fullmatch(value.key)),
    )


def _key_and_value(record: str) -> tuple[str, str]:
    key, newline, value = record.partition("\n")
    # A key without "=" is true to git.
    return key, value if newline else "true"


def _driver_overrides(values: Iterable[Value]) -> Settings:
    """What each driver that the repository has a say in is to be instead: what the user's own configuration says."""
    own: dict[str, dict[str, str]] = {}
    theirs: dict[str, dict[str, str]] = {}
    for value in values:
        section, _, rest = value.key.partition(".")
        driver, _, variable = rest.rpartition(".")
        if section == "filter":
            drivers = own if value.scope in _TRUSTED_SCOPES else theirs
            drivers.setdefault(driver, {})[variable] = value.value
    return tuple(
        (f"filter.{driver}.{variable}", value)
        for driver in sorted(theirs)
        for variable, value in _instead(theirs[driver], own.get(driver, {})).items()
    )


def _instead(theirs: Collection[str], own: Mapping[str, str]) -> Mapping[str, str]:
    """The values of one driver of which the repository sets ``theirs``, and the user ``own``."""
    values = {variable: own.get(variable, "") for variable in sorted(theirs)}
    # An empty process is one to git, which then does not look at the user's clean either.
    runs = "process" in own or ("clean" in own and "process" not in theirs)
    return values | {"required": own.get("required", "false") if runs else "false"}


def _is_promisor(key: str, value: str) -> bool:
    return key == "extensions.partialclone" or (key.startswith("remote.") and _is_true(value))


def _is_true(value: str) -> bool:
    return value.lower() not in {"false", "no", "off", "0", ""}


class Sources:
    """The files that the probe's answer depends on, and whether one of them moved since."""

    def __init__(self, git_dir: Path, common_dir: Path, top: Path) -> None:
        """Start with the files that any repository has.

        Args:
            git_dir: the work tree's own git directory.
            common_dir: the one that all work trees share.
            top: the work tree; git names configuration files relative to it.
        """
        self._top = top
        # A branch, and so HEAD, decides about includeIf.onbranch; reftable keeps HEAD in its tables.
        moved_by_refs = (git_dir / "HEAD", git_dir / "reftable/tables.list", common_dir / "reftable/tables.list")
        own = (git_dir / "config.worktree", git_dir / "commondir", common_dir / "config")
        self._always = {*own, *moved_by_refs, *_users_files()}
        self._watch = Watch()
        self._by_branch = False

    def moved(self) -> bool:
        """Whether the configuration may be another one than at the last `note`."""
        return self._by_branch or self._watch.moved()

    def note(self, values: Iterable[Value], since: int) -> None:
        """Remember the files behind ``values``, which a probe begun at ``since`` (``time.time_ns``) found.

        A file that it includes belongs to them even while it does not exist.
        """
        files = set(self._always)
        self._by_branch = False
        for value in values:
            # A branch can be a symbolic ref itself, so that HEAD alone does not tell which one it is.
            self._by_branch |= value.key.startswith("includeif.onbranch:") and value.scope not in _TRUSTED_SCOPES
            origin = self._top / value.origin
            files.add(origin)
            if value.key == "include.path" or value.key.startswith("includeif."):
                files.add(origin.parent / os.path.expanduser(value.value))  # noqa: PTH111  (never raises)
        self._watch.note(files, since)


def _users_files() -> Iterator[Path]:
    yield Path(os.environ.get("HOME", "/"), ".gitconfig")
    yield users_file("config")
    yield Path("/etc/gitconfig")
