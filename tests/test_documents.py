"""What the documents say is what the code does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import hcl2
import pytest

from context_common.config import attributes
from context_host.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
PROVIDERS = {
    "claude_md": "context_claude_md.provider:ClaudeMdProvider",
    "agents_md": "context_agents_md.provider:AgentsMdProvider",
    "git_status": "context_git_status.provider:GitStatusProvider",
}
TRACKED = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout.split(
    "\0"
)[:-1]


def provider_class(folder: str) -> Any:
    module, _, name = PROVIDERS[folder].partition(":")
    return getattr(import_module(module), name)


def readme_of_all() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def table_rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.strip().splitlines()]


def context_host(directory: Path, *arguments: str) -> str:
    """What the program prints on a terminal of 80 columns."""
    command = [str(Path(sys.executable).parent / "context-host"), *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "80"}
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("folder", PROVIDERS)
def test_the_configuration_table_is_the_schema(folder: str) -> None:
    """Every attribute stands in the provider's README with type, default and meaning, in the schema's order."""
    readme = (ROOT / "providers" / folder / "README.md").read_text(encoding="utf-8")
    table = readme.split("<!-- config:begin -->")[1].split("<!-- config:end -->")[0]
    rows = table_rows(table)
    assert rows[0] == ["attribute", "type", "default", "meaning"]
    told = [(row[0].strip("`"), row[1].strip("`"), json.loads(row[2].strip("`")), row[3]) for row in rows[2:]]
    assert told == [
        (attribute.name, attribute.type, json.loads(attribute.default_json), attribute.description)
        for attribute in attributes(provider_class(folder).config_type)
    ]


@pytest.mark.parametrize("folder", PROVIDERS)
def test_every_choice_of_an_attribute_is_named_where_it_is_described(folder: str) -> None:
    for attribute in attributes(provider_class(folder).config_type):
        assert [choice for choice in attribute.choices if f"`{choice}`" not in attribute.description] == []


@pytest.mark.parametrize("folder", PROVIDERS)
def test_a_provider_says_the_same_in_readme_sample_and_code(folder: str) -> None:
    provider = provider_class(folder)
    (row,) = re.findall(rf"^\| \[`context-{provider.name}`\].*$", readme_of_all(), re.MULTILINE)
    assert row.endswith(f"| {provider.default_token_budget:,} tokens, {provider.stability} |")
    readme = (ROOT / "providers" / folder / "README.md").read_text(encoding="utf-8")
    assert f"context-{provider.name}" in readme
    assert str(provider.default_token_budget) in readme.replace(",", "")
    sample = (ROOT / "providers" / folder / "agent.hcl").read_text(encoding="utf-8")
    assert f'provider "{provider.name}"' in sample


def _hcl_samples() -> list[Any]:
    samples = [
        pytest.param((ROOT / name).read_text(encoding="utf-8"), id=name) for name in TRACKED if name.endswith(".hcl")
    ]
    for name in TRACKED:
        if name.endswith(".md"):
            blocks = re.findall(r"```hcl\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
            samples += [pytest.param(block, id=f"{name}#{number}") for number, block in enumerate(blocks, 1)]
    return samples


@pytest.mark.parametrize("text", _hcl_samples())
def test_every_hcl_sample_parses(text: str) -> None:
    hcl2.loads(text)


@pytest.mark.parametrize("name", [name for name in TRACKED if name.endswith(".md")])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (ROOT / name).parent.joinpath(target).exists(), f"{name} links to {target}"


def test_the_readme_shows_what_the_demo_prints() -> None:
    """Every turn in the README stands in the output of ``context-host demo`` as it is."""
    shown = readme_of_all().split("<!-- demo:begin -->")[1].split("<!-- demo:end -->")[0]
    printed = "\n".join(line.rstrip() for line in context_host(ROOT, "demo").splitlines())
    turns = shown.strip().removeprefix("```text\n").removesuffix("\n```").split("\n\n")
    assert len(turns) == 3
    for turn in turns:
        assert turn in printed


def test_the_hosts_readme_shows_what_show_prints() -> None:
    readme = (ROOT / "host" / "README.md").read_text(encoding="utf-8")
    _, command, printed = re.split(r"```console\n\$ context-host (.*)\n", readme, maxsplit=1)
    with Workspace(os.environ["PATH"]) as workspace:
        shown = context_host(workspace.add(ROOT / "examples" / "tally"), *command.split())
    assert printed.startswith(f"{shown}```")


def test_the_documents_show_what_the_prefix_benchmark_prints() -> None:
    """Its figures are exact: the table beside it is what it prints, and the README's has the same shares and sizes."""
    command = [sys.executable, str(ROOT / "benchmarks" / "bench_prefix.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed in (ROOT / "benchmarks" / "prefix.md").read_text(encoding="utf-8")
    measured = {(row[1], f"{int(row[4]):,} kB") for row in table_rows(printed)[2:]}
    told = readme_of_all().split("| what changes stands |")[1].split("\n\n")[0]
    assert {tuple(cell.strip("*") for cell in row[1:3]) for row in table_rows(told)[2:]} == measured


def test_the_changelog_has_an_unreleased_part_and_known_headings() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text
    headings = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_no_lock_file_names_an_index() -> None:
    for name in TRACKED:
        if name.startswith("requirements/"):
            text = (ROOT / name).read_text(encoding="utf-8")
            assert not re.search(r"://|--index|--extra-index|--find-links|--trusted-host", text), name
            pins = re.findall(r"^\S+==\S+", text, re.MULTILINE)
            assert len(pins) <= text.count("--hash=sha256:")


@pytest.mark.parametrize("folder", PROVIDERS)
def test_only_git_status_starts_a_program(folder: str) -> None:
    """No other provider, and nothing in the shared package, imports a module that could."""
    starters = re.compile(
        r"^\s*(?:from|import) (?:subprocess|multiprocessing|pty)\b|os\.(?:system|popen|exec|spawn|fork)", re.MULTILINE
    )
    package = ROOT / "providers" / folder / f"context_{folder}"
    found = [
        path.name
        for path in [*package.rglob("*.py"), *(ROOT / "common").rglob("*.py")]
        if starters.search(path.read_text(encoding="utf-8"))
    ]
    assert bool(found) == (folder == "git_status"), found


def test_only_scopes_opens_files_of_a_repository() -> None:
    opening = re.compile(
        r"\.read_(?:text|bytes)\(|(?<![\w.])open\(|os\.open\(|os\.scandir\(|\.iterdir\(|\.glob\(|\.rglob\(|os\.walk\(|os\.listdir\("
    )
    sources = [*(ROOT / "common").rglob("*.py"), *(ROOT / "providers").rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in sources if opening.search(path.read_text(encoding="utf-8"))}
    # These open the null device.
    elsewhere = {f"common/context_common/plugin/{name}.py" for name in ("byhand", "launch")}
    assert {name for name in found if "/scopes/" not in name} <= elsewhere
