"""A search sees every file and directory of a directory, and no link to another directory."""

from __future__ import annotations

from context_common.scopes.scanning import scan


def test_files_and_directories_come_sorted_and_apart(tmp_path):
    for name in ("b.md", "a.md"):
        (tmp_path / name).touch()
    (tmp_path / "d").mkdir()
    assert scan(tmp_path) == (["a.md", "b.md"], ["d"])


def test_a_linked_file_is_a_file_and_a_linked_directory_is_left_out(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "a.md").touch()
    (tmp_path / "file").symlink_to("a.md")
    (tmp_path / "directory").symlink_to("d")
    assert scan(tmp_path) == (["a.md", "file"], ["d"])


def test_a_link_that_leads_nowhere_is_a_file(tmp_path):
    (tmp_path / "gone").symlink_to("missing")
    (tmp_path / "loop").symlink_to("loop")
    assert scan(tmp_path) == (["gone", "loop"], [])


def test_what_cannot_be_listed_is_empty(tmp_path):
    (tmp_path / "f").touch()
    assert scan(tmp_path / "f") == ([], [])
    assert scan(tmp_path / "missing") == ([], [])
