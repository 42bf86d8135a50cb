"""A session: its conversation, what it touched, and every request that goes out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ulid import ULID

from context_host.assembly import Assembled, Firing, assemble
from context_host.errors import HostError, UnusableError
from context_host.history import history_tokens
from context_host.mapping import ChainProjection, order_lint
from context_host.measure import Common, Prefix, PrefixMeter, common
from context_host.projection import Message, ModelContext, Role
from context_host.record import Line, Record, Step, TranscriptError, replay

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from context_host.host import Host
    from context_host.models import Model
    from context_host.projection import Attachment
    from context_host.projection.firing import Change
    from context_host.transcript import Transcript

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
        warnings: where the request cannot show the sections in the order of the chain.
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
    warnings: tuple[str, ...]
    started: float


class Session:
    """A conversation in a directory, fired turn by turn.

    Args:
        host: the running plugins.
        model: the model of the next firing; may be changed between firings.
        directory: the working directory that requests name.
        session_id: a new ULID by default.
        parent_session_id: the session whose sub-agent this one is.
        transcript: where each request is recorded before it counts as sent; a session that it knows goes on
            where it stopped, under the next epoch.

    Raises:
        UnusableError: the transcript does not give back what was sent.
    """

    def __init__(
        self,
        host: Host,
        model: Model,
        directory: Path,
        *,
        session_id: str = "",
        parent_session_id: str = "",
        transcript: Transcript | None = None,
    ) -> None:
        self.id = session_id or str(ULID())
        self.parent_id = parent_session_id
        self.model = model
        self.turns: list[Turn] = []
        self.meter = PrefixMeter()
        self._host = host
        self._directory = directory
        self._transcript = transcript
        record = transcript.session(self.id) if transcript else Record(self.id)
        self.recorded_turns = len(record.steps)
        self._history = tuple(record.messages)
        self._touched = dict(record.files_touched)
        self._assembled_tokens = record.steps[-1].assembled_tokens if record.steps else 0
        self._written = (self._history, len(self._touched))
        self._request = self._replay(transcript) if transcript else None
        names = [plugin.name for plugin in host.plugins]
        self._projection = ChainProjection(names, epoch=record.next_epoch, saved=record.texts)

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return self._history

    def say(self, role: Role, text: str) -> None:
        """Add a message to the conversation."""
        self._history += (Message(role, text),)

    def fire(self, touched: Iterable[str] = ()) -> Turn:
        """Assemble the context for the next model call, and the request around it.

        Raises:
            PluginError: a plugin failed and the host is strict.
            HostError: the request cannot be recorded.
        """
        started = time.time()
        new = tuple(path for path in dict.fromkeys(touched) if path not in self._touched)
        self._touched |= dict.fromkeys(new)
        firing = self._firing()
        assembled = assemble(self._host.plugins, firing, self._host.setting.counter, strict=self._host.setting.strict)
        for entry in assembled.entries:
            self._host.journal.add(entry)
        self._history = assembled.history
        changes = self._projection.observe(assembled)
        step = self._projection.prepare(ModelContext(self._history, SYSTEM_PROMPT))
        # Durable before visible: what cannot be recorded is not sent.
        self._record(step.pending, Step.of(step, firing.turn_id, assembled.tokens))
        self._projection.commit(step)
        turn = Turn(
            number=self.recorded_turns + len(self.turns) + 1,
            session_id=self.id,
            model=self.model,
            touched=new,
            assembled=assembled,
            changes=changes,
            request=step.input,
            repeats=common(self._request, step.input) if self._request else None,
            prefix=self.meter.add(step.input),
            history_tokens=history_tokens(self._history, self._host.setting.counter),
            warnings=tuple(filter(None, [order_lint(assembled.sections)])),
            started=started,
        )
        self._request = step.input
        self._assembled_tokens = assembled.tokens
        self.turns.append(turn)
        return turn

    def keep(self) -> None:
        """Record what was said since the last request, without one."""
        self._record((), None)

    def _record(self, pending: tuple[Attachment, ...], step: Step | None) -> None:
        if self._transcript is None:
            return
        messages, touched = self._written
        rewritten = self._history[: len(messages)] != messages
        line = Line(
            session_id=self.id,
            parent_session_id=self.parent_id,
            messages=self._history if rewritten else self._history[len(messages) :],
            rewritten=rewritten,
            files_touched=tuple(self._touched)[touched:],
            attachments=pending,
            step=step,
        )
        try:
            self._transcript.append(line)
        except TranscriptError as error:
            raise HostError(str(error)) from error
        self._written = (self._history, len(self._touched))

    def _replay(self, transcript: Transcript) -> ModelContext | None:
        """The last recorded request, all of them measured; None when there is none."""
        request = None
        try:
            for _, sent in replay(line for line in transcript.lines if line.session_id == self.id):
                request = ModelContext(sent.messages, SYSTEM_PROMPT)
                self.meter.add(request)
        except TranscriptError as error:
            raise UnusableError(str(error)) from error
        return request

    def _firing(self) -> Firing:
        return Firing(
            session_id=self.id,
            parent_session_id=self.parent_id,
            turn_id=str(ULID()),
            model=self.model,
            working_directory=str(self._directory),
            files_touched=tuple(self._touched),
            history=self._history,
            assembled_tokens_last_turn=self._assembled_tokens,
        )
