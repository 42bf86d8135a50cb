"""What the host lets stand of an answer, seen with real plugins that misbehave on purpose."""

from __future__ import annotations

import pytest
from support.odd_host import MODEL, fire, odd_host, texts, told

from context_host.counting import Counter
from context_host.errors import PluginError
from context_host.models import Model, read_model
from context_host.projection import Role
from context_host.session import Session


def test_chain_grows_in_declaration_order(tmp_path):
    """Each plugin is given what the earlier ones made, and the order is the operator's."""
    turn = fire(tmp_path, {"b": "plain", "a": "plain"}, arguments={"b": {"text": "one"}, "a": {"text": "two"}})
    assert texts(turn) == ["b: one", "a: two"]
    assert told(turn) == []


SCOPE_VIOLATIONS = {
    "drop-foreign": "it leaves out section 'Notes' of first",
    "rename-foreign": "it leaves out section 'Notes' of first",
    "retouch-foreign": "it changes section 'Notes' of first",
    "swap-foreign": "it moves or repeats sections of other providers",
    "pose-as-other": "it poses as another provider with section 'Notes' of somebody-else",
    "rewrite-history": "it rewrites the conversation and is no compactor",
}


@pytest.mark.parametrize(("mode", "violation"), SCOPE_VIOLATIONS.items(), ids=SCOPE_VIOLATIONS)
def test_scope_violation_throws_the_whole_answer_away(tmp_path, mode, violation):
    """The chain is as it was before the call, the violation is logged by name, and later plugins still fire."""
    turn = fire(tmp_path, {"first": "plain", "second": "plain", "odd": mode, "last": "plain"})
    assert texts(turn) == ["first: hello", "second: hello", "last: hello"]
    assert told(turn) == [f"error odd: scope violation, the whole answer is thrown away: {violation}"]
    assert turn.assembled.failed == {"odd"}


DROPPED = {
    "image": ("Picture", "it holds a block that is not text"),
    "empty-label": ("", "it has no label"),
    "over-budget": ("Too large", "its 101 tokens are over the budget of 100"),
    "over-sum": ("One too many", "with its 11 tokens the sections of this provider are over the budget of 100"),
}


@pytest.mark.parametrize(("mode", "case"), DROPPED.items(), ids=DROPPED)
def test_bad_section_is_dropped_alone(tmp_path, mode, case):
    """Only that section goes, whatever it says of itself, and the log names it."""
    label, reason = case
    turn = fire(tmp_path, {"odd": mode})
    assert len(turn.assembled.sections) == 1
    assert turn.assembled.rejected == {("odd", label)}
    assert told(turn) == [f"warn odd: dropped section {label!r} of odd: {reason}"]


def test_every_section_is_recounted(tmp_path):
    """The host's own count stands in the chain, and the difference is logged."""
    turn = fire(tmp_path, {"odd": "wrong-count"})
    assert turn.assembled.sections[0].tokens == 2
    assert told(turn) == ["warn odd: section 'Notes' of odd says 99 tokens, the host counts 2"]


def test_section_without_stability_counts_as_dynamic(tmp_path):
    """It may not be kept as if it were static."""
    turn = fire(tmp_path, {"odd": "no-stability"})
    assert turn.assembled.sections[0].stability == "dynamic"
    assert told(turn) == ["warn odd: section 'Notes' of odd has no stability and counts as dynamic"]


FAILURES = {
    "fail": "Contribute failed with source_unavailable: the source went away",
    "fail-strangely": "Contribute failed with 99: of another age",
    "fail-plainly": "Contribute failed with UNKNOWN: boom",
    "die": "exited with code 7 during Contribute",
    "hang-in-call": "Contribute was not answered within 3 s",
}


@pytest.mark.parametrize(("mode", "reason"), FAILURES.items(), ids=FAILURES)
def test_failing_plugin_is_left_out(tmp_path, mode, reason):
    """The turn goes on without it, and the log says why."""
    turn = fire(tmp_path, {"odd": mode, "last": "plain"}, call_seconds=3 if mode == "hang-in-call" else 60)
    assert texts(turn) == ["last: hello"]
    assert told(turn) == [f"error odd: left out of this turn: {reason}"]


def test_strict_host_ends_the_turn(tmp_path):
    """As the public host does."""
    with pytest.raises(PluginError, match=r"^odd: Contribute failed with source_unavailable: the source went away$"):
        fire(tmp_path, {"odd": "fail", "last": "plain"}, strict=True)


def test_budget_is_the_cap_while_there_is_room(tmp_path):
    """The operator's token_budget goes before the plugin's default."""
    turn = fire(tmp_path, {"a": "echo", "b": "echo"}, arguments={"b": {"token_budget": 70}})
    assert turn.assembled.budgets == {"a": 100, "b": 70}
    assert all("ceiling=8000" in text for text in texts(turn))


def test_smaller_model_really_gives_less(tmp_path):
    """The ceiling is computed for each call, and what is assembled already is taken off."""
    small = Model("small", context_window=1_000, reserved_output=500, system_overhead=440)
    turn = fire(tmp_path, {"a": "echo", "b": "echo", "c": "echo"}, model=small)
    first = turn.assembled.sections[0].tokens
    assert turn.assembled.budgets["a"] == 60
    assert turn.assembled.budgets["b"] == 60 - first
    assert turn.assembled.tokens <= 60


