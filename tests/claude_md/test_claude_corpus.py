"""Every case of the corpus: expected texts come from documentation and reports, not from the code."""

import re
from pathlib import Path

import pytest
from support.corpus import cases, run

from context_claude_md import discovery
from context_claude_md.provider import ClaudeMdProvider

CASES = cases("claude_md")


def test_the_corpus_is_complete():
    assert len(CASES) >= 110


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case, tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "MANAGED", Path(tmp_path.resolve(), "etc", "claude-code", "CLAUDE.md"))
    run(case, ClaudeMdProvider(), tmp_path, monkeypatch)


def test_the_case_that_the_corpus_shows_is_one(tmp_path, monkeypatch):
    readme = (Path(__file__).parents[1] / "corpus" / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    case = tmp_path / "case.toml"
    case.write_text(shown, encoding="utf-8")
    run(case, ClaudeMdProvider(), tmp_path, monkeypatch)
