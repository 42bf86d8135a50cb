"""Sessions are remembered apart, and only so many of them."""

from __future__ import annotations

import threading

from context_common.baselines import Sessions


def test_a_session_gets_the_same_value_again():
    sessions = Sessions(list)
    assert sessions.get("a") is sessions.get("a")


def test_two_sessions_share_nothing():
    sessions = Sessions(list)
    assert sessions.get("a") is not sessions.get("b")


def test_the_least_recently_used_session_is_forgotten_first():
    sessions = Sessions(list, limit=2)
    kept, lost = sessions.get("kept"), sessions.get("lost")
    sessions.get("kept")
    sessions.get("third")
    assert sessions.get("kept") is kept
    assert sessions.get("lost") is not lost


def test_256_sessions_are_remembered():
    sessions = Sessions(list)
    first = sessions.get("0")
    for number in range(1, 256):
        sessions.get(str(number))
    assert sessions.get("0") is first
    sessions.get("256")
    assert len(sessions._values) == 256


def test_threads_that_ask_for_one_session_at_once_get_one_value():
    sessions = Sessions(list)
    barrier = threading.Barrier(8)
    got = []

    def ask():
        barrier.wait()
        got.append(sessions.get("a"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(value) for value in got}) == 1
