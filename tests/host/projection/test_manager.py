"""The verbs of ``modelcontext``'s manager, in the order in which its documentation names them."""

import pytest

from context_host.projection import (
    AttachmentKind,
    ContextManager,
    Message,
    ModelContext,
    Placement,
    PreparedStep,
    Role,
)
from context_host.projection.values import digest

QUESTION = Message(Role.USER, "question")
ANSWER = Message(Role.ASSISTANT, "answer")
ASKED = ModelContext((QUESTION,))
TALKED = ModelContext((QUESTION, ANSWER))


def texts(step: PreparedStep) -> list[str]:
    return [message.text for message in step.input.messages]


def pending(step: PreparedStep) -> list[str]:
    return [block.rendered for block in step.pending]


def send(manager: ContextManager, context: ModelContext = ASKED) -> PreparedStep:
    step = manager.prepare_step(context)
    manager.commit(step)
    return step


def test_base_stands_before_the_conversation_which_stays_as_it_is():
    """The base is one user message in front; system prompt, tools and the caller's messages are untouched."""
    context = ModelContext((QUESTION,), system_prompt="be kind", tools=("read",))

    step = ContextManager(3, base_rendered="base").prepare_step(context)

    assert step.input == ModelContext((Message(Role.USER, "base"), QUESTION), "be kind", ("read",))
    assert context.messages == (QUESTION,)
    assert [(block.kind, block.epoch, block.placement) for block in step.pending] == [("base", 3, "prefix")]


def test_projected_attachments_come_typed_and_in_the_order_of_a_request():
    """Base, listing, activated skill, status: the order in which the model reads them."""
    manager = ContextManager(1, "", "base", "", "listing")
    manager.stage_task_status("status")
    manager.stage_activated_skill("review", "", "body")

    blocks = manager.projected_attachments()

    assert [block.kind for block in blocks] == ["base", "skill_listing", "activated_skill", "task_status"]


def test_commit_ends_persisting_not_projecting():
    """What a committed step carried is in every later request, and pending in none."""
    manager = ContextManager(1, base_rendered="base")

    send(manager)
    step = manager.prepare_step(ASKED)

    assert texts(step) == ["base", "question"]
    assert step.pending == ()
    assert manager.state.has_base
    assert manager.state.base_committed
    assert manager.state.base_revision == digest("base")


def test_without_text_there_is_no_base_and_its_revision_is_dropped():
    """An empty rendering makes no message and no record, and nothing is owed."""
    manager = ContextManager(4, base_revision="r1")

    step = manager.prepare_step(ASKED)

    assert texts(step) == ["question"]
    assert step.pending == ()
    state = manager.state
    assert (state.epoch, state.has_base, state.base_committed, state.base_revision) == (4, False, True, "")


def test_base_of_blanks_is_a_base():
    """Only an empty text is no text."""
    step = ContextManager(1, base_rendered=" \n").prepare_step(ASKED)

    assert texts(step) == [" \n", "question"]


def test_listing_stays_in_front_while_the_latest_skills_update_stands_behind():
    """The prefix keeps its bytes; the update after the conversation is replaced by the next."""
    manager = ContextManager(1, "b", "base", "s1", "listing")
    first = manager.prepare_step(TALKED)
    assert texts(first) == ["base", "listing", "question", "answer"]
    assert pending(first) == ["base", "listing"]
    manager.commit(first)

    manager.stage_skills_update("s2", "two")
    second = manager.prepare_step(TALKED)
    assert texts(second) == ["base", "listing", "question", "answer", "two"]
    assert [(block.rendered, block.placement) for block in second.pending] == [("two", Placement.AFTER_CURRENT)]
    manager.commit(second)

    assert texts(manager.prepare_step(TALKED)) == texts(second)
    manager.stage_skills_update("s3", "three")
    assert texts(manager.prepare_step(TALKED))[-1] == "three"
    assert "two" not in texts(manager.prepare_step(TALKED))


def test_cancelled_skills_update_uncovers_the_committed_one():
    """Cancelling drops what is on its way, not what the model has."""
    manager = ContextManager(1)
    manager.stage_skills_update("s1", "one")
    send(manager)
    manager.stage_skills_update("s2", "two")

    manager.cancel_staged_skills_update()

    step = manager.prepare_step(ASKED)
    assert texts(step) == ["question", "one"]
    assert step.pending == ()


