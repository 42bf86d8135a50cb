"""Starting programs: time, output, and what is left behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from support.git_repos import all_gone
from support.patience import Stopwatch

from context_git_status.runner import End, Result, Runner

HELD = 0.3
"""Seconds by which a time limit may be exceeded (a safety limit)."""


def run(script: str, *, seconds: float = 5.0, limit: int = 1_000_000, runner: Runner | None = None) -> Result:
    return (runner or Runner()).run(
        ("/bin/sh", "-c", script),
        directory=Path("/"),
        environment={"PATH": os.environ["PATH"]},
        deadline=time.monotonic() + seconds,
        limit=limit,
    )


def pid_in(path: Path) -> int:
    for _ in range(200):
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


@pytest.fixture(params=["pidfd", "ticks"])
def watching(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of noticing that a program is gone: by a descriptor, and on systems without one."""
    if request.param == "ticks":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    return str(request.param)


def test_output_errors_and_exit_code_come_back(watching: str) -> None:
    assert run("echo out; echo err >&2; exit 3") == Result(End.EXITED, 3, b"out\n", b"err\n")


def test_an_end_by_a_signal_is_a_negative_code(watching: str) -> None:
    assert run("kill -9 $$").code == -9


def test_much_output_comes_back_whole(watching: str) -> None:
    result = run("head -c 3000000 /dev/zero", limit=4_000_000)
    assert (result.end, len(result.output)) == (End.EXITED, 3_000_000)


def test_output_is_cut_at_the_limit(watching: str) -> None:
    watch = Stopwatch()
    result = run("cat /dev/zero", limit=100_000)
    assert (result.end, len(result.output)) == (End.CUT, 100_000)
    assert watch.seconds < 2


def test_endless_errors_are_cut_and_hold_nothing_up(watching: str) -> None:
    result = run("head -c 3000000 /dev/zero >&2; echo done")
    assert result.output == b"done\n"
    assert len(result.errors) == 65_536


def test_the_time_limit_holds(watching: str) -> None:
    watch = Stopwatch()
    result = run("echo early; sleep 30", seconds=0.3)
    assert watch.seconds < 0.3 + HELD
    assert (result.end, result.output) == (End.TIMED_OUT, b"early\n")


def test_the_time_limit_holds_for_a_program_that_ignores_sigterm(watching: str) -> None:
    watch = Stopwatch()
    result = run("trap '' TERM; while :; do sleep 0.05; done", seconds=0.3)
    assert watch.seconds < 0.3 + HELD
    assert result.end is End.TIMED_OUT


def test_a_program_is_asked_to_leave_before_it_is_killed(watching: str, tmp_path: Path) -> None:
    """So that git removes its lock files."""
    run(f"trap 'touch {tmp_path}/left; exit' TERM; sleep 30 & wait", seconds=1)
    assert (tmp_path / "left").exists()


def test_a_time_limit_ends_the_whole_family(watching: str, tmp_path: Path) -> None:
    run(f"sh -c 'trap \"\" TERM; echo $$ > {tmp_path}/pid; sleep 30; sleep 30' & sleep 30", seconds=1)
    assert all_gone(pid_in(tmp_path / "pid"))


def test_what_a_program_leaves_in_the_background_ends_with_it(watching: str, tmp_path: Path) -> None:
    """Even though it holds the pipes open, nobody waits for it."""
    watch = Stopwatch()
    result = run(f"sleep 30 & echo $! > {tmp_path}/pid; echo done")
    assert watch.seconds < 2
    assert (result.end, result.code, result.output) == (End.EXITED, 0, b"done\n")
    assert all_gone(pid_in(tmp_path / "pid"))


def test_a_program_that_closes_its_output_is_still_waited_for(watching: str) -> None:
    assert run("exec >&- 2>&-; sleep 0.2; exit 4").code == 4


def test_a_program_reads_nothing_and_has_a_group_of_its_own(tmp_path: Path) -> None:
    """Neither the terminal nor this process's group."""
    result = run("cat; ps -o pgid= -p $$; echo $$")
    group, pid = result.output.split()
    assert group == pid
    assert int(group) != os.getpgid(0)


def test_no_descriptor_of_ours_reaches_the_program(tmp_path: Path) -> None:
    """A program that held the host's pipes would hold up the host."""
    secret = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        listed = run("ls /proc/self/fd").output.split()
    finally:
        os.close(secret)
    # Those of ls itself: three standard ones and the directory it lists.
    assert len(listed) == 4


def test_no_descriptor_is_left_open(watching: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    run("echo a")
    run("sleep 9", seconds=0.05)
    run("cat /dev/zero", limit=10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_program_that_is_not_there_is_an_oserror() -> None:
    with pytest.raises(FileNotFoundError):
        Runner().run(("/no/such/git",), directory=Path("/"), environment={}, deadline=time.monotonic() + 1, limit=1)


def test_closing_ends_what_is_running() -> None:
    runner = Runner()
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(run("sleep 30", seconds=20, runner=runner)))
    watch = Stopwatch()
    thread.start()
    while not runner._running:
        time.sleep(0.005)
    runner.close()
    thread.join(5)
    assert watch.seconds < 3
    assert results[0].code == -9


def test_nothing_lives_that_is_started_after_closing() -> None:
    runner = Runner()
    runner.close()
    assert run("sleep 30", runner=runner).code == -9


def test_programs_run_beside_each_other() -> None:
    """Threads do not wait for each other's programs."""
    watch = Stopwatch()
    threads = [threading.Thread(target=run, args=("sleep 0.4",)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert watch.seconds < 1.6
