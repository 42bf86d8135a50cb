"""Large requests, many callers, and memory that stays where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.driver import Section

if TYPE_CHECKING:
    from acceptance.driver import GoHost, Program
    from acceptance.worlds import World

CALLERS = 8
SESSIONS = 4
FIRINGS = 2000
FLAT_KIB = 5 * 1024


def test_requests_of_twenty_megabytes_are_answered(program: Program, host: GoHost, world: World) -> None:
    """A long history and a huge foreign section both arrive, and the section goes back as it came."""
    plugin = host.launch(program)
    large = {"text": {"text": "x" * 20_000_000}}
    history = [{"role": "ROLE_USER", "content": [large], "id": "1"}]
    assert plugin.contribute({**world.firing, "conversation_history": history}).sections
    section = {"provider": "another", "label": "Large", "content": [large], "tokens": 5_000_000}
    answer = plugin.contribute({**world.firing, "prior_sections": [section]})
    assert answer.intact
    assert answer.sections[-1].provider == program.name


def test_eight_callers_see_their_own_sessions_and_memory_stays_flat(
    program: Program, host: GoHost, world: World
) -> None:
    """2,000 firings of several sessions at once: every session the same bytes every time, and never another's."""
    requests = []
    for number in range(SESSIONS):
        mark = f"mark{number}"
        root = world.top / mark
        world.make_repository(root, mark)
        requests.append({**world.firing, "session_id": mark, "working_directory": str(root)})
    plugin = host.launch(program)
    if program.name == "git-status":
        # A busy machine may let one git of thousands wait for longer than the usual two seconds.
        plugin.configure({"timeout_ms": 30_000})
    plugin.ask("storm", storm={"callers": CALLERS, "firings": 320, "requests": requests})
    storm = plugin.ask("storm", storm={"callers": CALLERS, "firings": FIRINGS, "requests": requests})
    assert not storm["failures"]
    for number, answers in enumerate(storm["answers"]):
        (answer,) = answers
        text = "".join(Section.of(section).text for section in answer["sections"])
        assert [mark for mark in range(SESSIONS) if f"mark{mark}" in text] == [number]
    before, *after = storm["resident_kib"]
    assert max(after) - before <= FLAT_KIB, storm["resident_kib"]