def test_first_activation_of_a_skill_wins_and_stays():
    """Skills stand after the conversation, sorted by name, whatever is compacted; a second body changes nothing."""
    manager = ContextManager(1)
    manager.stage_activated_skill("review", "r1", "review one")
    manager.stage_activated_skill("review", "r2", "review two")
    manager.stage_activated_skill("build", "b1", "build one")

    step = send(manager)
    later = manager.prepare_step(ModelContext((Message(Role.USER, "summary"),)))

    assert texts(step) == ["question", "build one", "review one"]
    assert [block.path for block in step.pending] == ["build", "review"]
    assert texts(later) == ["summary", "build one", "review one"]
    assert later.pending == ()
    assert (manager.state.activated_skill_count, manager.state.pending_skill_count) == (2, 0)


def test_restored_skill_keeps_the_recorded_body():
    """What governed a conversation goes on governing it, under the epoch it was recorded in."""
    old = ContextManager(3)
    old.stage_activated_skill("review", "", "recorded")
    recorded = send(old).pending
    manager = ContextManager(8)

    manager.restore_activated_skills(recorded)
    manager.stage_activated_skill("review", "", "newer")

    step = manager.prepare_step(ASKED)
    assert texts(step) == ["question", "recorded"]
    assert step.pending == ()
    assert step.attachments[0].attachment.epoch == 3


def test_restoring_never_replaces_what_is_staged():
    """The first of a name wins against the transcript too."""
    old = ContextManager(1)
    old.stage_activated_skill("review", "", "recorded")
    recorded = send(old).pending
    manager = ContextManager(2)
    manager.stage_activated_skill("review", "", "staged")

    manager.restore_activated_skills(recorded)

    assert texts(manager.prepare_step(ASKED)) == ["question", "staged"]


def test_restoring_takes_the_first_of_a_name_and_passes_over_what_is_no_skill():
    """Another kind, a missing name, a missing text and a repeated name cost only themselves."""
    old = ContextManager(1, base_rendered="base")
    old.stage_activated_skill("a", "", "first")
    base, skill = old.projected_attachments()
    entries = [
        base,
        _copy(skill, path=""),
        _copy(skill, path="b", rendered=""),
        skill,
        _copy(skill, rendered="second"),
    ]
    manager = ContextManager(2)

    manager.restore_activated_skills(entries)

    assert texts(manager.prepare_step(ASKED)) == ["question", "first"]
    assert manager.state.activated_skill_count == 1


def test_context_update_supersedes_without_touching_the_prefix():
    """The base keeps its bytes; one update at a time stands behind the conversation."""
    manager = ContextManager(1, "v1", "base one")
    send(manager)
    manager.stage_context_update("v1", "base one again")
    assert manager.prepare_step(ASKED).pending == ()

    manager.stage_context_update("v2", "two")
    second = send(manager)
    assert texts(second) == ["base one", "question", "two"]
    assert [(block.kind, block.placement) for block in second.pending] == [("context_update", "after-current")]

    manager.stage_context_update("v3", "three")
    assert texts(manager.prepare_step(ASKED)) == ["base one", "question", "three"]
    manager.cancel_staged_context_update()
    assert texts(manager.prepare_step(ASKED)) == ["base one", "question", "two"]
    assert (manager.state.active_context_revision, manager.state.staged_context_revision) == ("v2", "")


def test_cancel_after_the_commit_changes_nothing():
    """What the model has read cannot be unsaid."""
    manager = ContextManager(1)
    manager.stage_context_update("v1", "one")
    manager.stage_skills_update("s1", "skills")
    send(manager)

    manager.cancel_staged_context_update()
    manager.cancel_staged_skills_update()

    assert texts(manager.prepare_step(ASKED)) == ["question", "one", "skills"]


def test_restored_skill_is_taken_as_it_was_recorded():
    """Its id, epoch and placement are the transcript's, whatever they are."""
    old = ContextManager(1)
    old.stage_activated_skill("a", "r", "body")
    recorded = _copy(old.projected_attachments()[0], id="y", epoch=0, placement=Placement.PREFIX)
    manager = ContextManager(2)

    manager.restore_activated_skills([recorded])

    assert manager.projected_attachments() == (recorded,)
    assert manager.prepare_step(ASKED).pending == ()


