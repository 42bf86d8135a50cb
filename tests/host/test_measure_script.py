"""The script that the placements are measured with is what the measure says it is."""

from pathlib import Path

from context_host.script import read_script

SCRIPT = Path(__file__).parents[2] / "examples/sessions/twenty-turns.toml"


def test_twenty_turns_grow_the_conversation_to_200_kb():
    """With edits, commits and touched files among them."""
    turns = read_script(SCRIPT).turns

    assert len(turns) == 20
    assert sum(turn.grow for turn in turns) == 200_000
    assert sum(bool(turn.edits) for turn in turns) >= 8
    assert sum(bool(turn.commit) for turn in turns) >= 3
    assert sum(bool(turn.touch) for turn in turns) >= 3
