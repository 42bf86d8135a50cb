"""A plugin that does not start as it should gives one clear sentence and leaves nothing behind."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest
from support.kernel import FakeKernel, running
from support.patience import Stopwatch
from support.processes import left_of, short_temporary

from context_host.callbacks import Broker
from context_host.errors import PluginError
from context_host.handshake import HandshakeError, producer_stamp, read_handshake

ODD = str(Path(__file__).parents[1] / "support" / "odd_plugin.py")


def odd(mode):
    return [sys.executable, ODD, mode]


BAD_STARTS = {
    "exit": "exited with code 1 before its handshake; its last line on stderr: cannot find its own feet",
    "print": "printed 'Hello, world' on stdout where the handshake line belongs",
    "hang": "did not print its handshake line within 1 s",
    "silent-close": "closed its stdout before its handshake",
    "old-core": "speaks version '2' of go-plugin's core protocol; this host speaks 1",
    "old-app": "speaks version '6' of the plugin protocol; this host offers 1",
    "netrpc": "speaks 'netrpc'; this host speaks grpc",
    "tls": "answers with a TLS certificate although none was asked for",
    "killed": "was ended by SIGKILL before its handshake",
}


@pytest.mark.parametrize(("mode", "sentence"), BAD_STARTS.items(), ids=BAD_STARTS)
def test_bad_start_is_one_sentence(mode, sentence, tmp_path):
    """A plugin that does not shake hands is told by name in one sentence, and neither process nor directory is left."""
    with short_temporary() as temporary:
        with (
            pytest.raises(PluginError) as failure,
            running(odd(mode), directory=tmp_path, name="notes", start_seconds=1 if mode == "hang" else 60),
        ):
            pass
        assert str(failure.value) == f"notes: {sentence}"
        assert left_of(temporary) == []


@pytest.mark.parametrize("mode", ["plain", "stubborn", "grandchild"])
def test_nothing_is_left_behind(mode, tmp_path):
    """However a plugin takes its leave, no process of its group and no temporary directory stays."""
    with short_temporary() as temporary:
        with running(odd(mode), directory=tmp_path, name="notes") as plugin:
            assert plugin.describe().name == "odd"
        assert left_of(temporary) == []


def test_plugin_on_tcp_is_reached_past_any_proxy(tmp_path, monkeypatch):
    """It listens on this machine, where a proxy has no business."""
    for name in ("grpc_proxy", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running(odd("tcp"), directory=tmp_path) as plugin:
        assert plugin.describe().name == "odd"


def test_well_behaved_plugin_leaves_at_once(tmp_path):
    """Closing a plugin that answers Shutdown does not wait for any time limit."""
    with running(odd("plain"), directory=tmp_path) as plugin:
        watch = Stopwatch()
        plugin.connection.close()
        assert watch.seconds < 1
        assert plugin.connection.process.exit_code == 0


def test_signal_waits_until_the_first_call_on_a_channel_has_begun(tmp_path, monkeypatch):
    """grpc never lets go of a channel whose first call was broken off while it began."""
    begun = []

    class Interrupted(Broker):
        def __init__(self, *arguments):
            signal.raise_signal(signal.SIGINT)
            super().__init__(*arguments)
            begun.append(self)

    monkeypatch.setattr("context_host.connection.Broker", Interrupted)
    with short_temporary() as temporary:
        with pytest.raises(KeyboardInterrupt), running(odd("plain"), directory=tmp_path):
            pass
        assert left_of(temporary) == []
    assert begun


def test_missing_program_is_one_sentence(tmp_path):
    """A program that is not there is named."""
    with (
        pytest.raises(PluginError, match=r"^notes: cannot start /nowhere/plugin: No such file or directory$"),
        running(["/nowhere/plugin"], directory=tmp_path, name="notes"),
    ):
        pass


def test_environment_holds_what_the_contract_allows(tmp_path):
    """A plugin finds PATH, HOME, TMPDIR, the stamp, its own environment block and go-plugin's variables, and nothing else."""
    with running(odd("environment"), directory=tmp_path, name="notes", environment={"EXTRA": "1"}) as plugin:
        names = plugin.contribute()[0].content[0].text.text.split()
    allowed = {"PATH", "HOME", "TMPDIR", "OTEL_RESOURCE_ATTRIBUTES", "EXTRA", "PLUGGABLEHARNESS_AGENT_PLUGIN"}
    go_plugin = {"PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS"}
    assert set(names) - {"LC_CTYPE"} == allowed | go_plugin


def test_stderr_and_stray_stdout_become_entries(tmp_path):
    """What a plugin writes outside the protocol is kept as log entries with the level that go-plugin would give them."""
    with running(odd("chatty"), directory=tmp_path, name="notes") as plugin:
        deadline = time.monotonic() + 20
        while len(plugin.stderr) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
    seen = {(entry.level, entry.message, *entry.fields.items()) for entry in plugin.stderr}
    assert ("warn", "look here", ("n", "1")) in seen
    assert ("error", "plain words") in seen
    assert (
        "warn",
        "wrote on stdout, which carries the handshake line and nothing else",
        ("text", "hello from stdout"),
    ) in seen


def test_counter_is_the_kernels(tmp_path):
    """A plugin that asks for a count gets the kernel's own figure, asked for with the model of the firing."""
    kernel = FakeKernel()
    with running(odd("ask"), directory=tmp_path, kernel=kernel) as plugin:
        assert plugin.contribute(model="tiny")[0].content[0].text.text == "35 exact=True"
    assert kernel.counted == ["hello"]
    assert kernel.models == {("", "tiny")}


def test_log_entries_reach_the_kernel(tmp_path):
    """A log entry arrives with its fields; one without a message is refused."""
    kernel = FakeKernel()
    with running(odd("log"), directory=tmp_path, kernel=kernel) as plugin:
        assert plugin.contribute()[0].content[0].text.text == "an entry without message: INVALID_ARGUMENT"
    assert kernel.wait_for_log("looked around").fields["seen"] == "3"


HANDSHAKES = {
    "1|1|unix|/tmp/p/s|grpc|": "unix:/tmp/p/s",
    "1|1|unix|/tmp/a b%#?ü/s|grpc": "unix:/tmp/a%20b%25%23%3F%C3%BC/s",
    "1|1|tcp|127.0.0.1:4000|grpc||false": "127.0.0.1:4000",
}


@pytest.mark.parametrize(("line", "target"), HANDSHAKES.items())
def test_handshake_gives_a_target(line, target):
    """The address of the line becomes a grpc target, quoted where grpc would read it as a URI."""
    assert read_handshake(line).target == target


@pytest.mark.parametrize("line", ["", "1|1|unix", "x" * 5000, "1|1|pipe|/x|grpc", "1|1|unix||grpc", "a|b|c|d|e|f|g|h"])
def test_other_lines_are_no_handshake(line):
    """Anything else is refused with a short message."""
    with pytest.raises(HandshakeError) as refusal:
        read_handshake(line)
    assert len(str(refusal.value)) < 200


def test_stamp_is_query_escaped():
    """Commas, equals signs and spaces of a local name cannot break the stamp."""
    assert (
        producer_stamp("a b,c=d", "1")
        == "pluggableharness.producer.category=context,pluggableharness.producer.name=a+b%2Cc%3Dd,pluggableharness.producer.version=1"
    )
