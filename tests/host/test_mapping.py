"""The chain of a firing as blocks of a request: each row of the mapping, by what the model reads."""

import pytest
from support.chains import dynamic, fired, read, static

from context_host.mapping import ChainProjection, Key, order_lint
from context_host.measure import common
from context_host.projection import Message, ModelContext, Placement, Role

PROVIDERS = ("claude", "agents", "git")
A = static("claude", "A", "text of A")
B = static("agents", "B", "text of B")
C = static("agents", "C", "text of C")
GIT = dynamic("git", "Git", "clean")


@pytest.fixture(params=[Placement.AFTER_CURRENT, Placement.ANCHORED])
def projection(request):
    return ChainProjection(PROVIDERS, placement=request.param)


class Talk:
    """A session whose conversation grows by a message a turn."""

    def __init__(self, projection):
        self.projection = projection
        self.messages = []
        self.steps = []

    def turn(self, *sections, **firing):
        self.changes = {change.key.label: change for change in self.projection.observe(fired(*sections, **firing))}
        self.messages.append(Message(Role.USER, f"question {len(self.messages)}"))
        step = self.projection.prepare(ModelContext(tuple(self.messages)))
        self.projection.commit(step)
        self.steps.append(step)
        return read(step.input)

    def kinds(self):
        return [projected.attachment.kind for projected in self.steps[-1].attachments]

    def message_of(self, kind):
        indices = [projected.index for projected in self.steps[-1].attachments if projected.attachment.kind == kind]
        return self.steps[-1].input.messages[indices[-1]].text


def test_first_static_sections_are_the_base_in_declaration_order(projection):
    """One block in front, each section in its own boundary; the dynamic one stands last."""
    talk = Talk(projection)
    reading = talk.turn(A, GIT, B)

    assert talk.kinds() == ["base", "task_status"]
    assert list(reading.valid) == [("claude", "A"), ("agents", "B")]
    assert reading.latest == {("git", "Git"): ["clean"]}
    assert talk.steps[-1].input.messages[0].text.startswith('<project-context kind="base">')


def test_unchanged_chain_adds_nothing(projection):
    """The next request has the same blocks, and nothing is pending."""
    talk = Talk(projection)
    talk.turn(A, GIT)
    talk.turn(A, GIT)

    assert talk.steps[-1].pending == ()
    assert talk.kinds() == ["base", "task_status"]


def test_section_that_joins_gets_a_block_of_its_own(projection):
    """Just in time is no reason to touch the base."""
    talk = Talk(projection)
    talk.turn(A)
    reading = talk.turn(A, B)
    later = talk.turn(A, B)

    assert talk.kinds() == ["base", "activated_skill"]
    assert reading.valid == later.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["text of B"]}
    assert talk.steps[-1].pending == ()


def test_sections_that_join_together_stand_in_declaration_order():
    """Names are made to sort so, whatever the labels are."""
    talk = Talk(ChainProjection(("zeta", "alpha")))
    talk.turn()
    reading = talk.turn(static("zeta", "z", "1"), static("zeta", "a", "2"), static("alpha", "m", "3"))

    assert list(reading.valid) == [("zeta", "z"), ("zeta", "a"), ("alpha", "m")]


@pytest.mark.parametrize("how", ["replaced", "appended"])
def test_changed_section_comes_as_a_complete_update(projection, how):
    """Whether its provider changes it in place or tells of it beside the original, the base keeps its bytes."""
    talk = Talk(projection)
    talk.turn(A, B)
    if how == "replaced":
        reading = talk.turn(static("claude", "A", "new A"), B)
    else:
        reading = talk.turn(A, dynamic("claude", "A (updated)", "new A"), B)

    assert talk.kinds() == ["base", "context_update"]
    assert reading.valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}
    assert reading.stale == []
    assert talk.steps[1].input.messages[0] == talk.steps[0].input.messages[0]
    assert talk.changes["A"].what == "updated"


def test_floating_update_is_complete_and_an_anchored_one_is_what_differs():
    """Only where everything that was sent stays in view is it no use to say it again."""
    for placement, labels in ((Placement.AFTER_CURRENT, ["A", "B"]), (Placement.ANCHORED, ["A"])):
        talk = Talk(ChainProjection(PROVIDERS, placement=placement))
        talk.turn(A, B)
        talk.turn(static("claude", "A", "new A"), B)

        assert [label for label in "AB" if f'label="{label}"' in talk.message_of("context_update")] == labels


def test_anchored_update_of_sections_that_share_a_name_is_complete():
    """Otherwise it could not say which of them it replaces."""
    talk = Talk(ChainProjection(PROVIDERS, placement=Placement.ANCHORED))
    talk.turn(A, static("claude", "A", "other A"))
    reading = talk.turn(A)

    assert "complete" in talk.message_of("context_update")
    assert reading.valid == {("claude", "A"): ["text of A"]}


