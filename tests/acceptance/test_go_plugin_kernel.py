"""Callbacks to a kernel that is slow, broken, old or hostile, and what reaches the host's log."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from acceptance.driver import FailureError
from acceptance.worlds import eventually, quarter
from support.patience import Stopwatch

if TYPE_CHECKING:
    from acceptance.driver import GoHost, LaunchedPlugin, Program
    from acceptance.worlds import World

TRAP = '{"@message": 1}'
"""As a raw line on a plugin's stderr, this stops a go-plugin host with a panic."""


def test_counts_are_asked_for_the_request_s_model(program: Program, host: GoHost, world: World) -> None:
    """The reference has no provider, as the host's own recount has none, and every call has a deadline."""
    plugin = host.launch(program)
    plugin.contribute(world.firing)
    counts = plugin.observed()["counts"]
    assert {(count["model_provider"], count["model_id"]) for count in counts} == {("", "sonnet")}
    assert all(0 < count["deadline_ms"] <= 2050 for count in counts)


def test_no_model_means_no_reference(program: Program, host: GoHost, world: World) -> None:
    """Without a model target the count is asked for without a model."""
    plugin = host.launch(program)
    plugin.contribute({**world.firing, "model_target": None})
    assert {count["model_id"] for count in plugin.observed()["counts"]} == {None}


@pytest.mark.parametrize(
    "behaviour",
    [{"count": "fail"}, {"count": "hang"}, {"count": "late", "late_ms": 2500}],
    ids=lambda behaviour: behaviour["count"],
)
def test_a_kernel_that_cannot_count_costs_no_turn(
    program: Program, host: GoHost, world: World, behaviour: dict[str, Any]
) -> None:
    """The plugin counts with the protocol's fallback, says so once, and the firing costs one time limit at most."""
    plugin = host.launch(program)
    plugin.kernel(**behaviour)
    for turn in range(2):
        watch = Stopwatch()
        answer = plugin.contribute({**world.firing, "turn_id": str(turn)})
        assert watch.seconds < 3.9
        assert [section.tokens for section in answer.sections] == [quarter(section.text) for section in answer.sections]
    assert [entry["@level"] for entry in plugin.logs_with("fallback")] == ["warn"]


def test_a_hanging_kernel_does_not_use_up_the_caller_s_time(program: Program, host: GoHost, world: World) -> None:
    """With less time than a callback may take, the answer still comes before the caller's deadline."""
    plugin = host.launch(program)
    plugin.kernel(count="hang")
    assert plugin.contribute(world.firing, timeout_ms=3000).sections


def test_a_refused_model_is_asked_for_once_more_without(program: Program, host: GoHost, world: World) -> None:
    """A kernel that does not know the model still counts."""
    plugin = host.launch(program)
    plugin.kernel(refuse_model_ref=True)
    plugin.contribute(world.firing)
    models = [count["model_id"] for count in plugin.observed()["counts"]]
    assert models[:2] == ["sonnet", None]
    assert not [entry for entry in plugin.logs() if "fallback" in entry["@message"]]


def test_an_odd_counter_is_taken_at_its_word(program: Program, host: GoHost, world: World) -> None:
    """Counts that are neither additive nor monotone: the sum still fits the budget, by the kernel's own word."""
    (world.repository / "CLAUDE.md").write_text("".join(f"## Part {n}\n\n{'word ' * n}\n\n" for n in range(1, 40)))
    (world.repository / "AGENTS.md").write_text("".join(f"## Part {n}\n\n{'word ' * n}\n\n" for n in range(1, 40)))
    plugin = host.launch(program)
    plugin.kernel(count="odd")
    answer = plugin.contribute({**world.firing, "token_budget": 150})
    assert [section.tokens for section in answer.sections] == [odd(section.text) for section in answer.sections]
    assert sum(section.tokens for section in answer.sections) <= 150


def odd(text: str) -> int:
    size = len(text.encode())
    return size % 97 * size // 150


def test_the_first_callback_may_come_late(programs: list[Program], host: GoHost, world: World) -> None:
    """Seven seconds after the launch, longer than go-plugin's own plugins remember it, the broker is still known."""
    plugins = [host.launch(program, plugin=program.name) for program in programs]
    time.sleep(7)
    for plugin in plugins:
        plugin.contribute(world.firing)
        assert plugin.observed()["counts"], plugin.local_name


