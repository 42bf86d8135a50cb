"""What a session was sent stays as it was sent, and what changed is told behind it."""

from __future__ import annotations

from collections import Counter

import pytest

from context_common.baselines import Baseline, Event, EventKind, Outcome
from context_common.provider import Draft, Level, OnChange, Part, Section, Stability

ROOMY = 10_000


def draft(label, text, **facts):
    return Draft(label, parts=(Part(label, text),), **facts)


class Session:
    """A baseline with a counter of one token per character, and the calls made to it."""

    def __init__(self, budget=ROOMY):
        self.baseline = Baseline()
        self.budget = budget
        self.calls = Counter()

    def count(self, text):
        self.calls[text] += 1
        return len(text)

    def fire(self, *drafts, budget=None, model="m"):
        self.budget = self.budget if budget is None else budget
        outcome = self.baseline.contribute(drafts, self.budget, self.count, model)
        assert sum(section.tokens for section in outcome.sections) <= max(self.budget, 0)
        return outcome


def shown(outcome: Outcome):
    return {section.label: section.text for section in outcome.sections}


def kinds(outcome: Outcome):
    return [(event.kind, event.label) for event in outcome.events]


def test_the_first_firing_sends_every_draft_whole():
    outcome = Session().fire(draft("a", "one\n"), draft("b", "two\n"))
    assert outcome.sections == (
        Section("a", "one\n", 4, Stability.STATIC),
        Section("b", "two\n", 4, Stability.STATIC),
    )
    assert kinds(outcome) == [(EventKind.SENT, "a"), (EventKind.SENT, "b")]


def test_an_unchanged_firing_returns_the_stored_sections_without_a_count():
    session = Session()
    first = session.fire(draft("a", "one\n"))
    session.calls.clear()
    second = session.fire(draft("a", "one\n"))
    assert second.sections is first.sections
    assert second.events == ()
    assert not session.calls


def test_an_unchanged_firing_with_an_update_makes_no_count_either():
    session = Session()
    session.fire(draft("a", "one\n"))
    changed = session.fire(draft("a", "two\n"))
    session.calls.clear()
    assert session.fire(draft("a", "two\n")).sections is changed.sections
    assert not session.calls


def test_a_new_draft_joins_behind_what_was_sent():
    session = Session()
    session.fire(draft("b", "two\n"))
    outcome = session.fire(draft("a", "one\n"), draft("b", "two\n"))
    assert list(shown(outcome)) == ["b", "a"]
    assert kinds(outcome) == [(EventKind.SENT, "a")]


def test_only_what_is_new_is_counted():
    session = Session()
    session.fire(draft("a", "one\n"))
    session.calls.clear()
    session.fire(draft("a", "one\n"), draft("b", "two\n"))
    assert session.calls == {"two\n": 1}


def test_a_changed_source_is_told_in_a_dynamic_section_behind_the_static_ones():
    session = Session()
    session.fire(draft("a", "one\n"), draft("b", "two\n"))
    outcome = session.fire(draft("a", "new\n"), draft("b", "two\n"))
    assert [(section.label, section.stability) for section in outcome.sections] == [
        ("a", Stability.STATIC),
        ("b", Stability.STATIC),
        ("a (updated)", Stability.DYNAMIC),
    ]
    assert shown(outcome)["a"] == "one\n"
    assert (
        shown(outcome)["a (updated)"]
        == "[This replaces the section “a” above, which no longer applies; read it in that place.]\n\nnew\n"
    )
    assert kinds(outcome) == [(EventKind.UPDATED, "a")]


def test_an_update_carries_the_drafts_own_opening_line():
    session = Session()
    session.fire(draft("a", "one\n", opening="For src."))
    outcome = session.fire(draft("a", "new\n", opening="For src."))
    assert shown(outcome)["a (updated)"].split("\n")[2] == "For src."


def test_a_later_edit_replaces_the_update():
    session = Session()
    session.fire(draft("a", "one\n"))
    session.fire(draft("a", "two\n"))
    outcome = session.fire(draft("a", "three\n"))
    assert list(shown(outcome)) == ["a", "a (updated)"]
    assert shown(outcome)["a (updated)"].endswith("\n\nthree\n")
    assert kinds(outcome) == [(EventKind.UPDATED, "a")]


