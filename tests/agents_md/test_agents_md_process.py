"""Many sessions, many callers and odd requests, through the real process."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from support.agents_session import repository, write
from support.kernel import running, script, section, text_of

from context_host.client import CallError

PACKAGES = [f"p{number}" for number in range(8)]


@pytest.fixture
def root(tmp_path):
    files = {f"{name}/AGENTS.md": f"Rules of {name}.\n" for name in PACKAGES}
    return repository(tmp_path / "r", {"AGENTS.md": "Rules of all.\n", **files})


@pytest.fixture
def plugin(root, tmp_path):
    with running(script("context-agents-md"), directory=root, home=tmp_path) as started:
        yield started


def labels(chain):
    return [one.label for one in chain]


def test_three_hundred_sessions_at_once_each_see_their_own(plugin):
    def work(number):
        name = PACKAGES[number % len(PACKAGES)]
        for turn in range(3):
            chain = plugin.contribute(session=f"s{number}", files=[f"{name}/f{turn}"])
            assert labels(chain) == ["AGENTS.md (root)", f"AGENTS.md ({name})"]
            assert text_of(chain[1]).endswith(f"\n\nRules of {name}.\n")

    with ThreadPoolExecutor(12) as callers:
        list(callers.map(work, range(300)))


def test_a_session_that_was_forgotten_begins_anew_and_finds_its_sections_again(plugin):
    before = plugin.contribute(session="first", files=["p1/f", "p0/f"])
    for number in range(256):
        plugin.contribute(session=f"s{number}")
    assert plugin.contribute(session="first", files=["p1/f", "p0/f"], prior=before) == before


def test_many_callers_of_one_session_miss_nothing_and_see_nothing_twice(plugin):
    def work(number):
        name = PACKAGES[number % len(PACKAGES)]
        found = labels(plugin.contribute(files=[f"{name}/f{number}"]))
        assert found[0] == "AGENTS.md (root)"
        assert f"AGENTS.md ({name})" in found
        assert len(set(found)) == len(found)

    with ThreadPoolExecutor(12) as callers:
        list(callers.map(work, range(100)))
    assert sorted(labels(plugin.contribute())) == sorted(
        ["AGENTS.md (root)", *(f"AGENTS.md ({name})" for name in PACKAGES)]
    )


def test_a_configuration_in_mid_session_holds_from_the_next_firing_on(plugin):
    first = plugin.contribute(files=["p0/f", "p1/f"])
    plugin.configure(exclude=["p0/**"])
    chain = plugin.contribute(files=["p0/f", "p1/f"])
    assert chain[: len(first)] == first
    assert text_of(chain[-1]) == "[The section “AGENTS.md (p0)” above no longer applies.]"
    plugin.configure()
    assert plugin.contribute(files=["p0/f", "p1/f"]) == first


def test_configurations_between_calls_fail_none(plugin):
    def work(number):
        if number % 10 == 0:
            plugin.configure(strip_comments=["all", "none"][number // 10 % 2])
        return labels(plugin.contribute(session=f"s{number % 7}", files=["p2/f"]))

    with ThreadPoolExecutor(8) as callers:
        assert {tuple(found) for found in callers.map(work, range(100))} == {("AGENTS.md (root)", "AGENTS.md (p2)")}


ODD = [
    "",
    " ",
    "a\0b",
    "p0/" + "x" * 1_000_000,
    "p0/" * 300_000,
    "../" * 100_000,
    "/",
    "..",
    "~",
    "~/x",
    "//host/share",
]
ODD += ["file:///etc/passwd", "C:\\x\\y", "-", "p0/\n", "p1/../p0/f", "/proc/self/environ", "p2/" + "d/" * 300 + "f"]


def test_paths_of_every_kind_cost_no_turn(plugin):
    found = labels(plugin.contribute(files=ODD))
    assert found == ["AGENTS.md (root)", "AGENTS.md (p0)"]
    plugin.kernel.wait_for_log("skipped")
    assert max(entry.ByteSize() for _, entry in plugin.kernel.logged) < 2_000


@pytest.mark.parametrize("seed", range(3))
def test_the_chain_of_any_turn_keeps_the_hosts_promises(plugin, root, seed):
    """Own sections of earlier turns between foreign ones, some of them lost, under budgets of every kind."""
    chance = random.Random(seed)
    chain = []
    for turn in range(40):
        name = chance.choice(PACKAGES)
        write(root, {f"{name}/AGENTS.md": f"Rules at {turn}.\n" * chance.randrange(4)})
        prior = [one for one in chain if chance.random() < 0.9]
        for number in range(chance.randrange(3)):
            prior.insert(chance.randrange(len(prior) + 1), section("other", f"{turn}-{number}", "theirs"))
        budget = chance.choice([0, 500, 1500, 3000, 20_000])
        chain = plugin.contribute(files=[f"{name}/f"], prior=prior, budget=budget)
        own = [one for one in chain if one.provider != "other"]
        assert [one for one in chain if one.provider == "other"] == [one for one in prior if one.provider == "other"]
        assert sum(one.tokens for one in own) <= budget
        assert all(one.tokens == 7 * len(text_of(one)) for one in own)
        assert len(set(labels(own))) == len(own)


def test_a_declared_glob_that_matches_nothing_fails_configure_and_not_the_process(plugin):
    with pytest.raises(CallError) as failure:
        plugin.configure(glob="docs/**/AGENTS.md")
    assert failure.value.code is grpc.StatusCode.UNAVAILABLE
    assert labels(plugin.contribute()) == ["AGENTS.md (root)"]
