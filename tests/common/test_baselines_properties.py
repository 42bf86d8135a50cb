"""Whatever happens to the sources, the budget is kept and sent bytes stay where the budget allows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from context_common.baselines import Baseline, EventKind
from context_common.provider import Draft, OnChange, Part, Stability

LABELS = "abcde"
TEXTS = st.sampled_from(["", "one\n", "two words\n", "# Title\n\nText.\n\n- item\n- item\n", "word " * 60])


def drafts_of(on_change):
    static = st.builds(
        lambda label, text, nearness: Draft(label, (Part(label, text),), nearness=nearness, on_change=on_change),
        st.sampled_from(LABELS),
        TEXTS,
        st.integers(0, 3),
    )
    dynamic = st.builds(lambda text: Draft("now", (Part("now", text),), stability=Stability.DYNAMIC), TEXTS)
    return st.lists(st.one_of(static, static, dynamic), max_size=6, unique_by=lambda draft: draft.label)


FIRINGS = st.sampled_from(OnChange).flatmap(
    lambda on_change: st.lists(
        st.tuples(drafts_of(on_change), st.sampled_from([400, 400, 400, 120, 30, 0]), st.sampled_from(["m", "m", "n"])),
        min_size=2,
        max_size=12,
    )
)


def count_for(model):
    return len if model == "m" else lambda text: 1 + len(text) // 2


@settings(max_examples=150, deadline=None)
@given(FIRINGS)
def test_a_session_keeps_its_budget_its_bytes_and_its_order(firings):
    baseline = Baseline()
    before = ()
    for drafts, budget, model in firings:
        outcome = baseline.contribute(drafts, budget, count_for(model), model)
        sections = outcome.sections
        labels = [section.label for section in sections]
        assert sum(section.tokens for section in sections) <= budget
        assert all(section.tokens == count_for(model)(section.text) for section in sections)
        assert len(set(labels)) == len(labels)
        static = [section.text for section in sections if section.stability is Stability.STATIC]
        assert all(section.stability is Stability.DYNAMIC for section in sections[len(static) :])
        events = {event.kind for event in outcome.events}
        if not events & {EventKind.REFIT, EventKind.REPLACED, EventKind.WITHDRAWN}:
            assert static[: len(before)] == list(before)
        assert baseline.contribute(drafts, budget, count_for(model), model).sections is sections
        before = static


@settings(max_examples=100, deadline=None)
@given(FIRINGS)
def test_every_current_source_is_what_the_session_was_told_last(firings):
    baseline = Baseline()
    for drafts, _budget, _model in firings:
        outcome = baseline.contribute(drafts, 10_000, len, "m")
        told = {section.label: section.text for section in outcome.sections}
        for draft in drafts:
            text = draft.parts[0].text
            if text and draft.on_change is not OnChange.FREEZE:
                assert told.get(f"{draft.label} (updated)", told[draft.label]).endswith(text)
