"""Corpus cases: a file tree, a configuration, firings, and what each must contribute and log.

A case is one TOML file; ``tests/corpus/README.md`` describes the format for anyone who writes one. Paths
begin at the repository, with ``~/`` at the home directory and with ``/`` at a directory that holds both.
"""

from __future__ import annotations

import base64
import os
import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat
from typing import Any

import pytest

from context_common.baselines import Baseline
from context_common.config import read
from context_common.errors import ContextError
from context_common.provider import Level, Log, Model, Provider, Request, Section

_TOP_KEYS = {"title", "origin", "repository", "files", "config", "configure_error", "cwd", "firings"}
_FIRING_KEYS = {"session", "parent", "cwd", "touched", "edit", "delete", "budget"}
_FIRING_KEYS |= {"same", "sections", "error", "events", "warn", "info", "debug"}
_SECTION_KEYS = {"label", "text", "stability", "truncated"}


def cases(folder: str) -> list[Path]:
    """The case files of ``tests/corpus/<folder>``, sorted."""
    return sorted((Path(__file__).parents[1] / "corpus" / folder).glob("*.toml"))


def quarter(text: str) -> int:
    """A deterministic counter: four bytes are a token."""
    return -(-len(text.encode()) // 4)


@dataclass
class World:
    """A directory with a home and a repository in it, and what a provider did there."""

    top: Path
    entries: list[tuple[Level, str, dict[str, str]]] = field(default_factory=list)

    def path(self, name: str) -> Path:
        """Where ``name`` of a case lies."""
        if name.startswith("~/"):
            return self.top / "home" / name[2:]
        return self.top / name[1:] if name.startswith("/") else self.top / "repo" / name

    def filled(self, text: str) -> str:
        """``text`` with the one placeholder, ``{{top}}``, replaced."""
        return text.replace("{{top}}", str(self.top))

    def write(self, name: str, content: str | dict[str, Any]) -> None:
        """Make the file, link, directory or FIFO that ``content`` describes, in place of what is there."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        description = {"text": content} if isinstance(content, str) else content
        match description:
            case {"symlink": target}:
                path.unlink(missing_ok=True)
                path.symlink_to(self.filled(target))
            case {"directory": True}:
                path.mkdir(exist_ok=True)
            case {"fifo": True}:
                os.mkfifo(path)
            case {"hardlink": other}:
                path.hardlink_to(self.path(other))
            case _:
                if not path.resolve().is_relative_to(self.top.resolve()):
                    raise ValueError(f"{name}: a case must not write through a link that leads out of its world")
                path.write_bytes(self._bytes(description))
        if "mode" in description:
            path.chmod(int(description["mode"], 8))

    def remove(self, name: str) -> None:
        """Delete the file or directory ``name``."""
        path = self.path(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def logged(self, level: Level) -> list[dict[str, str]]:
        """The fields of what was logged at ``level`` since the last call for that level, with its message."""
        found = [{"message": message, **fields} for entry, message, fields in self.entries if entry is level]
        self.entries = [entry for entry in self.entries if entry[0] is not level]
        return found

    def log(self, session_id: str = "") -> Log:
        """A log that keeps what it is told here."""
        return Log(
            lambda level, message, fields, _session: self.entries.append((level, message, dict(fields))), session_id
        )

    def _bytes(self, description: dict[str, Any]) -> bytes:
        match description:
            case {"text": text}:
                return self.filled(text).encode()
            case {"hex": digits}:
                return bytes.fromhex(digits)
            case {"base64": digits}:
                return base64.b64decode(digits)
            case {"repeat": text, "times": times}:
                return text.encode() * times
        raise AssertionError(f"what is {description}?")


@dataclass
class _Session:
    baseline: Baseline = field(default_factory=Baseline)
    touched: dict[str, None] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()


def run(case_file: Path, provider: Provider[Any], top: Path, monkeypatch: Any) -> None:
    """Play the case in ``case_file`` under ``top`` and assert everything that it expects."""
    case = tomllib.loads(case_file.read_text())
    assert set(case) <= _TOP_KEYS, set(case) - _TOP_KEYS
    world = World(Path(os.path.realpath(top)))
    for folder in ("home", "repo" if case.get("repository") is False else "repo/.git"):
        (world.top / folder).mkdir(parents=True, exist_ok=True)
    for name, content in case.get("files", {}).items():
        world.write(name, content)
    world.path(case.get("cwd", "")).mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("HOME", str(world.top / "home"))
    monkeypatch.chdir(world.path(case.get("cwd", "")))
    play = _Play(provider, world, case.get("cwd", ""))
    play.configure(case.get("config", {}), case.get("configure_error", ""))
    for number, firing in enumerate(case.get("firings", ()), start=1):
        assert set(firing) <= _FIRING_KEYS, set(firing) - _FIRING_KEYS
        play.fire(f"firing {number}", firing)


@dataclass
class _Play:
    provider: Provider[Any]
    world: World
    cwd: str
    sessions: dict[str, _Session] = field(default_factory=dict)

    def configure(self, config: dict[str, Any], expected: str) -> None:
        values = {name: _filled(value, self.world) for name, value in config.items()}
        self.provider.log = self.world.log()
        refused = ""
        try:
            self.provider.configure(read(self.provider.config_type, values))
        except ContextError as error:
            refused = str(error.category)
        assert refused == expected, "configure"

    def fire(self, where: str, firing: dict[str, Any]) -> None:
        for name, content in firing.get("edit", {}).items():
            self.world.write(name, content)
        for name in firing.get("delete", ()):
            self.world.remove(name)
        session = self.sessions.setdefault(firing.get("session", "s"), _Session())
        session.touched.update(dict.fromkeys(self.world.filled(path) for path in firing.get("touched", ())))
        request = self._request(firing, session)
        if "error" in firing:
            with pytest.raises(ContextError) as caught:
                self.provider.contribute(request)
            assert str(caught.value.category) == firing["error"], where
            return
        drafts = self.provider.contribute(request)
        outcome = session.baseline.contribute(drafts, request.token_budget, quarter, "m")
        expected = [_shown(section) for section in session.sections]
        if "same" not in firing:
            expected = [_expected(section, self.world) for section in firing["sections"]]
        sections = [_shown(section) for section in outcome.sections]
        assert sections == expected, f"{where}: came\n{pformat(sections)}\nexpected\n{pformat(expected)}"
        session.sections = outcome.sections
        if "events" in firing:
            assert [str(event.kind) for event in outcome.events] == firing["events"], where
        _check_log(where, firing, self.world)

    def _request(self, firing: dict[str, Any], session: _Session) -> Request:
        session_id = firing.get("session", "s")
        return Request(
            session_id=session_id,
            parent_session_id=firing.get("parent", ""),
            token_budget=firing.get("budget", 100_000),
            model=Model("m"),
            working_directory=self.world.path(firing.get("cwd", self.cwd)),
            files_touched=tuple(session.touched),
            log=self.world.log(session_id),
        )


def _filled(value: Any, world: World) -> Any:
    if isinstance(value, list):
        return [_filled(element, world) for element in value]
    return world.filled(value) if isinstance(value, str) else value


def _shown(section: Section) -> dict[str, Any]:
    return {
        "label": section.label,
        "text": section.text.rstrip("\n"),
        "stability": str(section.stability),
        "truncated": section.truncated,
    }


def _expected(section: dict[str, Any], world: World) -> dict[str, Any]:
    assert set(section) <= _SECTION_KEYS, section
    defaults = {"stability": "static", "truncated": False}
    text, label = world.filled(section["text"]), world.filled(section["label"])
    return defaults | section | {"text": text.rstrip("\n"), "label": label}


def _check_log(where: str, firing: dict[str, Any], world: World) -> None:
    """Warnings are exactly those expected, field by field as far as they are given; the rest may be more."""
    warned = world.logged(Level.WARN) + world.logged(Level.ERROR)
    expected = [_filled_fields(fields, world) for fields in firing.get("warn", ())]
    matching = [entry == entry | fields for entry, fields in zip(warned, expected, strict=False)]
    as_expected = len(warned) == len(expected) and all(matching)
    assert as_expected, f"{where}: warned\n{pformat(warned)}\nnot\n{pformat(expected)}"
    for key, level in (("info", Level.INFO), ("debug", Level.DEBUG)):
        told = world.logged(level)
        for fields in firing.get(key, ()):
            filled = _filled_fields(fields, world)
            assert any(entry == entry | filled for entry in told), f"{where}: {fields} is not in\n{pformat(told)}"


def _filled_fields(fields: dict[str, str], world: World) -> dict[str, str]:
    return {name: world.filled(value) for name, value in fields.items()}