def test_without_a_base_every_revision_is_an_update():
    """There is nothing shown that it could equal, whatever revision came with the empty base."""
    manager = ContextManager(1, base_revision="v1")
    send(manager)

    manager.stage_context_update("v1", "state")

    assert texts(manager.prepare_step(ASKED)) == ["question", "state"]


def test_context_and_skills_updates_are_carried_together():
    """Context first, then skills; one commit makes both durable."""
    manager = ContextManager(1, "", "base", "", "listing")
    manager.stage_skills_update("s2", "skills")
    manager.stage_context_update("c2", "context")

    step = send(manager)

    assert texts(step) == ["base", "listing", "question", "context", "skills"]
    assert manager.prepare_step(ASKED).pending == ()


def test_task_status_is_the_latest_only():
    """A snapshot replaces the one before it; both are known until the newer one is committed."""
    manager = ContextManager(1)
    manager.stage_task_status("running")
    send(manager)
    manager.stage_task_status("done")

    assert texts(manager.prepare_step(ASKED)) == ["question", "done"]
    assert manager.state.active_task_revision == digest("running")
    assert manager.state.staged_task_revision == digest("done")


def test_cleared_status_is_gone_at_once():
    """Nothing to tell is not the same as the last thing told."""
    manager = ContextManager(1)
    manager.stage_task_status("running")
    send(manager)

    manager.clear_task_status()

    assert texts(manager.prepare_step(ASKED)) == ["question"]
    assert manager.state.active_task_revision == ""


@pytest.mark.parametrize(("revision", "rendered"), [("", "text"), ("r", ""), ("", "")])
def test_update_without_revision_or_text_is_no_update(revision, rendered):
    """That all sources vanished has to be rendered; an empty text says nothing."""
    manager = ContextManager(1)
    manager.stage_context_update(revision, rendered)
    manager.stage_skills_update(revision, rendered)

    assert manager.projected_attachments() == ()


@pytest.mark.parametrize(("name", "rendered"), [("", "body"), ("name", "")])
def test_skill_without_name_or_text_is_no_skill(name, rendered):
    """Nor does an empty status replace one."""
    manager = ContextManager(1)
    manager.stage_task_status("status")
    manager.stage_activated_skill(name, "r", rendered)
    manager.stage_task_status("")

    assert [block.kind for block in manager.projected_attachments()] == [AttachmentKind.TASK_STATUS]


def test_skill_without_revision_is_identified_by_its_text():
    """So are base, listing and status."""
    manager = ContextManager(1, "", "base", "", "listing")
    manager.stage_activated_skill("a", "", "body")
    manager.stage_task_status("status")

    revisions = [block.revision for block in manager.projected_attachments()]

    assert revisions == [digest("base"), digest("listing"), digest("body"), digest("status")]


def test_cancelled_skill_can_be_activated_with_another_body():
    """Until a committed step carried it, nobody has read it."""
    manager = ContextManager(1)
    manager.stage_activated_skill("review", "", "one")
    manager.cancel_activated_skill("review")
    manager.stage_activated_skill("review", "", "two")
    assert texts(send(manager)) == ["question", "two"]

    manager.cancel_activated_skill("review")

    assert texts(manager.prepare_step(ASKED)) == ["question", "two"]


def test_preparing_changes_nothing():
    """The same step comes out twice, pending both times."""
    manager = ContextManager(1, base_rendered="base")
    manager.stage_context_update("v2", "two")

    assert manager.prepare_step(ASKED) == manager.prepare_step(ASKED)
    assert pending(manager.prepare_step(ASKED)) == ["base", "two"]


@pytest.mark.parametrize("epoch", [0, -1])
def test_epoch_is_one_or_more(epoch):
    """Zero is what a transcript without any epoch counts from."""
    with pytest.raises(ValueError, match="an epoch is 1 or more"):
        ContextManager(epoch)


def test_updates_cannot_stand_in_the_prefix():
    """That is what this class is there to avoid."""
    with pytest.raises(ValueError, match="after-current or anchored"):
        ContextManager(1, updates=Placement.PREFIX)


def _copy(block, **changes):
    import dataclasses

    return dataclasses.replace(block, **changes)
