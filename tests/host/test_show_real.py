"""`context-host show` with the three real providers, on real directories."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from context_host.bundled import examples_directory
from context_host.cli import main

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def show(monkeypatch, capsys, tmp_path):
    """Runs `show` in a directory, with a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def call(directory, *arguments):
        monkeypatch.chdir(directory)
        code = main(["show", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_this_repository(show):
    """What an agent that works on this project would read."""
    code, out, err = show(CHECKOUT, "--json", "host/context_host/cli.py")
    assert (code, err) == (0, "")
    assert json.loads(out)["turns"][0]["touched"] == ["host/context_host/cli.py"]


def test_directory_without_anything(show, tmp_path):
    """No convention file and no repository is no error: there is just nothing to read."""
    empty = tmp_path / "empty"
    empty.mkdir()
    code, out, err = show(empty)
    assert (code, err) == (0, "")
    assert "Nothing: no provider has anything to say about this directory." in out


def test_directory_whose_files_find_no_room(show, tmp_path):
    """That there is nothing to say would be wrong; the log says what was left out."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("Be kind.\n")
    _, out, _ = show(project, "--provider", "agents-md", "--model", "small:24000")
    assert "the budget has no room for it" in " ".join(out.split())
    assert "Nothing:" not in out


def test_repository_without_convention_files(show, tmp_path):
    """Only git has something to say."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    _, out, _ = show(tmp_path, "--json")
    assert [section["provider"] for section in json.loads(out)["turns"][0]["sections"]] == ["git-status"]


def test_bundled_agent_hcl_works_as_it_is(show, tmp_path):
    """The example configuration on the sample project, from its directory."""
    project = examples_directory() / "tally"
    code, out, err = show(project, "--agent-hcl", str(project.parent / "agent.hcl"), "--json")
    assert (code, err) == (0, "")
    assert {section["provider"] for section in json.loads(out)["turns"][0]["sections"]} >= {"claude-md", "agents-md"}


def test_local_name_marks_the_sections(show, tmp_path):
    """The operator may declare a plugin under any name; its sections stand under that one."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("be kind\n")
    (project / "agent.hcl").write_text(
        'required_providers {\n  rules = { source = "github.com/agentco/context-agents-md" }\n}\n'
    )
    _, out, _ = show(project, "--json")
    assert [(section["provider"], section["text"]) for section in json.loads(out)["turns"][0]["sections"]] == [
        ("rules", "be kind\n")
    ]


BAD = {
    "missing declared file": (["--provider", "claude-md", "--set", "claude-md.path=NO.md"], 1, "claude-md: Configure failed with source_unavailable: "),
    "missing glob": (["--provider", "agents-md", "--set", "agents-md.glob=**/NO.md"], 1, "agents-md: Configure failed with source_unavailable: "),
    "unknown attribute": (["--provider", "claude-md", "--set", "claude-md.pth=x"], 2, "--set claude-md.pth: claude-md has no attribute 'pth'; accepted are "),
    "mistyped attribute": (["--provider", "agents-md", "--set", "agents-md.prune=x"], 2, "--set agents-md.prune: 'prune' of agents-md is \"x\"; accepted is a list of strings"),
    "value out of range": (["--provider", "git-status", "--set", "git-status.recent_commits=500"], 1, "git-status: Configure failed with invalid_request: "),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "beginning"), BAD.values(), ids=BAD)
def test_bad_configuration_is_one_sentence(show, tmp_path, arguments, code, beginning):
    """Whether the host refuses it or the plugin does."""
    ended, out, err = show(tmp_path, *arguments)
    assert (ended, out) == (code, "")
    assert err.startswith(f"context-host: {beginning}")
    assert err.count("\n") == 1
