"""Blocks pinned where they first appeared: the conversation only ever grows, at the cost of keeping old updates in view."""

from context_host.measure import common
from context_host.projection import ContextManager, Message, ModelContext, Placement, PreparedStep, Role


def conversation(length: int) -> ModelContext:
    return ModelContext(tuple(Message(list(Role)[number % 2], f"m{number}") for number in range(length)))


def texts(step: PreparedStep) -> list[str]:
    return [message.text for message in step.input.messages]


def send(manager: ContextManager, length: int) -> PreparedStep:
    step = manager.prepare_step(conversation(length))
    manager.commit(step)
    return step


def anchored() -> ContextManager:
    manager = ContextManager(1, "A", "base A", updates=Placement.ANCHORED)
    send(manager, 1)
    return manager


def test_update_stays_where_it_first_appeared():
    """It stands behind what had been said when it was sent, and before what was said after."""
    manager = anchored()
    manager.stage_context_update("B", "state B")
    send(manager, 3)

    assert texts(send(manager, 5)) == ["base A", "m0", "m1", "m2", "state B", "m3", "m4"]


def test_each_request_is_a_full_prefix_of_the_next():
    """Updates, additions and skills updates alike only ever append."""
    manager = anchored()
    last = send(manager, 3)
    for turn, length in enumerate(range(5, 25, 2)):
        manager.stage_context_update(f"r{turn // 2}", f"state {turn // 2}")
        manager.stage_skills_update(f"s{turn // 3}", f"skills {turn // 3}")
        manager.stage_activated_skill(f"skill {turn // 4}", "", "body")
        step = send(manager, length)
        assert common(last.input, step.input).full
        assert step.stable_count == len(step.input.messages)
        last = step


def test_status_floats_all_the_same():
    """Only its latest matters, and it would otherwise pile up; the cache mark stands before it."""
    manager = anchored()
    manager.stage_task_status("one")
    send(manager, 1)
    manager.stage_task_status("two")

    step = send(manager, 3)

    assert texts(step) == ["base A", "m0", "m1", "m2", "two"]
    assert step.stable_count == 4


def test_older_update_stays_in_view():
    """It was sent at its place; the newer one says that it replaces it."""
    manager = anchored()
    manager.stage_context_update("B", "state B")
    send(manager, 1)
    manager.stage_context_update("C", "state C")

    assert texts(send(manager, 3)) == ["base A", "m0", "state B", "m1", "m2", "state C"]


def test_covered_skill_that_was_sent_stays_in_view():
    """Covering hides only what nobody has read."""
    manager = anchored()
    manager.stage_activated_skill("sent", "", "sent body")
    send(manager, 1)
    manager.stage_activated_skill("staged", "", "staged body")

    manager.stage_context_update("B", "state B", covers=["sent", "staged"])

    assert texts(send(manager, 1)) == ["base A", "m0", "sent body", "state B"]


def test_update_that_was_not_committed_moves_along():
    """A step that could not be recorded was not sent, so there is no place to keep."""
    manager = anchored()
    manager.stage_context_update("B", "state B")
    manager.prepare_step(conversation(1))

    assert texts(manager.prepare_step(conversation(3))) == ["base A", "m0", "m1", "m2", "state B"]


def test_late_step_is_pinned_where_it_was_sent():
    """What counts is the conversation of the request that carried it."""
    manager = anchored()
    manager.stage_context_update("B", "state B")
    late = manager.prepare_step(conversation(1))
    manager.stage_context_update("C", "state C")

    manager.commit(late)

    assert texts(manager.prepare_step(conversation(3))) == ["base A", "m0", "state B", "m1", "m2", "state C"]


def test_pin_beyond_a_compacted_conversation_stands_at_its_end_from_then_on():
    """It does not move with every message that is added later."""
    manager = anchored()
    manager.stage_context_update("B", "state B")
    send(manager, 5)
    short = send(manager, 1)

    assert texts(short) == ["base A", "m0", "state B"]
    assert [projected.index for projected in short.attachments] == [0, 2]
    assert common(short.input, send(manager, 3).input).full


def test_restored_skills_stand_right_after_the_prefix():
    """The record says what they are, not where in this conversation they were."""
    old = ContextManager(1)
    old.stage_activated_skill("review", "", "body")
    manager = ContextManager(2, "A", "base A", updates=Placement.ANCHORED)

    manager.restore_activated_skills(old.projected_attachments())

    assert texts(manager.prepare_step(conversation(1))) == ["base A", "body", "m0"]
