"""Where the manager differs from that of ``modelcontext``, and why each difference is one: what would go wrong otherwise."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from context_host.measure import common
from context_host.projection import ContextManager, Message, ModelContext, PreparedStep, Role

ASKED = ModelContext((Message(Role.USER, "question"),))


def texts(step: PreparedStep) -> list[str]:
    return [message.text for message in step.input.messages]


def send(manager: ContextManager, context: ModelContext = ASKED) -> PreparedStep:
    step = manager.prepare_step(context)
    manager.commit(step)
    return step


def test_toggling_a_source_never_repeats_an_id():
    """A journal that refuses repeated ids would otherwise refuse every further request of a session that edits and undoes."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    ids = []
    for revision in "BABABA":
        manager.stage_context_update(revision, f"state {revision}")
        ids += [block.id for block in send(manager).pending]

    assert len(ids) == len(set(ids)) == 6


def test_equal_bodies_under_two_names_have_two_ids():
    """The ordinal tells apart what revision and epoch cannot."""
    manager = ContextManager(1)
    manager.stage_activated_skill("a", "", "body")
    manager.stage_activated_skill("b", "", "body")

    one, other = manager.projected_attachments()

    assert one.id != other.id


def test_return_to_the_base_before_sending_costs_nothing():
    """The caller stages what it sees and need not remember to cancel."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    manager.stage_context_update("B", "state B")

    manager.stage_context_update("A", "state A")

    assert texts(manager.prepare_step(ASKED)) == ["base A", "question"]


def test_return_to_the_base_after_sending_is_an_update():
    """The model has read the newer state, so it has to be told of the older one again."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    manager.stage_context_update("B", "state B")
    send(manager)

    manager.stage_context_update("A", "state A")

    assert texts(manager.prepare_step(ASKED)) == ["base A", "question", "state A"]


def test_staging_what_is_active_cancels_what_is_staged():
    """Otherwise the same state would be sent a second time, under an id that the journal has."""
    manager = ContextManager(1)
    manager.stage_context_update("B", "state B")
    send(manager)
    manager.stage_context_update("C", "state C")

    manager.stage_context_update("B", "state B")

    assert manager.state.staged_context_revision == ""
    assert manager.prepare_step(ASKED).pending == ()


def test_skills_update_to_the_listing_itself_is_none():
    """The rule is the manager's for both prefixes, so that no caller has to keep it."""
    manager = ContextManager(1, skill_revision="s1", skill_listing_rendered="listing")
    send(manager)

    manager.stage_skills_update("s1", "listing again")

    assert texts(manager.prepare_step(ASKED)) == ["listing", "question"]


def test_first_text_of_a_staged_revision_stays():
    """One revision is one text."""
    manager = ContextManager(1)
    manager.stage_context_update("B", "first")
    manager.stage_context_update("B", "second")

    assert texts(manager.prepare_step(ASKED)) == ["question", "first"]


def test_step_committed_late_is_what_the_model_saw_last():
    """It was journalled and sent; forgetting it would let a cancel fall back to a state that the model has left."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    manager.stage_context_update("B", "state B")
    late = manager.prepare_step(ASKED)
    manager.stage_context_update("C", "state C")

    manager.commit(late)

    assert texts(manager.prepare_step(ASKED)) == ["base A", "question", "state C"]
    manager.cancel_staged_context_update()
    assert texts(manager.prepare_step(ASKED)) == ["base A", "question", "state B"]
    assert manager.prepare_step(ASKED).pending == ()


def test_step_committed_after_a_newer_one_changes_nothing():
    """The newest that was sent stays the newest."""
    manager = ContextManager(1)
    manager.stage_context_update("B", "state B")
    late = manager.prepare_step(ASKED)
    manager.stage_context_update("C", "state C")
    send(manager)

    manager.commit(late)

    assert manager.state.active_context_revision == "C"


def test_cancel_between_prepare_and_commit_is_too_late_for_that_step():
    """The request went out with the update in it, so the update stands until another one takes it back."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    manager.stage_context_update("B", "state B")
    manager.stage_task_status("status")
    step = manager.prepare_step(ASKED)

    manager.cancel_staged_context_update()
    manager.commit(step)

    assert manager.state.active_context_revision == "B"
    manager.stage_context_update("A", "state A")
    assert texts(manager.prepare_step(ASKED)) == ["base A", "question", "state A", "status"]


def test_cancelled_skill_that_was_sent_all_the_same_stays():
    """Late is late for skills too."""
    manager = ContextManager(1)
    manager.stage_activated_skill("review", "", "body")
    step = manager.prepare_step(ASKED)
    manager.cancel_activated_skill("review")

    manager.commit(step)

    assert texts(manager.prepare_step(ASKED)) == ["question", "body"]


def test_cleared_status_does_not_come_back_with_a_late_commit():
    """The latest word about the status is that there is none."""
    manager = ContextManager(1)
    manager.stage_task_status("running")
    step = manager.prepare_step(ASKED)
    manager.clear_task_status()

    manager.commit(step)

    assert texts(manager.prepare_step(ASKED)) == ["question"]


def test_revision_staged_again_between_prepare_and_commit_is_not_sent_twice():
    """A, B, A while a step with A is on its way: the commit of that step already says A."""
    manager = ContextManager(1)
    manager.stage_context_update("A", "state A")
    step = manager.prepare_step(ASKED)
    manager.stage_context_update("B", "state B")
    manager.stage_context_update("A", "state A")

    manager.commit(step)

    assert manager.prepare_step(ASKED).pending == ()
    assert manager.state.active_context_revision == "A"


