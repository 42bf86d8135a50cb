"""What a session was sent keeps its place and its bytes, firing after firing."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from hypothesis import given, settings
from hypothesis import strategies as st
from support.agents_session import AgentsSession, repository, write

from context_common.baselines import EventKind
from context_common.chain import merge
from context_common.provider import Stability
from context_common.wire import content_pb2

DIRECTORIES = ["", "a", "a/x", "a/x/y", "b", "b/x", "c"]
FILES = {f"{directory}/AGENTS.md".lstrip("/"): f"Rules of {directory or 'all'}.\n\n" * 3 for directory in DIRECTORIES}
FOREIGN = content_pb2.ContextSection(provider="claude-md", label="Project conventions (CLAUDE.md)", tokens=1)

ACTIONS = st.one_of(
    st.tuples(st.just("touch"), st.sampled_from(DIRECTORIES).map(lambda directory: f"{directory}/f.py".lstrip("/"))),
    st.tuples(st.just("touch"), st.sampled_from(["../outside", "a/new/f", "a/x", "gone/deep/f"])),
    st.tuples(st.just("edit"), st.sampled_from(sorted(FILES))),
    st.tuples(st.just("delete"), st.sampled_from(sorted(FILES))),
    st.tuples(st.just("nothing"), st.just("")),
)


def act(root, number, action, name):
    if action == "edit":
        write(root, {name: f"Edited at {number}.\n\n" + FILES[name]})
    elif action == "delete":
        (root / name).unlink(missing_ok=True)


def static_bytes(chain):
    """The chain up to its first dynamic section, as it goes over the wire."""
    static = []
    for section in chain:
        if section.stability == content_pb2.STABILITY_DYNAMIC:
            break
        static.append(section.SerializeToString(deterministic=True))
    return static


@settings(max_examples=12, deadline=None)
@given(st.lists(ACTIONS, min_size=30, max_size=30), st.sampled_from([150, 400, 10_000]))
def test_the_chains_prefix_holds_over_a_random_session_of_thirty_firings(actions, budget):
    with tempfile.TemporaryDirectory() as top:
        root = repository(Path(top).resolve() / "r", FILES)
        session = AgentsSession(root, budget=budget)
        chain = [FOREIGN]
        for number, (action, name) in enumerate(actions):
            act(root, number, action, name)
            outcome = session.fire(*([name] if action == "touch" else []))
            before, chain = static_bytes(chain), merge([FOREIGN], outcome.sections, "agents-md")
            changed = {event.kind for event in outcome.events}
            if not changed & {EventKind.REFIT, EventKind.REPLACED} and not withdrawn_in_place(outcome):
                assert static_bytes(chain)[: len(before)] == before
            assert sum(section.tokens for section in outcome.sections) <= budget
            assert not claims_too_much(outcome.sections)


def claims_too_much(sections):
    """The sections that stand behind one for a directory below their own and do not leave it its precedence."""
    above = set()
    found = []
    for section in sections:
        if section.stability is Stability.STATIC:
            scope = section.label.split(" (")[1].removesuffix(")")
            yields = section.text.startswith(("[Shortened", "[Applies everywhere;")) or "except those" in section.text
            if scope in above and not yields:
                found.append(section.label)
            above |= {"root", *map(str, PurePosixPath(scope).parents)} if scope != "root" else set()
    return found


def withdrawn_in_place(outcome):
    """Whether a section left because even the note that it no longer applies had no room."""
    return any(event.kind is EventKind.WITHDRAWN and not event.tokens for event in outcome.events)


@settings(max_examples=8, deadline=None)
@given(st.lists(ACTIONS, min_size=30, max_size=30))
def test_with_room_for_everything_no_byte_that_was_sent_ever_changes(actions):
    with tempfile.TemporaryDirectory() as top:
        root = repository(Path(top).resolve() / "r", FILES)
        session = AgentsSession(root, budget=100_000)
        before = []
        for number, (action, name) in enumerate(actions):
            act(root, number, action, name)
            sections = session.fire(*([name] if action == "touch" else [])).sections
            static = [section for section in sections if section.stability is Stability.STATIC]
            assert static[: len(before)] == before
            before = static
