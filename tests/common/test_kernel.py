"""Counting and logging over a real socket, with kernels of every mood."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import grpc
import pytest
from support.kernel import FakeKernel
from support.patience import Stopwatch

from context_common.kernel import TEXT_LIMIT, UNCOUNTABLE, Kernel, fallback_count
from context_common.plugin.broker import Broker
from context_common.provider import Level
from context_common.wire.goplugin_pb2 import ConnInfo
from context_host.callbacks import CallbackServer, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fake() -> FakeKernel:
    return FakeKernel()


@pytest.fixture
def kernel(fake: FakeKernel, tmp_path: Path) -> Iterator[Kernel]:
    with served(fake, tmp_path) as client:
        yield client


@contextlib.contextmanager
def served(fake: FakeKernel, directory: Path) -> Iterator[Kernel]:
    server = CallbackServer(fake, directory)
    broker = Broker()
    broker.add(ConnInfo(service_id=1, network="unix", address=server.address))
    client = Kernel(broker.channel)
    try:
        yield client
    finally:
        client.close()
        server.close()


def test_counts_are_the_kernels(kernel: Kernel, fake: FakeKernel) -> None:
    assert kernel.counter("m")("abc") == 21
    assert fake.models == {("", "m")}


def test_a_text_is_counted_once_per_model_and_process(kernel: Kernel, fake: FakeKernel) -> None:
    for _ in range(3):
        for model in ("m", "n"):
            kernel.counter(model)("abc")
    assert fake.counted == ["abc", "abc"]


def test_without_a_model_no_reference_is_sent(kernel: Kernel, fake: FakeKernel) -> None:
    assert kernel.counter("")("abc") == 21
    assert fake.models == set()


def test_a_refused_model_is_asked_for_again_without(kernel: Kernel, fake: FakeKernel) -> None:
    fake.refuse_model_ref = True
    assert kernel.counter("m")("abc") == 21
    assert len(fake.requests) == 2


@pytest.mark.parametrize(
    "status", [grpc.StatusCode.INTERNAL, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNAVAILABLE]
)
def test_a_kernel_that_refuses_is_replaced_by_the_fallback_formula(
    kernel: Kernel, fake: FakeKernel, status: grpc.StatusCode, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.refusal = status
    assert kernel.counter("m")("äbcde") == 2
    assert "does not count tokens" in capfd.readouterr().err


def test_the_fallback_is_said_once_and_a_kernel_that_recovers_is_believed_again(
    kernel: Kernel, fake: FakeKernel, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.refusal = grpc.StatusCode.INTERNAL
    count = kernel.counter("m")
    assert [count("abcd"), count("efgh")] == [1, 1]
    assert kernel.counter("m")("ijkl") == 1
    fake.refusal = None
    assert kernel.counter("m")("abcd") == 28
    assert capfd.readouterr().err.count("does not count tokens") == 1


def test_a_count_tells_whether_any_was_not_the_kernels(kernel: Kernel, fake: FakeKernel) -> None:
    """What was counted before stays the kernel's, however long it fails."""
    count = kernel.counter("m")
    count("abcd")
    fake.refusal = grpc.StatusCode.INTERNAL
    count("abcd")
    assert not count.fell_back
    count("efgh")
    assert count.fell_back
    assert not kernel.counter("m").fell_back


def test_a_text_is_counted_as_the_chain_carries_it(kernel: Kernel, fake: FakeKernel) -> None:
    assert kernel.counter("m")("caf\udce9") == 28
    assert fake.counted == ["caf?"]


def test_a_kernel_that_hangs_costs_a_firing_one_time_limit(kernel: Kernel, fake: FakeKernel) -> None:
    """Ten texts against a kernel that never answers take the one limit of two seconds, not twenty."""
    answer = threading.Event()
    fake.count = lambda _text: int(answer.wait(20))
    start, watch = time.monotonic(), Stopwatch()
    count = kernel.counter("m")
    assert [count(f"text {number}") for number in range(10)] == [2] * 10
    assert time.monotonic() - start > 1.9
    assert watch.seconds < 6
    answer.set()


def test_a_nearer_deadline_shortens_the_wait(kernel: Kernel, fake: FakeKernel) -> None:
    answer = threading.Event()
    fake.count = lambda _text: int(answer.wait(20))
    watch = Stopwatch()
    assert kernel.counter("m", lambda: 0.2)("abcd") == 1
    assert watch.seconds < 1
    answer.set()


