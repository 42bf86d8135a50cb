"""What a firing changed in what a session is sent, for the log."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from context_common.provider import Level


class EventKind(StrEnum):
    """What a firing changed in what the session is sent."""

    REFIT = "refit"
    SENT = "sent"
    SHORTENED = "shortened"
    LEFT_OUT = "left out"
    UPDATED = "updated"
    RESTORED = "restored"
    REPLACED = "replaced"
    WITHDRAWN = "withdrawn"


_MESSAGES = {
    EventKind.REFIT: "the budget left no room: every section of this session was fitted anew",
    EventKind.SENT: "section sent",
    EventKind.SHORTENED: "section shortened to fit the budget",
    EventKind.LEFT_OUT: "section left out: the budget has no room for it",
    EventKind.UPDATED: "the source changed: an update follows the section",
    EventKind.RESTORED: "the source is as it was sent: the update is gone",
    EventKind.REPLACED: "the source changed: the section was replaced in place",
    EventKind.WITHDRAWN: "the source is gone: the section no longer applies",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One change, for the log.

    Attributes:
        label: the section, ``""`` for the session as a whole.
        revision: the `Draft.revision` that it is about, ``""`` where the source is gone.
        tokens: what the section or its update now takes, 0 where nothing is shown.
        facts: what its draft says about itself.
    """

    kind: EventKind
    label: str = ""
    revision: str = ""
    tokens: int = 0
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def level(self) -> Level:
        """How loudly to tell it: what lost text is a warning, what went as planned is for those who look."""
        if self.kind is EventKind.SENT:
            return Level.DEBUG
        return Level.WARN if self.kind in (EventKind.SHORTENED, EventKind.LEFT_OUT) else Level.INFO

    @property
    def message(self) -> str:
        """What happened, as a sentence without the section's name."""
        return _MESSAGES[self.kind]

    @property
    def fields(self) -> dict[str, str]:
        """The entry's fields: what the draft says about itself, and what happened to its section."""
        change = {
            "change": self.kind,
            "section": self.label,
            "revision": self.revision[:12],
            "tokens": str(self.tokens),
        }
        return dict(self.facts) | change
