"""A session on record, as small as one can be: conversation, projection, and a transcript before every request."""

from context_host.mapping import ChainProjection
from context_host.projection import ModelContext
from context_host.record import Line, Step


class RecordedSession:
    """Goes on where its transcript ends, under the next epoch."""

    def __init__(self, session_id, providers, transcript, placement, parent_session_id=""):
        self.transcript = transcript
        self.record = transcript.session(session_id)
        self.record.parent_session_id = parent_session_id
        self.projection = ChainProjection(
            providers, epoch=self.record.next_epoch, placement=placement, saved=self.record.texts
        )
        self.messages = list(self.record.messages)
        self.touched = dict(self.record.files_touched)
        self.rewritten = False

    def say(self, *messages):
        self.messages += messages

    def rewrite(self, history):
        self.messages = list(history)
        self.rewritten = True

    def step(self, outcome, turn_id):
        """The request that follows from ``outcome``, recorded and therefore sent."""
        self.projection.observe(outcome)
        prepared = self.projection.prepare(ModelContext(tuple(self.messages)))
        self._append(prepared.pending, Step.of(prepared, turn_id))
        self.projection.commit(prepared)
        return prepared

    def save(self):
        """Record what was said since the last step."""
        self._append((), None)

    def _append(self, pending, step):
        said = 0 if self.rewritten else len(self.record.messages)
        line = Line(
            session_id=self.record.session_id,
            parent_session_id=self.record.parent_session_id,
            messages=tuple(self.messages[said:]),
            rewritten=self.rewritten,
            files_touched=tuple(path for path in self.touched if path not in self.record.files_touched),
            attachments=pending,
            step=step,
        )
        self.transcript.append(line)
        self.record.add(line)
        self.rewritten = False
