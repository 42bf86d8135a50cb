"""An honest fake kernel: starts a plugin as its host would, serves the callback, and keeps what it was asked.

Its counter is odd on purpose, seven tokens a character, so that no local estimate can pass for the kernel's count::

    with running([script], directory=repository) as plugin:
        plugin.configure(path="CLAUDE.md")
        chain = plugin.contribute(budget=20_000, files=["src/auth/validator.py"])
        assert chain[0].tokens == 7 * len(text_of(chain[0]))
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.struct_pb2 import Struct

from context_common.wire import content_pb2, context_pb2, kernel_pb2, log_pb2
from context_host.callbacks import RefusedError
from context_host.connection import Connection, Start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from context_host.client import ContextClient
    from context_host.hclog import Entry

Section = content_pb2.ContextSection


def seven_a_character(text: str) -> int:
    """The odd counter."""
    return 7 * len(text)


def script(name: str) -> list[str]:
    """The command of an installed console script, found beside the running interpreter."""
    return [str(Path(sys.executable).parent / name)]


def text_of(section: Section) -> str:
    """All text of a section."""
    return "".join(block.text.text for block in section.content)


def section(
    provider: str, label: str, text: str, tokens: int = 0, *, stability: int = content_pb2.STABILITY_STATIC
) -> Section:
    """A section as another provider would have made it."""
    content = [content_pb2.ContentBlock(text=content_pb2.TextBlock(text=text))]
    return Section(provider=provider, label=label, content=content, tokens=tokens, stability=stability)


@dataclass
class FakeKernel:
    """The kernel's callback service; every question is kept, and its moods are attributes that may change at any time.

    Attributes:
        count: tokens of a text.
        refusal: answer CountTokens with this status instead.
        refuse_model_ref: answer it with INVALID_ARGUMENT where the request names a model.
        only_legacy_logs: be an older host, which takes one entry a call and refuses the newer form.
        requests: every CountTokens request.
        logged: every accepted entry with its session id.
        log_calls: how many Log calls came, refused ones included.
    """

    count: Callable[[str], int] = seven_a_character
    exact: bool = True
    refusal: grpc.StatusCode | None = None
    refuse_model_ref: bool = False
    only_legacy_logs: bool = False
    requests: list[kernel_pb2.CountTokensRequest] = field(default_factory=list)
    logged: list[tuple[str, log_pb2.LogEntry]] = field(default_factory=list)
    log_calls: int = 0
    _news: threading.Condition = field(default_factory=threading.Condition)

    def count_tokens(self, request: kernel_pb2.CountTokensRequest, /) -> kernel_pb2.CountTokensResult:
        with self._news:
            self.requests.append(request)
        if self.refusal:
            raise RefusedError(self.refusal, "this kernel does not count")
        if self.refuse_model_ref and request.HasField("model_ref"):
            raise RefusedError(grpc.StatusCode.INVALID_ARGUMENT, "no tokenizer for this model")
        total = sum(self.count(block.text.text) for block in request.content)
        return kernel_pb2.CountTokensResult(count=total, exact=self.exact)

    def log(self, request: kernel_pb2.LogRequest, /) -> kernel_pb2.LogResult:
        entries = list(request.entries)
        with self._news:
            self.log_calls += 1
        if self.only_legacy_logs:
            legacy = kernel_pb2.LegacyLogRequest.FromString(request.SerializeToString())
            entries = [legacy.entry] if legacy.HasField("entry") else []
        if not entries or not all(entry.level and entry.message and entry.HasField("time") for entry in entries):
            raise RefusedError(grpc.StatusCode.INVALID_ARGUMENT, "an entry needs level, message and time")
        with self._news:
            self.logged += [(request.session_id, entry) for entry in entries]
            self._news.notify_all()
        return kernel_pb2.LogResult()

    @property
    def counted(self) -> list[str]:
        """Every text that a plugin asked to have counted."""
        return ["".join(block.text.text for block in request.content) for request in self.requests]

    @property
    def models(self) -> set[tuple[str, str]]:
        """The (provider, id) of every model reference that came."""
        return {
            (request.model_ref.provider, request.model_ref.id)
            for request in self.requests
            if request.HasField("model_ref")
        }

    def wait_for_log(self, words: str, seconds: float = 20.0) -> log_pb2.LogEntry:
        """The first entry whose message contains ``words``; an AssertionError when none comes in time."""

        def found() -> log_pb2.LogEntry | None:
            return next((entry for _, entry in self.logged if words in entry.message), None)

        with self._news:
            entry = self._news.wait_for(found, seconds)
        assert entry is not None, (
            f"no log entry with {words!r}; there are {[entry.message for _, entry in self.logged]}"
        )
        return entry


@dataclass(frozen=True)
class BareStart(Start):
    """A start without the producer stamp: only ``PATH``, ``HOME``, ``TMPDIR`` and go-plugin's variables."""

    def environment(self, temporary: Path) -> dict[str, str]:
        environment = super().environment(temporary)
        if "OTEL_RESOURCE_ATTRIBUTES" not in self.declared:
            del environment["OTEL_RESOURCE_ATTRIBUTES"]
        return environment