def test_update_that_is_taken_back_says_the_original_again(projection):
    """The model has read the update, so silence would leave it standing."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(A, dynamic("claude", "A (updated)", "new A"))
    reading = talk.turn(A)

    assert reading.valid == {("claude", "A"): ["text of A"]}
    assert talk.kinds()[-1] == "context_update"


def test_change_that_is_undone_before_it_was_sent_costs_nothing(projection):
    """Nobody has read it."""
    talk = Talk(projection)
    talk.turn(A)
    projection.observe(fired(static("claude", "A", "new A"), B))
    talk.turn(A)

    assert talk.kinds() == ["base"]


def test_change_before_the_first_request_is_in_the_base(projection):
    """A base that nobody has read needs no update."""
    talk = Talk(projection)
    projection.observe(fired(A))
    reading = talk.turn(static("claude", "A", "new A"))

    assert talk.kinds() == ["base"]
    assert reading.valid == {("claude", "A"): ["new A"]}


def test_dynamic_section_called_updated_without_an_original_is_dynamic(projection):
    """Only a static section of that provider and label makes it an update."""
    talk = Talk(projection)
    reading = talk.turn(A, dynamic("git", "A (updated)", "news"))

    assert reading.latest == {("git", "A (updated)"): ["news"]}
    assert reading.valid == {("claude", "A"): ["text of A"]}


def test_section_that_is_gone_is_withdrawn_by_name(projection):
    """The update is without it and says so; what is left stays in force."""
    talk = Talk(projection)
    talk.turn(A, B)
    reading = talk.turn(A)

    assert reading.valid == {("claude", "A"): ["text of A"]}
    assert reading.stale == []
    assert '<context-withdrawn provider="agents" label="B"/>' in talk.message_of("context_update")
    assert talk.changes["B"].what == "withdrawn"


def test_last_section_that_goes_leaves_a_block_that_says_so(projection):
    """An empty block would say nothing at all."""
    talk = Talk(projection)
    talk.turn(A)
    reading = talk.turn()

    assert reading.valid == {}
    assert reading.stale == []
    assert "No project context is left" in talk.message_of("context_update")


def test_section_that_joined_and_changed_moves_into_the_update(projection):
    """Its old text stands nowhere after the new one."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(A, B)
    reading = talk.turn(A, static("agents", "B", "new B"))

    assert reading.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["new B"]}
    assert reading.stale == []


def test_section_that_joined_and_went_and_came_back_is_in_force_once(projection):
    """Coming back is a change: the update that took it back still stands."""
    talk = Talk(projection)
    for chain in ((A,), (A, B), (A,), (A, B)):
        reading = talk.turn(*chain)

    assert reading.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["text of B"]}


def test_section_that_joins_after_an_update_stands_after_it(projection):
    """The update speaks only of what was there before it."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(static("claude", "A", "new A"))
    reading = talk.turn(static("claude", "A", "new A"), B)

    assert talk.kinds() == ["base", "context_update", "activated_skill"]
    assert reading.valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}


def test_change_and_addition_in_one_firing_are_one_update(projection):
    """The complete current state has both."""
    talk = Talk(projection)
    talk.turn(A)
    reading = talk.turn(static("claude", "A", "new A"), B)

    assert talk.kinds() == ["base", "context_update"]
    assert reading.valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}


def test_section_that_changed_before_its_block_was_sent_joins_with_the_new_text(projection):
    """First wins among what was sent, not among what was staged."""
    talk = Talk(projection)
    talk.turn(A)
    projection.observe(fired(A, B))
    reading = talk.turn(A, static("agents", "B", "new B"))

    assert reading.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["new B"]}


def test_staged_addition_gives_way_to_an_update_that_has_it(projection):
    """The update is complete, so a block beside it would say the same twice."""
    talk = Talk(projection)
    talk.turn(A)
    projection.observe(fired(A, B))
    reading = talk.turn(static("claude", "A", "new A"), B)

    assert talk.kinds() == ["base", "context_update"]
    assert reading.valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}


def test_update_counts_without_its_original_in_the_chain(projection):
    """The original may be over the budget; the session knows it all the same."""
    talk = Talk(projection)
    talk.turn(A)
    reading = talk.turn(dynamic("claude", "A (updated)", "new A"), rejected=[("claude", "A")])

    assert reading.valid == {("claude", "A"): ["new A"]}
    assert reading.latest == {}


def test_update_of_an_original_that_never_fitted_is_static(projection):
    """That the original was rejected tells that there is one."""
    talk = Talk(projection)
    reading = talk.turn(dynamic("claude", "A (updated)", "new A"), rejected=[("claude", "A")])

    assert reading.valid == {("claude", "A"): ["new A"]}
    assert reading.latest == {}


def test_dynamic_sections_are_one_block_the_latest_only(projection):
    """All of them in declaration order; what was said last turn is not in the request any more."""
    talk = Talk(projection)
    talk.turn(A, GIT)
    reading = talk.turn(A, dynamic("agents", "Tree", "files"), dynamic("git", "Git", "dirty"))

    assert talk.kinds() == ["base", "task_status"]
    assert reading.latest == {("agents", "Tree"): ["files"], ("git", "Git"): ["dirty"]}
    assert not any("clean" in message.text for message in talk.steps[-1].input.messages)


def test_dynamic_sections_that_are_gone_are_cleared(projection):
    """Nothing to tell is not the last thing told."""
    talk = Talk(projection)
    talk.turn(A, GIT)
    reading = talk.turn(A)

    assert talk.kinds() == ["base"]
    assert reading.latest == {}
    assert talk.changes["Git"].what == "withdrawn"


@pytest.mark.parametrize("why", [{"rejected": [("claude", "A")]}, {"failed": ["claude"]}])
def test_section_that_was_not_heard_of_is_no_removal(projection, why):
    """A section over its budget, or a provider that failed, says nothing about the source."""
    talk = Talk(projection)
    talk.turn(A, B)
    reading = talk.turn(B, **why)

    assert talk.kinds() == ["base"]
    assert reading.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["text of B"]}
    assert talk.changes["A"].what == "kept"


def test_update_that_is_rejected_leaves_the_last_text_in_force(projection):
    """Not the original, which the model knows to be old."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(A, dynamic("claude", "A (updated)", "second A"))
    reading = talk.turn(A, rejected=[("claude", "A (updated)")])

    assert reading.valid == {("claude", "A"): ["second A"]}
    assert talk.steps[-1].pending == ()


