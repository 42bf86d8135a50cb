"""The life of the process: how it starts where it can, refuses where it cannot, and never outlives its host."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest
from acceptance.driver import FailureError, state
from acceptance.worlds import children, eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from acceptance.driver import GoHost, LaunchedPlugin, Program
    from acceptance.worlds import World

PLAIN = {"PLUGGABLEHARNESS_AGENT_PLUGIN": "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"}


def test_kill_takes_under_a_hundred_milliseconds(program: Program, host: GoHost, world: World) -> None:
    """After a firing the plugin leaves at once when asked, and takes its socket directory with it."""
    endings = []
    for _ in range(3):
        plugin = host.launch(program)
        plugin.contribute(world.firing)
        endings.append(plugin.kill())
    # The best of three: what a busy machine adds is not the plugin's.
    assert min(ending["ms"] for ending in endings) < 100
    assert [(ending["escalated"], ending["exit_code"]) for ending in endings] == [(False, 0)] * 3
    assert world.left_behind() == []


def test_a_plugin_with_its_hands_full_leaves_too(program: Program, host: GoHost, world: World) -> None:
    """Firings that wait for the kernel, more of them than there are threads, do not hold up the end."""
    plugin = host.launch(program)
    plugin.kernel(count="hang", log="hang")
    firings = [{**world.firing, "session_id": str(number)} for number in range(30)]
    pending = [plugin.start("call", method="Contribute", message=firing) for firing in firings]
    assert eventually(lambda: plugin.observed()["total_counts"] != 0) < math.inf
    assert plugin.kill()["ms"] < 500
    for one in pending:
        # Answered with the fallback count in the last moment, or cut off: the host gets its word in either case.
        with contextlib.suppress(FailureError):
            one.result()


def test_the_plugin_goes_when_its_host_is_killed(program: Program, host: GoHost, world: World) -> None:
    """SIGKILL leaves the host no time to say anything; the end of the broker stream says it."""
    plugin = host.launch(program)
    plugin.contribute(world.firing)
    host.process.kill()
    assert eventually(lambda: plugin.is_gone) < 0.5
    assert world.left_behind() == []


def test_the_plugin_goes_when_its_host_never_called(program: Program, host: GoHost) -> None:
    """A host that dies before it opens the broker stream is noticed by its process id."""
    plugin = host.launch(program, undialled=True)
    host.process.kill()
    assert eventually(lambda: plugin.is_gone) < 1.5


def test_a_stopped_plugin_is_ended_by_the_host(programs: list[Program], start_host: Callable[..., GoHost]) -> None:
    """A hung process is one process: the host's own escalation after five seconds ends it and frees the pipes."""
    plugins = [start_host().launch(program) for program in programs]
    for plugin in plugins:
        os.kill(plugin.pid, signal.SIGSTOP)
    for pending in [plugin.start("kill", limit_ms=5000) for plugin in plugins]:
        ending = pending.result()
        assert ending["escalated"]
        assert ending["ms"] < 5500
    assert all(plugin.is_gone for plugin in plugins)


def test_ctrl_c_leaves_the_plugin_answering(program: Program, host: GoHost, world: World) -> None:
    """SIGINT reaches the whole process group; what it means is the host's to decide."""
    plugin = host.launch(program)
    for _ in range(2):
        os.killpg(host.process.pid, signal.SIGINT)
        assert plugin.contribute(world.firing).sections
    assert not plugin.kill()["escalated"]


def test_sigterm_ends_the_plugin_cleanly(program: Program, host: GoHost, world: World) -> None:
    """Terminated by somebody else, the plugin still removes what it made."""
    plugin = host.launch(program)
    os.kill(plugin.pid, signal.SIGTERM)
    assert eventually(lambda: plugin.is_gone) < 1
    assert plugin.kill()["exit_code"] == 0
    assert world.left_behind() == []


def test_the_host_s_terminal_and_pipe_are_left_alone(program: Program, host: GoHost) -> None:
    """After the handshake line standard output is the log, and standard input is nobody's keyboard."""
    plugin = host.launch(program)
    assert plugin.descriptor(0) == os.devnull
    assert plugin.descriptor(1) == plugin.descriptor(2)


def test_no_child_outlives_a_firing(program: Program, host: GoHost, world: World) -> None:
    """One plugin is one process: nothing between the host and it, nothing left below it."""
    plugin = host.launch(program)
    plugin.contribute(world.firing)
    assert children(host.process.pid) == [plugin.pid]
    assert children(plugin.pid) == []


@pytest.fixture
def fake_git(world: World) -> Callable[[str], str]:
    """Puts a script called git in front of the real one; returns the PATH with it."""

    def write(script: str) -> str:
        folder = world.top / "bin"
        folder.mkdir()
        (folder / "git").write_text("#!/bin/sh\n" + script)
        (folder / "git").chmod(stat.S_IRWXU)
        return f"{folder}{os.pathsep}{os.environ['PATH']}"

    return write


def test_children_never_hold_the_host_s_pipes(
    start_host: Callable[..., GoHost], git_status: Program, world: World, fake_git: Callable[[str], str]
) -> None:
    """What git-status starts has no descriptor in common with the plugin: neither log pipe nor socket."""
    record = world.top / "descriptors"
    path = fake_git(f'ls -l /proc/$$/fd >> "{record}"; env >> "{world.top}/environment"; exec /usr/bin/env -i true\n')
    plugin = start_host(PATH=path).launch(git_status)
    plugin.contribute(world.firing)
    held = record.read_text()
    assert plugin.descriptor(2) not in held
    assert "socket:" not in held
    assert "LD_LIBRARY_PATH=" not in (world.top / "environment").read_text()


