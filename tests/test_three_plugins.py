"""The three console scripts as processes, with only what a host gives them and a kernel whose counter is odd."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from support.kernel import RunningPlugin, running, script, section, text_of

from context_host.client import CallError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAMS = ("context-claude-md", "context-agents-md", "context-git-status")
ROOT_TEXT = (
    "# Rules\n\nUse tabs.\n\n"
    + "\n\n".join(f"Rule {number} stands here for the budget." for number in range(30))
    + "\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "src" / "auth").mkdir(parents=True)
    (root / "docs").mkdir()
    files = {
        "CLAUDE.md": "---\nowner: me\n---\n<!-- for people -->\nRead @docs/style.md but not `@docs/secret.md`.\n\n"
        + ROOT_TEXT,
        "docs/style.md": "Short sentences.\n",
        "docs/secret.md": "never shown\n",
        "AGENTS.md": ROOT_TEXT,
        "src/auth/AGENTS.md": "Never log a token.\n",
        "src/auth/validator.py": "x = 1\n",
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    (root / "src" / "auth" / "validator.py").write_text("x = 2\n", encoding="utf-8")
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True)


def started(name: str, directory: Path) -> Any:
    """``name`` in ``directory``, which lies below the home directory as a project does."""
    return running(script(name), directory=directory, home=directory.parent)


@pytest.fixture(params=PROGRAMS)
def plugin(request: pytest.FixtureRequest, repository: Path) -> Iterator[RunningPlugin]:
    with started(request.param, repository) as one:
        yield one


def own(chain: list[Any], plugin: RunningPlugin) -> list[Any]:
    return [one for one in chain if one.provider == plugin.describe().name]


def test_every_count_is_the_kernels(plugin: RunningPlugin) -> None:
    """Seven tokens a character: no local estimate comes near."""
    chain = plugin.contribute(files=["src/auth/validator.py"])
    assert chain
    assert all(one.tokens == 7 * len(text_of(one)) for one in chain)
    assert {text_of(one) for one in chain} <= set(plugin.kernel.counted)
    assert plugin.kernel.models == {("", "model-under-test")}


def test_the_sum_stays_within_every_budget_and_more_budget_never_shows_less(plugin: RunningPlugin) -> None:
    whole = sum(one.tokens for one in plugin.contribute(files=["src/auth/validator.py"], session="whole"))
    before = 0
    for step in range(9):
        budget = whole * step // 8
        chain = plugin.contribute(files=["src/auth/validator.py"], budget=budget, session=f"budget-{step}")
        total = sum(one.tokens for one in chain)
        assert before <= total <= budget
        assert all(one.truncated for one in chain) or step == 8 or total < whole
        before = total
    assert before == whole


def test_foreign_sections_come_back_untouched_and_ours_follow(plugin: RunningPlugin) -> None:
    prior = [section("first", "A", "theirs", 3), section("second", "B", "", 0, stability=2)]
    chain = plugin.contribute(prior=prior)
    assert chain[:2] == prior
    assert len(chain) > 2
    assert {one.provider for one in chain[2:]} == {plugin.describe().name}


def test_a_section_of_an_earlier_turn_is_found_again(plugin: RunningPlugin) -> None:
    """The protocol's example carries a provider's own sections of an earlier turn in prior_sections."""
    first = plugin.contribute(prior=[section("other", "A", "theirs")])
    assert plugin.contribute(prior=first, turn="turn_02") == first


def test_unchanged_firings_are_byte_identical_and_count_nothing(plugin: RunningPlugin) -> None:
    first = plugin.contribute()
    counted = len(plugin.kernel.requests)
    assert all(plugin.contribute(turn=f"turn_{number}") == first for number in range(3))
    assert len(plugin.kernel.requests) == counted


def test_a_kernel_that_refuses_to_count_does_not_fail_the_turn(plugin: RunningPlugin) -> None:
    plugin.kernel.refusal = grpc.StatusCode.UNIMPLEMENTED
    chain = plugin.contribute()
    assert chain
    assert all(one.tokens == -(-len(text_of(one).encode()) // 4) for one in chain)
    deadline = time.monotonic() + 20
    while not (told := [entry for entry in plugin.stderr if "does not count tokens" in entry.message]):
        assert time.monotonic() < deadline, "nothing on standard error says so"
        time.sleep(0.01)
    assert len(told) == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_capabilities_read_no_source(tmp_path: Path, name: str) -> None:
    """In an empty directory and in one that cannot be read they are what they are anywhere."""
    told = []
    for number, mode in enumerate((0o700, 0o000)):
        directory = tmp_path / str(number)
        directory.mkdir()
        with started(name, directory) as plugin:
            directory.chmod(mode)
            told.append(plugin.capabilities())
            directory.chmod(0o700)
    assert told[0] == told[1]
    assert told[0].default_token_budget > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_directory_without_anything_gives_no_section_and_no_error(tmp_path: Path, name: str) -> None:
    with started(name, tmp_path) as plugin:
        plugin.configure()
        assert plugin.contribute(files=["a.py"]) == []


DECLARED = {
    "context-claude-md": ("path", "CLAUDE.md"),
    "context-agents-md": ("glob", "**/AGENTS.md"),
    "context-git-status": ("repository", "nowhere"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_declared_source_that_is_not_there_fails_configure(tmp_path: Path, name: str) -> None:
    attribute, value = DECLARED[name]
    project = tmp_path / "project"
    project.mkdir()
    with started(name, project) as plugin:
        with pytest.raises(CallError) as failure:
            plugin.configure(**{attribute: value})
        assert failure.value.code is grpc.StatusCode.UNAVAILABLE
        assert failure.value.category == "source_unavailable"
        assert attribute in failure.value.message
        assert value in failure.value.message
        with pytest.raises(CallError) as failure:
            plugin.configure(nonsense=True)
        assert failure.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_claude_md_shows_the_file_and_its_imports(repository: Path) -> None:
    with started("context-claude-md", repository) as plugin:
        (one,) = plugin.contribute()
    text = text_of(one)
    assert one.label == "Project conventions (CLAUDE.md)"
    assert "Read @docs/style.md but not `@docs/secret.md`." in text
    assert "Short sentences." in text
    assert not any(word in text for word in ("owner", "for people", "never shown"))


def test_agents_md_joins_a_touched_directory_and_keeps_what_was_sent(repository: Path) -> None:
    with started("context-agents-md", repository) as plugin:
        first = plugin.contribute()
        later = plugin.contribute(files=["src/auth/validator.py"], prior=first)
    assert [one.label for one in first] == ["AGENTS.md (root)"]
    assert later[:1] == first
    assert [one.label for one in later[1:]] == ["AGENTS.md (src/auth)"]
    assert "Never log a token." in text_of(later[1])


def test_git_status_tells_branch_change_and_commit(repository: Path) -> None:
    with started("context-git-status", repository) as plugin:
        (one,) = plugin.contribute()
    assert (one.label, one.stability) == ("Git status", 2)
    assert all(word in text_of(one) for word in ("main", "src/auth/validator.py", "Begin"))
