"""Drives ``go_host``: the real go-plugin as a process that takes JSON commands."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acceptance.worlds import eventually
from support.patience import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWER_SECONDS = 120.0
"""Longer than anything here takes: a plugin or host that hangs fails its test with a clear word."""


class FailureError(Exception):
    """A call that ended in a gRPC status (``code`` is its name) or in an error of the host (``"host"``)."""

    def __init__(self, failure: Mapping[str, Any]) -> None:
        super().__init__(f"{failure['code']}: {failure['message']}")
        self.code: str = failure["code"]
        self.message: str = failure["message"]
        self.details: list[dict[str, Any]] = failure["details"] or []


@dataclass(frozen=True)
class Program:
    """An executable under test and the name that its provider is published under."""

    name: str
    path: Path


@dataclass(frozen=True)
class Section:
    """A section of the chain, as the host read it."""

    provider: str
    label: str
    text: str
    tokens: int
    stability: str
    truncated: bool

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Section:
        text = "".join(block["text"]["text"] for block in wire["content"] if "text" in block)
        stability = wire["stability"].removeprefix("STABILITY_").lower()
        return cls(wire["provider"], wire["label"], text, int(wire["tokens"]), stability, wire["truncated"])


@dataclass(frozen=True)
class Contribution:
    """What came back from one firing; ``intact`` says that no foreign section changed in any field."""

    sections: list[Section]
    wire: list[dict[str, Any]]
    intact: bool


class Pending:
    """An answer that may still be on its way."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._box: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def put(self, reply: dict[str, Any] | None) -> None:
        self._box.put(reply)

    def result(self, seconds: float = ANSWER_SECONDS) -> Any:
        """The answer's value; raises ``FailureError`` when the call failed and ``TimeoutError`` when none came."""
        try:
            reply = self._box.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f"the host did not answer {self._what!r} within {seconds:g} s") from None
        if reply is None:
            raise ConnectionError(f"the host ended before it answered {self._what!r}")
        if "failure" in reply:
            raise FailureError(reply["failure"])
        return reply.get("value")


