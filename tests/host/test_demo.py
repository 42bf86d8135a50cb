"""The demo plays the protocol's worked sequence and budget example, with counts that come out of real files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import left_of, short_temporary

from context_host.bundled import examples_directory
from context_host.cli import main

COMMAND = [sys.executable, "-m", "context_host", "demo", "--start-timeout", "60"]
CLAUDE, ROOT, AUTH = "Project conventions (CLAUDE.md)", "AGENTS.md (root)", "AGENTS.md (src/auth)"


def play(*arguments):
    """One run of the demo, with what it left behind."""
    with short_temporary() as temporary:
        environment = {**os.environ, "TMPDIR": str(temporary), "COLUMNS": "80"}
        ended = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=environment, check=False)
        return ended, left_of(temporary)


@pytest.fixture(scope="module")
def run():
    return play("--json")


@pytest.fixture(scope="module")
def report(run):
    assert run[0].stderr == ""
    return json.loads(run[0].stdout)


@pytest.fixture(scope="module")
def turns(report):
    """The turns of every session by its name."""
    sessions: dict[str, list] = {}
    for turn in report["turns"]:
        sessions.setdefault(turn["session"], []).append(turn)
    return sessions


def tokens(turn):
    return {section["label"]: section["tokens"] for section in turn["sections"]}


def text(turn, label):
    return next(section["text"] for section in turn["sections"] if section["label"] == label)


def statuses(turn):
    return {section["label"]: section["status"] for section in turn["sections"]}


def test_it_ends_well_and_leaves_nothing(run):
    """No process and no temporary directory."""
    assert run[0].returncode == 0
    assert run[1] == []


def test_every_run_prints_the_same(run, report):
    """Commits, counts and log entries are the same to the byte."""
    assert report["turns"]
    assert play("--json")[0].stdout == run[0].stdout


def test_first_turn_is_that_of_the_worked_sequence(turns):
    """CLAUDE.md with 480 tokens, the root AGENTS.md with 210, git last."""
    first = turns["tally"][0]
    assert tokens(first)[CLAUDE] == 480
    assert tokens(first)[ROOT] == 210
    assert [section["provider"] for section in first["sections"]] == ["claude-md", "agents-md", "git-status"]
    assert first["model"] == {"id": "claude-opus-5", "context_window": 200_000, "effective_ceiling": 176_000}


def test_unchanged_turns_repeat_every_byte(turns):
    """Nothing was touched and nothing changed."""
    first, second, third = turns["tally"][:3]
    assert (
        [section["text"] for section in first["sections"]]
        == [section["text"] for section in second["sections"]]
        == [section["text"] for section in third["sections"]]
    )
    assert set(statuses(third).values()) == {"unchanged"}


def test_fourth_turn_is_that_of_the_worked_sequence(turns):
    """The nested file joins with 90 tokens, after sections that did not change."""
    fourth = turns["tally"][3]
    assert fourth["touched"] == ["src/auth/validator.py"]
    assert list(tokens(fourth).items())[:3] == [(CLAUDE, 480), (ROOT, 210), (AUTH, 90)]
    assert (statuses(fourth)[CLAUDE], statuses(fourth)[ROOT], statuses(fourth)[AUTH]) == (
        "unchanged",
        "unchanged",
        "new",
    )
    assert text(fourth, ROOT) == text(turns["tally"][0], ROOT)


def test_comments_and_front_matter_never_reach_the_model(turns):
    """What the sample file says to its maintainers stays with them."""
    source = (examples_directory() / "tally" / "CLAUDE.md").read_text()
    assert "For maintainers" in source
    assert "For maintainers" not in text(turns["tally"][0], CLAUDE)
    assert "description:" not in text(turns["tally"][0], CLAUDE)


def test_edit_leaves_the_original_and_appends_an_update(turns):
    """The bytes that were sent stay; the update carries the new text."""
    before, after = turns["tally"][3:5]
    assert after["events"] == ["edits AGENTS.md"]
    assert text(after, ROOT) == text(before, ROOT)
    assert "stripped of surrounding blanks" in text(after, f"{ROOT} (updated)")
    assert statuses(after)[f"{ROOT} (updated)"] == "updated"


def test_commit_changes_the_git_section_alone(turns):
    """And that section names the commit."""
    after = turns["tally"][5]
    changed = [label for label, status in statuses(after).items() if status != "unchanged"]
    assert changed == ["Git status"]
    assert "Refuse no token for the blanks around it" in text(after, "Git status")


def test_sub_agent_on_a_smaller_model_gets_less(turns):
    """Each budget is the cap or what is left under the ceiling, and the chain stays under it."""
    helper = turns["helper"][0]
    ceiling = helper["model"]["effective_ceiling"]
    assert helper["parent"] == "tally"
    assert helper["budgets"]["claude-md"] == ceiling == 700
    assert helper["budgets"]["agents-md"] == ceiling - tokens(helper)[CLAUDE]
    assert helper["tokens"] <= ceiling


def test_budget_example_is_that_of_the_protocol(turns):
    """1,850 tokens whole; 1,620 for a budget of 1,500 come back as 1,480, whole paragraphs left out and said so."""
    claude, *agents = [section for section in turns["harbour"][0]["sections"] if section["provider"] != "git-status"]
    assert (claude["tokens"], claude["budget"], claude["truncated"]) == (1850, 2000, False)
    assert sum(section["tokens"] for section in agents) == 1480
    assert {section["budget"] for section in agents} == {1500}
    assert [section["truncated"] for section in agents] == [True, False]
    assert "[Shortened to fit. Left out of AGENTS.md: " in agents[0]["text"]


def test_budget_example_has_1620_tokens_unshortened(monkeypatch, capsys, tmp_path):
    """The figure comes out of the files themselves, with room enough for them."""
    (tmp_path / ".git").mkdir()
    for name in ("AGENTS.md", "services/billing/AGENTS.md"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((examples_directory() / "harbour" / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    main(["show", "services/billing/x", "--provider", "agents-md", "--set", "agents-md.token_budget=9000", "--json"])
    sections = json.loads(capsys.readouterr().out)["turns"][0]["sections"]
    assert sum(section["tokens"] for section in sections) == 1620


def test_shortened_file_lost_whole_lines_only(turns):
    """Every line of the shortened section but the notice is a line of the file."""
    lines = set((examples_directory() / "harbour" / "AGENTS.md").read_text().splitlines())
    shown = text(turns["harbour"][0], ROOT).splitlines()
    assert [line for line in shown if line not in lines] == [shown[-1]]


def test_second_session_begins_with_the_files_as_they_are(turns):
    """The edit is part of the file and no update is needed."""
    second = turns["next-day"][0]
    assert "stripped of surrounding blanks" in text(second, ROOT)
    assert not any(label.endswith("(updated)") for label in tokens(second))
    assert second["turn"] == 1


def test_no_count_is_written_down():
    """The figures are those of the files: neither code nor script knows them."""
    package = Path(sys.modules["context_host"].__file__).parent
    sources = [
        path.read_text()
        for path in [*package.rglob("*.py"), examples_directory() / "demo.toml", examples_directory() / "agent.hcl"]
    ]
    assert not [source for source in sources if re.search(r"\b(480|210|1,?850|1,?620|1,?480)\b", source)]


def test_view_fits_eighty_columns():
    """Each turn with its sections, and what a prefix cache would have served."""
    ended, left = play()
    assert (ended.returncode, ended.stderr, left) == (0, "", [])
    assert max(map(len, ended.stdout.splitlines())) <= 80
    assert not re.search(r" $", ended.stdout, re.MULTILINE)
    assert re.search(r"agents-md +AGENTS\.md \(src/auth\) +90/1,500 \S+ new", ended.stdout)
    assert "bytes sent before" in ended.stdout
