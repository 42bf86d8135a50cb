"""Scripts say in TOML what a session does; whatever is wrong with one is a sentence that names the turn."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.odd_host import odd_program, overriding

from context_host.cli import main
from context_host.errors import UnusableError
from context_host.script import read_script
from context_host.workspace import Workspace

HEAD = '[models.small]\ncontext_window = 50000\n[sessions.main]\nrepository = "project"\n'


@pytest.fixture
def directory(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("one\n")
    return tmp_path


def write(directory, text):
    path = directory / "script.toml"
    path.write_text(text)
    return path


BAD = {
    "no turn": (HEAD, "the script: there is no [[turn]]"),
    "unknown key": (HEAD + "[[turn]]\nsay = 1\n", "turn 1: unknown key 'say'; accepted are session, title, note, model, edit, commit, touch, user, assistant, grow"),
    "wrong type": (HEAD + '[[turn]]\ngrow = "much"\n', "turn 1: 'grow' is 'much'; accepted is a whole number"),
    "truth for number": (HEAD + "[[turn]]\ngrow = true\n", "turn 1: 'grow' is True; accepted is a whole number"),
    "unknown session": (HEAD + '[[turn]]\nsession = "x"\n', "turn 1: session 'x' is not defined"),
    "unknown model": (HEAD + '[[turn]]\nmodel = "x"\n', "turn 1: model 'x' is not defined; defined are small"),
    "second turn": (HEAD + '[[turn]]\n[[turn]]\nmodel = "x"\n', "turn 2: model 'x' is not defined; defined are small"),
    "no window": ("[models.a]\nreserved_output = 1\n[[turn]]\n", "model 'a': context_window is missing"),
    "no repository": ('[sessions.a]\nrepository = "nowhere"\n[[turn]]\n', "session 'a': repository 'nowhere' is no directory beside the script"),
    "unknown parent": (HEAD + 'parent = "x"\n[[turn]]\n', "session 'main': parent 'x' is no session"),
    "edit of nothing": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "a"\n', "an edit of turn 1: it needs path and one of text, append, replace (with …) and delete"),
    "edit of two": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "a"\ntext = "x"\nappend = "y"\n', "an edit of turn 1: it needs path and one of text, append, replace (with …) and delete"),
    "edit outside": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "../a"\ntext = ""\n', "an edit of turn 1: path '../a' leaves the repository"),
    "edit of git's own": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "sub/.GIT/config"\ntext = ""\n', "an edit of turn 1: path 'sub/.GIT/config' leads into git's own files"),
    "edit of the root": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "."\ntext = ""\n', "an edit of turn 1: path '.' names no file"),
    "edit with a null byte": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "a\\u0000"\ntext = ""\n', "an edit of turn 1: path 'a\\x00' names no file"),
    "replacement without replace": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "a"\ntext = ""\nwith = "x"\n', "an edit of turn 1: with stands beside replace only"),
    "deletion that is none": (HEAD + '[[turn]]\n[[turn.edit]]\npath = "a"\ndelete = false\n', "an edit of turn 1: 'delete' is False; accepted is true"),
    "touch of a number": (HEAD + "[[turn]]\ntouch = [1]\n", "turn 1: 'touch' holds 1; accepted are strings"),
    "blank commit": (HEAD + '[[turn]]\ncommit = " "\n', "turn 1: the commit message is blank"),
    "commit with a null byte": (HEAD + '[[turn]]\ncommit = "a\\u0000"\n', "turn 1: the commit message holds a null byte"),
    "negative growth": (HEAD + "[[turn]]\ngrow = -1\n", "turn 1: 'grow' is -1; accepted is a whole number from 0 to 100,000,000"),
    "window beyond int64": (f"[models.a]\ncontext_window = {10**19}\n[[turn]]\n", f"model 'a': 'context_window' is {10**19}; accepted is a whole number from 0 to 999,999,999,999,999,999"),
    "negative reserve": ("[models.a]\ncontext_window = 1\nreserved_output = -1\n[[turn]]\n", "model 'a': 'reserved_output' is -1; accepted is a whole number from 0 to 999,999,999,999,999,999"),
    "parent of itself": (HEAD + 'parent = "main"\n[[turn]]\n', "session 'main': its parents lead back to itself"),
    "sessions no table": ("sessions = 1\n", "the script: 'sessions' is 1; accepted is a table"),
    "no table": ("turn = [1]\n", "turn 1: it is no table"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD)
def test_bad_script_is_one_sentence(directory, text, sentence):
    """File, turn, what came and what is accepted."""
    path = write(directory, text)
    with pytest.raises(UnusableError) as refusal:
        read_script(path)
    assert str(refusal.value) == f"{path}: {sentence}"


def test_endless_script_is_not_read_to_its_end():
    """Before the memory of the machine ends."""
    with pytest.raises(UnusableError, match=r"^/dev/zero: this file is larger than 1 MiB$"):
        read_script(Path("/dev/zero"))


def test_parents_that_go_round_are_refused(directory):
    """A sub-agent cannot be its own ancestor."""
    text = '[sessions.a]\nrepository = "project"\nparent = "b"\n[sessions.b]\nrepository = "project"\nparent = "a"\n[[turn]]\n'
    with pytest.raises(UnusableError, match=r"session 'a': its parents lead back to itself$"):
        read_script(write(directory, text))


def test_byte_order_mark_is_no_error(directory):
    """Editors on Windows write one."""
    assert len(read_script(write(directory, "\ufeff" + HEAD + "[[turn]]\n")).turns) == 1


def test_script_that_is_no_text_is_told(directory):
    """Bytes that are no UTF-8 are told with their place."""
    path = directory / "script.toml"
    path.write_bytes(b"a = \xff")
    with pytest.raises(UnusableError, match=r"script\.toml: byte 4 is not UTF-8$"):
        read_script(path)


def test_bottomless_script_is_told(directory):
    """The parser gives up, in one sentence."""
    with pytest.raises(UnusableError, match=r"script\.toml: this is nested too deeply$"):
        read_script(write(directory, "a = " + "[" * 5000))


IMPOSSIBLE_EDITS = {
    "directory": ('path = "folder"\ntext = "x"', "cannot edit folder: Is a directory"),
    "below a file": ('path = "AGENTS.md/x"\ntext = "x"', "cannot edit AGENTS.md/x: Not a directory"),
    "not there": ('path = "nowhere"\ndelete = true', "cannot delete nowhere: No such file or directory"),
    "no text": ('path = "picture"\nappend = "x"', "cannot edit picture: byte 0 is not UTF-8"),
    "through a link": ('path = "link/config"\ntext = "x"', "cannot edit link/config: it leads into git's own files"),
    "out of the repository": ('path = "out"\ntext = "x"', "cannot edit out: it leads out of the repository"),
    "replace of nothing": ('path = "AGENTS.md"\nreplace = "zwei"', "AGENTS.md does not contain 'zwei', which an edit of the script replaces"),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "sentence"), IMPOSSIBLE_EDITS.values(), ids=IMPOSSIBLE_EDITS)
def test_impossible_edit_is_one_sentence(directory, edit, sentence):
    """Nothing outside of the working copy, and nothing that git would run, is written."""
    project = directory / "project"
    (project / "folder").mkdir()
    (project / "picture").write_bytes(b"\xff")
    (project / "link").symlink_to(".git")
    (project / "out").symlink_to(directory / "elsewhere")
    script = read_script(write(directory, f"{HEAD}[[turn]]\n[[turn.edit]]\n{edit}\n"))
    with Workspace("/usr/bin:/bin") as workspace:
        copy = workspace.add(project)
        with pytest.raises(UnusableError) as refusal:
            workspace.edit(copy, script.turns[0].edits[0])
    assert str(refusal.value) == sentence
    assert not (directory / "elsewhere").exists()


def test_repository_that_cannot_be_copied_is_one_sentence(directory):
    """A pipe in it would be read for ever."""
    os.mkfifo(directory / "project" / "pipe")
    with (
        Workspace("/usr/bin:/bin") as workspace,
        pytest.raises(UnusableError, match=r"project cannot be copied: .*pipe"),
    ):
        workspace.add(directory / "project")


def test_workspace_goes_even_while_something_still_writes_into_it(monkeypatch):
    """A git that outlives an interrupt by a moment must not leave the directory behind."""
    remove, late = shutil.rmtree, ["one", "two"]

    def remove_too_early(path, **options):
        remove(path, **options)
        if late:
            (path / late.pop()).mkdir(parents=True)

    monkeypatch.setattr(shutil, "rmtree", remove_too_early)
    with Workspace("/usr/bin:/bin") as workspace:
        pass
    assert not workspace.root.exists()


def test_broken_toml_is_told_with_its_line(directory):
    """As the TOML parser says it."""
    with pytest.raises(UnusableError, match=r"script\.toml: .*line 2"):
        read_script(write(directory, "a = 1\nb = \n"))


@pytest.fixture
def run(directory, monkeypatch, capsys):
    """Plays turns over one odd plugin; returns exit code and what was printed."""

    def call(turns, *arguments, mode="echo"):
        environment = overriding(directory, {"odd": odd_program(directory, mode)})
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        (directory / "agent.hcl").write_text(
            'required_providers {\n  odd = { source = "github.com/example/context-odd" }\n}\n'
        )
        path = write(directory, f'agent_hcl = "agent.hcl"\n{HEAD}{turns}')
        code = main(["demo", "--script", str(path), *arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def play(run):
    """Plays turns over one odd plugin; returns exit code, report and stderr."""

    def call(turns, mode="echo"):
        code, out, err = run(turns, "--json", mode=mode)
        return code, json.loads(out) if out else None, err

    return call


def test_edits_and_commits_are_told_and_made(directory):
    """Each kind of edit does what it says, inside of a working copy."""
    script = read_script(write(directory, HEAD + """[[turn]]
