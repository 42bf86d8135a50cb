"""The measure against sequences of requests whose common prefixes can be counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_host.measure import PrefixMeter, common
from context_host.projection import Message, ModelContext, Role


def request(*texts: str, system: str = "", tools: tuple[str, ...] = ()) -> ModelContext:
    return ModelContext(tuple(Message(Role.USER, text) for text in texts), system, tools)


def test_grown_conversation_repeats_the_whole_earlier_request():
    """The earlier request is a full prefix: all its messages and bytes."""
    found = common(request("one", "two"), request("one", "two", "three"))

    assert (found.messages, found.bytes, found.full) == (2, 6, True)


def test_change_in_the_middle_of_a_message_leaves_what_is_before_it():
    """Bytes count up to the first that differs, messages only whole."""
    found = common(request("one", "two tails"), request("one", "two heads", "three"))

    assert (found.messages, found.bytes, found.full) == (1, 3 + 4, False)


def test_bytes_are_utf8():
    """A character that differs in its second byte shares the first."""
    assert common(request("é"), request("è")).bytes == 1


def test_system_prompt_and_tools_stand_before_every_message():
    """Where they differ, nothing after them is common."""
    same = common(request("a", system="s", tools=("t",)), request("a", system="s", tools=("t",)))
    assert (same.messages, same.bytes, same.full) == (1, 3, True)

    other = common(request("a", system="s", tools=("t",)), request("a", system="s", tools=("t", "u")))
    assert (other.messages, other.bytes, other.full) == (0, 1, False)


def test_role_is_part_of_a_message():
    """The same text from the other side is another message."""
    asked, said = Message(Role.USER, "x"), Message(Role.ASSISTANT, "x")

    assert common(ModelContext((asked,)), ModelContext((said,))).bytes == 0


def test_shortened_request_is_no_extension():
    """All of the later one is in the earlier, not the other way round."""
    found = common(request("one", "two"), request("one"))

    assert (found.messages, found.full) == (1, False)


def test_growing_session_is_served_whole():
    """Everything that was sent before stands at the start of the next request."""
    meter = PrefixMeter()
    for length in range(1, 6):
        meter.add(request(*(f"message {number}" for number in range(length))))

    assert meter.share == 1.0
    assert meter.requests[0].known == 0


def test_floating_block_is_known_and_not_served():
    """A block that moves to the end was sent before, but a cache does not find it there."""
    meter = PrefixMeter()
    meter.add(request("aaa", "block"))
    found = meter.add(request("aaa", "bbb", "block"))

    head, floating = len("user\0aaa") + len("system\0"), len("user\0block")
    assert (found.served, found.known) == (head, head + floating)


def test_line_counts_as_known_as_often_as_it_was_held():
    """A new message that repeats a line of an old one once more is new by that line."""
    meter = PrefixMeter()
    meter.add(request("x\nx"))
    found = meter.add(request("x\nx\nx"))

    assert found.known == len("system\0") + len("user\0x\nx")


def test_line_that_every_request_repeats_is_held_once():
    """Ten requests with it do not make ten of it known."""
    meter = PrefixMeter()
    for _ in range(10):
        meter.add(request("x"))
    found = meter.add(request("x", "x"))

    assert found.known == len("system\0") + len("user\0x")


def test_cache_remembers_every_request_of_the_session():
    """Going back to an earlier beginning is served from then."""
    meter = PrefixMeter()
    meter.add(request("A", "tail"))
    meter.add(request("B", "tail"))
    found = meter.add(request("A", "tail"))

    assert found.served == found.known == found.size


def test_session_of_one_request_has_nothing_to_serve():
    """The share of nothing is all of it."""
    meter = PrefixMeter()
    meter.add(request("one"))

    assert meter.share == 1.0


requests = st.lists(st.sampled_from(["a", "b", "a\nb", "", "\n"]), max_size=5).map(lambda texts: request(*texts))


@given(st.lists(requests, min_size=1, max_size=8))
def test_what_is_served_was_known_and_what_is_known_was_sent(sent):
    """Served, known and size can only grow in this order, and the share is one."""
    meter = PrefixMeter()
    for context in sent:
        found = meter.add(context)
        assert 0 <= found.served <= found.known <= found.size

    assert 0 <= meter.share <= 1


@given(requests, requests)
def test_common_bytes_are_those_of_a_plain_comparison(one, other):
    """Character by character, message by message."""
    expected = 0
    for mine, theirs in zip(one.messages, other.messages, strict=False):
        same = [a == b for a, b in zip(mine.text, theirs.text, strict=False)]
        expected += [*same, False].index(False)
        if mine != theirs:
            break

    assert common(one, other).bytes == expected


@pytest.mark.parametrize("size", [0, 1, 7, 4096])
def test_common_start_of_two_long_messages_is_exact(size):
    """The search for the first difference neither stops early nor runs on."""
    found = common(request("x" * size + "1"), request("x" * size + "2"))

    assert found.bytes == size
