"""Every case of the corpus: expected texts come from documentation and reports, not from the code."""

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
