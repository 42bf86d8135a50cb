"""A plugin as its host meets it: a process, a handshake, five calls, an end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.struct_pb2 import Struct
from support.kernel import FakeKernel, RunningPlugin, running, section, text_of

from context_common.plugin.sockets import target
from context_common.wire.goplugin_pb2 import ConnInfo
from context_host.client import CallError, ContextClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TESTS = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "support.probe_provider"]
COOKIE = {"PLUGGABLEHARNESS_AGENT_PLUGIN": "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"}


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(TESTS), **more}


def probing(directory: Path, name: str = "", kernel: FakeKernel | None = None, **more: str) -> Any:
    return running(
        COMMAND, directory=directory, name=name, kernel=kernel, environment={"PYTHONPATH": str(TESTS), **more}
    )


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[RunningPlugin]:
    with probing(tmp_path) as running_plugin:
        yield running_plugin


def facts(chain: list[Any]) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text_of(chain[-1]).splitlines())


# By hand


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *arguments]
    return subprocess.run(command, env=environment(**more), capture_output=True, text=True, check=False, timeout=20)


def test_started_by_hand_it_says_in_two_lines_what_it_is() -> None:
    result = run()
    assert (result.returncode, result.stdout) == (1, "")
    first, second = result.stderr.splitlines()
    assert "context-probe is a context provider" in first
    assert "dev_overrides" in second


def test_an_unknown_argument_is_named() -> None:
    result = run("--nope")
    assert result.returncode == 1
    assert "'--nope'" in result.stderr


def test_version_help_and_schema_work_by_hand() -> None:
    assert run("--version").stdout == "probe 1.2.3\n"
    assert "farewell" in run("--help").stdout
    schema = run("--schema")
    assert schema.returncode == 0
    assert '"default": "calm"' in schema.stdout


def test_what_nobody_reads_to_the_end_is_no_failure() -> None:
    """As with ``--schema | head``: the reading end of the pipe is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [*COMMAND, "--schema"]
    result = subprocess.run(command, env=environment(), stdout=writing, stderr=subprocess.PIPE, check=False, timeout=20)
    os.close(writing)
    assert (result.returncode, result.stderr) == (0, b"")


def test_mutual_tls_is_refused_in_one_line() -> None:
    result = run(**COOKIE, PLUGIN_CLIENT_CERT="-----BEGIN CERTIFICATE-----")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "AutoMTLS" in result.stderr


def served(code: str) -> subprocess.CompletedProcess[str]:
    """Run ``code`` as a host would."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment(**COOKIE), capture_output=True, text=True, check=False, timeout=20)


def test_a_provider_that_cannot_be_imported_is_told_in_one_entry() -> None:
    result = served("from context_common.plugin import serve; serve('support.nowhere:Provider')")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "support.nowhere" in result.stderr


def test_without_a_place_for_its_socket_it_says_so_in_one_entry() -> None:
    """Nothing can be written anywhere: no file may be longer than no byte."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
        "from context_common.plugin import serve; serve('support.probe_provider:ProbeProvider')"
    )
    result = served(code)
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert json.loads(line)["@level"] == "error"
    assert "No usable temporary directory" in line


@pytest.mark.parametrize("number", ["SIGINT", "SIGHUP"])
def test_a_signal_for_the_whole_terminal_is_the_hosts_business_from_the_first_import_on(number: str) -> None:
    """A host starts a plugin three times to learn its category, and somebody presses Ctrl-C meanwhile."""
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'grpc': os.kill(os.getpid(), signal.{number})\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from context_common.plugin import serve\n"
        "serve('support.probe_provider:ProbeProvider')"
    )
    with bare([sys.executable, "-c", code]) as (process, line):
        assert line[:3] == ["1", "1", "unix"]
        process.terminate()
        assert process.wait(20) == 0


# Handshake


