"""What is read of an untrusted repository, and what is refused before, at or after the opening."""

import os
import socket
from pathlib import Path

import pytest
from support.patience import Stopwatch

from context_common.scopes import Reason, RefusedError, entries, read, reading, refused_by_name, signature


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


def refusal(path, *inside, **options):
    with pytest.raises(RefusedError) as caught:
        read(path, inside=inside, **options)
    assert caught.value.path == path
    return caught.value.reason


def test_a_regular_file_is_read_with_its_real_path_and_signature(root):
    file = root / "CLAUDE.md"
    file.write_bytes(b"# Hi\n")
    source = read(file, inside=[root])
    assert (source.path, source.real, source.data) == (file, file, b"# Hi\n")
    assert source.signature == signature(file)


def test_a_link_inside_the_root_is_followed_and_its_target_told(root):
    (root / "a.md").write_bytes(b"a")
    (root / "b.md").symlink_to("a.md")
    source = read(root / "b.md", inside=[root])
    assert (source.path, source.real) == (root / "b.md", root / "a.md")


def test_a_root_that_is_reached_through_a_link_holds_its_files(root, tmp_path):
    (root / "a.md").write_bytes(b"a")
    (tmp_path / "link").symlink_to(root)
    assert read(tmp_path / "link" / "a.md", inside=[tmp_path / "link"]).data == b"a"
    assert read(tmp_path / "link" / "a.md", inside=[root]).data == b"a"


def test_missing_names_of_every_kind_are_missing(root):
    (root / "file").write_bytes(b"")
    for name in ("none.md", "file/below.md", "n" * 300, "nul\0.md"):
        assert refusal(root / name, root) is Reason.MISSING


def test_what_is_no_regular_file_is_refused_without_opening_it(root, monkeypatch):
    (root / "folder").mkdir()
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket"))
    monkeypatch.setattr(os, "open", lambda *_a, **_k: pytest.fail("opened"))
    assert refusal(root / "folder", root) is Reason.DIRECTORY
    assert refusal(root / "fifo", root) is Reason.NOT_A_FILE
    assert refusal(root / "socket", root) is Reason.NOT_A_FILE


def test_a_link_loop_is_refused(root):
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    assert refusal(root / "a", root) is Reason.LINK_LOOP


def test_a_file_that_may_not_be_read_is_unreadable(root, monkeypatch):
    (root / "a.md").write_bytes(b"secret")

    def denied(*_arguments, **_options):
        raise PermissionError(13, "denied")

    monkeypatch.setattr(os, "open", denied)
    assert refusal(root / "a.md", root) is Reason.UNREADABLE


def test_the_size_limit_is_inclusive_and_a_larger_file_is_not_read(root, monkeypatch):
    file = root / "a.md"
    file.write_bytes(b"12345")
    assert read(file, inside=[root], limit=5).data == b"12345"
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("read"))
    assert refusal(file, root, limit=4) is Reason.TOO_LARGE


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(root, monkeypatch):
    file = root / "a.md"
    file.write_bytes(b"1234")
    honest = os.read

    def growing(descriptor, count):
        with file.open("ab") as more:
            more.write(b"x" * 10)
        return honest(descriptor, min(count, 3))

    monkeypatch.setattr(os, "read", growing)
    assert refusal(file, root, limit=4) is Reason.TOO_LARGE


def test_a_path_outside_every_root_is_refused_by_whole_components(root, tmp_path):
    sibling = tmp_path / "repo-evil"
    sibling.mkdir()
    (sibling / "a.md").write_bytes(b"a")
    assert refusal(sibling / "a.md", root) is Reason.OUTSIDE
    assert refusal(root / ".." / "repo-evil" / "a.md", root) is Reason.OUTSIDE
    assert refusal(root / "a.md") is Reason.OUTSIDE


def test_outside_a_file_that_is_there_and_one_that_is_not_look_the_same(root):
    assert refusal(Path("/etc/passwd"), root) is Reason.OUTSIDE
    assert refusal(Path("/etc/not-there"), root) is Reason.OUTSIDE


