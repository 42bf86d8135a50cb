"""Sources come, change, go and come back under budgets and models of every kind; a session keeps what it was promised."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from context_common.baselines import Baseline, EventKind
from context_common.budget import whole
from context_common.provider import Draft, OnChange, Part, Stability

LABELS = st.sampled_from("abcd")
TEXTS = st.sampled_from(["one\n", "two words\n", "# Title\n\nText.\n\n- item\n- item\n", "word " * 8, "long " * 20])
BUDGETS = st.sampled_from([0, 20, 60, 99, 100, 10_000])
COUNTERS = {"m": len, "n": lambda text: 1 + len(text) // 2, "": lambda text: 2 * len(text)}


class Sources(RuleBasedStateMachine):
    """What is on disk now, and a reader that believes every section's own words."""

    def __init__(self):
        super().__init__()
        self.baseline = Baseline()
        self.files = {}
        self.mode = OnChange.APPEND
        self.known = {}, self.mode
        self.has_changed_mode = False
        self.moment = None
        self.budget = 100
        self.model = "m"
        self.before = ()
        self.fire()

    @rule(label=LABELS, text=TEXTS)
    def write(self, label, text):
        self.files[label] = text
        self.fire()

    @rule(label=LABELS)
    def delete(self, label):
        self.files.pop(label, None)
        self.fire()

    @rule(changes=st.dictionaries(LABELS, TEXTS | st.none(), max_size=4))
    def change_several(self, changes):
        self.files |= changes
        self.files = {label: text for label, text in self.files.items() if text is not None}
        self.fire()

    @rule(text=TEXTS | st.none())
    def tell_the_moment(self, text):
        self.moment = text
        self.fire()

    @rule(budget=BUDGETS)
    def take_another_budget(self, budget):
        self.budget = budget
        self.fire()

    @rule(model=st.sampled_from(sorted(COUNTERS)))
    def take_another_model(self, model):
        self.model = model
        self.fire()

    @rule(mode=st.sampled_from(OnChange))
    def configure(self, mode):
        self.has_changed_mode = self.has_changed_mode or mode is not self.mode
        self.mode = mode
        self.fire()

    @rule()
    def distrust_counts(self):
        self.baseline.distrust_counts()
        self.fire()

    def fire(self):
        count = COUNTERS[self.model]
        drafts = [
            Draft(label, (Part(label, text),), opening="For all.", nearness=ord(label), on_change=self.mode)
            for label, text in self.files.items()
        ]
        if self.moment:
            drafts.insert(0, Draft("now", (Part("now", self.moment),), stability=Stability.DYNAMIC))
        outcome = self.baseline.contribute(drafts, self.budget, count, self.model)
        kinds = {event.kind for event in outcome.events}
        sections = {section.label: section for section in outcome.sections}
        self.keeps_the_budget(outcome, count)
        self.has_static_sections_first(outcome)
        self.holds_earlier_bytes(outcome, kinds, {draft.label: whole(draft) for draft in drafts}, count)
        for draft in drafts:
            if self.mode is not OnChange.FREEZE and draft.stability is Stability.STATIC:
                self.tells_the_newest_text_once(whole(draft), draft.label, sections)
        if self.mode is not OnChange.FREEZE and not self.has_changed_mode:
            self.tells_nothing_that_is_gone(sections)
        assert self.baseline.contribute(drafts, self.budget, count, self.model).sections is outcome.sections
        self.before = outcome.sections
        self.known = {draft.label: whole(draft) for draft in drafts}, self.mode

    def keeps_the_budget(self, outcome, count):
        assert sum(section.tokens for section in outcome.sections) <= self.budget
        assert all(section.tokens == count(section.text) for section in outcome.sections)

    def has_static_sections_first(self, outcome):
        kinds = [section.stability for section in outcome.sections]
        assert kinds == sorted(kinds, key=lambda stability: stability is Stability.DYNAMIC)
        assert len({section.label for section in outcome.sections}) == len(outcome.sections)

    def holds_earlier_bytes(self, outcome, kinds, current, count):
        """With room for everything nothing moves; sections are fitted anew only for want of room."""
        old = [section.text for section in self.before if section.stability is Stability.STATIC]
        new = [section.text for section in outcome.sections if section.stability is Stability.STATIC]
        if not kinds & {EventKind.REFIT, EventKind.REPLACED, EventKind.WITHDRAWN}:
            assert new[: len(old)] == old
        if (current, self.mode) == self.known and sum(count(section.text) for section in self.before) <= self.budget:
            labels = {section.label for section in self.before if section.label != "now"}
            if EventKind.REFIT in kinds:
                assert current.keys() - labels - {"now"}
            else:
                held = [section.text for section in outcome.sections if section.label in labels]
                assert held == [section.text for section in self.before if section.label in labels]

    def tells_the_newest_text_once(self, text, label, sections):
        if label not in sections:
            assert f"{label} (updated)" not in sections
            return
        original, update = sections[label], sections.get(f"{label} (updated)")
        if update is None:
            assert original.text == text or original.truncated
        else:
            assert original.text != text
            assert (
                update.text
                == f"[This replaces the section “{label}” above, which no longer applies; read it in that place.]\n\n{text}"
            )

    def tells_nothing_that_is_gone(self, sections):
        for label in set("abcd") - set(self.files):
            update = sections.get(f"{label} (updated)")
            assert (label in sections) == bool(update)
            assert update is None or update.text == f"[The section “{label}” above no longer applies.]"


class TestSources(Sources.TestCase):
    """Played by pytest."""

    settings = settings(max_examples=100, stateful_step_count=20, deadline=None)