@contextlib.contextmanager
def bare(command: Sequence[str] = COMMAND, **more: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The process alone, and the fields of its handshake line."""
    with tempfile.TemporaryDirectory() as directory:
        variables = environment(**COOKIE, TMPDIR=directory, **more)
        process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().rstrip("\n").split("|")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@pytest.mark.parametrize(("asked", "fields"), [({}, 6), ({"PLUGIN_MULTIPLEX_GRPC": "true"}, 7)])
def test_the_handshake_line_has_a_seventh_field_only_for_a_host_that_asks(asked: dict[str, str], fields: int) -> None:
    with bare(**asked) as (process, line):
        assert line[:3] == ["1", "1", "unix"]
        assert line[4:] == ["grpc", "", "false"][: fields - 4]
        directory = Path(line[3]).parent
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        process.terminate()
        assert process.wait(20) == 0
        assert not directory.exists()
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_a_host_without_standard_input_reads_the_handshake_line_too() -> None:
    """The lowest free descriptor is 0 then, which is about to be taken."""
    with bare(["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND]) as (_, line):
        assert line[:3] == ["1", "1", "unix"]


@pytest.mark.parametrize("name", ["with space", "per%20cent", "umläut", "ha#sh", "que?ry", "x" * 100])
def test_any_temporary_directory_will_do(tmp_path: Path, name: str) -> None:
    """grpc reads a socket's path as a URI, and the operating system allows it 107 bytes."""
    odd = tmp_path / name
    odd.mkdir()
    with probing(tmp_path, TMPDIR=str(odd)) as plugin:
        assert plugin.describe().name == "probe"
        assert facts(plugin.contribute())["model"] == "model-under-test"


# Identity


def test_describe_tells_the_published_identity_whatever_the_operator_calls_it(tmp_path: Path) -> None:
    with probing(tmp_path, name="local") as plugin:
        producer = plugin.describe()
    assert (producer.name, producer.version, producer.source) == ("probe", "1.2.3", "github.com/example/context-probe")
    assert (producer.category, producer.protocol_version) == (3, 1)


STAMP = "pluggableharness.producer.category={},pluggableharness.producer.name={},pluggableharness.producer.version=1"


@pytest.mark.parametrize(
    ("stamp", "configured", "expected"),
    [
        ("", "", "probe"),
        (STAMP.format("context", "my%20notes"), "", "my notes"),
        (STAMP.format("context", "stamped"), "explicit", "explicit"),
        (STAMP.format("model", "other-plugin"), "", "probe"),
        ("service.name=x,,=,pluggableharness.producer.name=loose", "", "probe"),
    ],
)
def test_sections_carry_the_operators_name(tmp_path: Path, stamp: str, configured: str, expected: str) -> None:
    """An explicit name first, then the host's stamp for a context provider, then the published name."""
    with probing(tmp_path, OTEL_RESOURCE_ATTRIBUTES=stamp) as plugin:
        plugin.configure(name=configured)
        assert [section.provider for section in plugin.contribute()] == [expected]


# Calls


def test_capabilities_are_fixed_facts(plugin: RunningPlugin) -> None:
    told = plugin.capabilities()
    assert (told.default_token_budget, told.stability, told.compactor) == (400, 2, False)
    assert not told.slash_commands
    assert not told.supported_hook_points
    assert [attribute.name for attribute in told.config_schema.attributes] == [
        "mood",
        "farewell",
        "token_budget",
        "name",
    ]


@pytest.mark.parametrize(
    ("declared", "expected"), [("900", 900), ("", 400), ("0", 400), ("-3", 400), ("many", 400), ("9" * 5000, 400)]
)
def test_the_declared_budget_comes_from_the_environment_where_it_is_a_number(
    tmp_path: Path, declared: str, expected: int
) -> None:
    with probing(tmp_path, CONTEXT_TOKEN_BUDGET=declared) as plugin:
        assert plugin.capabilities().default_token_budget == expected


def test_contribute_works_before_configure(plugin: RunningPlugin) -> None:
    assert facts(plugin.contribute(budget=9_000))["budget"] == "9000"


@pytest.mark.parametrize(
    ("cap", "allocated", "expected"), [(0, 5_000, "5000"), (3_000, 5_000, "3000"), (9_000, 5_000, "5000")]
)
def test_the_smaller_of_cap_and_allocation_holds(
    plugin: RunningPlugin, cap: int, allocated: int, expected: str
) -> None:
    plugin.configure(token_budget=cap)
    assert facts(plugin.contribute(budget=allocated))["budget"] == expected


@pytest.mark.parametrize("budget", [0, -1, -(2**62)])
def test_without_a_budget_there_is_no_section(plugin: RunningPlugin, budget: int) -> None:
    prior = [section("other", "theirs", "text")]
    assert plugin.contribute(budget=budget, prior=prior) == prior


def test_tokens_are_the_kernels_and_over_budget_a_shorter_text_is_taken(plugin: RunningPlugin) -> None:
    chain = plugin.contribute(budget=35)
    assert [(text_of(s), s.tokens, s.truncated) for s in chain] == [("short", 35, True)]
    assert plugin.contribute(budget=34, session="another") == []


def test_touched_files_accumulate_within_a_session_and_never_across(plugin: RunningPlugin) -> None:
    plugin.contribute(files=["b", "a"], session="one")
    plugin.contribute(files=["z"], session="two")
    assert facts(plugin.contribute(files=["c", "a"], session="one"))["touched"] == "b,a,c"


def test_a_working_directory_that_the_host_leaves_empty_is_the_processs(plugin: RunningPlugin, tmp_path: Path) -> None:
    from context_common.wire.context_pb2 import ContextRequest

    answer = plugin.client.contribute(ContextRequest(token_budget=9_000))
    assert facts(list(answer.sections))["cwd"] == str(tmp_path.resolve())


def test_a_working_directory_that_cannot_be_is_an_invalid_request(plugin: RunningPlugin) -> None:
    for path in ("/a\0b", "/" + "a/" * 500_000):
        code, details = refused(lambda path=path: plugin.contribute(directory=path))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert details.endswith("; accepted is the path of a directory")
        assert len(details) < 300


def test_a_process_whose_directory_is_gone_answers_for_an_absolute_one(tmp_path: Path) -> None:
    gone_soon = tmp_path / "gone"
    gone_soon.mkdir()
    with probing(gone_soon) as plugin:
        plugin.describe()
        gone_soon.rmdir()
        plugin.configure()
        assert facts(plugin.contribute(directory=tmp_path))["cwd"] == str(tmp_path)
        code, details = refused(lambda: plugin.contribute(directory="src"))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert details.startswith("working_directory is 'src', and the directory that this process works in is gone")


def test_counts_of_the_fallback_hold_for_no_turn_after_the_kernel_is_back(plugin: RunningPlugin) -> None:
    """Else the host, which counts again, would drop the section at every turn of the session."""
    plugin.kernel.refusal = grpc.StatusCode.UNAVAILABLE
    assert plugin.contribute(budget=100)[0].tokens < 100
    plugin.kernel.refusal = None
    assert [(text_of(s), s.tokens) for s in plugin.contribute(budget=100)] == [("short", 35)]


@pytest.mark.parametrize("letter", ["x", "文"])
def test_a_message_of_any_length_keeps_its_category(plugin: RunningPlugin, letter: str) -> None:
    """A status over gRPC's limit for metadata reaches nobody."""
    code, details = refused(lambda: plugin.configure(**{letter * 100_000: "x"}))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert details.startswith(f"unknown attribute '{letter}{letter}")
    assert details.endswith(letter + "…")


def test_a_number_that_is_none_is_an_invalid_request(plugin: RunningPlugin) -> None:
    code, details = refused(lambda: plugin.configure(token_budget=float("nan")))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert details == "attribute 'token_budget' is nan; accepted is a whole number of at least 0"


def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(CallError) as failure:
        call()
    return failure.value.code, failure.value.message


def test_a_missing_source_fails_configure_and_the_earlier_configuration_stays(plugin: RunningPlugin) -> None:
    plugin.configure(name="first")
    assert refused(lambda: plugin.configure(mood="missing")) == (
        grpc.StatusCode.UNAVAILABLE,
        "mood: nothing is there",
    )
    assert plugin.contribute()[0].provider == "first"


def test_an_unknown_attribute_is_an_invalid_request(plugin: RunningPlugin) -> None:
    code, details = refused(lambda: plugin.configure(nope=1))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert details == "unknown attribute 'nope'; accepted are mood, farewell, token_budget, name"


def test_a_bug_is_internal_with_its_message_and_the_process_lives(plugin: RunningPlugin) -> None:
    plugin.configure(mood="bug")
    code, details = refused(plugin.contribute)
    assert code is grpc.StatusCode.INTERNAL
    assert details == 'KeyError: "a bug of the author\'s"'
    assert plugin.kernel.wait_for_log("a bug of the author's").level == 5
    plugin.configure(mood="calm")
    assert plugin.contribute()


def test_drafts_that_share_a_label_are_told_of(plugin: RunningPlugin) -> None:
    """One of them is lost, and an author should not have to find that out."""
    plugin.configure(mood="twins")
    assert [text_of(part) for part in plugin.contribute()] == ["two"]
    entry = plugin.kernel.wait_for_log("several drafts have this label")
    assert (entry.level, entry.fields["section"]) == (5, "Twin")


def test_a_provider_that_would_end_the_process_ends_the_call(plugin: RunningPlugin) -> None:
    """What a library of the author's does where no answer is expected of it must not leave the host without one."""
    plugin.configure(mood="exit")
    assert refused(plugin.contribute) == (grpc.StatusCode.INTERNAL, "SystemExit: the author's library gives up")
    assert plugin.describe().name == "probe"


def test_a_provider_that_cannot_be_imported_is_not_taken_for_another_category(tmp_path: Path) -> None:
    """The call that came meanwhile is answered with the reason, or the process is gone by then."""
    code = "from context_common.plugin import serve; serve('support.nowhere:Provider')"
    with running([sys.executable, "-c", code], directory=tmp_path) as plugin:
        status, _ = refused(plugin.describe)
    assert status in {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE}


def test_a_foreign_describe_is_unimplemented_at_once() -> None:
    """A host probes a binary as model and tool before it asks for a context provider."""
    with bare() as (_, line), grpc.insecure_channel(target(line[3])) as channel:
        for category, service in (("model", "ModelService"), ("tool", "ToolService")):
            describe = channel.unary_unary(f"/pluggableharness.{category}.v1.{service}/Describe")
            with pytest.raises(grpc.RpcError) as failure:
                describe(b"", timeout=20)
            assert failure.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_health_is_told_for_the_plugin_and_for_nothing_else() -> None:
    with bare() as (_, line), grpc.insecure_channel(target(line[3])) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        assert check(b"\x0a\x06plugin", timeout=20) == b"\x08\x01"
        with pytest.raises(grpc.RpcError) as failure:
            check(b"\x0a\x05other", timeout=20)
    assert failure.value.code() is grpc.StatusCode.NOT_FOUND


def test_prints_never_reach_stdout_and_no_text_reaches_stderr_raw(tmp_path: Path) -> None:
    """A long line on stdout would block the plugin, and a JSON line with a number in it stops the host."""
    with probing(tmp_path) as plugin:
        plugin.configure(mood="print")
        plugin.contribute()
        plugin.contribute(session="again")
        plugin.kernel.wait_for_log("asked")
    assert not [entry for entry in plugin.stderr if "stdout" in entry.message]
    assert [entry for entry in plugin.stderr if entry.message == '{"@message": 1, "@level": 2}']


# The end


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_shutdown_closes_the_provider_and_leaves_nothing(tmp_path: Path) -> None:
    farewell = tmp_path / "farewell"
    config = Struct()
    config.update({"farewell": str(farewell)})
    with bare() as (process, line), grpc.insecure_channel(target(line[3])) as channel:
        client = ContextClient("probe", channel, start_seconds=20, call_seconds=20)
        client.configure(config)
        client.shut_down()
        assert process.wait(20) == 0
    assert farewell.read_text(encoding="utf-8") == "closed"
    assert not Path(line[3]).parent.exists()


def test_an_interrupt_of_the_process_group_is_the_hosts_business(plugin: RunningPlugin) -> None:
    os.kill(plugin.pid, signal.SIGINT)
    time.sleep(0.1)
    assert plugin.contribute()


def test_it_leaves_when_the_broker_stream_ends() -> None:
    with bare() as (process, line), grpc.insecure_channel(target(line[3])) as channel:
        stream = channel.stream_stream("/plugin.GRPCBroker/StartStream", ConnInfo.SerializeToString)
        call = stream(iter([ConnInfo(service_id=9, network="unix", address="/nowhere")]))
        assert process.wait(20) == 0
        call.cancel()


def test_it_leaves_when_its_parent_dies_before_any_call() -> None:
    """Nothing else tells a plugin that its host was killed before it opened the broker stream."""
    launcher = "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE); p.stdout.readline(); print(p.pid)"
    result = subprocess.run(
        [sys.executable, "-c", launcher, *COMMAND],
        env=environment(**COOKIE),
        stdout=subprocess.PIPE,
        check=True,
        timeout=20,
    )
    assert gone(int(result.stdout))


def test_a_new_configuration_ends_nothing_of_a_call_that_still_runs(tmp_path: Path) -> None:
    """The provider that was replaced is closed with the process, if anybody still uses it, and not before."""
    first, second = tmp_path / "first", tmp_path / "second"
    with probing(tmp_path) as plugin:
        plugin.configure(farewell=str(first))
        plugin.contribute()
        plugin.configure(farewell=str(second))
        assert not first.exists()
        plugin.client.shut_down()
        assert gone(plugin.pid)
    assert second.read_text(encoding="utf-8") == "closed"
