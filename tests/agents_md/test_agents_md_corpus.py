"""Every corpus case: what an AGENTS.md reader contributes and logs, layout by layout."""

from __future__ import annotations

import pytest
from support.corpus import cases, run

from context_agents_md.provider import AgentsMdProvider

CASES = cases("agents_md")


def test_the_corpus_holds_at_least_eighty_cases():
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case, tmp_path, monkeypatch):
    run(case, AgentsMdProvider(), tmp_path, monkeypatch)