def test_a_hanging_child_goes_with_the_plugin(
    start_host: Callable[..., GoHost], git_status: Program, world: World, fake_git: Callable[[str], str]
) -> None:
    """A git that hangs delays neither the host's Kill nor survives it."""
    pids = world.top / "pids"
    path = fake_git(f'echo $$ >> "{pids}"; sleep 600 & echo $! >> "{pids}"; wait\n')
    plugin = start_host(PATH=path).launch(git_status)
    plugin.start("call", method="Contribute", message=world.firing)
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) >= 2) < math.inf
    assert plugin.kill()["ms"] < 500
    started = [int(pid) for pid in pids.read_text().split()]
    assert eventually(lambda: all(state(pid) in {"", "Z"} for pid in started)) < 1


@pytest.mark.parametrize(
    "folder",
    ["with spaces", "100%20percent", "Umläute ü", "ha#sh?", "a|pipe", "x" * 100],
    ids=["spaces", "percent", "umlauts", "hash", "pipe", "100 characters"],
)
def test_odd_directories_for_temporary_files(
    program: Program, start_host: Callable[..., GoHost], world: World, folder: str
) -> None:
    """Both sockets, the plugin's and the host's, work wherever TMPDIR points; a path that cannot hold one is not used."""
    temporary = world.top / folder
    temporary.mkdir()
    # go-plugin cannot bind its own socket below a path of that length.
    shared = {} if len(folder) == 100 else {"TMPDIR": str(temporary)}
    plugin = start_host(**shared).launch(program, variables={"TMPDIR": str(temporary)})
    assert plugin.contribute(world.firing).sections
    assert plugin.observed()["counts"]
    assert not plugin.kill()["escalated"]
    assert world.left_behind(temporary) == []


def by_hand(program: Program, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program.path, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def test_without_the_cookie_the_plugin_explains_itself(program: Program) -> None:
    """Run by hand it says in two lines what it is and how to use it, and fails."""
    outcome = by_hand(program)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert len(outcome.stderr.splitlines()) == 2
    assert program.name in outcome.stderr


def test_a_host_with_another_cookie_gets_a_clear_end(program: Program, host: GoHost) -> None:
    """A host of another kind is told at once, not after its start timeout."""
    with pytest.raises(FailureError, match=r"Unrecognized remote plugin message|exited before"):
        host.launch(program, cookie_key="ANOTHER_HOSTS_COOKIE")


def test_a_host_of_protocol_version_two_reads_which_one_there_is(program: Program, host: GoHost) -> None:
    """The plugin prints its own version and lets the host complain."""
    with pytest.raises(FailureError, match=r"[Ii]ncompatible API version with plugin\. Plugin version: 1"):
        host.launch(program, protocol_versions=[2])


def test_of_several_protocol_versions_the_common_one_is_used(program: Program, host: GoHost) -> None:
    """A newer host that still speaks version 1 gets it."""
    assert host.launch(program, protocol_versions=[2, 1]).version == 1


def test_auto_mtls_is_refused_in_one_clear_line(program: Program, host: GoHost) -> None:
    """grpcio cannot speak go-plugin's certificates; the host's log says so and the launch ends at once."""
    with pytest.raises(FailureError):
        host.launch(program, auto_mtls=True)
    (line,) = [entry for entry in host.logs() if "AutoMTLS" in entry["@message"]]
    assert line["@level"] == "error"


def test_multiplexing_is_declined(program: Program, host: GoHost) -> None:
    """A host that insists on one socket for everything is told that this plugin has no such thing."""
    with pytest.raises(FailureError, match="does not support the feature"):
        host.launch(program, multiplex=True)


def test_a_stray_wish_for_multiplexing_does_no_harm(
    program: Program, start_host: Callable[..., GoHost], world: World
) -> None:
    """A host that is itself somebody's plugin may hand the variable down without meaning it."""
    stray = start_host(PLUGIN_MULTIPLEX_GRPC="true")
    plugin = stray.launch(program, whole_environment=True)
    assert plugin.contribute(world.firing).sections


def test_the_heavy_libraries_come_after_the_handshake(program: Program, world: World) -> None:
    """Markdown, YAML and glob libraries cost the host no start-up time."""
    with subprocess.Popen(
        [program.path],
        env={"PATH": os.environ["PATH"], "HOME": str(world.top), **PLAIN, "PYTHONPROFILEIMPORTTIME": "1"},
        cwd=world.top,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        before = []
        for line in process.stdout:
            if line.startswith("1|1|unix|"):
                break
            before.append(line)
        process.terminate()
        process.stdout.read()
    heavy = ("markdown_it", "yaml", "frontmatter", "pathspec", "bracex")
    assert not [line for line in before if line.rpartition("|")[2].strip().split(".")[0] in heavy]


def test_lines_of_the_program_s_own_reach_the_host_as_entries(program: Program, host: GoHost, world: World) -> None:
    """In an ordinary session nothing is on stderr that go-plugin could not read as an entry of a level."""
    plugin: LaunchedPlugin = host.launch(program)
    plugin.contribute(world.firing)
    plugin.kill()
    own = [entry for entry in host.logs() if entry["@module"].startswith(f"host.{program.path.name}")]
    assert [entry for entry in own if "timestamp" not in entry] == []
