"""A session: its conversation, what it touched, and every request that goes out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ulid import ULID

from context_host.assembly import Assembled, Firing, assemble
from context_host.history import history_tokens
from context_host.mapping import ChainProjection
from context_host.measure import Common, Prefix, PrefixMeter, common
from context_host.projection import Message, ModelContext, Role

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from context_host.host import Host
    from context_host.models import Model
    from context_host.projection.firing import Change

SYSTEM_PROMPT = (
    "You are a coding agent. Blocks named project-context come from the tools around this conversation, not from "
    "the user; where two of them differ, the later one holds."
)


@dataclass(frozen=True)
class Turn:
    """One firing and the request that it led to.

    Attributes:
        number: counts a session's turns from 1.
        touched: the paths that this turn was the first to touch.
        changes: what became of each section since the turn before.
        request: what the model would be sent.
        repeats: what it has in common with the session's request before; None for the first.
        prefix: the request against everything that the session sent before.
        history_tokens: the conversation alone.
        started: when the firing began, seconds since the epoch.
    """

    number: int
    session_id: str
    model: Model
    touched: tuple[str, ...]
    assembled: Assembled
    changes: tuple[Change, ...]
    request: ModelContext
    repeats: Common | None
    prefix: Prefix
    history_tokens: int
    started: float


class Session:
    """A conversation in a directory, fired turn by turn."""

    def __init__(self, host: Host, model: Model, directory: Path, *, parent_session_id: str = "") -> None:
        self.id = str(ULID())
        self.parent_id = parent_session_id
        self.model = model
        self.turns: list[Turn] = []
        self.meter = PrefixMeter()
        self._host = host
        self._directory = directory
        self._history: tuple[Message, ...] = ()
        self._touched: dict[str, None] = {}
        self._projection = ChainProjection([plugin.name for plugin in host.plugins])

    def say(self, role: Role, text: str) -> None:
        """Add a message to the conversation."""
        self._history += (Message(role, text),)

    def fire(self, touched: Iterable[str] = ()) -> Turn:
        """Assemble the context for the next model call, and the request around it.

        Raises:
            PluginError: a plugin failed and the host is strict.
        """
        started = time.time()
        new = tuple(path for path in dict.fromkeys(touched) if path not in self._touched)
        self._touched |= dict.fromkeys(new)
        assembled = assemble(
            self._host.plugins, self._firing(), self._host.setting.counter, strict=self._host.setting.strict
        )
        for entry in assembled.entries:
            self._host.journal.add(entry)
        self._history = assembled.history
        changes = self._projection.observe(assembled)
        step = self._projection.prepare(ModelContext(self._history, SYSTEM_PROMPT))
        self._projection.commit(step)
        turn = Turn(
            number=len(self.turns) + 1,
            session_id=self.id,
            model=self.model,
            touched=new,
            assembled=assembled,
            changes=changes,
            request=step.input,
            repeats=common(self.turns[-1].request, step.input) if self.turns else None,
            prefix=self.meter.add(step.input),
            history_tokens=history_tokens(self._history, self._host.setting.counter),
            started=started,
        )
        self.turns.append(turn)
        return turn

    def _firing(self) -> Firing:
        return Firing(
            session_id=self.id,
            parent_session_id=self.parent_id,
            turn_id=str(ULID()),
            model=self.model,
            working_directory=str(self._directory),
            files_touched=tuple(self._touched),
            history=self._history,
            assembled_tokens_last_turn=self.turns[-1].assembled.tokens if self.turns else 0,
        )