def test_commit_makes_durable_the_text_that_was_journalled():
    """Under one revision with two texts, the one in the committed step is the one that the journal has."""
    manager = ContextManager(1)
    manager.stage_context_update("A", "journalled")
    step = manager.prepare_step(ASKED)
    manager.stage_context_update("B", "state B")
    manager.stage_context_update("A", "other")

    manager.commit(step)

    assert texts(manager.prepare_step(ASKED)) == ["question", "journalled"]


def test_committing_twice_is_committing_once():
    """A caller that is not sure may repeat it."""
    manager = ContextManager(1, base_rendered="base")
    manager.stage_context_update("B", "state B")
    step = send(manager)
    before = manager.state

    manager.commit(step)

    assert manager.state == before


@pytest.mark.parametrize("epoch", [1, 2])
def test_step_of_another_manager_is_refused(epoch):
    """Equal ids are no proof: another session's journal does not make anything durable here."""
    manager, other = ContextManager(1, "A", "base"), ContextManager(epoch, "A", "base")

    with pytest.raises(ValueError, match="prepared by another manager"):
        manager.commit(other.prepare_step(ASKED))

    assert not manager.state.base_committed


def test_base_that_nobody_has_seen_is_rebuilt():
    """A file that changes before the first request would otherwise cost base and update in that very request."""
    manager = ContextManager(1, "A", "base A")
    manager.prepare_step(ASKED)

    assert manager.rebuild_base("B", "base B")

    assert texts(send(manager)) == ["base B", "question"]
    assert not manager.rebuild_base("C", "base C")
    assert texts(manager.prepare_step(ASKED)) == ["base B", "question"]


def test_base_of_the_first_committed_step_is_the_base():
    """It was sent; the one rebuilt meanwhile was not, and has to come as an update."""
    manager = ContextManager(1, "A", "base A")
    step = manager.prepare_step(ASKED)
    manager.rebuild_base("B", "base B")

    manager.commit(step)

    assert texts(manager.prepare_step(ASKED)) == ["base A", "question"]
    assert manager.state.base_revision == "A"


def test_equal_base_is_not_built_again():
    """A request that is retried keeps its ids."""
    manager = ContextManager(1, "A", "base A")
    before = manager.projected_attachments()

    manager.rebuild_base("A", "base A")

    assert manager.projected_attachments() == before


def test_no_caller_reaches_into_the_manager_through_a_value():
    """Detached is a property of the values, not a promise."""
    manager = ContextManager(1, base_rendered="base")
    step = manager.prepare_step(ASKED)
    (block,) = manager.projected_attachments()

    for value, name in ((step, "pending"), (block, "rendered"), (step.input.messages[1], "text"), (ASKED, "messages")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, "forged")
    assert isinstance(step.input.messages, tuple)


def test_list_given_as_messages_is_copied():
    """What the caller appends later is not in a step that is prepared."""
    messages = [Message(Role.USER, "question")]
    context = ModelContext(messages)
    messages.append(Message(Role.USER, "later"))

    assert len(context.messages) == 1


def test_cache_mark_belongs_before_what_floats():
    """A mark on the last message would sit on the block that the next request has elsewhere."""
    manager = ContextManager(1, "A", "base A")
    send(manager)
    manager.stage_context_update("B", "state B")

    step = manager.prepare_step(ASKED)

    assert [message.text for message in step.input.messages[: step.stable_count]] == ["base A", "question"]


def test_every_block_is_found_at_its_index():
    """A viewer tells blocks from messages of the user without guessing from text."""
    manager = ContextManager(1, "A", "base A", "s", "listing")
    manager.stage_context_update("B", "state B")
    manager.stage_task_status("status")

    step = manager.prepare_step(ASKED)

    assert [projected.index for projected in step.attachments] == [0, 1, 3, 4]
    for projected in step.attachments:
        assert step.input.messages[projected.index].text == projected.attachment.rendered


def test_stable_messages_are_the_same_over_many_turns():
    """Whatever floats, what stands before the mark is what the next request begins with."""
    manager = ContextManager(1, "r0", "base")
    conversation: list[Message] = []
    last: PreparedStep | None = None
    for turn in range(12):
        conversation += [Message(Role.USER, f"question {turn}"), Message(Role.ASSISTANT, f"answer {turn}")]
        manager.stage_context_update(f"r{turn // 3}", f"state {turn // 3}")
        manager.stage_task_status(f"status {turn // 2}")
        step = send(manager, ModelContext(tuple(conversation)))
        if last:
            assert common(last.input, step.input).messages >= last.stable_count
        last = step


def test_threads_stage_prepare_and_commit_without_losing_a_block():
    """Whatever interleaves, each id is pending in no step that is prepared after its commit, and the last state is shown."""
    manager = ContextManager(1, "r", "base")
    committed: set[str] = set()
    lock = threading.Lock()

    def work(worker: int) -> None:
        for turn in range(50):
            manager.stage_context_update(f"{worker}-{turn}", f"state {worker}-{turn}")
            manager.stage_task_status(f"status {worker}-{turn}")
            manager.stage_activated_skill(f"skill {worker}-{turn % 5}", "", "body")
            with lock:
                known = set(committed)
            step = manager.prepare_step(ASKED)
            assert not known & {block.id for block in step.pending}
            manager.commit(step)
            with lock:
                committed.update(block.id for block in step.pending)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, worker) for worker in range(4)]:
            done.result()

    manager.stage_context_update("last", "the end")
    step = send(manager)
    kinds = [projected.attachment.kind for projected in step.attachments]
    assert kinds.count("context_update") == kinds.count("task_status") == kinds.count("base") == 1
    assert kinds.count("activated_skill") == 20
    assert "the end" in texts(step)
    assert manager.prepare_step(ASKED).pending == ()
