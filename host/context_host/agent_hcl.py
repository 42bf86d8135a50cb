"""``agent.hcl`` and the developer overrides, read into declarations."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_host.declarations import Configuration, Declaration, Value
from context_host.errors import UnusableError
from context_host.inputs import MissingFileError, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_host.hcl import Argument, Block

_PROVIDER_BLOCKS = ("provider", "context")
_IGNORED_BLOCKS = ("policy", "agent_profile", "hook", "settings")
_ACCEPTED_BLOCKS = ("required_providers", *_PROVIDER_BLOCKS, *_IGNORED_BLOCKS)
_REQUIREMENT_KEYS = {"source", "version"}


def read_agent_hcl(path: Path, environment: Mapping[str, str]) -> Configuration:
    """The plugins that ``path`` declares, in the order of ``required_providers``.

    Raises:
        UnusableError: the file cannot be read, is no HCL, or says something that is not accepted.
    """
    root = _parsed(path, environment)
    for argument in root.arguments:
        raise UnusableError(
            f"{argument.where}: {argument.name!r} stands outside any block; accepted blocks are {', '.join(_ACCEPTED_BLOCKS)}"
        )
    declared: dict[str, Declaration] = {}
    for block in root.blocks:
        if block.kind == "required_providers":
            _require(_sound(block), declared)
    notes = []
    configured: set[str] = set()
    for block in root.blocks:
        if block.kind in _PROVIDER_BLOCKS:
            _configure(block, declared, configured)
        elif block.kind in _IGNORED_BLOCKS:
            notes.append(f"{block.where}: block {block.kind!r} is not used by this host")
        elif block.kind != "required_providers":
            raise UnusableError(
                f"{block.where}: unknown block {block.kind!r}; accepted are {', '.join(_ACCEPTED_BLOCKS)}"
            )
    return Configuration(tuple(declared.values()), tuple(notes))


def configuration_home(environment: Mapping[str, str]) -> Path:
    """Where the user's configuration lies, by the XDG rules; an empty variable is none."""
    return Path(environment.get("XDG_CONFIG_HOME") or Path(environment.get("HOME") or "/") / ".config")


def read_dev_overrides(environment: Mapping[str, str]) -> dict[str, Value]:
    """The executables that ``$XDG_CONFIG_HOME/agent/config.hcl`` puts in the place of installed plugins, by local name.

    Raises:
        UnusableError: the file is there and cannot be used.
    """
    try:
        root = _parsed(configuration_home(environment) / "agent" / "config.hcl", environment)
    except MissingFileError:
        return {}
    overrides: dict[str, Value] = {}
    for block in root.blocks:
        if block.kind == "dev_overrides":
            overrides |= {argument.name: _executable(argument) for argument in _sound(block).arguments}
    return overrides


def _sound(block: Block) -> Block:
    if block.fault:
        raise block.fault
    return block


def _executable(argument: Argument) -> Value:
    value = _string(argument, argument.value)
    if not Path(value).is_absolute():
        raise UnusableError(
            f"{argument.where}: {argument.name!r} is {value!r}; accepted is the absolute path of an executable"
        )
    return Value(value, argument.where)


def _require(block: Block, declared: dict[str, Declaration]) -> None:
    if block.labels:
        raise UnusableError(f"{block.where}: required_providers takes no label")
    for argument in block.arguments:
        if argument.name in declared:
            raise UnusableError(
                f"{argument.where}: {argument.name!r} is declared twice, first at {declared[argument.name].where}"
            )
        if (
            not isinstance(argument.value, dict)
            or not set(argument.value) <= _REQUIREMENT_KEYS
            or "source" not in argument.value
        ):
            raise UnusableError(
                f'{argument.where}: {argument.name!r} needs an object such as {{ source = "github.com/…", version = "~> 1.0" }}'
            )
        source, _ = (_string(argument, argument.value.get(key, "")) for key in ("source", "version"))
        declared[argument.name] = Declaration(argument.name, argument.where, source, certain=False)
    for inner in block.blocks:
        raise UnusableError(f"{inner.where}: {inner.kind!r} is a block; write {inner.kind} = {{ … }}")


def _configure(block: Block, declared: dict[str, Declaration], configured: set[str]) -> None:
    if len(block.labels) != 1:
        raise UnusableError(
            f'{block.where}: a {block.kind} block has one label, the local name: {block.kind} "claude-md" {{ … }}'
        )
    name = block.labels[0]
    if name not in declared:
        raise UnusableError(
            f"{block.where}: {name!r} is not in required_providers; declared are {', '.join(declared) or 'none'}"
        )
    if name in configured:
        raise UnusableError(f"{block.where}: {name!r} has two blocks")
    configured.add(name)
    certain = block.kind == "context"
    if certain or declared[name].program.startswith("context-"):
        _sound(block)
    declared[name] = dataclasses.replace(
        declared[name],
        where=block.where,
        arguments={argument.name: Value(argument.value, argument.where) for argument in block.arguments},
        environment=_environment(block),
        certain=certain,
        fault=block.fault,
    )


def _environment(block: Block) -> dict[str, str]:
    for inner in block.blocks:
        if inner.kind != "environment" or inner.labels:
            raise UnusableError(
                f"{inner.where}: unknown block {inner.kind!r}; a {block.kind} block takes arguments and environment {{ … }}"
            )
        for innermost in inner.blocks:
            raise UnusableError(
                f"{innermost.where}: unknown block {innermost.kind!r}; environment takes arguments only"
            )
    for second in block.blocks[1:]:
        raise UnusableError(f"{second.where}: {block.labels[0]!r} has two environment blocks")
    return {argument.name: _string(argument, argument.value) for inner in block.blocks for argument in inner.arguments}


def _string(argument: Argument, value: Any) -> str:
    if not isinstance(value, str):
        raise UnusableError(f"{argument.where}: {argument.name!r} takes a string, not {value!r}")
    if "\0" in value:
        raise UnusableError(f"{argument.where}: {argument.name!r} takes a string without null bytes")
    return value


def _parsed(path: Path, environment: Mapping[str, str]) -> Block:
    from context_host.hcl import read_hcl  # noqa: PLC0415  (its grammar costs more than the rest of the host)

    text = read_text(path).replace("\r\n", "\n")
    return read_hcl(text, str(path), environment)
