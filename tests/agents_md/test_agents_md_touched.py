"""Which directories a touched path belongs to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_agents_md.touched import directories_for


@pytest.fixture
def root(tmp_path):
    top = Path(os.path.realpath(tmp_path)) / "r"
    (top / "a/b").mkdir(parents=True)
    (top / "a/f").touch()
    return top


def below(root, path, base=None):
    return [directory.relative_to(root).as_posix() for directory in directories_for(path, base or root, root)]


@pytest.mark.parametrize(
    ("path", "directories"),
    [
        ("a/f", [".", "a"]),
        ("a", [".", "a"]),
        ("a/b", [".", "a", "a/b"]),
        ("a/b/", [".", "a", "a/b"]),
        ("a/b/new/x.py", [".", "a", "a/b", "a/b/new"]),
        ("a/missing", [".", "a"]),
        ("a/missing/", [".", "a", "a/missing"]),
        ("a/b/../f", [".", "a"]),
        (".", ["."]),
        ("f", ["."]),
        ("../r/a/f", [".", "a"]),
        ("../r2/f", []),
        ("..", []),
        ("/etc/passwd", []),
        ("a\0b", []),
        ("a/" * 3000, []),
    ],
)
def test_a_path_belongs_to_every_directory_from_the_root_to_it(root, path, directories):
    assert below(root, path) == directories


def test_an_absolute_path_needs_no_base(root):
    assert below(root, str(root / "a/f"), Path("/elsewhere")) == [".", "a"]


def test_a_name_that_no_file_system_takes_is_no_failure(root):
    assert below(root, "a/" + "x" * 300 + "/f") == [".", "a", "a/" + "x" * 300]


def test_a_path_through_a_link_belongs_to_both_places(root):
    (root / "pkg").mkdir()
    (root / "pkg/link").symlink_to("../a/b")
    assert sorted(below(root, "pkg/link/f")) == [".", "a", "a/b", "pkg"]


def test_a_link_to_a_file_belongs_to_both_places(root):
    (root / "pkg").mkdir()
    (root / "pkg/f").symlink_to("../a/f")
    assert sorted(below(root, "pkg/f")) == [".", "a", "pkg"]


def test_a_path_through_a_link_out_of_the_root_is_outside(root, tmp_path):
    (tmp_path / "else").mkdir()
    (root / "out").symlink_to(tmp_path / "else")
    assert below(root, "out/f") == []


@given(st.lists(st.sampled_from(["a", "b", "..", ".", "r", "", "x y"]), max_size=8).map("/".join))
def test_parents_are_never_missing_and_nothing_lies_outside(path):
    root = Path("/nonexistent/r")
    directories = directories_for(path, root, root)
    assert all(directory == root or directory.parent in directories for directory in directories)
    assert all(directory.is_relative_to(root) for directory in directories)
