"""The real go-plugin, the three programs, and a repository in which each of them has something to say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from acceptance.driver import GoHost, Program
from acceptance.worlds import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIRECTORY = Path(os.environ.get("CONTEXT_PROGRAMS") or sysconfig.get_path("scripts"))
"""Where the programs under test are: an unpacked release where CONTEXT_PROGRAMS says so, else the console scripts."""

PROGRAMS = [
    Program(name, DIRECTORY / f"context-{name}")
    for name in ("claude-md", "agents-md", "git-status")
    if "CONTEXT_PROGRAMS" not in os.environ or (DIRECTORY / f"context-{name}").exists()
]
assert PROGRAMS, f"there is no program to test in {DIRECTORY}"


@pytest.fixture(scope="session")
def go_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The host program, built once per session."""
    go = shutil.which("go")
    if go is None:
        assert os.environ.get("CI") != "true", "go is not installed, and in CI the acceptance tests must run"
        pytest.skip("go is not installed: the acceptance tests against the real go-plugin were not run")
    binary = tmp_path_factory.mktemp("go") / "go_host"
    subprocess.run(
        [go, "build", "-buildvcs=false", "-o", binary, "."],
        cwd=Path(__file__).parent / "go_host",
        env={**os.environ, "GOFLAGS": "-mod=readonly"},
        check=True,
    )
    return binary


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.name)
def program(request: pytest.FixtureRequest) -> Program:
    """A program under test; every test that asks for it runs for each there is."""
    chosen: Program = request.param
    return chosen


@pytest.fixture
def programs() -> list[Program]:
    """All programs under test, in the order in which an operator would declare them."""
    return PROGRAMS


@pytest.fixture(
    params=[program for program in PROGRAMS if program.name == "git-status"], ids=lambda program: program.name
)
def git_status(request: pytest.FixtureRequest) -> Program:
    """The one program that starts others, where it is under test."""
    chosen: Program = request.param
    return chosen


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where release files unpack themselves to; the homes of all tests share it, or every start would be a first."""
    return tmp_path_factory.mktemp("unpacked")


@pytest.fixture
def world(tmp_path: Path, unpacked: Path) -> World:
    """A directory with a home, a place for temporary files and a repository in it."""
    made = World(tmp_path)
    (tmp_path / "home" / ".cache").mkdir(parents=True)
    (tmp_path / "home" / ".cache" / "context-providers").symlink_to(unpacked)
    (tmp_path / "tmp").mkdir()
    made.make_repository(made.repository, "main")
    return made


@pytest.fixture
def start_host(go_host: Path, world: World) -> Iterator[Callable[..., GoHost]]:
    """Starts hosts in the repository, keywords adding to their environment; ends them after the test."""
    hosts = []

    def start(**more: str) -> GoHost:
        host = GoHost(go_host, {**world.environment, **more}, world.repository)
        hosts.append(host)
        return host

    yield start
    for host in hosts:
        host.close()


@pytest.fixture
def host(start_host: Callable[..., GoHost]) -> GoHost:
    """A host with the environment of a plain shell."""
    return start_host()
