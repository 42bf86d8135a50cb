"""One session on record: its conversation, its projection, and the transcript that comes before every request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_host.mapping import DEFAULT_PLACEMENT, ChainProjection
from context_host.projection import ModelContext
from context_host.transcript import Line, Record, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_host.mapping import Change, Outcome
    from context_host.projection import Message, Placement, PreparedStep
    from context_host.transcript import Transcript


class RecordedSession:
    """A session that continues where its transcript ends, under the next epoch.

    Args:
        session_id: the session.
        providers: their names in declaration order.
        parent_session_id: the session that this one is a sub-agent of.
        transcript: where to record it; nowhere for None.
        placement: where updates and additions stand.
    """

    def __init__(
        self,
        session_id: str,
        providers: Sequence[str],
        *,
        parent_session_id: str = "",
        transcript: Transcript | None = None,
        placement: Placement = DEFAULT_PLACEMENT,
    ) -> None:
        self._transcript = transcript
        self.record = transcript.session(session_id) if transcript else Record(session_id)
        self.record.parent_session_id = parent_session_id
        self.projection = ChainProjection(
            providers, epoch=self.record.next_epoch, placement=placement, saved=self.record.texts
        )
        self._messages = list(self.record.messages)
        self._touched = dict(self.record.files_touched)
        self._rewritten = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation, what is not yet durable of it included."""
        return tuple(self._messages)

    @property
    def files_touched(self) -> tuple[str, ...]:
        """Every path touched in the session, in the order of first touch; a later process gets them again."""
        return tuple(self._touched)

    def say(self, *messages: Message) -> None:
        """Let the conversation go on."""
        self._messages += messages

    def touch(self, paths: Iterable[str]) -> None:
        """Count ``paths`` as touched."""
        self._touched |= dict.fromkeys(paths)

    def rewrite(self, history: Sequence[Message]) -> None:
        """Put a compactor's history in the place of the conversation."""
        if tuple(history) != self.messages:
            self._messages = list(history)
            self._rewritten = True

    def step(self, outcome: Outcome, *, turn_id: str) -> tuple[PreparedStep, tuple[Change, ...]]:
        """The request that follows from ``outcome``, recorded and therefore sent, and what changed in the chain.

        Raises:
            TranscriptError: it could not be recorded; nothing counts as sent, and it can be tried again.
        """
        changes = self.projection.observe(outcome)
        prepared = self.projection.prepare(ModelContext(self.messages))
        self._append(prepared, Step.of(prepared, turn_id))
        self.projection.commit(prepared)
        return prepared, changes

    def save(self) -> None:
        """Record what was said since the last step.

        Raises:
            TranscriptError: it could not be recorded, and can be tried again.
        """
        if self._rewritten or len(self._messages) > len(self.record.messages):
            self._append(None, None)

    def _append(self, prepared: PreparedStep | None, step: Step | None) -> None:
        said = 0 if self._rewritten else len(self.record.messages)
        line = Line(
            session_id=self.record.session_id,
            parent_session_id=self.record.parent_session_id,
            messages=tuple(self._messages[said:]),
            rewritten=self._rewritten,
            files_touched=tuple(path for path in self._touched if path not in self.record.files_touched),
            attachments=prepared.pending if prepared else (),
            step=step,
        )
        if self._transcript:
            self._transcript.append(line)
        self.record.add(line)
        self._rewritten = False