def test_a_kernel_whose_own_timer_ends_the_call_is_not_asked_twice(kernel: Kernel, fake: FakeKernel) -> None:
    """A server that sees the deadline first ends the call as CANCELLED; that is no refusal of the model."""

    def give_up(_text: str) -> int:
        time.sleep(0.97)
        raise RefusedError(grpc.StatusCode.CANCELLED, "context canceled")

    fake.count = give_up
    assert kernel.counter("m", lambda: 2.0)("abcd") == 1
    assert len(fake.requests) == 1


def test_a_host_without_a_broker_is_no_reason_to_fail(capfd: pytest.CaptureFixture[str]) -> None:
    count = Kernel(Broker().channel).counter("m", lambda: 0.1)
    assert count("abcd") == 1
    assert "opened no callback service" in capfd.readouterr().err


def test_a_negative_count_is_not_believed(kernel: Kernel, fake: FakeKernel) -> None:
    fake.count = lambda _text: -5
    assert kernel.counter("m")("abcd") == 1


def test_a_text_that_the_host_could_not_receive_is_never_sent(kernel: Kernel, fake: FakeKernel) -> None:
    count = kernel.counter("m")
    assert count("x" * (TEXT_LIMIT + 1)) == UNCOUNTABLE > 2**63 - 1
    assert fake.requests == []
    assert count("x" * TEXT_LIMIT) == 7 * TEXT_LIMIT


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ää", 1), ("äää", 2), ("文", 1)]
)
def test_the_fallback_is_a_quarter_of_the_bytes_rounded_up(text: str, tokens: int) -> None:
    assert fallback_count(text) == tokens


def test_a_connection_info_that_comes_late_is_waited_for_and_kept(fake: FakeKernel, tmp_path: Path) -> None:
    """The host serves the broker only once it has dispensed the client, which may be after the first call."""
    server = CallbackServer(fake, tmp_path)
    broker = Broker()
    info = ConnInfo(service_id=1, network="unix", address=server.address)
    timer = threading.Timer(0.3, broker.add, [info])
    timer.start()
    assert Kernel(broker.channel).counter("m")("abc") == 21
    assert broker.channel(0) is broker.channel(0)
    server.close()


def test_entries_reach_the_host_with_session_level_and_fields(kernel: Kernel, fake: FakeKernel) -> None:
    kernel.name_logger("rules")
    kernel.log(Level.WARN, "left out", {"path": "caf\udce9"}, "sess_7")
    entry = fake.wait_for_log("left out")
    assert (entry.level, entry.logger, dict(entry.fields)) == (Level.WARN, "rules", {"path": "caf\\udce9"})
    assert abs(entry.time.ToSeconds() - time.time()) < 10
    assert [session for session, _ in fake.logged] == ["sess_7"]


def test_an_entry_of_any_length_reaches_the_host(kernel: Kernel, fake: FakeKernel) -> None:
    """A host takes no message of more than 4 MiB, so that one long text would cost the whole batch."""
    kernel.log(Level.WARN, "long", {"path": "x" * 5_000_000}, "s")
    entry = fake.wait_for_log("long")
    assert len(entry.fields["path"]) == 4_001


def test_an_older_host_gets_the_older_form(kernel: Kernel, fake: FakeKernel) -> None:
    """It refuses the newer form once; from then on entries go one a call."""
    fake.only_legacy_logs = True
    for number in range(3):
        kernel.log(Level.INFO, f"entry {number}", {}, "s")
        fake.wait_for_log(f"entry {number}")
    assert [entry.message for _, entry in fake.logged] == ["entry 0", "entry 1", "entry 2"]
    assert fake.log_calls == 4


def test_entries_that_the_host_does_not_take_go_to_standard_error(
    fake: FakeKernel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(fake, tmp_path) as kernel:
        pass
    kernel.log(Level.INFO, "still told", {"why": "no kernel"}, "s")
    kernel.close()
    deadline = time.monotonic() + 20
    err = ""
    while "still told" not in err and time.monotonic() < deadline:
        err += capfd.readouterr().err
        time.sleep(0.05)
    assert '"why": "no kernel"' in err


def test_logging_never_waits_for_a_host_that_does_not_read(capfd: pytest.CaptureFixture[str]) -> None:
    """Ten thousand entries to a kernel that is not there are queued at once, the oldest given up."""
    goes_on = threading.Event()
    kernel = Kernel(lambda _seconds: goes_on.wait(30) and None)
    watch = Stopwatch()
    for number in range(10_000):
        kernel.log(Level.INFO, f"entry {number}", {}, "s")
    assert watch.seconds < 1
    goes_on.set()
    kernel._pump.drain(20)
    err = capfd.readouterr().err
    assert "log entries were dropped: the host reads them too slowly" in err
    assert "entry 9999" in err
