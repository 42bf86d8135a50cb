"""Sections are told apart by their labels, so no two files have one, and none has that of another's update."""

from __future__ import annotations

from itertools import product

from support.agents_session import AgentsSession, repository, write

from context_agents_md.config import AgentsMdConfig
from context_agents_md.sections import label_of

NAMES = ["".join(pieces) for length in (1, 2, 3) for pieces in product(["a", " (", ")", r"\x20("], repeat=length)]
DIRECTORIES = [
    None,
    (),
    ("root",),
    ("user",),
    *((name,) for name in NAMES),
    *((f"{name}) (updated",) for name in NAMES),
]
LABELS = [label_of(name, directory) for name, directory in product(NAMES, DIRECTORIES)]


def test_two_files_never_share_a_label():
    assert len(set(LABELS)) == len(LABELS)


def test_no_file_has_the_label_of_an_update():
    assert not {f"{label} (updated)" for label in LABELS} & set(LABELS)


def test_files_whose_names_and_directories_read_alike_are_all_shown(tmp_path, monkeypatch):
    root = repository(tmp_path / "r", {"a) (b/X.md": "one\n", "b/X.md (a)": "two\n"})
    monkeypatch.chdir(root)
    session = AgentsSession(root, AgentsMdConfig(glob="**/X.md*"))
    assert [section.text.splitlines()[-1] for section in session.fire("a) (b/f", "b/f").sections] == ["one", "two"]


def test_an_update_hides_no_file_of_a_directory_that_is_named_like_one(tmp_path):
    root = repository(tmp_path / "r", {"a/AGENTS.md": "one\n", "a) (updated/AGENTS.md": "two\n"})
    session = AgentsSession(root)
    session.fire("a/f", "a) (updated/f")
    write(root, {"a/AGENTS.md": "new\n"})
    labels = [section.label for section in session.fire().sections]
    assert len(set(labels)) == len(labels) == 3
