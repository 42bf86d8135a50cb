"""The tutorial's provider is a whole one, and short."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.kernel import running, text_of
from support.kernel import script as program

from context_host.client import CallError

TUTORIAL = Path(__file__).resolve().parents[2] / "examples" / "tutorial"
COMMAND = [sys.executable, str(TUTORIAL / "team_notes.py")]


def blocks(language: str) -> list[str]:
    readme = (TUTORIAL / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", readme, re.DOTALL)


def test_a_new_provider_is_under_sixty_lines() -> None:
    assert len((TUTORIAL / "team_notes.py").read_text(encoding="utf-8").splitlines()) < 60


def test_it_contributes_its_file_without_comments_within_the_budget(tmp_path: Path) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number}." for number in range(20))
    (tmp_path / "NOTES.md").write_text(
        f"---\nowner: me\n---\n# Notes\n\n<!-- hidden -->\n{paragraphs}\n", encoding="utf-8"
    )
    with running(COMMAND, directory=tmp_path) as plugin:
        plugin.configure(path="NOTES.md")
        (whole,) = plugin.contribute()
        (short,) = plugin.contribute(budget=1_000, session="tight")
    assert text_of(whole).startswith("# Notes\n")
    assert "hidden" not in text_of(whole)
    assert "owner" not in text_of(whole)
    assert (whole.label, whole.tokens, whole.truncated) == ("Team notes (NOTES.md)", 7 * len(text_of(whole)), False)
    assert short.truncated
    assert short.tokens <= 1_000
    assert set(re.findall(r"Paragraph \d+\.", text_of(short))) < set(re.findall(r"Paragraph \d+\.", text_of(whole)))


def test_a_missing_file_stops_the_host_with_a_sentence(tmp_path: Path) -> None:
    with running(COMMAND, directory=tmp_path) as plugin:
        with pytest.raises(CallError, match=r"path: .*NOTES\.md cannot be read"):
            plugin.configure(path="NOTES.md")
        with pytest.raises(CallError, match="attribute 'path' is required"):
            plugin.configure()


def test_a_file_that_vanishes_in_mid_session_is_withdrawn_and_fails_no_turn(tmp_path: Path) -> None:
    """A host ends the whole turn where a provider answers with an error."""
    notes = tmp_path / "NOTES.md"
    notes.write_text("Be kind.\n", encoding="utf-8")
    with running(COMMAND, directory=tmp_path) as plugin:
        plugin.configure(path="NOTES.md")
        (sent,) = plugin.contribute()
        notes.unlink()
        still, withdrawn = plugin.contribute(turn="turn_02")
        assert still == sent
        assert "no longer applies" in text_of(withdrawn)
        assert "NOTES.md" in plugin.kernel.wait_for_log("cannot be read").message


def test_the_first_step_of_the_tutorial_runs_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "team_notes.py").write_text(blocks("python")[0], encoding="utf-8")
    with running([sys.executable, str(tmp_path / "team_notes.py")], directory=tmp_path) as plugin:
        plugin.configure()
        assert [(s.provider, s.label, text_of(s)) for s in plugin.contribute()] == [
            ("team-notes", "Team notes", "Be kind.")
        ]


def test_the_further_steps_are_the_provider() -> None:
    provider = (TUTORIAL / "team_notes.py").read_text(encoding="utf-8")
    assert [step for step in blocks("python")[1:] if step not in provider] == []


def test_the_last_step_prints_what_the_tutorial_shows(tmp_path: Path) -> None:
    """With the configuration as it is pasted, but for the path and the interpreter that the reader fills in."""
    script = tmp_path / "team_notes.py"
    provider = (TUTORIAL / "team_notes.py").read_text(encoding="utf-8")
    script.write_text(f"#!{sys.executable}\n{provider}", encoding="utf-8")
    script.chmod(0o755)
    (tmp_path / "NOTES.md").write_text("# Notes\n\nBe kind.\n", encoding="utf-8")
    declared, overrides = blocks("hcl")
    (tmp_path / "agent.hcl").write_text(declared, encoding="utf-8")
    (tmp_path / "agent").mkdir()
    overrides = overrides.replace("/absolute/path/of/team_notes.py", str(script))
    (tmp_path / "agent" / "config.hcl").write_text(overrides, encoding="utf-8")
    (console,) = blocks("console")
    _, _, printed = re.split(r"^\$ .*\n", console, flags=re.MULTILINE)
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "80"}
    shown = subprocess.run(
        [*program("context-host"), "show"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (shown.returncode, shown.stderr, shown.stdout) == (0, "", printed)