def test_links_that_lead_out_are_refused_at_the_end_and_on_the_way(root, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_bytes(b"k")
    (root / "key").symlink_to(tmp_path / "secret" / "key")
    (root / "folder").symlink_to(tmp_path / "secret")
    assert refusal(root / "key", root) is Reason.OUTSIDE
    assert refusal(root / "folder" / "key", root) is Reason.OUTSIDE


@pytest.mark.parametrize("swapped", ["key", "folder/key"])
def test_a_link_that_is_swapped_in_between_check_and_open_lets_nothing_out(root, tmp_path, monkeypatch, swapped):
    """CWE-367: the descriptor's own path is judged, not the name that was checked."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_bytes(b"k")
    (root / "folder").mkdir()
    (root / swapped).write_bytes(b"harmless")
    victim = root / swapped.split("/")[0]
    honest = os.open

    def swapping(path, flags, *rest):
        victim.rename(tmp_path / "aside")
        victim.symlink_to(tmp_path / "secret" / ("key" if swapped == "key" else ""))
        return honest(path, flags, *rest)

    monkeypatch.setattr(os, "open", swapping)
    assert refusal(root / swapped, root) in {Reason.OUTSIDE, Reason.LINK_LOOP}


def test_a_fifo_that_is_swapped_in_does_not_block(root, monkeypatch):
    file = root / "a.md"
    file.write_bytes(b"a")
    honest = os.open

    def swapping(path, flags, *rest):
        file.unlink()
        os.mkfifo(file)
        return honest(path, flags, *rest)

    monkeypatch.setattr(os, "open", swapping)
    watch = Stopwatch()
    assert refusal(file, root) is Reason.NOT_A_FILE
    assert watch.seconds < 2


def test_a_file_that_an_editor_replaces_meanwhile_is_read_in_its_new_form(root, monkeypatch):
    file = root / "a.md"
    file.write_bytes(b"old")
    honest, done = os.open, []

    def replacing(path, flags, *rest):
        descriptor = honest(path, flags, *rest)
        if not done:
            done.append(True)
            (root / "new").write_bytes(b"new")
            (root / "new").rename(file)
        return descriptor

    monkeypatch.setattr(os, "open", replacing)
    assert read(file, inside=[root]).data == b"new"


def test_git_metadata_is_refused_under_every_spelling(root):
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"token")
    (root / "docs").mkdir()
    (root / "docs" / "link").symlink_to("../.git/config")
    for name in (".git/config", "docs/../.git/config", "docs/link"):
        assert refusal(root / name, root) is Reason.GIT_METADATA
    (root / "sub").mkdir()
    (root / "sub" / ".git").write_bytes(b"gitdir: ../.git/modules/sub\n")
    assert refusal(root / "sub" / ".git", root) is Reason.GIT_METADATA


def test_a_git_directory_under_another_name_is_git_metadata_too(root):
    bare = root / "fixtures" / "bare.git"
    for folder in ("objects", "refs"):
        (bare / folder).mkdir(parents=True)
    (bare / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (bare / "config").write_bytes(b"token")
    assert refusal(bare / "config", root) is Reason.GIT_METADATA


def test_names_that_only_begin_like_git_metadata_are_files(root):
    (root / ".github").mkdir()
    for name in (".gitignore", ".github/a.md"):
        (root / name).write_bytes(b"a")
        assert read(root / name, inside=[root]).data == b"a"


def test_a_root_that_lies_below_a_git_directory_keeps_its_files(root):
    inner = root / ".git" / "worktrees-here" / "w"
    inner.mkdir(parents=True)
    (inner / "CLAUDE.md").write_bytes(b"a")
    assert read(inner / "CLAUDE.md", inside=[inner]).data == b"a"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (r"\\host\share\x.md", Reason.REMOTE),
        ("//host/x.md", Reason.REMOTE),
        (r"\??\C:\x.md", Reason.REMOTE),
        ("/net/host/x.md", Reason.REMOTE),
        ("/Network/Servers/x.md", Reason.REMOTE),
        ("/proc/self/environ", Reason.DEVICE),
        ("/dev/stdin", Reason.DEVICE),
        ("/tmp/../dev/zero", Reason.DEVICE),
        ("/sys/kernel/notes", Reason.DEVICE),
        ("/development/x.md", None),
        ("docs/dev/x.md", None),
        ("/srv/net/x.md", None),
    ],
)
def test_other_hosts_and_devices_are_known_by_name(name, reason):
    assert refused_by_name(name) is reason


def test_other_hosts_and_devices_are_never_looked_up(monkeypatch):
    monkeypatch.setattr(os.path, "realpath", lambda *_a, **_k: pytest.fail("looked up"))
    assert refusal(Path("//host/x.md"), Path("/")) is Reason.REMOTE
    assert refusal(Path("/proc/self/environ"), Path("/")) is Reason.DEVICE


def test_a_link_to_a_device_is_refused_even_where_everything_is_inside(root):
    (root / "zero").symlink_to("/dev/zero")
    assert refusal(root / "zero", Path("/")) is Reason.DEVICE


def test_entries_are_sorted_and_guarded_like_files(root, tmp_path):
    for name in ("b.md", "a.md"):
        (root / name).write_bytes(b"")
    (root / "out").symlink_to(tmp_path)
    assert entries(root, inside=[root]) == ("a.md", "b.md", "out")
    reasons = {}
    for name in ("out", "none", "a.md"):
        with pytest.raises(RefusedError) as caught:
            entries(root / name, inside=[root])
        reasons[name] = caught.value.reason
    assert reasons == {"out": Reason.OUTSIDE, "none": Reason.MISSING, "a.md": Reason.MISSING}


def test_a_directory_with_too_many_entries_is_refused(root, monkeypatch):
    monkeypatch.setattr(reading, "_ENTRY_LIMIT", 2)
    for name in "abc":
        (root / name).write_bytes(b"")
    with pytest.raises(RefusedError) as caught:
        entries(root, inside=[root])
    assert caught.value.reason is Reason.TOO_LARGE


def test_a_signature_costs_no_opening_and_tells_one_file_by_any_name(root, monkeypatch):
    (root / "a.md").write_bytes(b"a")
    os.link(root / "a.md", root / "b.md")
    monkeypatch.setattr(os, "open", lambda *_a, **_k: pytest.fail("opened"))
    first, second = signature(root / "a.md"), signature(root / "b.md")
    assert first.identity == second.identity
    assert signature(root / "none.md") is None
    assert signature(root / "nul\0") is None