def test_a_text_over_the_host_s_limit_is_never_sent(program: Program, host: GoHost, world: World) -> None:
    """The host takes callbacks of 4 MiB at most; what is larger is shortened before it is counted."""
    text = "# Large\n\n" + "A sentence that is repeated. " * 120_000
    (world.repository / "CLAUDE.md").write_text(text)
    (world.repository / "AGENTS.md").write_text(text)
    plugin = host.launch(program)
    answer = plugin.contribute(world.firing)
    assert sum(section.tokens for section in answer.sections) <= world.firing["token_budget"]
    assert max(count["bytes"] for count in plugin.observed()["counts"]) <= 3 * 2**20


def provoke(plugin: LaunchedPlugin, attribute: str) -> None:
    """Make any of the three plugins log something: they all tell of a refused configuration."""
    with pytest.raises(FailureError):
        plugin.call("Configure", {"config": {attribute: 1}})


def logged(plugin: LaunchedPlugin, word: str) -> list[dict[str, Any]]:
    """The wire's log entries whose message holds ``word``, once there are any."""
    found: list[dict[str, Any]] = []

    def arrived() -> bool:
        for request in plugin.observed()["logs"]:
            entries = request["entries"] or [request["entry"]]
            found.extend(entry for entry in entries if word in entry["message"])
        return bool(found)

    eventually(arrived)
    return found


@pytest.mark.parametrize("form", ["", "old"], ids=["newest form", "older form"])
def test_entries_reach_the_host_s_log_in_the_form_it_reads(program: Program, host: GoHost, form: str) -> None:
    """The newest wire form comes first, the older one where the host refuses it; nothing is missing in either."""
    plugin = host.launch(program)
    plugin.kernel(log=form)
    provoke(plugin, "colour")
    (entry,) = logged(plugin, "colour")
    assert (entry["level"], entry["logger"]) == ("LOG_LEVEL_WARN", program.name)
    assert entry["fields"]["category"] == "invalid_request"
    provoke(plugin, "flavour")
    assert len(logged(plugin, "flavour")) == 1
    assert not [line for line in plugin.logs() if "colour" in line["@message"]]


def test_an_older_host_is_asked_in_the_newest_form_only_once(program: Program, host: GoHost) -> None:
    """What the host refused is not tried again with every entry."""
    plugin = host.launch(program)
    plugin.kernel(log="old")
    for attribute in ("one", "two", "three"):
        provoke(plugin, attribute)
        assert len(logged(plugin, attribute)) == 1
    assert plugin.observed()["breaches"] == []


def test_without_a_log_the_host_reads_stderr(program: Program, host: GoHost) -> None:
    """go-plugin takes the lines for hclog entries: level and fields arrive as such."""
    plugin = host.launch(program)
    plugin.kernel(log="fail")
    provoke(plugin, "colour")
    entries = plugin.logs_with("colour")
    assert [(entry["@level"], entry["category"]) for entry in entries] == [("warn", "invalid_request")]


def test_a_hanging_log_delays_no_answer(program: Program, host: GoHost, world: World) -> None:
    """Logging is never waited for."""
    plugin = host.launch(program)
    plugin.kernel(log="hang")
    provoke(plugin, "colour")
    watch = Stopwatch()
    plugin.contribute(world.firing)
    assert watch.seconds < 1


def test_repository_text_never_becomes_a_log_line_s_structure(program: Program, host: GoHost, world: World) -> None:
    """Text that would stop the host as a raw line of stderr comes through every channel as text."""
    trap = f"\n{TRAP}\n@{TRAP}\n@./{TRAP}.md\n---\n{TRAP}\n---\n"
    (world.repository / "CLAUDE.md").write_text(f"---\npaths: {TRAP}\n---\n# Trap\n{trap}")
    (world.repository / "AGENTS.md").write_text(f"---\n{TRAP}\n---\n# Trap\n{trap}")
    (world.repository / TRAP).write_text(trap)
    world.git(world.repository, "commit", "-q", "--allow-empty", "-m", TRAP)
    plugin = host.launch(program)
    plugin.kernel(log="fail", count="fail")
    provoke(plugin, trap)
    plugin.contribute({**world.firing, "files_touched": [TRAP, trap]})
    entries = plugin.logs()
    assert plugin.call("Describe")
    assert host.process.poll() is None
    assert all(isinstance(entry["@message"], str) for entry in entries)
    assert not [entry for entry in entries if entry["@message"].strip() == TRAP], json.dumps(entries, indent=1)
