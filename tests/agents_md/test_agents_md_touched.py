"""Which directories a touched path belongs to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_agents_md.touched import way_to


@pytest.fixture
def root(tmp_path):
    top = Path(os.path.realpath(tmp_path)) / "r"
    (top / "a/b").mkdir(parents=True)
    (top / "a/f").touch()
    return top


def below(root, path, base=None):
    return [directory.relative_to(root).as_posix() for directory in way_to(path, base or root, root).directories]


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
        ("a/missing/b/c/d", [".", "a", "a/missing"]),
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


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("a/f", None),
        ("a/b/", None),
        ("a/b/../f", None),
        ("a/missing", "a/missing"),
        ("a/missing/b/c/d", "a/missing"),
        ("a/f/below/a/file", "a/f/below"),
        ("../r2/missing", None),
    ],
)
def test_the_first_step_that_is_not_there_is_told(root, path, missing):
    assert way_to(path, root, root).missing == (root / missing if missing else None)


def test_a_root_that_is_not_there_is_all_that_is_looked_at(root):
    away = root.parent / "away"
    assert (way_to("a/f", away, away).directories, way_to("a/f", away, away).missing) == ((away,), away)


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


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "..", ".", "r", "", "x y"]), max_size=8).map("/".join))
def test_parents_are_never_missing_and_nothing_lies_outside(path):
    with tempfile.TemporaryDirectory() as top:
        root = Path(top).resolve() / "r"
        (root / "a/b").mkdir(parents=True)
        directories = way_to(path, root, root).directories
        assert all(directory == root or directory.parent in directories for directory in directories)
        assert all(directory.is_relative_to(root) for directory in directories)