class GoHost:
    """One host process, in a process group of its own.

    Args:
        binary: the built ``go_host``.
        environment: the host's whole environment; what of it reaches a plugin is the host's business.
        directory: where it runs; plugins inherit it.
    """

    def __init__(self, binary: Path, environment: Mapping[str, str], directory: Path) -> None:
        self._ids = itertools.count(1)
        self._waiting: dict[int, Pending] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.process = subprocess.Popen(
            [binary],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=directory,
            start_new_session=True,
        )
        self.complaints = b""
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_answers, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def start(self, do: str, **fields: Any) -> Pending:
        """Send a command without waiting for its answer."""
        pending = Pending(f"{do} {fields.get('method', '')}".strip())
        number = next(self._ids)
        with self._lock:
            self._waiting[number] = pending
            if self._closed:
                pending.put(None)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"id": number, "do": do, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        return pending

    def ask(self, do: str, **fields: Any) -> Any:
        """Send a command and wait for its answer."""
        return self.start(do, **fields).result()

    def launch(self, program: Program, *, plugin: str = "", **order: Any) -> LaunchedPlugin:
        """Start ``program``; keywords are the fields of the host's ``order``. Its published name is the local one too."""
        order = {"path": str(program.path), "local_name": program.name, **order}
        value = self.ask("launch", plugin=plugin, order=order)
        return LaunchedPlugin(self, plugin, order["local_name"], value["pid"], value["handshake_ms"], value["version"])

    def logs(self, plugin: str = "") -> list[dict[str, Any]]:
        """What go-plugin logged since the last call: its own entries and those it read from the plugin."""
        entries: list[dict[str, Any]] = self.ask("logs", plugin=plugin)
        return entries or []

    def close(self) -> None:
        """End the host and its plugins."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        try:
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def _read_answers(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            reply = json.loads(line)
            with self._lock:
                pending = self._waiting.pop(reply["id"])
            pending.put(reply)
        with self._lock:
            self._closed = True
            for pending in self._waiting.values():
                pending.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.complaints = self.process.stderr.read()


@dataclass(frozen=True)
class LaunchedPlugin:
    """A plugin process that a `GoHost` started."""

    host: GoHost
    plugin: str
    local_name: str
    pid: int
    handshake_ms: float
    version: int

    def start(self, do: str, **fields: Any) -> Pending:
        return self.host.start(do, plugin=self.plugin, **fields)

    def ask(self, do: str, **fields: Any) -> Any:
        return self.start(do, **fields).result()

    def call(self, method: str, message: Mapping[str, Any] | None = None, **fields: Any) -> Any:
        """Call a method of ContextService; the answer as JSON."""
        return self.ask("call", method=method, message=message or {}, **fields)["answer"]

    def capabilities(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.call("GetCapabilities")["capabilities"]
        return answer

    def configure(self, block: Mapping[str, Any], omitted: str = "default") -> None:
        """Decode ``block`` against the plugin's schema as hosts do, and send it.

        Args:
            block: the attributes that the operator wrote.
            omitted: what the host puts for the others: ``"null"``, ``"zero"`` or ``"default"``.
        """
        config = dict(block)
        for attribute in self.capabilities()["config_schema"]["attributes"]:
            config.setdefault(attribute["name"], _omitted(attribute, omitted))
        self.call("Configure", {"config": config})

    def contribute(self, request: Mapping[str, Any], own: str = "", **fields: Any) -> Contribution:
        """One firing; ``own`` is the provider name of this plugin's sections where it is not the local name."""
        value = self.ask("call", method="Contribute", message=request, own=own or self.local_name, **fields)
        wire = value["answer"]["sections"]
        return Contribution([Section.of(section) for section in wire], wire, value["intact"])

    def render(self, event: Mapping[str, Any], version: str = "1") -> dict[str, Any]:
        """The tree for a stored firing."""
        payload = self.host.ask("encode", type="event.v1.ContextContributionEvent", message=event)
        answer: dict[str, Any] = self.call("Render", {"payload": payload, "schema_version": version})["tree"]["root"]
        return answer

    def kernel(self, **behaviour: Any) -> None:
        """Let the kernel behave otherwise from now on; no keyword means as it should."""
        self.ask("behave", behaviour=behaviour)

    def observed(self) -> dict[str, Any]:
        """The callbacks since the last call."""
        seen: dict[str, Any] = self.ask("observed")
        return {name: [] if value is None else value for name, value in seen.items()}

    def logs(self) -> list[dict[str, Any]]:
        return self.host.logs(self.plugin)

    def logs_with(self, words: str) -> list[dict[str, Any]]:
        """The entries with ``words`` in their message, once there are any; go-plugin reads stderr when it can."""
        found: list[dict[str, Any]] = []

        def arrived() -> bool:
            found.extend(entry for entry in self.logs() if words in entry["@message"])
            return bool(found)

        eventually(arrived)
        return found

    def resident_mib(self) -> float:
        return float(self.ask("memory")) / 1024

    def kill(self, limit_ms: int = 5000) -> dict[str, Any]:
        """End the plugin as the public host does: ``{"ms", "escalated", "exit_code"}``, with the milliseconds that count."""
        watch = Stopwatch()
        ending: dict[str, Any] = self.ask("kill", limit_ms=limit_ms)
        return {**ending, "ms": watch.counting(ending["ms"] / 1000) * 1000}

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended, reaped or not."""
        return state(self.pid) in {"", "Z", "X"}

    def descriptor(self, number: int) -> str:
        """What a file descriptor of the plugin refers to."""
        return str(Path(f"/proc/{self.pid}/fd/{number}").readlink())


def state(pid: int) -> str:
    """The state letter of a process, ``""`` when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _omitted(attribute: Mapping[str, Any], how: str) -> Any:
    if how == "null":
        return None
    if how == "default" and attribute.get("default_json"):
        return json.loads(attribute["default_json"])
    zeros = {"STRING": "", "NUMBER": 0, "BOOL": False, "LIST_STRING": [], "LIST_NUMBER": [], "MAP_STRING": {}}
    return zeros[attribute["type"].removeprefix("ATTR_TYPE_")]