def test_a_revert_removes_the_update():
    session = Session()
    first = session.fire(draft("a", "one\n"))
    session.fire(draft("a", "two\n"))
    outcome = session.fire(draft("a", "one\n"))
    assert outcome.sections == first.sections
    assert kinds(outcome) == [(EventKind.RESTORED, "a")]


def test_a_vanished_source_gets_an_update_that_says_so():
    session = Session()
    session.fire(draft("a", "x" * 100))
    outcome = session.fire()
    assert shown(outcome) == {"a": "x" * 100, "a (updated)": "[The section “a” above no longer applies.]"}
    assert kinds(outcome) == [(EventKind.WITHDRAWN, "a")]


def test_a_source_that_became_empty_counts_as_vanished():
    session = Session()
    session.fire(draft("a", "one\n"))
    assert kinds(session.fire(draft("a", " \n"))) == [(EventKind.WITHDRAWN, "a")]


def test_a_vanished_source_that_comes_back_as_it_was_is_restored():
    session = Session()
    first = session.fire(draft("a", "one\n"))
    session.fire()
    assert session.fire(draft("a", "one\n")).sections == first.sections


def test_a_vanished_source_that_comes_back_different_is_updated():
    session = Session()
    session.fire(draft("a", "one\n"))
    session.fire()
    outcome = session.fire(draft("a", "new\n"))
    assert shown(outcome)["a (updated)"].endswith("new\n")


def test_updates_stand_in_the_order_of_their_sections_and_not_of_the_edits():
    session = Session()
    session.fire(draft("a", "one\n"), draft("b", "two\n"))
    session.fire(draft("a", "one\n"), draft("b", "2\n"))
    outcome = session.fire(draft("a", "1\n"), draft("b", "2\n"))
    assert list(shown(outcome)) == ["a", "b", "a (updated)", "b (updated)"]


def test_an_update_without_room_replaces_its_section_in_place():
    session = Session(budget=60)
    session.fire(draft("a", "a" * 20), draft("b", "b" * 20))
    outcome = session.fire(draft("a", "A" * 30), draft("b", "b" * 20))
    assert list(shown(outcome).items()) == [("a", "A" * 30), ("b", "b" * 20)]
    assert kinds(outcome) == [(EventKind.REPLACED, "a")]


def test_a_withdrawal_without_room_takes_its_section_away():
    session = Session(budget=45)
    session.fire(draft("a", "a" * 20), draft("b", "b" * 20))
    outcome = session.fire(draft("b", "b" * 20))
    assert shown(outcome) == {"b": "b" * 20}
    assert kinds(outcome) == [(EventKind.WITHDRAWN, "a")]


def test_room_that_a_reverted_update_frees_serves_the_next_update():
    first = [draft("a", "a" * 40), draft("b", "b" * 40)]
    session = Session(budget=250)
    session.fire(*first)
    session.fire(draft("a", "A" * 40), first[1])
    outcome = session.fire(first[0], draft("b", "B" * 40))
    assert list(shown(outcome)) == ["a", "b", "b (updated)"]


def test_replace_changes_the_section_where_it_stands():
    session = Session()
    session.fire(draft("a", "one\n", on_change=OnChange.REPLACE), draft("b", "two\n"))
    outcome = session.fire(draft("a", "new\n", on_change=OnChange.REPLACE), draft("b", "two\n"))
    assert list(shown(outcome).items()) == [("a", "new\n"), ("b", "two\n")]
    assert outcome.sections[0].stability is Stability.STATIC
    assert kinds(outcome) == [(EventKind.REPLACED, "a")]


def test_replace_drops_the_section_of_a_vanished_source():
    session = Session()
    session.fire(draft("a", "one\n", on_change=OnChange.REPLACE))
    assert shown(session.fire()) == {}


@pytest.mark.parametrize("later", [(), (draft("a", "new\n", on_change=OnChange.FREEZE),)])
def test_freeze_never_changes(later):
    session = Session()
    first = session.fire(draft("a", "one\n", on_change=OnChange.FREEZE))
    outcome = session.fire(*later)
    assert outcome.sections == first.sections
    assert outcome.events == ()


