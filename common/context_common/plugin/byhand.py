"""What a plugin says when a person starts it instead of a host."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from context_common.provider import Provider


def load(provider: str) -> type[Provider[Any]]:
    """The provider's class, from ``"package.module:Class"``."""
    module, _, name = provider.partition(":")
    found: type[Provider[Any]] = getattr(import_module(module), name)
    return found


def answer(provider: str, arguments: list[str]) -> int:
    """Answer ``--help``, ``--version`` or ``--schema`` on standard output; anything else is explained, exit code 1."""
    facts = load(provider)
    if arguments == ["--version"]:
        return _print(f"{facts.name} {facts.version}")
    if arguments == ["--schema"]:
        return _print(json.dumps(_schema(facts), indent=2, ensure_ascii=False))
    if arguments in (["--help"], ["-h"]):
        return _print(_help(facts))
    unknown = f" It takes no argument {' '.join(arguments)!r}: try --help." if arguments else ""
    sys.stderr.write(
        f"context-{facts.name} is a context provider: an agent host launches it, by hand it does nothing.{unknown}\n"
        f'Declare it with dev_overrides {{ {facts.name} = "<absolute path of this program>" }}, '
        f"or see what it contributes: context-host show --provider {facts.name}\n"
    )
    return 1


def _print(text: str) -> int:
    try:
        print(text, flush=True)  # noqa: T201  (by hand, standard output is where a person reads)
    except BrokenPipeError:
        # Whoever read has seen enough; what is left would fail once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _schema(facts: type[Provider[Any]]) -> dict[str, object]:
    from context_common.config import attributes  # noqa: PLC0415  (imports protobuf)

    return {
        "name": facts.name,
        "version": facts.version,
        "default_token_budget": facts.default_token_budget,
        "stability": facts.stability.value,
        "attributes": [
            {
                "name": attribute.name,
                "type": attribute.type,
                "required": attribute.required,
                "default": attribute.default,
                "description": attribute.description,
                **({"choices": attribute.choices} if attribute.choices else {}),
            }
            for attribute in attributes(facts.config_type)
        ],
    }


def _help(facts: type[Provider[Any]]) -> str:
    from context_common.config import attributes  # noqa: PLC0415  (imports protobuf)

    rows = "\n".join(f"  {a.name:<24}{a.type:<13}{a.description}" for a in attributes(facts.config_type))
    return (
        f"context-{facts.name} {facts.version}: a context provider plugin for PluggableHarness hosts.\n\n"
        "A host starts it without arguments. By hand:\n"
        "  --help      this text\n"
        "  --version   name and version\n"
        "  --schema    the configuration schema as JSON\n\n"
        f"Attributes of its block in agent.hcl:\n{rows}"
    )
