"""Playing a script: files change, the conversation goes on, and each turn is fired through real plugins."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_host.projection import Message, Role
from context_host.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from context_host.host import Host
    from context_host.script import Script, TurnPlan
    from context_host.session import Turn
    from context_host.transcript import Transcript
    from context_host.workspace import Workspace

_FILLER = "This part of the conversation is made up, to see what its length does to the request. "
_MESSAGE_BYTES = 2000


@dataclass(frozen=True)
class Played:
    """A turn as it was played.

    Attributes:
        plan: what the script says about it.
        parent: the name of the session whose sub-agent this one is, or ``""``.
        turn: what came of it.
        events: what happened before it, in words.
    """

    plan: TurnPlan
    parent: str
    turn: Turn
    events: tuple[str, ...]


class Player:
    """Plays one script on one host.

    Args:
        script: what to play.
        host: the running plugins.
        workspace: where the repositories' working copies are.
        repositories: the working copy of each repository that the script names.
        transcript: where the sessions are recorded; turns that it holds already are not played again, only what
            they did to the files.
    """

    def __init__(
        self,
        script: Script,
        host: Host,
        workspace: Workspace,
        repositories: dict[str, Path],
        transcript: Transcript | None = None,
    ) -> None:
        self.sessions: dict[str, Session] = {}
        self._script = script
        self._host = host
        self._workspace = workspace
        self._repositories = repositories
        self._transcript = transcript
        self._reached: Counter[str] = Counter()

    def play(self) -> Iterator[Played]:
        """Each turn, as soon as it has been fired.

        Raises:
            HostError: an edit or a commit is not possible, or a plugin failed and the host is strict.
        """
        for plan in self._script.turns:
            directory = self._repositories[self._script.sessions[plan.session].repository]
            events = [self._workspace.edit(directory, edit) for edit in plan.edits]
            if plan.commit:
                events.append(self._workspace.commit(directory, plan.commit))
            session = self._session(plan.session)
            session.model = plan.model or session.model
            self._reached[plan.session] += 1
            if self._reached[plan.session] > session.recorded_turns:
                turn = self._fire(session, plan)
                yield Played(plan, self._script.sessions[plan.session].parent, turn, tuple(events))
            elif self._reached[plan.session] == session.recorded_turns:
                self._finish(session, plan)

    def _fire(self, session: Session, plan: TurnPlan) -> Turn:
        for role, text in _conversation(plan):
            session.say(role, text)
        turn = session.fire(plan.touch)
        self._finish(session, plan)
        return turn

    def _finish(self, session: Session, plan: TurnPlan) -> None:
        """Take the answer in, unless the process that was stopped here had done so."""
        answer = Message(Role.ASSISTANT, plan.assistant)
        if plan.assistant and session.history[-1:] != (answer,):
            session.say(answer.role, answer.text)
            session.keep()

    def _session(self, name: str) -> Session:
        if name not in self.sessions:
            plan = self._script.sessions[name]
            parent = self._session(plan.parent).id if plan.parent else ""
            self.sessions[name] = Session(
                self._host,
                plan.model,
                self._repositories[plan.repository],
                session_id=name,
                parent_session_id=parent,
                transcript=self._transcript,
            )
        return self.sessions[name]


def _conversation(plan: TurnPlan) -> Iterator[tuple[Role, str]]:
    roles = (Role.USER, Role.ASSISTANT)
    for number, start in enumerate(range(0, plan.grow, _MESSAGE_BYTES)):
        size = min(_MESSAGE_BYTES, plan.grow - start)
        yield roles[number % 2], (f"({number + 1}) " + _FILLER * (size // len(_FILLER) + 1))[:size]
    if plan.user:
        yield Role.USER, plan.user