def test_a_refit_fits_a_frozen_section_from_what_was_sent():
    session = Session(budget=60)
    session.fire(draft("a", "a" * 20, on_change=OnChange.FREEZE))
    outcome = session.fire(draft("a", "A" * 20, on_change=OnChange.FREEZE), draft("b", "b" * 50))
    assert outcome.events[0].kind is EventKind.REFIT
    assert "A" not in "".join(section.text for section in outcome.sections)


def test_a_new_draft_without_room_fits_the_session_anew_and_says_so_once():
    session = Session(budget=500)
    drafts = [draft("a", "alpha " * 60), draft("b", "beta " * 60)]
    session.fire(drafts[0])
    outcome = session.fire(*drafts)
    assert list(shown(outcome)) == ["a", "b"]
    assert any(section.truncated for section in outcome.sections)
    assert [event.kind for event in outcome.events].count(EventKind.REFIT) == 1
    assert session.fire(*drafts).events == ()


def test_the_bytes_of_a_refit_hold_from_then_on():
    session = Session(budget=500)
    drafts = [draft("a", "alpha " * 60), draft("b", "beta " * 60)]
    session.fire(drafts[0])
    refitted = session.fire(*drafts)
    room = 500 - sum(section.tokens for section in refitted.sections)
    outcome = session.fire(*drafts, draft("c", "c" * room)) if room else refitted
    assert outcome.sections[: len(refitted.sections)] == refitted.sections


def test_a_refit_takes_the_current_text_and_needs_no_update():
    session = Session(budget=300)
    session.fire(draft("a", "a" * 50))
    session.fire(draft("a", "A" * 50))
    outcome = session.fire(draft("a", "A" * 50), draft("b", "b" * 230))
    assert shown(outcome) == {"a": "A" * 50, "b": "b" * 230}
    assert kinds(outcome) == [(EventKind.REFIT, ""), (EventKind.REPLACED, "a"), (EventKind.SENT, "b")]


def test_a_refit_keeps_the_order_of_first_sending():
    session = Session(budget=100)
    session.fire(draft("b", "b" * 40))
    session.fire(draft("b", "b" * 40), draft("a", "a" * 40))
    outcome = session.fire(draft("a", "a" * 55), draft("b", "b" * 45))
    assert list(shown(outcome)) == ["b", "a"]


def test_a_refit_forgets_sources_that_are_gone():
    session = Session(budget=200)
    session.fire(draft("a", "a" * 50))
    session.fire()
    assert shown(session.fire(draft("b", "b" * 180))) == {"b": "b" * 180}


def test_a_section_shortened_twice_from_the_same_text_warns_once():
    session = Session(budget=150)
    long = draft("a", "alpha " * 60)
    first = session.fire(long)
    again = session.fire(long, draft("b", "beta " * 60))
    assert (EventKind.SHORTENED, "a") in kinds(first)
    assert (EventKind.SHORTENED, "a") not in kinds(again)


def test_losing_text_is_a_warning():
    warned = {kind for kind in EventKind if Event(kind).level is Level.WARN}
    assert warned == {EventKind.SHORTENED, EventKind.LEFT_OUT}
    assert all(Event(kind).message for kind in EventKind)


def test_a_budget_of_zero_sends_nothing_and_a_later_one_everything():
    session = Session(budget=0)
    assert session.fire(draft("a", "one\n")).sections == ()
    assert shown(session.fire(draft("a", "one\n"), budget=100)) == {"a": "one\n"}


def test_a_larger_budget_keeps_the_bytes():
    session = Session(budget=100)
    long = draft("a", "alpha " * 60)
    first = session.fire(long)
    assert session.fire(long, budget=ROOMY).sections == first.sections


def test_a_smaller_budget_keeps_the_bytes_while_they_fit():
    session = Session(budget=100)
    first = session.fire(draft("a", "a" * 40))
    assert session.fire(draft("a", "a" * 40), budget=40).sections == first.sections