def test_original_whose_update_is_rejected_is_not_shown_as_new(projection):
    """Its provider says that it is outdated, so nothing is better than it."""
    talk = Talk(projection)
    talk.turn(B)
    reading = talk.turn(A, B, rejected=[("claude", "A (updated)")])

    assert reading.valid == {("agents", "B"): ["text of B"]}


def test_kept_section_keeps_its_place_in_a_later_update(projection):
    """Declaration order holds for what was not heard of too."""
    talk = Talk(projection)
    talk.turn(A, B)
    reading = talk.turn(static("agents", "B", "new B"), failed=["claude"])

    assert list(reading.valid) == [("claude", "A"), ("agents", "B")]


@pytest.mark.parametrize("why", [{"rejected": [("git", "Git")]}, {"failed": ["git"]}])
def test_dynamic_section_that_was_not_heard_of_is_left_out(projection, why):
    """What may have changed since is not told again as if it had not."""
    talk = Talk(projection)
    talk.turn(A, GIT)
    reading = talk.turn(A, **why)

    assert reading.latest == {}


def test_section_rejected_at_first_joins_when_it_is_accepted(projection):
    """It was never there, so it is new."""
    talk = Talk(projection)
    talk.turn(A, rejected=[("agents", "B")])
    talk.turn(A, B)

    assert talk.kinds() == ["base", "activated_skill"]


def test_static_text_rewritten_by_a_compactor_begins_an_epoch(projection):
    """The prefix is lost in any case; what was sent before is in no later request."""
    talk = Talk(projection)
    talk.turn(A, B)
    talk.turn(static("claude", "A", "new A"), B)
    reading = talk.turn(static("claude", "A+B", "summary"), compacted=True)

    assert projection.epoch == 2
    assert talk.kinds() == ["base"]
    assert reading.valid == {("claude", "A+B"): ["summary"]}
    assert reading.stale == []


