"""What a prefix cache would serve again over twenty turns, under each way to place what changes.

Plays examples/sessions/twenty-turns.toml through the real plugins, once with ``on_change = "append"`` and once with
``"replace"``, and lays the chains out around the same conversation in each of the ways of the table.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from context_common.provider import Stability
from context_host.agent_hcl import read_agent_hcl
from context_host.declarations import Configuration, Value
from context_host.host import Host, Setting
from context_host.mapping import ChainProjection
from context_host.measure import PrefixMeter, common
from context_host.play import Player
from context_host.projection import Message, ModelContext, Placement, Role
from context_host.prompt import assembled_prompt
from context_host.script import read_script
from context_host.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_host.assembly import Assembled
    from context_host.projection import SectionView

SCRIPT = Path(__file__).parents[1] / "examples/sessions/twenty-turns.toml"
STATIC_PROVIDERS = ("claude-md", "agents-md")
GOAL = 0.95

Played = list[tuple["Assembled", tuple[Message, ...]]]


def play(on_change: str) -> Played:
    """Each turn's accepted chain, and the conversation at that moment."""
    script = read_script(SCRIPT)
    declared = read_agent_hcl(script.directory / script.agent_hcl, os.environ).declarations
    given = {"on_change": Value(on_change, "the benchmark")}
    configuration = Configuration(
        tuple(
            dataclasses.replace(one, arguments={**one.arguments, **given}) if one.name in STATIC_PROVIDERS else one
            for one in declared
        )
    )
    with Workspace(os.environ["PATH"]) as workspace:
        repositories = {
            plan.repository: workspace.add(script.directory / plan.repository) for plan in script.sessions.values()
        }
        environment = {**os.environ, "HOME": str(workspace.home), "XDG_CONFIG_HOME": ""}
        setting = Setting(next(iter(repositories.values())), environment, strict=True)
        with Host(configuration, setting) as host:
            player = Player(script, host, workspace, repositories)
            return [(played.turn.assembled, conversation(played.turn.request)) for played in player.play()]


def conversation(request: ModelContext) -> tuple[Message, ...]:
    return tuple(message for message in request.messages if not message.text.startswith("<project-context "))


def projected(played: Played, placement: Placement) -> list[ModelContext]:
    """The session's own way: blocks around the conversation."""
    projection = ChainProjection((*STATIC_PROVIDERS, "git-status"), placement=placement)
    requests = []
    for assembled, messages in played:
        projection.observe(assembled)
        step = projection.prepare(ModelContext(messages))
        projection.commit(step)
        requests.append(step.input)
    return requests


def in_front(played: Played) -> list[ModelContext]:
    """The chain as one prompt before the conversation, as it was assembled."""
    return [ModelContext((prompt(assembled.sections), *messages)) for assembled, messages in played]


def dynamic_behind(played: Played) -> list[ModelContext]:
    """The chain's static sections before the conversation, its dynamic ones after it."""
    requests = []
    for assembled, messages in played:
        static = [section for section in assembled.sections if section.stability is Stability.STATIC]
        dynamic = [section for section in assembled.sections if section.stability is Stability.DYNAMIC]
        requests.append(ModelContext((prompt(static), *messages, prompt(dynamic))))
    return requests


def prompt(sections: Iterable[SectionView]) -> Message:
    return Message(Role.USER, assembled_prompt(sections))


def report(name: str, requests: list[ModelContext]) -> float:
    meter = PrefixMeter()
    for request in requests:
        meter.add(request)
    full = sum(common(earlier, later).full for earlier, later in pairwise(requests))
    sent = sum(request.size for request in meter.requests)
    paid = sent - sum(request.served for request in meter.requests)
    print(
        f"| {name} | {meter.share:.1%} | {full} of {len(requests) - 1} | {sent / 1e6:.2f} | {paid / 1e3:.0f} | {meter.requests[-1].size / 1e3:.0f} |"
    )
    return meter.share


def main() -> int:
    appended, replaced = play("append"), play("replace")
    for played in (appended, replaced):
        assert len(played) == 20, len(played)
    print("| what changes stands | served again | full prefixes | MB sent | kB not served | kB in the last request |")
    print("|---|---:|---:|---:|---:|---:|")
    shares = [
        report("anchored where it first appeared", projected(appended, Placement.ANCHORED)),
        report(
            "floating behind the conversation (the manager's default)", projected(appended, Placement.AFTER_CURRENT)
        ),
        report('in place, `on_change = "replace"`, dynamic sections behind', dynamic_behind(replaced)),
        report('in place, `on_change = "replace"`, the chain in front', in_front(replaced)),
        report("in the middle of the chain, which is in front", in_front(appended)),
    ]
    if max(shares) < GOAL:
        print(f"the best placement is below {GOAL:.0%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
