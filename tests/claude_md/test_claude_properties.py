"""Whatever a repository writes: no secret comes out, and the same files give the same drafts."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SECRET = "s3cr3t"
STEPS = st.sampled_from(
    [
        "..",
        ".",
        "~",
        "docs",
        "link",
        "out",
        ".git",
        "config",
        "a.md",
        "b.md",
        "secret.md",
        "home",
        "repo",
        "",
        "#one",
        "?",
    ]
)
TOKENS = st.lists(STEPS, min_size=1, max_size=6).map("/".join)
CONTENTS = st.lists(TOKENS, max_size=6).map(lambda tokens: " ".join(f"@{token}" for token in tokens) + "\n")


@pytest.fixture
def hostile(repository):
    """Links out of the repository, and secrets on every side of it."""
    repository.write(
        **{
            "/secret.md": SECRET,
            "~/secret.md": SECRET,
            "~/a.md": SECRET,
            ".git/config": SECRET,
            ".git/a.md": SECRET,
            "docs/.git/config": SECRET,
        }
    )
    for name, target in (
        ("link", "docs"),
        ("out", "{{top}}/home"),
        ("docs/out", "../../secret.md"),
        ("docs/link", ".."),
    ):
        repository.world.write(name, {"symlink": target})
    return repository


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(top=CONTENTS, one=CONTENTS, two=CONTENTS, rule=CONTENTS)
def test_no_combination_of_imports_brings_a_secret_out(hostile, top, one, two, rule):
    hostile.write(**{"CLAUDE.md": top, "a.md": one, "docs/b.md": two, ".claude/rules/r.md": rule})
    hostile.configure()
    drafts = hostile.drafts("docs/x")
    assert all(SECRET not in part.text for draft in drafts for part in draft.parts)
    assert len({draft.label for draft in drafts}) == len(drafts)
    hostile.configure()
    assert hostile.drafts("docs/x") == drafts


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(paths=st.lists(TOKENS, max_size=5))
def test_touched_paths_of_any_shape_are_taken(hostile, paths):
    hostile.write(**{"CLAUDE.md": "root\n"})
    hostile.configure()
    assert hostile.drafts(*paths)[0].label == "Project conventions (CLAUDE.md)"


PLACES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/r.md", "src/CLAUDE.md", "src/.claude/rules/s.md", "docs/b.md")
EDITS = st.lists(st.tuples(st.sampled_from(PLACES), st.none() | CONTENTS), min_size=1, max_size=4)
NUMBERS = count()
TOUCHES = st.sets(st.sampled_from(["src/a.ts", "docs/x", "src"]))


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(firings=st.lists(st.tuples(EDITS, TOUCHES), min_size=2, max_size=5))
def test_whatever_was_edited_a_session_shows_what_a_new_one_would(hostile, firings):
    """What is remembered from firing to firing saves work and changes nothing."""
    hostile.configure()
    for name in PLACES:
        hostile.world.path(name).unlink(missing_ok=True)
    touched = {}
    for edits, touches in firings:
        for name, text in edits:
            hostile.world.path(name).unlink(missing_ok=True)
            if text is not None:
                hostile.write(**{name: ("---\npaths: src/**\n---\n" if name.endswith("s.md") else "") + text})
        touched |= dict.fromkeys(sorted(touches))
        remembered, anew = hostile.drafts(*touched), hostile.drafts(*touched, session=f"new {next(NUMBERS)}")
        assert {draft.label: draft for draft in remembered} == {draft.label: draft for draft in anew}
