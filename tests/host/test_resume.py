"""A scripted session that was stopped anywhere goes on as if it had not been: nothing lost, nothing repeated."""

from __future__ import annotations

import json

import pytest
from support.odd_host import MODEL, odd_host, odd_program, overriding

from context_host.cli import main
from context_host.record import replay
from context_host.session import Session
from context_host.transcript import Transcript

SCRIPT = """
agent_hcl = "agent.hcl"
[sessions.main]
repository = "project"
[sessions.helper]
repository = "project"
parent = "main"
[[turn]]
touch = ["a"]
user = "first"
assistant = "one"
[[turn]]
user = "second"
assistant = "two"
[[turn]]
session = "helper"
user = "help"
assistant = "helped"
[[turn]]
touch = ["b"]
user = "third"
"""


@pytest.fixture
def play(tmp_path, monkeypatch, capsys):
    """Plays the script with a transcript; returns exit code, report and stderr."""
    (tmp_path / "project").mkdir()
    (tmp_path / "script.toml").write_text(SCRIPT)
    modes = {"notes": "plain", "dynamic": "dynamic"}
    for name, value in overriding(
        tmp_path, {name: odd_program(tmp_path, mode) for name, mode in modes.items()}
    ).items():
        monkeypatch.setenv(name, value)
    lines = "".join(f'  {name} = {{ source = "github.com/example/context-{name}" }}\n' for name in modes)
    (tmp_path / "agent.hcl").write_text(f"required_providers {{\n{lines}}}\n")

    def call(transcript, *arguments):
        code = main(
            ["demo", "--script", str(tmp_path / "script.toml"), "--transcript", str(transcript), "--json", *arguments]
        )
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return call


def told(path):
    """What a transcript says of both sessions: conversation, touched paths, and how many requests."""
    with Transcript(path) as transcript:
        records = {name: transcript.session(name) for name in ("main", "helper")}
        for name, record in records.items():
            # Every request can be built again from the lines alone, and is as it was sent.
            sent = list(replay(line for line in transcript.lines if line.session_id == name))
            assert len(sent) == len(record.steps)
        return {
            name: ([(message.role.value, message.text) for message in record.messages], list(record.files_touched), len(record.steps), record.parent_session_id)
            for name, record in records.items()
        }  # fmt: skip


WHOLE = {
    "main": (
        [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two"), ("user", "third")],
        ["a", "b"],
        3,
        "",
    ),
    "helper": ([("user", "help"), ("assistant", "helped")], [], 1, "main"),
}


def test_transcript_tells_the_whole_session(play, tmp_path):
    """Messages, touched paths, and one step for each turn."""
    assert play(tmp_path / "t.jsonl")[0] == 0
    assert told(tmp_path / "t.jsonl") == WHOLE


def test_cut_anywhere_it_goes_on_without_loss_or_repetition(play, tmp_path):
    """The transcript is cut at every line and in the middle of every line; the resumed run always ends alike."""
    play(tmp_path / "whole.jsonl")
    data = (tmp_path / "whole.jsonl").read_bytes()
    ends = [index + 1 for index, byte in enumerate(data) if byte == ord("\n")]
    middles = [(start + end) // 2 for start, end in zip([0, *ends], ends, strict=False)]
    for number, cut in enumerate(sorted([*ends, *middles])):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(data[:cut])
        code, report, err = play(path, "--resume")
        assert (code, err) == (0, "")
        assert told(path) == WHOLE
        recorded = data[: data.rfind(b"\n", 0, cut) + 1].count(b'"step"')
        assert len(report["turns"]) == 4 - recorded


def test_resumed_turns_keep_their_numbers_under_a_new_epoch(play, tmp_path):
    """The third turn of the session is its third in whatever process it is played, and its request leaves the old prefix."""
    play(tmp_path / "t.jsonl")
    data = (tmp_path / "t.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(data.rstrip(b"\n").rpartition(b"\n")[0] + b"\n")
    _, report, _ = play(tmp_path / "cut.jsonl", "--resume")
    assert [(turn["session"], turn["turn"]) for turn in report["turns"]] == [("main", 3)]
    with Transcript(tmp_path / "cut.jsonl") as transcript:
        assert [step.epoch for step in transcript.session("main").steps] == [1, 1, 2]


def test_resumed_session_knows_the_size_of_its_last_chain(tmp_path):
    """assembled_tokens_last_turn is that of the turn before, in whatever process it was assembled."""
    with odd_host(tmp_path, {"a": "echo"}) as host, Transcript(tmp_path / "t.jsonl") as transcript:
        first = Session(host, MODEL, tmp_path, session_id="main", transcript=transcript).fire()
    with odd_host(tmp_path, {"a": "echo"}) as host, Transcript(tmp_path / "t.jsonl") as transcript:
        second = Session(host, MODEL, tmp_path, session_id="main", transcript=transcript).fire()
    assert f"last={first.assembled.tokens} " in second.assembled.sections[0].text


def test_finished_session_has_nothing_left_to_play(play, tmp_path):
    """Resuming it once more changes nothing."""
    play(tmp_path / "t.jsonl")
    before = (tmp_path / "t.jsonl").read_bytes()
    code, report, _ = play(tmp_path / "t.jsonl", "--resume")
    assert (code, report["turns"]) == (0, [])
    assert (tmp_path / "t.jsonl").read_bytes() == before


def test_transcript_is_not_overwritten_by_accident(play, tmp_path):
    """Without --resume a file that holds a session is refused."""
    play(tmp_path / "t.jsonl")
    code, _, err = play(tmp_path / "t.jsonl")
    assert (code, err) == (
        2,
        f"context-host: {tmp_path}/t.jsonl holds a session already; go on with --resume, or name another file\n",
    )


def test_resume_without_transcript_is_refused(capsys):
    """There would be nothing to go on from."""
    assert main(["demo", "--resume"]) == 2
    assert capsys.readouterr().err == "context-host: --resume needs the transcript to go on from: --transcript FILE\n"


def test_file_that_is_no_transcript_is_refused(play, tmp_path):
    """And is not touched."""
    (tmp_path / "notes.txt").write_text("dear diary\n")
    code, _, err = play(tmp_path / "notes.txt", "--resume")
    assert code == 2
    assert "notes.txt:1: not a transcript of this version" in err
    assert (tmp_path / "notes.txt").read_text() == "dear diary\n"


def test_changed_request_is_told(play, tmp_path):
    """A transcript that does not give back what was sent is not gone on from."""
    play(tmp_path / "t.jsonl")
    text = (tmp_path / "t.jsonl").read_text().replace('"first"', '"fist"')
    (tmp_path / "t.jsonl").write_text(text)
    code, _, err = play(tmp_path / "t.jsonl", "--resume")
    assert code == 2
    assert "is not as it was sent" in err
