"""The worked example of the protocol: 1,620 tokens become at most 1,500, and say so."""

from __future__ import annotations

import pytest
from support.agents_session import AgentsSession, repository
from support.corpus import quarter

AUTH_OPENING = "[Applies to src/auth/** and takes precedence there over the sections above.]\n\n"


def paragraph(number, size):
    """A paragraph that, with the blank line behind it, has ``size`` bytes."""
    head = f"Rule {number} says: "
    return (head + "keep it simple and say why. " * 40)[: size - 3] + "."


@pytest.fixture
def example(tmp_path):
    sizes = [554, 554, 554, 554, 554, 554, 554, 554, 557]
    kept = "".join(paragraph(number, size) + "\n\n" for number, size in enumerate(sizes, start=1))
    dropped = paragraph(10, 5600 - len(kept) + 2)
    auth = paragraph(1, 880 - len(AUTH_OPENING) + 2)
    root = repository(tmp_path / "r", {"AGENTS.md": kept + dropped, "src/auth/AGENTS.md": auth})
    assert quarter(kept + dropped) + quarter(AUTH_OPENING + auth) == 1620
    return AgentsSession(root), kept, auth


def test_the_example_of_1620_tokens_lands_at_1480_of_1500(example):
    session, _kept, _auth = example
    outcome = session.fire("src/auth/validator.py")
    assert sum(section.tokens for section in outcome.sections) == 1480


def test_the_example_drops_its_lowest_paragraph_and_says_which(example):
    session, kept, auth = example
    root, nested = session.fire("src/auth/validator.py").sections
    assert root.text == kept + "[Shortened to fit. Left out of AGENTS.md: line 19.]"
    assert root.truncated
    assert nested.text == AUTH_OPENING + auth
    assert not nested.truncated


def test_the_example_at_turn_four_fits_the_session_anew_once(example):
    session, _kept, _auth = example
    assert [str(event.kind) for event in session.fire().events] == ["sent"]
    kinds = [str(event.kind) for event in session.fire("src/auth/validator.py").events]
    assert kinds == ["refit", "shortened", "sent"]
    assert session.fire("src/auth/validator.py").events == ()


def test_the_declared_budget_is_the_examples(example):
    session, _kept, _auth = example
    assert session.provider.default_token_budget == 1500
