"""Rolling paths up into directories."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from context_git_status.outline import Entry, Group, Outline, Row

_PATHS = st.lists(
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=1, max_size=4).map(b"/".join), unique=True, max_size=25
)


def closed(limit: int, *paths: bytes) -> list[str]:
    """The rows of ``paths`` at ``limit``; a group shows how many it stands for, and ``-`` when only those in it."""
    outline = Outline(map(Entry, paths))
    outline.close_to(limit)
    return [_shown(row) for row in outline.listing()]


def _shown(row: Row) -> str:
    if isinstance(row, Entry):
        return row.path.decode()
    return f"{sum(row.codes.values())}{'-' if row.direct else ''} {row.path.decode()}"


def test_nothing_closes_while_there_is_room() -> None:
    assert closed(3, b"b/x", b"a", b"b/y") == ["a", "b/x", "b/y"]


def test_the_smallest_directory_that_is_enough_closes() -> None:
    """One row too many: the two files of ``small`` go, not the four of ``large``."""
    assert closed(5, b"large/1", b"large/2", b"large/3", b"large/4", b"small/1", b"small/2") == [
        "large/1",
        "large/2",
        "large/3",
        "large/4",
        "2 small/",
    ]


def test_where_none_is_enough_the_largest_closes_first() -> None:
    many = [b"data/%d" % number for number in range(50)]
    assert closed(4, b"src/a", b"src/b", b"src/c", *many) == ["50 data/", "src/a", "src/b", "src/c"]


def test_directories_close_from_the_bottom_up() -> None:
    assert closed(2, b"a/b/c/1", b"a/b/c/2", b"a/b/3", b"z") == ["3 a/b/", "z"]


def test_files_beside_open_directories_close_on_their_own() -> None:
    """New files in the root do not cost the names of those in directories."""
    loose = [b"%02d" % number for number in range(40)]
    assert closed(3, b"src/a", b"src/b", *loose) == ["40- ./", "src/a", "src/b"]


def test_a_single_file_keeps_its_name_however_deep_it_lies() -> None:
    assert closed(2, b"a/b/c/d/only", b"x/1", b"x/2") == ["a/b/c/d/only", "2 x/"]


def test_at_last_one_row_stands_for_everything() -> None:
    assert closed(1, b"a/1", b"a/2", b"b/1", b"b/2", b"c") == ["5 ./"]


def test_an_untracked_directory_is_an_entry_of_its_parent() -> None:
    assert closed(9, b"build/", b"src/new/") == ["build/", "src/new/"]
    assert closed(1, b"src/new/", b"src/other/") == ["2 src/"]


def test_codes_are_counted_in_a_fixed_order() -> None:
    outline = Outline([Entry(b"a/1", "M"), Entry(b"a/2", "A"), Entry(b"a/3", "M")])
    outline.close_to(1)
    (group,) = outline.listing()
    assert isinstance(group, Group)
    assert list(group.codes.items()) == [("A", 1), ("M", 2)]


def test_a_group_covers_its_paths() -> None:
    assert Group(b"a/", {}).covers(b"a/b/c")
    assert not Group(b"a/", {}).covers(b"ab/c")
    assert Group(b"a/", {}, direct=True).covers(b"a/b")
    assert Group(b"a/", {}, direct=True).covers(b"a/b/")
    assert not Group(b"a/", {}, direct=True).covers(b"a/b/c")
    assert Group(b"./", {}).covers(b"a/b/c")
    assert not Group(b"./", {}, direct=True).covers(b"a/b")


def test_a_path_of_thousands_of_directories_is_no_trouble() -> None:
    deep = b"a/" * 2000
    assert closed(1, deep + b"x", deep + b"y") == [f"2 {deep.decode()}"]


def test_odd_paths_are_no_trouble() -> None:
    assert len(closed(1, b"/", b"//", b"a//b", b"./x", b"../y")) == 1


@settings(deadline=None)
@given(_PATHS, st.lists(st.integers(1, 30), max_size=6))
def test_every_path_stands_for_itself_or_in_exactly_one_group(paths: list[bytes], limits: list[int]) -> None:
    """However often it is closed, to whatever limits in whatever order."""
    outline = Outline(map(Entry, paths))
    before = outline.rows
    for limit in limits:
        outline.close_to(limit)
        rows = outline.listing()
        assert len(rows) == outline.rows <= before
        assert outline.rows <= max(limit, 1) or not paths
        assert sum(1 if isinstance(row, Entry) else sum(row.codes.values()) for row in rows) == len(paths)
        for path in paths:
            homes = [row for row in rows if (row.path == path if isinstance(row, Entry) else row.covers(path))]
            wholes = [row for row in homes if isinstance(row, Entry) or row.direct]
            assert homes
            assert len(wholes) <= 1
        before = outline.rows


@settings(deadline=None)
@given(_PATHS, st.integers(1, 20))
def test_the_order_in_which_paths_come_does_not_matter(paths: list[bytes], limit: int) -> None:
    assert closed(limit, *paths) == closed(limit, *reversed(paths))


def test_directories_that_hold_a_single_row_cost_nothing() -> None:
    """Or a repository with deep paths takes more memory and time than there is."""
    outline = Outline(Entry(b"%d/" % number + b"a/" * 2000 + b"f") for number in range(200))
    assert len(outline._directories) == 1
    outline.close_to(199)
    assert [_shown(row) for row in outline.listing()] == ["200 ./"]