def test_a_smaller_budget_that_they_do_not_fit_is_a_refit():
    session = Session()
    session.fire(draft("a", "a" * 400))
    assert (EventKind.REFIT, "") in kinds(session.fire(draft("a", "a" * 400), budget=200))


def test_another_model_recounts_and_keeps_the_bytes():
    session = Session()
    first = session.fire(draft("a", "one\n"))
    second = session.baseline.contribute([draft("a", "one\n")], ROOMY, lambda text: 2 * len(text), "other")
    assert [section.text for section in second.sections] == [section.text for section in first.sections]
    assert second.sections[0].tokens == 8


def test_another_model_recounts_updates_too():
    session = Session()
    session.fire(draft("a", "one\n"))
    session.fire(draft("a", "two\n"))
    outcome = session.baseline.contribute([draft("a", "two\n")], ROOMY, lambda text: 2 * len(text), "other")
    assert [section.tokens for section in outcome.sections] == [2 * len(section.text) for section in outcome.sections]


def test_another_model_for_which_the_bytes_are_too_many_is_a_refit():
    session = Session(budget=300)
    session.fire(draft("a", "alpha " * 40))
    outcome = session.baseline.contribute([draft("a", "alpha " * 40)], 300, lambda text: 2 * len(text), "other")
    assert (EventKind.REFIT, "") in kinds(outcome)
    assert sum(section.tokens for section in outcome.sections) <= 300


def test_a_dynamic_draft_changes_in_place_behind_the_static_ones():
    session = Session()
    session.fire(draft("now", "1", stability=Stability.DYNAMIC), draft("a", "one\n"))
    outcome = session.fire(draft("now", "2", stability=Stability.DYNAMIC), draft("a", "two\n"))
    assert list(shown(outcome)) == ["a", "a (updated)", "now"]
    assert shown(outcome)["now"] == "2"
    assert kinds(outcome) == [(EventKind.UPDATED, "a")]


def test_a_growing_dynamic_draft_never_moves_a_static_byte():
    session = Session(budget=200)
    static = draft("a", "a" * 100)
    session.fire(static, draft("now", "n" * 50, stability=Stability.DYNAMIC))
    outcome = session.fire(static, draft("now", "more " * 60, stability=Stability.DYNAMIC))
    assert shown(outcome)["a"] == "a" * 100
    assert (EventKind.REFIT, "") not in kinds(outcome)


def test_a_shortened_dynamic_draft_warns_once_however_often_it_changes():
    session = Session(budget=150)
    warnings = [
        event
        for n in range(3)
        for event in session.fire(draft("now", f"{n} " * 200, stability=Stability.DYNAMIC)).events
        if event.level is Level.WARN
    ]
    assert len(warnings) == 1


def test_a_provider_of_dynamic_drafts_only_is_never_refitted():
    session = Session(budget=150)
    events = [
        event.kind
        for n in range(3)
        for event in session.fire(draft("now", f"{n} " * 200, stability=Stability.DYNAMIC)).events
    ]
    assert EventKind.REFIT not in events


def test_a_count_that_raises_leaves_the_session_as_it_was():
    session = Session()
    first = session.fire(draft("a", "one\n"))

    def fails(text):
        raise TimeoutError

    with pytest.raises(TimeoutError):
        session.baseline.contribute([draft("a", "one\n"), draft("b", "two\n")], ROOMY, fails, "m")
    assert session.fire(draft("a", "one\n")).sections is first.sections


def test_a_new_nearness_alone_changes_nothing():
    session = Session()
    first = session.fire(draft("a", "one\n", nearness=1))
    assert session.fire(draft("a", "one\n", nearness=9)).sections is first.sections


def test_a_ladder_is_sent_by_its_first_rung():
    outcome = Session().fire(Draft("a", ladder=("full", "short")))
    assert shown(outcome) == {"a": "full"}


def test_a_draft_that_was_left_out_asks_for_no_refit_while_nothing_about_it_changed():
    session = Session(budget=25)
    long = [draft("a", "alpha " * 20), draft("b", "beta " * 20)]
    first = session.fire(*long)
    assert kinds(first) == [(EventKind.SENT, "a"), (EventKind.SHORTENED, "a"), (EventKind.LEFT_OUT, "b")]
    outcome = session.fire(*long, draft("c", "new\n"))
    assert list(shown(outcome)) == ["a", "c"]
    assert kinds(outcome) == [(EventKind.SENT, "c")]