[[turn.edit]]
path = "AGENTS.md"
append = "two\\n"
[[turn.edit]]
path = "AGENTS.md"
replace = "one"
with = "1"
[[turn.edit]]
path = "new/file"
text = "three\\n"
"""))  # fmt: skip
    with Workspace("/usr/bin:/bin") as workspace:
        copy = workspace.add(directory / "project")
        told = [workspace.edit(copy, edit) for edit in script.turns[0].edits]
        assert (copy / "AGENTS.md").read_text() == "1\ntwo\n"
        assert (copy / "new" / "file").read_text() == "three\n"
    assert told == ["edits AGENTS.md", "edits AGENTS.md", "adds new/file"]
    assert (directory / "project" / "AGENTS.md").read_text() == "one\n"
    assert not workspace.root.exists()


TOUCHES = """
[[turn]]
touch = ["a", "b"]
user = "12345678"
[[turn]]
touch = ["b", "c"]
model = "small"
grow = 4001
assistant = "ok"
[[turn]]
"""


def test_turns_carry_what_the_script_says(play):
    """Touched paths accumulate, the model switches and stays, the conversation grows."""
    code, report, _ = play(TOUCHES)
    said = [turn["sections"][0]["text"] for turn in report["turns"]]
    assert code == 0
    assert [turn["touched"] for turn in report["turns"]] == [["a", "b"], ["c"], []]
    assert "files=a,b,c" in said[2]
    assert ["ceiling=176000" in said[0], "ceiling=26000" in said[1], "ceiling=26000" in said[2]] == [True, True, True]
    assert [turn["model"]["id"] for turn in report["turns"]] == ["claude-opus-5", "small", "small"]
    assert [turn["history_tokens"] for turn in report["turns"]] == [2, 2 + 500 + 500 + 1, 2 + 500 + 500 + 1 + 1]


def test_prefix_of_an_append_only_session_is_whole(play):
    """With static sections and a growing conversation every request begins with the one before."""
    _, report, _ = play("[[turn]]\n" + '[[turn]]\nuser = "more"\n' * 3, mode="plain")
    assert [turn["prefix"]["full"] for turn in report["turns"]] == [None, True, True, True]
    assert report["prefix_share"] == {"main": 1.0}


def test_statuses_tell_what_became_of_a_section(play):
    """New, unchanged, updated; a dynamic section that differs is updated in its place."""
    _, report, _ = play("[[turn]]\n[[turn]]\n", mode="dynamic")
    assert [turn["sections"][0]["status"] for turn in report["turns"]] == ["new", "updated"]


@pytest.mark.parametrize(("mode", "status"), [("fade", "withdrawn"), ("fail-later", "kept")])
def test_absent_section_is_told(play, mode, status):
    """Withdrawn by a provider that answered without it; kept where the provider failed and the last text holds."""
    _, report, _ = play("[[turn]]\n[[turn]]\n", mode=mode)
    assert report["turns"][1]["absent"] == [{"provider": "odd", "label": "Notes", "status": status}]


SUB_AGENT = """
[sessions.helper]
repository = "project"
parent = "main"
[[turn]]
[[turn]]
session = "helper"
"""


def test_sub_agent_carries_the_session_of_its_parent(play):
    """And begins with its own first turn."""
    _, report, _ = play(SUB_AGENT)
    main_turn, helper = report["turns"]
    assert "parent= " in main_turn["sections"][0]["text"]
    assert "parent= " not in helper["sections"][0]["text"]
    assert (helper["parent"], helper["turn"]) == ("main", 1)


def test_text_that_is_not_there_cannot_be_replaced(play):
    """The sentence names file and text; the exit code says that the script cannot be used."""
    code, report, err = play('[[turn]]\n[[turn.edit]]\npath = "AGENTS.md"\nreplace = "nine"\nwith = ""\n')
    assert (code, report) == (2, None)
    assert err == "context-host: AGENTS.md does not contain 'nine', which an edit of the script replaces\n"


def test_failing_turn_is_in_the_report_and_in_the_code(play):
    """The other turns are played all the same."""
    code, report, _ = play("[[turn]]\n[[turn]]\n", mode="fail")
    assert code == 1
    assert [turn["sections"] for turn in report["turns"]] == [[], []]
    assert report["turns"][0]["log"][-1]["message"].startswith("left out of this turn: ")


def test_missing_git_is_one_sentence(play, monkeypatch):
    """The working copies need the program."""
    monkeypatch.setenv("PATH", "/nowhere")
    code, _, err = play("[[turn]]\n")
    assert (code, err) == (1, "context-host: the demo needs the git program on PATH\n")


def test_repositories_of_one_name_are_kept_apart(directory):
    """Two directories named alike are two working copies; one that is named twice is one."""
    (directory / "other" / "project").mkdir(parents=True)
    with Workspace("/usr/bin:/bin") as workspace:
        first, second = workspace.add(directory / "project"), workspace.add(directory / "other" / "project")
        assert [path.name for path in (first, second)] == ["project", "project-2"]
        assert workspace.add(directory / "other" / ".." / "project") == first


def test_own_script_finds_the_users_overrides_without_xdg(directory, monkeypatch, capsys):
    """An empty XDG_CONFIG_HOME is none, and then they lie below the home directory."""
    overriding(directory, {"notes": odd_program(directory, "plain")})
    (directory / "config").rename(directory / ".config")
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    (directory / "agent.hcl").write_text('required_providers {\n  notes = { source = "x/context-notes" }\n}\n')
    path = write(directory, 'agent_hcl = "agent.hcl"\n' + HEAD + "[[turn]]\n")
    assert main(["demo", "--script", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["turns"][0]["sections"][0]["text"] == "hello"


def test_note_cannot_steer_the_terminal(run):
    """A script may come from anywhere; its line ends stay."""
    _, out, _ = run('[[turn]]\nnote = "one\\n\\u001b[2Jtwo"\n')
    assert "one\n\\x1b[2Jtwo\n" in out


TWO_TURNS = '[[turn]]\ntitle = "one"\n[[turn]]\ntitle = "two"\n'


def test_entries_stand_below_the_turn_that_made_them(run):
    """In a pipe nothing is printed before all that was logged is there."""
    _, out, _ = run(TWO_TURNS, "--verbose", mode="log")
    told = [word for word in out.split() if word in {"one", "two", "looked"}]
    assert told == ["one", "looked", "two", "looked"]


def test_turns_before_a_failure_are_printed_all_the_same(run):
    """What was played was played."""
    code, out, err = run(TWO_TURNS, "--strict", mode="fail-later")
    assert "one ──" in out
    assert "two" not in out
    assert (code, err) == (1, "context-host: odd: Contribute failed with source_unavailable: the source went away\n")
