"""The transcript: what is written when, what a crash leaves of it, and how a session continues from there."""

import errno
import json
import os
from itertools import pairwise

import pytest
from support.chains import dynamic, fired, read, static
from support.recorded import RecordedSession

from context_host.projection import Message, Placement, Role
from context_host.record import TranscriptError, replay
from context_host.transcript import HEADER, Transcript

PROVIDERS = ("claude", "agents", "git")
A = static("claude", "A", "text of A")
B = static("agents", "B", "text of B")
NEW_A = static("claude", "A", "new A")
CHAINS = [
    (A, dynamic("git", "Git", "clean")),
    (A, B, dynamic("git", "Git", "clean")),
    (NEW_A, B, dynamic("git", "Git", "dirty")),
    (A, B),
    (NEW_A,),
    (A,),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def opened(transcript, placement=Placement.ANCHORED, name="main", parent=""):
    return RecordedSession(name, PROVIDERS, transcript, placement, parent)


def play(session):
    """Play what of the script the session has not played yet; yield after every acknowledged write."""
    for number in range(len(session.record.steps), len(CHAINS)):
        answers = len(session.messages) // 2
        if answers < number:
            session.say(Message(Role.ASSISTANT, f"answer {answers}"))
            session.save()
            yield
        session.touched |= {f"file {number}": None}
        session.say(Message(Role.USER, f"question {number}"))
        session.step(fired(*CHAINS[number]), turn_id=f"turn {number}")
        yield
    if len(session.messages) < 2 * len(CHAINS):
        session.say(Message(Role.ASSISTANT, f"answer {len(CHAINS) - 1}"))
        session.save()
        yield


def played(path, placement=Placement.ANCHORED):
    """A whole session; returns the file's size after each acknowledged write."""
    with Transcript(path) as transcript:
        session = opened(transcript, placement)
        return [path.stat().st_size for _ in play(session)]


def conversation(record):
    return [message.text for message in record.messages]


WHOLE = [text for number in range(len(CHAINS)) for text in (f"question {number}", f"answer {number}")]


def test_line_is_on_disk_when_append_returns(path, monkeypatch):
    """Written whole, and then synced: a step that follows can count on it."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    with Transcript(path) as transcript:
        opened(transcript).step(fired(A), turn_id="one")

        assert synced[-1] == path.stat().st_size > len(HEADER)
        assert json.loads(path.read_bytes().splitlines()[-1])["step"]["turn_id"] == "one"


def test_every_request_can_be_built_again_from_the_lines_alone(path):
    """Nothing is sent that is not recorded."""
    requests = []
    with Transcript(path) as transcript:
        session = opened(transcript)
        step = session.step

        def stepping(*arguments, **named):
            requests.append(step(*arguments, **named).input)

        session.step = stepping
        list(play(session))
    with Transcript(path) as transcript:
        assert [request for _, request in replay(transcript.lines)] == requests


def test_request_that_comes_out_otherwise_is_told(path):
    """A transcript that was edited by hand no longer says what was sent."""
    played(path)
    path.write_bytes(path.read_bytes().replace(b"question 1", b"question 7"))

    with (
        Transcript(path) as transcript,
        pytest.raises(TranscriptError, match="turn 1 of session main is not as it was sent"),
    ):
        list(replay(transcript.lines))


def test_request_whose_block_is_gone_is_told(path):
    """So is one whose lines were taken out."""
    played(path)
    header, _, rest = path.read_bytes().split(b"\n", 2)
    path.write_bytes(b"\n".join([header, rest]))

    with (
        Transcript(path) as transcript,
        pytest.raises(TranscriptError, match="turn 1 of session main has lost its block base:1:1:"),
    ):
        list(replay(transcript.lines))


@pytest.mark.parametrize("placement", [Placement.AFTER_CURRENT, Placement.ANCHORED])
def test_session_cut_anywhere_loses_nothing_acknowledged_and_repeats_nothing(tmp_path, placement, monkeypatch):
    """Killed at every line and at many places within each, the session ends as if it had not been."""
    monkeypatch.setattr(
        os, "fsync", lambda _: None
    )  # the cuts are made by hand, thousands of syncs would prove nothing
    whole = tmp_path / "whole.jsonl"
    acknowledged = played(whole, placement)
    data = whole.read_bytes()
    ends = [0, *(index + 1 for index, byte in enumerate(data) if byte == 0x0A)]
    cuts = {cut for end in ends for cut in (end - 1, end, end + 1)}
    cuts |= {start + (end - start) * part // 5 for start, end in pairwise(ends) for part in range(1, 5)}

    for cut in sorted(cuts & set(range(len(data) + 1))):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(data[:cut])
        safe = sum(size <= cut for size in acknowledged)
        with Transcript(path) as transcript:
            session = opened(transcript, placement)
            assert len(transcript.lines) == safe
            before = len(session.record.steps)
            list(play(session))
        with Transcript(path) as transcript:
            record = transcript.session("main")
            assert conversation(record) == WHOLE
            assert [step.turn_id for step in record.steps] == [f"turn {number}" for number in range(len(CHAINS))]
            assert list(record.files_touched) == [f"file {number}" for number in range(len(CHAINS))]
            assert {step.epoch for step in record.steps[before:]} <= {2 if before else 1}
            carried = [block.id for line in transcript.lines for block in line.attachments]
            assert len(carried) == len(set(carried))
            requests = [request for _, request in replay(transcript.lines)]
        assert read(requests[-1]).valid == {("claude", "A"): ["text of A"]}
        path.unlink()


def test_resumed_session_continues_under_the_next_epoch(path):
    """Its base is read anew, its conversation and touched files are those of the transcript."""
    with Transcript(path) as transcript:
        session = opened(transcript)
        for _ in zip(range(3), play(session), strict=False):
            pass
    with Transcript(path) as transcript:
        session = opened(transcript)
        assert session.projection.epoch == 2
        assert list(session.touched) == ["file 0", "file 1"]
        prepared = session.step(fired(NEW_A, B), turn_id="again")

    assert [block.kind for block in prepared.pending] == ["base"]
    assert read(prepared.input).valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}


def test_resumed_session_shows_the_recorded_text_while_its_provider_fails(path):
    """The newest one that was sent, be it from the base, a block of its own, or an update."""
    with Transcript(path) as transcript:
        session = opened(transcript)
        session.step(fired(A, B), turn_id="one")
        session.step(fired(NEW_A, B), turn_id="two")
    with Transcript(path) as transcript:
        prepared = opened(transcript).step(fired(B, failed=["claude"]), turn_id="three")

    assert read(prepared.input).valid == {("claude", "A"): ["new A"], ("agents", "B"): ["text of B"]}


def test_sessions_of_one_transcript_are_kept_apart(path):
    """A sub-agent has its own conversation, epochs and blocks, and names its parent."""
    with Transcript(path) as transcript:
        main, child = opened(transcript), opened(transcript, name="child", parent="main")
        main.say(Message(Role.USER, "to main"))
        main.step(fired(A), turn_id="one")
        child.say(Message(Role.USER, "to child"))
        child.step(fired(NEW_A), turn_id="two")
    with Transcript(path) as transcript:
        assert conversation(transcript.session("main")) == ["to main"]
        assert conversation(transcript.session("child")) == ["to child"]
        assert transcript.session("child").parent_session_id == "main"
        assert transcript.session("child").texts == {("claude", "A", 0): "new A"}


def test_rewritten_history_replaces_the_recorded_conversation(path):
    """What the compactor wrote is what the session continues with; earlier requests can still be built again."""
    with Transcript(path) as transcript:
        session = opened(transcript)
        session.say(Message(Role.USER, "long"), Message(Role.ASSISTANT, "winded"))
        session.step(fired(A), turn_id="one")
        session.rewrite([Message(Role.USER, "short")])
        session.step(fired(A, compacted=True), turn_id="two")
        session.say(Message(Role.ASSISTANT, "answer"))
        session.save()
    with Transcript(path) as transcript:
        assert conversation(transcript.session("main")) == ["short", "answer"]
        lengths = [len(request.messages) for _, request in replay(transcript.lines)]

    assert lengths == [3, 2]


def test_step_that_cannot_be_recorded_is_not_sent_and_can_be_tried_again(path, monkeypatch):
    """A full disk leaves neither half a line nor a committed block."""
    with Transcript(path) as transcript:
        session = opened(transcript)
        session.say(Message(Role.USER, "question"))
        write = os.write
        with monkeypatch.context() as full:
            full.setattr(os, "write", lambda file, data: write(file, data[:40]) if len(data) > 100 else _full())
            with pytest.raises(TranscriptError, match="cannot be written: No space left"):
                session.step(fired(A), turn_id="one")
        assert path.read_bytes() == HEADER

        prepared = session.step(fired(A), turn_id="one")

    assert [block.kind for block in prepared.pending] == ["base"]
    with Transcript(path) as transcript:
        assert conversation(transcript.session("main")) == ["question"]


def test_write_that_could_not_be_synced_never_happened(path, monkeypatch):
    """What the disk may not have is taken out of the file again."""
    with Transcript(path) as transcript:
        session = opened(transcript)
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", lambda _: _full())
            with pytest.raises(TranscriptError):
                session.step(fired(A), turn_id="one")

        assert path.read_bytes() == HEADER


def test_any_text_survives(path):
    """Line ends, quotes, characters beyond the plane, and halves of them."""
    text = 'a\n\r"\\\u2028\x00é😀\ud800'
    with Transcript(path) as transcript:
        session = opened(transcript)
        session.say(Message(Role.USER, text))
        session.step(fired(static("claude", text, text)), turn_id=text)
    with Transcript(path) as transcript:
        record = transcript.session("main")
        assert conversation(record) == [text]
        assert record.texts == {("claude", text, 0): text}
        assert len(list(replay(transcript.lines))) == 1


def test_one_process_at_a_time(path):
    """Two would interleave their lines."""
    with Transcript(path), pytest.raises(TranscriptError, match="is in use by another process"):
        Transcript(path)


def test_transcript_is_private(path):
    """A conversation is nobody else's business."""
    with Transcript(path):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content", [b"notes", b"notes\n", b"\n", b'{"transcript":2}\n', HEADER[:-1] + b" ", b"{" * 5000]
)
def test_other_file_is_refused_and_left_as_it_is(path, content):
    """A name that was mistyped costs nobody his file."""
    path.write_bytes(content)

    with pytest.raises(TranscriptError, match="1: not a transcript of this version"):
        Transcript(path)

    assert path.read_bytes() == content


def test_line_that_is_broken_in_the_middle_is_named(path):
    """A crash breaks only the last line, so this is damage that someone has to look at."""
    played(path)
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:-9]
    path.write_bytes(b"\n".join(lines))

    with pytest.raises(TranscriptError, match=r"session\.jsonl:3: not a line of a transcript"):
        Transcript(path)


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"[]",
        b"{}",
        b'{"session_id":"a","messages":[{"role":"king","text":""}]}',
        b"\x00\x00",
        b'{"session_id":"a","step":{"odd":1}}',
        b'{"session_id":"a","step":{"turn_id":"","epoch":1,"blocks":[["a","b"]],"stable_count":0,"request":""}}',
        b"[" * 100_000,
    ],
)
def test_line_of_another_shape_is_refused(path, line):
    """JSON alone makes no line of a transcript."""
    path.write_bytes(HEADER + line + b"\n")

    with pytest.raises(TranscriptError, match=":2: not a line of a transcript"):
        Transcript(path)


def test_place_that_cannot_be_written_is_told(tmp_path):
    """In one sentence, with the reason."""
    with pytest.raises(TranscriptError, match="cannot be opened: Is a directory"):
        Transcript(tmp_path)


def test_pipe_is_refused(path):
    """It would never be read back."""
    os.mkfifo(path)

    with pytest.raises(TranscriptError, match="not a regular file"):
        Transcript(path)


def _full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