def test_a_draft_that_was_left_out_gets_its_chance_when_the_budget_changes():
    session = Session(budget=25)
    long = [draft("a", "alpha " * 20), draft("b", "beta " * 20)]
    session.fire(*long)
    assert list(shown(session.fire(*long, budget=ROOMY))) == ["a", "b"]


def test_a_budget_that_wavers_makes_no_refit_of_a_section_that_was_left_out():
    session = Session(budget=25)
    long = [draft("a", "alpha " * 20), draft("b", "beta " * 20)]
    first = session.fire(*long)
    for budget in (24, 25, 23, 25):
        outcome = session.fire(*long, budget=budget)
        assert outcome.sections == first.sections
        assert (EventKind.REFIT, "") not in kinds(outcome)


def test_another_model_makes_no_refit_of_a_section_that_was_left_out():
    session = Session(budget=25)
    long = [draft("a", "alpha " * 20), draft("b", "beta " * 20)]
    texts = list(shown(session.fire(*long)).values())
    assert list(shown(session.fire(*long, model="other")).values()) == texts


def test_a_larger_budget_fits_anew_for_a_section_that_was_left_out():
    session = Session(budget=25)
    long = [draft("a", "alpha " * 20), draft("b", "beta " * 20)]
    session.fire(*long)
    outcome = session.fire(*long, budget=110)
    assert (EventKind.REFIT, "") in kinds(outcome)
    assert list(shown(outcome)) == ["a", "b"]


def test_a_draft_that_was_left_out_gets_its_chance_when_it_changed():
    session = Session(budget=25)
    session.fire(draft("a", "alpha " * 20), draft("b", "beta " * 20))
    assert list(shown(session.fire(draft("a", "alpha " * 20), draft("b", "b\n")))) == ["a", "b"]


def test_counts_that_are_not_trusted_are_made_again_at_the_next_firing():
    session = Session(budget=300)
    session.fire(draft("a", "alpha " * 40))
    session.baseline.distrust_counts()
    session.calls.clear()
    session.fire(draft("a", "alpha " * 40))
    assert session.calls == {"alpha " * 40: 1}
    session.calls.clear()
    session.fire(draft("a", "alpha " * 40))
    assert not session.calls


def test_bytes_that_a_second_count_finds_too_many_are_fitted_anew():
    session = Session(budget=300)
    alpha = draft("a", "alpha " * 40)
    session.baseline.contribute([alpha], 300, lambda text: len(text) // 4, "m")
    session.baseline.distrust_counts()
    assert kinds(session.fire(alpha, budget=200))[0] == (EventKind.REFIT, "")


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (OnChange.APPEND, OnChange.FREEZE, {"a": "one\n"}),
        (OnChange.APPEND, OnChange.REPLACE, {"a": "new\n"}),
        (OnChange.FREEZE, OnChange.REPLACE, {"a": "new\n"}),
        (
            OnChange.REPLACE,
            OnChange.APPEND,
            {
                "a": "one\n",
                "a (updated)": "[This replaces the section “a” above, which no longer applies; read it in that place.]\n\nnew\n",
            },
        ),
    ],
)
def test_a_mode_that_is_configured_in_mid_session_holds_from_then_on(first, then, told):
    session = Session()
    session.fire(draft("a", "one\n", on_change=first))
    assert shown(session.fire(draft("a", "new\n", on_change=then))) == told


def test_a_mode_that_is_configured_alone_tells_what_was_held_back():
    session = Session()
    session.fire(draft("a", "one\n", on_change=OnChange.FREEZE))
    session.fire(draft("a", "new\n", on_change=OnChange.FREEZE))
    assert shown(session.fire(draft("a", "new\n", on_change=OnChange.REPLACE))) == {"a": "new\n"}