def test_model_without_room_gives_nothing(tmp_path):
    """A budget is never negative, and nothing of a plugin that overruns it stands."""
    turn = fire(tmp_path, {"a": "plain"}, model=Model("none", context_window=10))
    assert turn.assembled.budgets == {"a": 0}
    assert turn.assembled.sections == ()


def test_compactor_may_rewrite_sections_and_history(tmp_path):
    """It alone is shown the conversation, and what it makes of both stands."""
    with odd_host(tmp_path, {"a": "plain", "compactor": "compactor", "b": "echo"}) as host:
        session = Session(host, MODEL, tmp_path)
        session.say(Role.USER, "x" * 400)
        session.say(Role.ASSISTANT, "y" * 400)
        turn = session.fire()
    assert texts(turn)[:2] == ["a: short", "compactor: compacted"]
    assert "messages=0" in texts(turn)[2]
    assert [message.text for message in turn.assembled.history] == ["summary of 2"]
    assert turn.assembled.compacted
    assert turn.request.messages[1].text == "summary of 2"


def test_compacted_chain_must_fit_as_a_whole(tmp_path):
    """Too large, and the chain is as it was before."""
    turn = fire(tmp_path, {"a": "plain", "compactor": "compactor-too-large"})
    assert texts(turn) == ["a: hello"]
    assert told(turn) == [
        "error compactor: the compacted chain has 103 tokens, its budget is 100; the whole answer is thrown away"
    ]


def test_compactor_speaks_for_those_in_the_chain_only(tmp_path):
    """A section under a name that nobody declared would belong to no budget."""
    turn = fire(tmp_path, {"a": "plain", "compactor": "compactor-stranger"})
    assert texts(turn) == ["a: hello", "compactor: mine"]
    assert told(turn) == ["warn compactor: dropped section 'Notes' of nobody: no section of nobody stands before it"]


def test_token_budget_that_is_no_number_is_the_plugins_own_affair(tmp_path):
    """Only its schema says what the attribute means; the cap is then its default."""
    turn = fire(tmp_path, {"odd": "budget-of-words"}, arguments={"odd": {"token_budget": "much"}})
    assert turn.assembled.budgets == {"odd": 100}


def test_every_firing_carries_both_sizes(tmp_path):
    """history_tokens counts the conversation; assembled_tokens_last_turn the chain of the turn before."""
    with odd_host(tmp_path, {"a": "echo"}) as host:
        session = Session(host, MODEL, tmp_path, parent_session_id="outer")
        first = session.fire(["x"])
        session.say(Role.USER, "12345")
        second = session.fire(["y", "x"])
    assert texts(first) == ["a: budget=100 ceiling=8000 history=0 last=0 files=x parent=outer messages=0"]
    assert texts(second) == [
        f"a: budget=100 ceiling=8000 history=2 last={first.assembled.tokens} files=x,y parent=outer messages=0"
    ]
    assert second.touched == ("y",)


def test_plugins_count_with_the_hosts_own_counter(tmp_path):
    """CountTokens answers with the tokenizer that also decides, and says that it is exact."""
    counter = Counter(lambda text: 3 * len(text), exact=True)
    turn = fire(tmp_path, {"a": "ask"}, counter=counter)
    assert texts(turn) == ["a: 15 exact=True"]
    assert turn.assembled.sections[0].tokens == 39


def test_budget_sum_over_the_smallest_model_is_warned_of(tmp_path):
    """The sum of all caps against the smallest ceiling of any model in use."""
    with odd_host(tmp_path, {"a": "plain", "b": "plain"}) as host:
        tight = Model("tight", context_window=1_150, reserved_output=500, system_overhead=500)
        assert host.warnings([MODEL, tight]) == [
            "the token budgets add up to 200 (a 100 + b 100), which is more than the effective ceiling of 150 that tight has; later providers may get less"
        ]
        assert host.warnings([MODEL]) == []


def test_dynamic_before_static_is_warned_of(tmp_path):
    """A lint and no reordering."""
    with odd_host(tmp_path, {"counter": "dynamic", "a": "plain"}) as host:
        warnings = host.warnings([MODEL])
        turn = Session(host, MODEL, tmp_path).fire()
    assert warnings == [
        "counter is dynamic and declared before a: whenever it changes, the prompt cache is lost from there on; declare it last"
    ]
    assert [view.provider for view in turn.assembled.sections] == ["counter", "a"]
    assert turn.warnings[0].startswith("counter ('Counter', dynamic) stands before a ('Notes', static) in the chain")


@pytest.mark.parametrize(("text", "window"), [("small:32000", 32_000), ("a:b:1_000", 1_000)])
def test_model_is_named_with_its_window(text, window):
    """NAME:WINDOW; the name may hold colons."""
    assert read_model(text).context_window == window


def test_effective_ceiling_is_the_protocols():
    """200,000 less 8,192 for the answer and 15,808 of overhead."""
    assert Model().effective_ceiling == 176_000
