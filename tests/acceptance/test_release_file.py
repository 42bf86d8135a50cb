"""The release file's own part: unpack once, become the program, whatever the machine is like."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

PACKAGING = Path(__file__).parents[2] / "packaging"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"release_{name}", PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


build = script("build")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A release file whose program says who and where it is."""
    directory = tmp_path / "onedir"
    (directory / "_internal").mkdir(parents=True)
    program = directory / "context-try"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$$" "$0" "$@"\n')
    program.chmod(0o755)
    (directory / "_internal" / "library").write_bytes(os.urandom(300_000))
    return Path(build.self_extracting(directory, tmp_path / "bin" / "context-try", "1.2.3"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """All that a host passes on."""
    home, temporary = tmp_path / "home with spaces", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}


def start(released: Path, environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [released, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(released: Path, environment: dict[str, str], *arguments: str) -> list[str]:
    process = start(released, environment, *arguments)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    pid, *rest = output.splitlines()
    assert int(pid) == process.pid, "the program is the process that was started, not a child of it"
    return rest


def unpacked(environment: dict[str, str]) -> list[Path]:
    return sorted((Path(environment["HOME"]) / ".cache" / "context-providers").iterdir())


def test_it_unpacks_into_the_user_s_cache_and_becomes_the_program(released: Path, environment: dict[str, str]) -> None:
    """With nothing but PATH, HOME and TMPDIR the program runs, in the same process, with its arguments."""
    where, *arguments = run(released, environment, "--one", "two words", "")
    (directory,) = unpacked(environment)
    assert Path(where) == directory / "context-try"
    assert arguments == ["--one", "two words", ""]
    assert directory.name.startswith("context-try-1.2.3-")


def test_the_second_start_unpacks_nothing(released: Path, environment: dict[str, str]) -> None:
    """What is there is used as it is."""
    run(released, environment)
    (directory,) = unpacked(environment)
    (directory / "_internal" / "library").write_text("kept")
    run(released, environment)
    assert (directory / "_internal" / "library").read_text() == "kept"


def test_xdg_cache_home_is_honoured(released: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """A cache of the operator's choice is the one that is used."""
    (where,) = run(released, {**environment, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert Path(where).is_relative_to(tmp_path / "cache")


def test_starts_at_once_agree(released: Path, environment: dict[str, str]) -> None:
    """Several first starts at the same time all run, and one copy is left."""
    processes = [start(released, environment) for _ in range(12)]
    outcomes = [process.communicate(timeout=30) for process in processes]
    (directory,) = unpacked(environment)
    assert {errors for _, errors in outcomes} == {""}
    assert {output.splitlines()[1] for output, _ in outcomes} == {str(directory / "context-try")}
    assert sorted(path.name for path in directory.iterdir()) == ["_internal", "complete", "context-try"]


@pytest.mark.parametrize("missing", ["complete", "context-try"])
def test_a_copy_that_is_not_whole_is_unpacked_again(released: Path, environment: dict[str, str], missing: str) -> None:
    """A cache that was cleared halfway does not stay broken."""
    run(released, environment)
    (directory,) = unpacked(environment)
    (directory / missing).unlink()
    (directory / "_internal" / "library").unlink()
    run(released, environment)
    assert unpacked(environment) == [directory]
    assert (directory / "_internal" / "library").stat().st_size == 300_000


def test_a_start_killed_while_unpacking_does_no_harm(released: Path, environment: dict[str, str]) -> None:
    """What it left is not taken for a whole copy."""
    run(released, environment)
    (directory,) = unpacked(environment)
    (directory / "complete").unlink()
    directory.rename(f"{directory}.AbCdEf")
    run(released, environment)
    assert (directory / "complete").exists()


@pytest.mark.parametrize("home", ["/dev/null", "/proc", None], ids=["no directory", "read-only", "none"])
def test_without_a_home_to_write_to_a_private_directory_is_used(
    released: Path, environment: dict[str, str], home: str | None
) -> None:
    """It lies among the temporary files, is the user's alone, and is used again."""
    del environment["HOME"]
    if home:
        environment["HOME"] = home
    (where,) = run(released, environment)
    shared = Path(environment["TMPDIR"]) / f"context-providers-{os.getuid()}"
    assert Path(where).is_relative_to(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700
    assert run(released, environment) == [where]


def test_somebody_else_s_directory_is_not_trusted(released: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """A link planted under the expected name is passed by."""
    (tmp_path / "planted").mkdir()
    planted = Path(environment["TMPDIR"]) / f"context-providers-{os.getuid()}"
    planted.symlink_to(tmp_path / "planted")
    (where,) = run(released, {**environment, "HOME": "/dev/null"})
    assert not Path(where).resolve().is_relative_to(tmp_path / "planted")


def test_a_damaged_file_says_so_in_one_line(released: Path, environment: dict[str, str]) -> None:
    """Nothing reaches standard output, where the host waits for the handshake, and nothing stays in the cache."""
    released.write_bytes(released.read_bytes()[:-1000])
    process = start(released, environment)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output) == (1, "")
    assert errors.splitlines()[-1].startswith("[ERROR] context-try cannot unpack itself")
    assert unpacked(environment) == []


@pytest.mark.parametrize("signal", ["INT", "HUP"])
def test_a_signal_of_the_terminal_while_unpacking_is_the_host_s_business(
    released: Path, environment: dict[str, str], signal: str
) -> None:
    """It is ignored from the first line on, as the plugin itself ignores it."""
    trap = b"trap '' INT HUP\n"
    whole = released.read_bytes()
    assert trap in whole
    released.write_bytes(whole.replace(trap, trap[:-1] + f"; kill -{signal} $$\n".encode(), 1))
    assert run(released, environment)


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither time nor owner nor the order of a directory gets into an archive."""
    for copy in ("one", "two"):
        (tmp_path / copy).mkdir()
        for name in ("b", "a", "complete") if copy == "one" else ("complete", "a", "b"):
            (tmp_path / copy / name).write_text(name)
        os.utime(tmp_path / copy / "a", (0, len(copy) * 1000))
    packed = [build.packed(tmp_path / copy, last="complete") for copy in ("one", "two")]
    assert packed[0] == packed[1]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(packed[0]))) as tar:
        assert tar.getnames() == ["a", "b", "complete"]


def test_the_checksum_is_the_one_that_sha256sum_checks(tmp_path: Path) -> None:
    """One line: digest and name."""
    archive = tmp_path / "context-try_1.2.3_linux_amd64.tar.gz"
    archive.write_bytes(b"archive")
    assert build.checksum(archive) == f"{hashlib.sha256(b'archive').hexdigest()}  {archive.name}\n"


def test_the_loader_s_library_path_is_undone() -> None:
    """A child gets the library path that the program was started with, and none of the loader's marks."""
    restore = script("restore_environment").restore
    bundled = {
        "LD_LIBRARY_PATH": "/x/_internal",
        "LD_LIBRARY_PATH_ORIG": "/opt/lib",
        "_PYI_ARCHIVE_FILE": "/x",
        "A": "b",
    }
    restore(bundled)
    assert bundled == {"LD_LIBRARY_PATH": "/opt/lib", "A": "b"}
    plain = {"LD_LIBRARY_PATH": "/x/_internal"}
    restore(plain)
    assert plain == {}
