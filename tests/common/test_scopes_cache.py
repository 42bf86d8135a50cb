"""Each file is read once, and again only when it changed."""

import contextlib
import os
import threading

import pytest

from context_common.scopes import FileCache, Reason, RefusedError, View
from context_common.scopes import cache as module


@pytest.fixture
def opened(monkeypatch):
    """The paths that were opened."""
    honest, paths = os.open, []

    def counting(path, flags, *rest, **options):
        paths.append(path)
        return honest(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", counting)
    return paths


@pytest.fixture
def settled(monkeypatch):
    """Every file counts as changed long ago."""
    monkeypatch.setattr(module, "_TICK_NS", -(10**18))


def text(source):
    return [source.data.decode()]


def test_an_unchanged_file_is_opened_and_loaded_once(tmp_path, opened, settled):
    (tmp_path / "a.md").write_text("a")
    cache = FileCache()
    first = cache.get(tmp_path / "a.md", text, inside=(tmp_path,))
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) is first
    assert len(opened) == 1


def test_a_changed_file_is_loaded_anew(tmp_path):
    (tmp_path / "a.md").write_text("a")
    cache = FileCache()
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) == ["a"]
    (tmp_path / "a.md").write_text("b")
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) == ["b"]


def test_an_edit_that_keeps_size_and_modification_time_is_seen(tmp_path):
    file = tmp_path / "a.md"
    file.write_text("a")
    cache, before = FileCache(), file.stat()
    cache.get(file, text, inside=(tmp_path,))
    file.write_text("b")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cache.get(file, text, inside=(tmp_path,)) == ["b"]


def test_a_touched_file_with_the_same_bytes_gives_the_same_object(tmp_path):
    (tmp_path / "a.md").write_text("a")
    cache = FileCache()
    first = cache.get(tmp_path / "a.md", text, inside=(tmp_path,))
    os.utime(tmp_path / "a.md")
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) is first


def test_a_refusal_is_remembered_until_the_file_changes(tmp_path, opened, settled):
    cache = FileCache()
    for _ in range(2):
        with pytest.raises(RefusedError) as caught:
            cache.get(tmp_path / "a.md", text, inside=(tmp_path,))
        assert caught.value.reason is Reason.MISSING
    assert opened == []
    (tmp_path / "a.md").write_text("a")
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) == ["a"]


def test_one_file_seen_from_two_boundaries_has_two_answers(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "a.md").write_text("a")
    cache = FileCache()
    assert cache.get(tmp_path / "a.md", text, inside=(tmp_path,)) == ["a"]
    with pytest.raises(RefusedError):
        cache.get(tmp_path / "a.md", text, inside=(tmp_path / "in",))


def test_names_are_listed_once_and_again_when_one_is_added(tmp_path, opened, settled):
    (tmp_path / "a.md").write_text("a")
    cache = FileCache()
    assert [cache.names(tmp_path, inside=(tmp_path,)) for _ in range(2)] == [("a.md",)] * 2
    assert len(opened) == 1
    (tmp_path / "b.md").write_text("b")
    os.utime(tmp_path, ns=(1, 1))
    assert cache.names(tmp_path, inside=(tmp_path,)) == ("a.md", "b.md")


def test_the_least_recently_used_file_is_forgotten_first(tmp_path, settled):
    cache = FileCache(weight_limit=2_500)
    values = {}
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        values[name] = cache.get(tmp_path / name, text, inside=(tmp_path,))
    cache.get(tmp_path / "a", text, inside=(tmp_path,))
    (tmp_path / "c").write_text("c")
    cache.get(tmp_path / "c", text, inside=(tmp_path,))
    assert cache.get(tmp_path / "a", text, inside=(tmp_path,)) is values["a"]
    assert cache.get(tmp_path / "b", text, inside=(tmp_path,)) is not values["b"]


def test_a_file_larger_than_the_whole_memory_is_still_answered(tmp_path):
    (tmp_path / "a").write_text("a" * 100)
    assert FileCache(weight_limit=1).get(tmp_path / "a", text, inside=(tmp_path,)) == ["a" * 100]


def test_many_threads_get_right_answers_from_one_cache(tmp_path):
    for index in range(8):
        (tmp_path / str(index)).write_text(str(index))
    cache, wrong = FileCache(weight_limit=4_000), []

    def worker():
        for name in list("01234567") * 20:
            value = cache.get(tmp_path / name, text, inside=(tmp_path,))
            wrong.extend([value] * (value != [name]))

    threads = [threading.Thread(target=worker) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_view_holds_while_nothing_that_it_saw_changed(tmp_path, opened, settled):
    (tmp_path / "a.md").write_text("a")
    view = View(FileCache())
    view.get(tmp_path / "a.md", text, inside=(tmp_path,))
    view.names(tmp_path, inside=(tmp_path,))
    assert view.signature(tmp_path / "none.md") is None
    opened.clear()
    assert view.holds()
    assert opened == []


@pytest.mark.parametrize("name", ["a.md", "none.md"])
def test_a_view_ends_with_the_first_change(tmp_path, settled, name):
    (tmp_path / "a.md").write_text("a")
    view = View(FileCache())
    for seen in ("a.md", "none.md"):
        view.signature(tmp_path / seen)
    (tmp_path / name).write_text("changed")
    assert not view.holds()


def test_a_view_of_what_was_changed_just_now_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_TICK_NS", 10**18)
    (tmp_path / "a.md").write_text("a")
    view = View(FileCache())
    view.signature(tmp_path / "a.md")
    assert not view.holds()


def test_a_view_of_what_could_not_be_read_is_not_trusted(tmp_path, settled, monkeypatch):
    (tmp_path / "a.md").write_text("a")
    view = View(FileCache())

    def denied(*_arguments, **_options):
        raise PermissionError(13, "denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(RefusedError):
        view.get(tmp_path / "a.md", text, inside=(tmp_path,))
    assert not view.holds()


def test_a_view_looks_at_each_path_once(tmp_path, settled):
    (tmp_path / "a.md").write_text("a")
    view = View(FileCache())
    before = view.signature(tmp_path / "a.md")
    (tmp_path / "a.md").write_text("changed")
    assert view.signature(tmp_path / "a.md") is before


def test_a_view_reads_sixteen_megabytes_in_all_remembered_or_not(tmp_path):
    cache, names = FileCache(), [f"{number}.md" for number in range(6)]
    for name in names:
        with (tmp_path / name).open("wb") as file:
            file.truncate(3 * 1024 * 1024)
    for _ in range(2):
        view, read = View(cache), []
        for name in names:
            with contextlib.suppress(RefusedError):
                read.append((name, view.get(tmp_path / name, lambda source: len(source.data), inside=(tmp_path,))))
        assert [name for name, _size in read] == names[:5]


def test_a_file_that_is_too_large_anyway_takes_nothing_from_the_others(tmp_path):
    view = View(FileCache())
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    (tmp_path / "a.md").write_text("a")
    with pytest.raises(RefusedError) as caught:
        view.get(tmp_path / "huge", text, inside=(tmp_path,))
    assert caught.value.reason is Reason.TOO_LARGE
    assert view.get(tmp_path / "a.md", text, inside=(tmp_path,)) == ["a"]
