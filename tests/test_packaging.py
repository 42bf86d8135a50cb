"""The one distribution holds all that its four programs need."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from context_common import __version__

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    directory = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)], cwd=ROOT, check=True
    )
    (path,) = directory.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_package_and_the_sample_repository(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    for package in ("context_common", "context_claude_md", "context_agents_md", "context_git_status", "context_host"):
        assert f"{package}/__init__.py" in names
        assert f"{package}/py.typed" in names
    assert {name.split("/")[0] for name in names} <= {
        "context_common",
        "context_claude_md",
        "context_agents_md",
        "context_git_status",
        "context_host",
        f"context_providers-{__version__}.dist-info",
    }
    assert "context_common/wire/context.proto" in names
    assert any(name.startswith("context_host/examples/") for name in names)


def test_the_wheel_brings_four_console_scripts(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    scripts = [line.split(" = ")[0] for line in wheel.read(entry_points).decode().splitlines() if " = " in line]
    assert sorted(scripts) == ["context-agents-md", "context-claude-md", "context-git-status", "context-host"]


def test_the_wheel_unpacked_alone_can_be_imported(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Nothing that the programs import lies only in the checkout."""
    wheel.extractall(tmp_path)
    code = "import context_common.service, context_claude_md.provider, context_agents_md.provider, context_git_status.provider, context_host.__main__; print(context_common.service.__file__)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(tmp_path))