def test_what_was_last_told_stays_where_the_session_is_frozen_later():
    session = Session()
    session.fire(draft("a", "one\n"))
    updated = session.fire(draft("a", "two\n"))
    assert session.fire(draft("a", "three\n", on_change=OnChange.FREEZE)).sections == updated.sections


def test_a_log_entry_carries_what_the_draft_says_about_itself():
    event = Session().fire(draft("a", "one\n", facts=(("file_path", "a.md"), ("section", "not this")))).events[0]
    assert event.fields == {
        "file_path": "a.md",
        "change": "sent",
        "section": "a",
        "revision": event.revision[:12],
        "tokens": "4",
    }


def test_a_withdrawal_names_the_file_that_is_gone():
    session = Session()
    session.fire(draft("a", "one\n", facts=(("file_path", "a.md"),)))
    assert dict(session.fire().events[0].facts) == {"file_path": "a.md"}


def placed(directory, text="text\n", **facts):
    """A draft that says where it stands."""
    parts = tuple(directory.split("/")) if directory else ()
    return draft(directory or "root", text, directory=parts, opening="First.", late_opening="Late.", **facts)


def openings(outcome: Outcome):
    return {section.label: section.text.split("\n")[0] for section in outcome.sections}


def test_a_section_that_joins_behind_one_for_a_directory_below_its_own_has_its_late_opening():
    session = Session()
    session.fire(placed("a/b"))
    outcome = session.fire(placed(""), placed("a"), placed("a/b"), placed("b"))
    assert openings(outcome) == {"a/b": "First.", "root": "Late.", "a": "Late.", "b": "First."}


def test_sections_that_join_together_have_their_ordinary_openings():
    outcome = Session().fire(placed(""), placed("a"), placed("a/b"))
    assert set(openings(outcome).values()) == {"First."}


def test_a_draft_without_a_late_opening_keeps_the_one_it_has():
    session = Session()
    session.fire(placed("a/b"))
    assert (
        openings(session.fire(placed("a/b"), draft("a", "text\n", directory=("a",), opening="First.")))["a"] == "First."
    )


def test_a_section_with_a_late_opening_stays_as_it_was_sent():
    session = Session()
    session.fire(placed("a/b"))
    first = session.fire(placed("a"), placed("a/b"))
    changed = session.fire(placed("a", "new\n"), placed("a/b"))
    assert changed.sections[:2] == first.sections
    assert changed.sections[2].text.endswith("\n\nLate.\n\nnew\n")
    outcome = session.fire(placed("a"), placed("a/b"))
    assert outcome.sections == first.sections
    assert kinds(outcome) == [(EventKind.RESTORED, "a")]


def test_a_section_that_a_refit_forgot_returns_under_its_late_opening():
    session = Session(budget=300)
    session.fire(placed("a"), placed("a/b"))
    session.fire(placed("a/b"))
    assert list(shown(session.fire(placed("a/b"), placed("c", "c" * 240)))) == ["a/b", "c"]
    assert openings(session.fire(placed("a"), placed("a/b"), placed("c", "c" * 240)))["a"] == "Late."


def test_a_section_that_found_no_room_at_first_joins_under_its_late_opening():
    session = Session(budget=20)
    drafts = [placed("a", nearness=0), placed("a/b", nearness=1)]
    assert list(shown(session.fire(*drafts))) == ["a/b"]
    assert openings(session.fire(*drafts, budget=ROOMY)) == {"a/b": "First.", "a": "Late."}


def test_a_section_that_was_replaced_by_nothing_returns_under_its_late_opening():
    session = Session()
    drafts = [placed("a", on_change=OnChange.REPLACE), placed("a/b", on_change=OnChange.REPLACE)]
    session.fire(*drafts)
    session.fire(drafts[1])
    assert openings(session.fire(*drafts)) == {"a/b": "First.", "a": "Late."}


def test_a_draft_that_finds_no_room_under_its_late_opening_asks_for_no_refit_again():
    session = Session(budget=20)
    drafts = [placed("a", nearness=0), placed("a/b", nearness=1)]
    first = session.fire(*drafts)
    outcome = session.fire(*drafts, placed("c", " "), budget=19)
    assert outcome.sections == first.sections
    assert (EventKind.REFIT, "") not in kinds(outcome)