@dataclass
class RunningPlugin:
    """A plugin under test; the five RPCs with what a test rarely cares about filled in."""

    connection: Connection
    kernel: FakeKernel
    directory: Path
    stderr: list[Entry]

    @property
    def client(self) -> ContextClient:
        return self.connection.client

    @property
    def pid(self) -> int:
        return self.connection.process.pid

    def describe(self) -> Any:
        return self.client.describe().producer

    def capabilities(self) -> context_pb2.ContextCapabilities:
        return self.client.get_capabilities()

    def configure(self, **values: Any) -> None:
        config = Struct()
        config.update(values)
        self.client.configure(config)

    def contribute(
        self,
        *,
        budget: int = 100_000,
        files: Sequence[str] = (),
        prior: Sequence[Section] = (),
        session: str = "sess_01",
        turn: str = "turn_01",
        model: str = "model-under-test",
        window: int = 200_000,
        ceiling: int = 176_000,
        directory: Path | str | None = None,
        **fields: Any,
    ) -> list[Section]:
        """The chain that the plugin answers with."""
        request = context_pb2.ContextRequest(
            session_id=session,
            turn_id=turn,
            token_budget=budget,
            files_touched=files,
            prior_sections=prior,
            working_directory=str(directory or self.directory),
            **fields,
        )
        request.model_target.id = model
        request.model_target.context_window = window
        request.model_target.effective_ceiling = ceiling
        response = self.client.contribute(request)
        assert not response.rewritten_history
        return list(response.sections)

    def render(self, payload: bytes, schema_version: str) -> Any:
        return self.client.render(context_pb2.RenderRequest(payload=payload, schema_version=schema_version)).tree


@contextlib.contextmanager
def running(
    command: Sequence[str],
    *,
    directory: Path,
    kernel: FakeKernel | None = None,
    name: str = "",
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
    start_seconds: float = 30.0,
    call_seconds: float = 30.0,
) -> Iterator[RunningPlugin]:
    """A plugin started in ``directory`` with only ``PATH``, ``HOME``, ``TMPDIR`` and go-plugin's variables.

    Args:
        command: the program, as `script` gives it.
        kernel: whom it calls back; a fresh `FakeKernel` by default.
        name: the operator's local name; given, the producer stamp is set as well.
        environment: the entries of the block's ``environment {}``.
        home: its ``HOME``; the directory itself by default, so that no file of the user takes part.
    """
    kernel = kernel or FakeKernel()
    stderr: list[Entry] = []
    inherited = {"PATH": os.environ["PATH"], "HOME": str(home or directory)}
    kind = Start if name else BareStart
    start = kind(
        name or "plugin", list(command), directory, dict(environment or {}), inherited, start_seconds, call_seconds
    )
    with Connection.open(start, kernel, stderr.append) as connection:
        yield RunningPlugin(connection, kernel, directory, stderr)
