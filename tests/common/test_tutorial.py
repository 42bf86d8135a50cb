"""The tutorial's provider is a whole one, and short."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from support.kernel import running, text_of

from context_host.client import CallError

TUTORIAL = Path(__file__).resolve().parents[2] / "examples" / "tutorial"
COMMAND = [sys.executable, str(TUTORIAL / "team_notes.py")]


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


def test_the_first_step_of_the_tutorial_runs_as_it_stands(tmp_path: Path) -> None:
    step = re.findall(r"```python\n(.*?)```", (TUTORIAL / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "team_notes.py").write_text(step, encoding="utf-8")
    with running([sys.executable, str(tmp_path / "team_notes.py")], directory=tmp_path) as plugin:
        plugin.configure()
        assert [(s.provider, s.label, text_of(s)) for s in plugin.contribute()] == [
            ("team-notes", "Team notes", "Be kind.")
        ]
