"""Start-up of each plugin, exec to handshake line, beside a Python that only imports what gRPC needs; and its memory.

Limits: 1.25 times the import alone, 45 MB resident after a firing. CONTEXT_PROGRAMS names a directory with other
programs than this environment's console scripts, such as ``build/release/bin``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from context_common.wire import context_pb2, kernel_pb2, model_pb2
from context_host.connection import Connection, Start
from context_host.counting import fallback

ROUNDS = 25
RATIO_LIMIT = 1.25
MEMORY_LIMIT_MB = 45
NAMES = ("claude-md", "agents-md", "git-status")
PROGRAMS = Path(os.environ.get("CONTEXT_PROGRAMS") or sysconfig.get_path("scripts"))
IMPORTS = (sys.executable, "-c", "import grpc; from google.protobuf import descriptor_pb2")
COOKIE = {"PLUGGABLEHARNESS_AGENT_PLUGIN": "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"}


class QuarterKernel:
    """Counts with the protocol's fallback and takes every log entry."""

    def count_tokens(self, request: kernel_pb2.CountTokensRequest, /) -> kernel_pb2.CountTokensResult:
        return kernel_pb2.CountTokensResult(count=fallback("".join(block.text.text for block in request.content)))

    def log(self, _request: kernel_pb2.LogRequest, /) -> kernel_pb2.LogResult:
        return kernel_pb2.LogResult()


def environment(home: Path) -> dict[str, str]:
    """What the public host passes on, and go-plugin's cookie."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), **COOKIE}


def until_handshake(name: str, home: Path) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [PROGRAMS / f"context-{name}"], env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        spent = time.perf_counter() - began
        process.terminate()
    assert line.startswith(b"1|1|unix|"), line
    return spent


def imports_alone(home: Path) -> float:
    began = time.perf_counter()
    subprocess.run(IMPORTS, env=environment(home), check=True)
    return time.perf_counter() - began


def resident_mb(name: str, repository: Path) -> float:
    """Resident memory after a firing that had files to read, in MB of a million bytes."""
    start = Start(name, [str(PROGRAMS / f"context-{name}")], repository, {}, os.environ)
    request = context_pb2.ContextRequest(
        session_id="one",
        token_budget=2000,
        working_directory=str(repository),
        model_target=model_pb2.ModelTarget(id="any", context_window=200_000),
    )
    with Connection.open(start, QuarterKernel(), lambda _entry: None) as connection:
        assert connection.client.contribute(request).sections
        status = Path(f"/proc/{connection.process.pid}/status").read_text()
        (kib,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(kib) * 1024 / 1e6


def make_repository(root: Path) -> Path:
    """Conventions with everything in them that makes a provider load its libraries."""
    root.mkdir()
    text = "---\ntitle: All\n---\n# All\n\n<!-- note -->\n\n@more.md\n\n" + "A sentence. " * 400 + "\n\n- one\n- two\n"
    for name in ("CLAUDE.md", "AGENTS.md", "more.md"):
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        times: dict[str, list[float]] = {name: [] for name in ("imports alone", *NAMES)}
        for _ in range(ROUNDS):
            times["imports alone"].append(imports_alone(home))
            for name in NAMES:
                times[name].append(until_handshake(name, home))
        medians = {name: statistics.median(values) for name, values in times.items()}
        repository = make_repository(home / "repo")
        print(f"{'':<14}{'median ms':>10}{'ratio':>8}{'RSS MB':>8}   ({ROUNDS} rounds, in turn)")
        print(f"{'imports alone':<14}{medians['imports alone'] * 1000:>10.1f}{1:>8.2f}")
        within = True
        for name in NAMES:
            ratio, memory = medians[name] / medians["imports alone"], resident_mb(name, repository)
            print(f"{name:<14}{medians[name] * 1000:>10.1f}{ratio:>8.2f}{memory:>8.1f}")
            within = within and ratio <= RATIO_LIMIT and memory <= MEMORY_LIMIT_MB
    print(f"limits: ratio {RATIO_LIMIT}, {MEMORY_LIMIT_MB} MB: {'kept' if within else 'EXCEEDED'}")
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
