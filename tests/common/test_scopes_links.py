"""Links are followed by hand, so that none is looked at that leads to another host."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from context_common.scopes import Reason, RefusedError, follow, locate, read, refused_by_name, signature


@pytest.fixture
def top(tmp_path):
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def looked(monkeypatch):
    """The paths that the file system was asked about."""
    paths = []
    for name in ("stat", "lstat", "open", "readlink"):
        honest = getattr(os, name)

        def watched(path, *arguments, _honest=honest, **options):
            paths.append(os.fspath(path))
            return _honest(path, *arguments, **options)

        monkeypatch.setattr(os, name, watched)
    return paths


def test_what_a_path_leads_to_is_what_realpath_says(top):
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "up").symlink_to("../a/b/..")
    (top / "link").symlink_to(top / "a")
    (top / "dangling").symlink_to("nowhere/x")
    for name in ("a/b", "a/up/b", "link/up/up/b/new", "link/../a", "dangling", "none/../x", ".", "a//b/./"):
        assert follow(top / name) == Path(os.path.realpath(f"{top}/{name}"))


def test_a_relative_path_begins_where_the_process_works(top, monkeypatch):
    monkeypatch.chdir(top)
    assert follow(Path("a/b")) == top / "a" / "b"


def test_links_in_a_circle_end(top):
    (top / "a").symlink_to("b")
    (top / "b").symlink_to("a/x")
    with pytest.raises(OSError, match="circle"):
        follow(top / "a")


@pytest.mark.parametrize("target", ["/net/evil/x.md", "/Network/evil/x.md", "//evil/x.md", "up/../../net/evil/x.md"])
def test_a_link_to_another_host_is_not_followed(top, looked, target):
    """CWE-918: the first link of several may be the harmless one."""
    (top / "up").symlink_to("/usr/lib")
    (top / "first").symlink_to("second")
    (top / "second").symlink_to(target)
    with pytest.raises(RefusedError) as caught:
        read(top / "first", inside=[Path("/")])
    assert caught.value.reason is Reason.REMOTE
    assert signature(top / "first") is None
    assert signature(top / "first" / "below") is None
    assert locate("first/below", top) is None
    assert [path for path in looked if path.startswith(("/net/", "/Network/", "//"))] == []


def test_a_link_to_a_device_is_not_followed(top):
    (top / "environ").symlink_to("/proc/self/environ")
    with pytest.raises(RefusedError) as caught:
        follow(top / "environ")
    assert caught.value.reason is Reason.DEVICE


@pytest.mark.parametrize(
    ("name", "root", "reason"),
    [
        ("/net/home/me/repo/a.md", "/net/home/me/repo", None),
        ("/net/other/x.md", "/net/home/me/repo", Reason.REMOTE),
        ("/dev/shm/repo/a.md", "/dev/shm/repo", None),
        ("/proc/self/environ", "/dev/shm/repo", Reason.DEVICE),
        ("/dev/zero", "/", Reason.DEVICE),
        ("//home/x.md", "/net/home/me", Reason.REMOTE),
    ],
)
def test_a_root_on_a_host_or_among_the_devices_allows_names_there(name, root, reason):
    assert refused_by_name(name, [Path(root)]) is reason


@pytest.fixture
def shared_memory(top):
    """A directory in shared memory, which lies below ``/dev``; elsewhere where there is none."""
    memory = Path("/dev/shm")
    place = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else top))
    yield place
    shutil.rmtree(place)


def test_a_repository_in_shared_memory_is_one_like_any_other(shared_memory):
    (shared_memory / "a.md").write_bytes(b"a")
    (shared_memory / "linked.md").symlink_to("a.md")
    (shared_memory / "zero").symlink_to("/dev/zero")
    assert read(shared_memory / "linked.md", inside=[shared_memory]).data == b"a"
    for device in (shared_memory / "zero", Path("/dev/zero")):
        with pytest.raises(RefusedError):
            read(device, inside=[shared_memory])