def test_compactor_that_changes_no_static_text_begins_none(projection):
    """The base can stay where it is."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(A, compacted=True)

    assert projection.epoch == 1


def test_rewritten_history_takes_anchored_updates_with_it():
    """The places they were pinned to are gone, so one base says it all again."""
    talk = Talk(ChainProjection(PROVIDERS, placement=Placement.ANCHORED))
    talk.turn(A)
    talk.turn(static("claude", "A", "new A"))
    reading = talk.turn(static("claude", "A", "new A"), compacted=True)

    assert (talk.projection.epoch, talk.kinds()) == (2, ["base"])
    assert reading.valid == {("claude", "A"): ["new A"]}


def test_rewritten_history_leaves_floating_updates_alone():
    """They stand around the conversation, whatever it is."""
    talk = Talk(ChainProjection(PROVIDERS, placement=Placement.AFTER_CURRENT))
    talk.turn(A)
    talk.turn(static("claude", "A", "new A"))
    talk.turn(static("claude", "A", "new A"), compacted=True)

    assert (talk.projection.epoch, talk.kinds()) == (1, ["base", "context_update"])


def test_step_of_an_earlier_epoch_changes_nothing(projection):
    """The new base already says everything."""
    talk = Talk(projection)
    talk.turn(A)
    projection.observe(fired(static("claude", "A", "new A")))
    late = projection.prepare(ModelContext())
    projection.observe(fired(static("claude", "A", "summary"), compacted=True))

    projection.commit(late)

    assert not projection.state.base_committed


def test_update_committed_after_it_was_undone_is_undone_again(projection):
    """It was sent, so the original has to be said again, at the next request and without another firing."""
    talk = Talk(projection)
    talk.turn(A)
    projection.observe(fired(static("claude", "A", "new A")))
    late = projection.prepare(ModelContext((Message(Role.USER, "question"),)))
    projection.observe(fired(A))

    projection.commit(late)

    step = projection.prepare(ModelContext((Message(Role.USER, "question"),)))
    assert read(step.input).valid == {("claude", "A"): ["text of A"]}


def test_sections_of_equal_name_are_two_sections(projection):
    """A foreign provider may use a label twice; neither text is lost, and one can change alone."""
    talk = Talk(projection)
    twin = static("claude", "A", "other A")
    reading = talk.turn(A, twin)
    assert reading.valid == {("claude", "A"): ["text of A", "other A"]}

    reading = talk.turn(A, static("claude", "A", "changed A"))
    assert reading.valid == {("claude", "A"): ["text of A", "changed A"]}
    assert talk.turn(A, static("claude", "A", "changed A")).valid == reading.valid
    assert talk.steps[-1].pending == ()


def test_name_that_one_of_two_sections_keeps_is_not_said_to_be_gone(projection):
    """The update would otherwise withdraw what it shows."""
    talk = Talk(projection)
    talk.turn(A, static("claude", "A", "other A"))
    talk.turn(A)

    assert "no longer appl" not in talk.message_of("context_update")


def test_order_of_the_chain_alone_is_no_change(projection):
    """The model is told texts, not positions."""
    talk = Talk(projection)
    talk.turn(A, B)
    talk.turn(B, A)

    assert talk.steps[-1].pending == ()


def test_tokens_and_shortening_alone_are_no_change(projection):
    """Another tokenizer counts the same text differently."""
    talk = Talk(projection)
    talk.turn(A)
    talk.turn(static("claude", "A", "text of A", truncated=True))

    assert talk.steps[-1].pending == ()
    assert talk.changes["A"].truncated


def test_saved_text_holds_until_its_provider_answers(projection):
    """After a restart the sources are read anew; only where that fails is the recorded text shown."""
    saved = {Key("agents", "B"): "saved B", Key("claude", "A"): "saved A"}
    talk = Talk(ChainProjection(PROVIDERS, epoch=2, saved=saved))
    reading = talk.turn(A, failed=["agents"])
    assert reading.valid == {("claude", "A"): ["text of A"], ("agents", "B"): ["saved B"]}

    assert talk.turn(A, static("agents", "B", "new B")).valid[("agents", "B")] == ["new B"]


def test_saved_text_whose_source_is_gone_is_not_shown(projection):
    """Its provider answered, and no longer has it."""
    talk = Talk(ChainProjection(PROVIDERS, epoch=2, saved={Key("agents", "B"): "saved B"}))

    assert talk.turn(A).valid == {("claude", "A"): ["text of A"]}


def test_sub_agent_has_a_base_of_its_own(projection):
    """Another session, another projection: what one was told is not told to the other."""
    parent, child = Talk(projection), Talk(ChainProjection(PROVIDERS))
    parent.turn(A)
    parent.turn(static("claude", "A", "new A"))
    reading = child.turn(static("claude", "A", "new A"))

    assert child.kinds() == ["base"]
    assert reading.valid == {("claude", "A"): ["new A"]}


def test_anchored_session_without_dynamic_sections_only_grows():
    """Through changes, additions and withdrawals, each request begins with the one before."""
    talk = Talk(ChainProjection(PROVIDERS, placement=Placement.ANCHORED))
    chains = [(A,), (A, B), (static("claude", "A", "new A"), B), (static("claude", "A", "new A"), B, C), (A, C), (A,)]
    for chain in chains:
        talk.turn(*chain)

    steps = zip(talk.steps, talk.steps[1:], strict=False)
    assert all(common(earlier.input, later.input).full for earlier, later in steps)


def test_lint_names_a_dynamic_section_before_a_static_one():
    """The chain keeps its order, the request cannot."""
    line = order_lint([GIT, A])

    assert line == (
        "git ('Git', dynamic) stands before claude ('A', static) in the chain; "
        "in the request, static sections stand before the conversation and dynamic ones after it"
    )


def test_lint_has_nothing_to_say_of_updates():
    """They are expected between the static sections of two providers."""
    assert order_lint([A, dynamic("claude", "A (updated)", "new A"), B, GIT]) is None
