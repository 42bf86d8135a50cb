"""Scripted sessions: a TOML file of turns with what happens before each (examples/README.md describes the format)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_host.errors import UnusableError
from context_host.inputs import read_text
from context_host.models import Model

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_TOKENS = 10**18 - 1
_MOST_GROWTH = 10**8
_KINDS = {str: "a string", int: "a whole number", bool: "true or false", list: "an array", dict: "a table"}


@dataclass(frozen=True)
class Edit:
    """One change of a file: a whole new ``text``, something to ``append``, ``replace`` ``with``, or ``delete``."""

    path: str
    text: str | None = None
    append: str | None = None
    replace: str | None = None
    with_: str = ""
    delete: bool = False


@dataclass(frozen=True)
class SessionPlan:
    """A session of the script."""

    name: str
    repository: str
    model: Model
    parent: str = ""


@dataclass(frozen=True)
class TurnPlan:
    """A firing and what comes before and after it.

    Attributes:
        title: the headline.
        note: what to look at, one or two sentences.
        model: the model from this turn on; None keeps the one before.
        edits: changes of files, made first.
        commit: the message under which they are committed; ``""`` leaves them uncommitted.
        touch: the paths touched before this firing.
        user: what the user says before it.
        assistant: what the model answers after it.
        grow: bytes of further conversation, made up, before it.
    """

    session: str
    title: str = ""
    note: str = ""
    model: Model | None = None
    edits: tuple[Edit, ...] = ()
    commit: str = ""
    touch: tuple[str, ...] = ()
    user: str = ""
    assistant: str = ""
    grow: int = 0


@dataclass(frozen=True)
class Script:
    """A whole script; ``directory`` is what its paths are relative to."""

    directory: Path
    title: str
    agent_hcl: str
    sessions: Mapping[str, SessionPlan]
    turns: tuple[TurnPlan, ...] = field(default=())

    @property
    def models(self) -> tuple[Model, ...]:
        """Every model that a turn is assembled for."""
        used = [plan.model for plan in self.sessions.values()] + [turn.model for turn in self.turns if turn.model]
        return tuple(dict.fromkeys(used))


def read_script(path: Path) -> Script:
    """The script in ``path``.

    Raises:
        UnusableError: it cannot be read, or says something that is not accepted.
    """
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UnusableError(f"{path}: {error}") from None
    except RecursionError:
        raise UnusableError(f"{path}: this is nested too deeply") from None
    return _Reader(path).script(table)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def script(self, table: Mapping[str, Any]) -> Script:
        self._only(
            table, {"title": str, "agent_hcl": str, "models": dict, "sessions": dict, "turn": list}, "the script"
        )
        models = {name: self._model(name, values) for name, values in table.get("models", {}).items()}
        sessions = {name: self._session(name, values, models) for name, values in table.get("sessions", {}).items()}
        for plan in sessions.values():
            self._check_parents(plan, sessions)
        turns = tuple(
            self._turn(number, values, sessions, models) for number, values in enumerate(table.get("turn", []), 1)
        )
        if not turns:
            self._refuse("the script", "there is no [[turn]]")
        return Script(
            self._path.parent, table.get("title", self._path.stem), table.get("agent_hcl", ""), sessions, turns
        )

    def _check_parents(self, plan: SessionPlan, sessions: Mapping[str, SessionPlan]) -> None:
        passed = [plan.name]
        while parent := sessions[passed[-1]].parent:
            if parent not in sessions:
                self._refuse(f"session {passed[-1]!r}", f"parent {parent!r} is no session")
            if parent in passed:
                self._refuse(f"session {plan.name!r}", "its parents lead back to itself")
            passed.append(parent)

    def _model(self, name: str, values: Any) -> Model:
        where = f"model {name!r}"
        self._only(values, {"context_window": int, "reserved_output": int, "system_overhead": int}, where)
        if "context_window" not in values:
            self._refuse(where, "context_window is missing")
        for key, tokens in values.items():
            self._within(where, key, tokens, _MOST_TOKENS)
        return Model(name, **values)

    def _session(self, name: str, values: Any, models: Mapping[str, Model]) -> SessionPlan:
        where = f"session {name!r}"
        self._only(values, {"repository": str, "model": str, "parent": str}, where)
        repository = values.get("repository", "")
        if not (self._path.parent / repository).is_dir() or not repository:
            self._refuse(where, f"repository {repository!r} is no directory beside the script")
        model = self._known_model(values["model"], models, where) if "model" in values else Model()
        return SessionPlan(name, repository, model, values.get("parent", ""))

    def _turn(
        self, number: int, values: Any, sessions: Mapping[str, SessionPlan], models: Mapping[str, Model]
    ) -> TurnPlan:
        where = f"turn {number}"
        kinds = {"session": str, "title": str, "note": str, "model": str, "edit": list, "commit": str, "touch": list}
        self._only(values, {**kinds, "user": str, "assistant": str, "grow": int}, where)
        session = values.get("session", next(iter(sessions), ""))
        if session not in sessions:
            self._refuse(where, f"session {session!r} is not defined")
        for path in values.get("touch", []):
            if not isinstance(path, str):
                self._refuse(where, f"'touch' holds {path!r}; accepted are strings")
        self._within(where, "grow", values.get("grow", 0), _MOST_GROWTH)
        self._check_message(where, values.get("commit", ""))
        plain = {key: values[key] for key in ("title", "note", "commit", "user", "assistant", "grow") if key in values}
        return TurnPlan(
            session=session,
            model=self._known_model(values["model"], models, where) if "model" in values else None,
            edits=tuple(self._edit(edit, where) for edit in values.get("edit", [])),
            touch=tuple(values.get("touch", [])),
            **plain,
        )

    def _check_message(self, where: str, message: str) -> None:
        if "\0" in message:
            self._refuse(where, "the commit message holds a null byte")
        if message and not message.strip():
            self._refuse(where, "the commit message is blank")

    def _edit(self, values: Any, turn: str) -> Edit:
        where = f"an edit of {turn}"
        kinds = {"path": str, "text": str, "append": str, "replace": str, "with": str, "delete": bool}
        self._only(values, kinds, where)
        actions = values.keys() & {"text", "append", "replace", "delete"}
        if "path" not in values or len(actions) != 1:
            self._refuse(where, "it needs path and one of text, append, replace (with …) and delete")
        if "with" in values and "replace" not in values:
            self._refuse(where, "with stands beside replace only")
        if values.get("delete") is False:
            self._refuse(where, "'delete' is False; accepted is true")
        self._check_path(where, values["path"])
        renamed = {"with_" if key == "with" else key: value for key, value in values.items()}
        return Edit(**renamed)

    def _check_path(self, where: str, text: str) -> None:
        path = Path(text)
        if path.is_absolute() or ".." in path.parts:
            self._refuse(where, f"path {text!r} leaves the repository")
        if ".git" in map(str.lower, path.parts):
            self._refuse(where, f"path {text!r} leads into git's own files")
        if not path.parts or "\0" in text:
            self._refuse(where, f"path {text!r} names no file")

    def _within(self, where: str, key: str, number: int, most: int) -> None:
        if not 0 <= number <= most:
            self._refuse(where, f"{key!r} is {number}; accepted is a whole number from 0 to {most:,}")

    def _known_model(self, name: str, models: Mapping[str, Model], where: str) -> Model:
        if name not in models:
            self._refuse(where, f"model {name!r} is not defined; defined are {', '.join(models) or 'none'}")
        return models[name]

    def _only(self, values: Any, kinds: Mapping[str, type], where: str) -> None:
        if not isinstance(values, dict):
            self._refuse(where, "it is no table")
        for key, value in values.items():
            if key not in kinds:
                self._refuse(where, f"unknown key {key!r}; accepted are {', '.join(kinds)}")
            if not isinstance(value, kinds[key]) or (isinstance(value, bool) and kinds[key] is int):
                self._refuse(where, f"{key!r} is {value!r}; accepted is {_KINDS[kinds[key]]}")

    def _refuse(self, where: str, what: str) -> None:
        raise UnusableError(f"{self._path}: {where}: {what}")
