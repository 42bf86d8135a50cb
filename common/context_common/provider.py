"""The author's side of a context provider: what to write, what comes in, what goes out.

A provider is a subclass of `Provider` with four facts and two methods. It returns `Draft` values and
nothing else: counting, fitting to the budget, what the session has already been sent, and the chain
are the runtime's business. Nothing here knows gRPC.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from context_common.markdown.document import Document, Mark


class Stability(StrEnum):
    """Whether a section may differ from one turn of a session to the next."""

    STATIC = "static"
    DYNAMIC = "dynamic"


class OnChange(StrEnum):
    """What a session is told when the source of a static section changes after it was sent."""

    APPEND = "append"
    REPLACE = "replace"
    FREEZE = "freeze"


class Level(IntEnum):
    """Log levels, numbered as on the wire."""

    TRACE = 1
    DEBUG = 2
    INFO = 3
    WARN = 4
    ERROR = 5


@dataclass(frozen=True, slots=True)
class Log:
    """Where a provider tells what it did; never the prompt.

    Args:
        sink: receives ``(level, message, fields, session_id)``; must not block or raise.
        session_id: the session that entries belong to, ``""`` for none.
    """

    sink: Callable[[Level, str, Mapping[str, str], str], None] = lambda *_: None
    session_id: str = ""

    def __call__(self, level: Level, message: str, /, **fields: object) -> None:
        """Log one entry; field values are shown with ``str``."""
        self.sink(level, message, {name: str(value) for name, value in fields.items()}, self.session_id)

    def debug(self, message: str, /, **fields: object) -> None:
        """Log what only somebody who looks for it wants to see."""
        self(Level.DEBUG, message, **fields)

    def info(self, message: str, /, **fields: object) -> None:
        """Log what was done."""
        self(Level.INFO, message, **fields)

    def warn(self, message: str, /, **fields: object) -> None:
        """Log what a user should mend."""
        self(Level.WARN, message, **fields)

    def error(self, message: str, /, **fields: object) -> None:
        """Log a failure of ours."""
        self(Level.ERROR, message, **fields)


@dataclass(frozen=True, slots=True)
class Model:
    """The model that a firing is assembled for; sizes in tokens, 0 when the host did not say."""

    id: str = ""
    context_window: int = 0
    effective_ceiling: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One firing of ``Contribute``, as a provider sees it.

    Attributes:
        session_id: the same for every firing of a session.
        parent_session_id: the session that this one is a sub-agent of, ``""`` for none.
        turn_id: the turn that the firing is for; a turn may have several.
        token_budget: tokens for all sections of this provider together. Fitting them is the runtime's work.
        model: the model that will read the sections.
        working_directory: where the agent works, an absolute path; perhaps not there.
        files_touched: every path touched in this session so far, in the order of first touch, exactly as the
            host spelled them: absolute, or relative to ``working_directory``; files or directories; perhaps no
            longer there.
        log: entries that belong to this session.
    """

    session_id: str = ""
    parent_session_id: str = ""
    turn_id: str = ""
    token_budget: int = 0
    model: Model = Model()
    working_directory: Path = Path()
    files_touched: tuple[str, ...] = ()
    log: Log = Log()


@dataclass(frozen=True)
class Part:
    """A stretch of Markdown from one source, shortened by whole units when the budget asks for it.

    Attributes:
        source: the name shown in notices, such as ``AGENTS.md`` or ``docs/style.md``.
        text: what the model reads.
        first_line: the 1-based source line of the first line of ``text``.
        lines: the 1-based source line of every line of ``text`` (split at LF), where lines were left out;
            empty when they simply count up from ``first_line``.
        marks: the keep and drop marks that stood in the source.
        opening: a line of ours above ``text``, shown while anything of the part is.
    """

    source: str
    text: str
    first_line: int = 1
    lines: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    opening: str = ""

    @classmethod
    def of(cls, source: str, document: Document, opening: str = "") -> Part:
        """The part that shows ``document`` under the name ``source``."""
        return cls(source, document.text, lines=document.lines, marks=document.marks, opening=opening)


@dataclass(frozen=True)
class Draft:
    """One section as the provider would like it, before budget and session have their say.

    Give either ``parts``, Markdown that may lose whole units, or a ``ladder`` of texts, fullest first, of
    which the first that fits is taken. Return the same object while nothing changed: it is compared by
    identity before it is compared by content.

    Attributes:
        label: the section's label; not empty, unique among the drafts of one firing: of several with one label
            one is sent, and the log says so.
        stability: static sections are kept byte for byte within a session, dynamic ones are not.
        nearness: how close to the work; under a tight budget higher is shortened later.
        opening: one line of ours at the top of the section, shown while anything of the draft is.
        directory: what the section is for, by components from the root; None where it is for no directory.
        late_opening: in place of ``opening`` where the section joins behind one for a directory below its own.
        on_change: what to do when a static draft differs from what the session was sent.
        facts: names and values that log entries about this section carry, such as its file and scope.
    """

    label: str
    parts: tuple[Part, ...] = ()
    ladder: tuple[str, ...] = ()
    stability: Stability = Stability.STATIC
    nearness: int = 0
    opening: str = ""
    directory: tuple[str, ...] | None = None
    late_opening: str = ""
    on_change: OnChange = OnChange.APPEND
    facts: tuple[tuple[str, str], ...] = ()

    @cached_property
    def revision(self) -> str:
        """The SHA-256 (hex) of everything that the model could see of this draft."""
        digest = hashlib.sha256()
        texts = [self.label, self.opening, *self.ladder]
        for part in self.parts:
            texts += [part.source, part.opening, part.text]
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data))
            digest.update(data)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Section:
    """A draft that was fitted: what the chain carries.

    ``tokens`` is the kernel's count of ``text`` for the model of the firing; ``truncated`` says that something of
    the draft was left out.
    """

    label: str
    text: str
    tokens: int
    stability: Stability
    truncated: bool = False


ConfigT = TypeVar("ConfigT")


class Provider(ABC, Generic[ConfigT]):
    """A context provider: subclass it, fill in the facts, write the two methods.

    Each configuration gets an object of its own, made without arguments. It serves many sessions, in several
    threads at once; calls for one session never overlap.
    """

    name: ClassVar[str]
    """The published name, such as ``git-status``; the operator may declare the plugin under another."""
    source: ClassVar[str]
    """Where it is published, ``github.com/…``."""
    version: ClassVar[str]
    """The version of this build, such as ``0.1.0``."""
    default_token_budget: ClassVar[int]
    """Tokens asked for where the operator does not say."""
    stability: ClassVar[Stability]
    """What the host is told about all sections in advance; every draft carries its own."""
    config_type: ClassVar[type]
    """The frozen dataclass, a subclass of `context_common.config.Config`, that ``configure`` is given."""

    log: Log = Log()
    """Set by the runtime before ``configure``; entries belong to no session."""

    @abstractmethod
    def configure(self, config: ConfigT) -> None:
        """Take the operator's configuration; called once, before anything else.

        Raises:
            SourceUnavailableError: a declared source resolves to nothing on disk.
            InvalidRequestError: a value is not accepted.
        """

    @abstractmethod
    def contribute(self, request: Request) -> list[Draft]:
        """The drafts of this firing, most general first; an empty list when there is nothing to say.

        Raises:
            SourceUnavailableError: a declared source cannot be read and never was in this session.
        """

    def close(self) -> None:
        """End whatever the provider started; the process leaves right after."""
