"""Which program a declaration stands for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from context_host.declarations import Declaration, Value
from context_host.errors import UnusableError
from context_host.programs import find_program


def find(source="", name="notes", overrides=None, path=""):
    return find_program(Declaration(name, "agent.hcl:1", source), overrides or {}, path)


def program(directory, name, mode=0o755):
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_override_wins(tmp_path):
    """Whatever the source says."""
    path = program(tmp_path, "mine")
    assert find("github.com/x/context-git-status", overrides={"notes": Value(str(path), "config.hcl:2")}) == (
        str(path),
    )


@pytest.mark.parametrize("kind", ["directory", "plain file", "missing"])
def test_override_must_be_an_executable_file(tmp_path, kind):
    """The sentence names the line of the override."""
    path = {"directory": tmp_path, "plain file": program(tmp_path, "plain", 0o644), "missing": tmp_path / "nowhere"}[
        kind
    ]
    with pytest.raises(UnusableError, match=r"^config\.hcl:2: .* is not an executable file$"):
        find(overrides={"notes": Value(str(path), "config.hcl:2")})


def test_script_beside_the_interpreter_is_found():
    """An installation brings its own providers along, on PATH or not."""
    assert find("github.com/x/context-git-status") == (str(Path(sys.executable).parent / "context-git-status"),)


def test_script_on_the_path_is_found(tmp_path):
    """By the last component of its source, or by the local name without one."""
    path = program(tmp_path, "context-notes")
    assert find("github.com/x/context-notes", path=str(tmp_path)) == (str(path),)
    assert find(path=str(tmp_path)) == (str(path),)


def test_module_of_a_checkout_is_found(monkeypatch, tmp_path):
    """Where scripts are not installed."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find("github.com/x/context-git-status") == (str(tmp_path / "python"), "-m", "context_git_status")


@pytest.mark.parametrize(
    "source", ["github.com/x/reboot", "x/context-../../bin/sh", "x/context-a b", "x/..", "x/context-"]
)
def test_repository_cannot_name_any_program(tmp_path, source):
    """An agent.hcl comes with a repository; only programs that are named as context providers are started."""
    for name in ("reboot", "sh", "context-a b", "context-"):
        program(tmp_path, name)
    assert find(source, name="reboot", path=str(tmp_path)) is None


def test_what_is_not_installed_is_not_found():
    """Nothing is guessed."""
    assert find("github.com/x/context-nowhere") is None
