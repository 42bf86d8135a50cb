"""What a host asks of a provider, in its order: probe, describe, configure, contribute, render."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from acceptance.driver import FailureError
from acceptance.worlds import quarter

if TYPE_CHECKING:
    from collections.abc import Callable

    from acceptance.driver import GoHost, Program
    from acceptance.worlds import World

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
CONTEXT_ERROR = "type.googleapis.com/pluggableharness.context.v1.ContextError"
FOREIGN = {
    "provider": "another",
    "label": "Its own",
    "content": [{"text": {"text": "foreign"}}, {"image": {"data": "AAEC", "media_type": "image/png"}}],
    "tokens": 7,
    "stability": "STABILITY_STATIC",
    "truncated": True,
}


@pytest.mark.parametrize("whole", [False, True], ids=["minimal environment", "the host's environment appended"])
def test_the_whole_sequence_works(
    program: Program, start_host: Callable[..., GoHost], world: World, whole: bool
) -> None:
    """Describe, GetCapabilities, Configure, Contribute twice, Render, and a graceful end, as the public host does it."""
    dirty = {
        "PYTHONPATH": "/nowhere",
        "PYTHONWARNINGS": "error",
        "PYTHONOPTIMIZE": "2",
        "LC_ALL": "C",
        "LANGUAGE": "de",
        "GRPC_TRACE": "all",
        "GRPC_VERBOSITY": "debug",
        "http_proxy": "http://127.0.0.1:9",
        "PLUGIN_UNIX_SOCKET_DIR": "/nowhere",
        "PLUGIN_MIN_PORT": "1",
        "GIT_DIR": "/nowhere",
    }
    plugin = start_host(**(dirty if whole else {})).launch(program, whole_environment=whole)

    producer = plugin.call("Describe")["producer"]
    assert (producer["name"], producer["category"], producer["protocol_version"]) == (
        program.name,
        "CATEGORY_CONTEXT",
        1,
    )
    assert producer["source"].startswith("github.com/")
    assert producer["version"]

    capabilities = plugin.capabilities()
    assert int(capabilities["default_token_budget"]) > 0
    assert capabilities["slash_commands"] == capabilities["supported_hook_points"] == []
    attributes = {attribute["name"]: attribute for attribute in capabilities["config_schema"]["attributes"]}
    assert {"token_budget", "name"} <= set(attributes)
    assert all(attribute["required"] or attribute["default_json"] for attribute in attributes.values())

    plugin.configure({})
    first = plugin.contribute({**world.firing, "prior_sections": [FOREIGN]})
    own = [section for section in first.sections if section.provider == program.name]
    assert first.intact
    assert own
    assert all(section.label and section.text for section in own)
    assert [section.tokens for section in own] == [quarter(section.text) for section in own]
    assert sum(section.tokens for section in own) <= world.firing["token_budget"]

    second = plugin.contribute({**world.firing, "turn_id": "another", "prior_sections": [FOREIGN]})
    assert second.wire == first.wire

    node = plugin.render({"content": [{"text": {"text": own[0].text}}], "tokens": own[0].tokens})["collapsible"]
    assert program.name in node["summary"]
    assert str(own[0].tokens) in node["summary"]
    assert own[0].text in str(node["children"]).encode().decode("unicode_escape")

    seen = plugin.observed()
    assert seen["counts"]
    assert seen["breaches"] == []
    assert plugin.ask("ping")
    assert plugin.kill() == {"ms": pytest.approx(0, abs=500), "escalated": False, "exit_code": 0}


def test_a_category_probe_is_answered_at_once(program: Program, host: GoHost) -> None:
    """Started as a model and as a tool, the plugin answers UNIMPLEMENTED and leaves; as a context, it describes itself."""
    for category, service in (("model", "model.v1.ModelService"), ("tool", "tool.v1.ToolService")):
        probed = host.launch(program, category=category)
        answer = probed.ask("foreign", method=f"{service}/Describe", timeout_ms=2000)
        assert answer["code"] == "Unimplemented"
        assert not probed.kill()["escalated"]
    assert host.launch(program).call("Describe")["producer"]["name"] == program.name


def test_three_plugins_build_one_chain(programs: list[Program], host: GoHost, world: World) -> None:
    """Each provider appends its sections to the chain of those before it and leaves theirs as they were."""
    chain: list[dict[str, Any]] = []
    for program in programs:
        plugin = host.launch(program, plugin=program.name)
        plugin.configure({})
        answer = plugin.contribute({**world.firing, "prior_sections": chain})
        assert answer.intact
        assert answer.wire[: len(chain)] == chain
        chain = answer.wire
    assert list(dict.fromkeys(section["provider"] for section in chain)) == [program.name for program in programs]


@pytest.mark.parametrize("local_name", ["conventions", "my notes, 100% mine=yes", "größer"])
def test_sections_carry_the_local_name_that_the_host_stamped(
    program: Program, host: GoHost, world: World, local_name: str
) -> None:
    """The name comes query-escaped in OTEL_RESOURCE_ATTRIBUTES; Describe still says the published one."""
    plugin = host.launch(program, local_name=local_name)
    assert {section.provider for section in plugin.contribute(world.firing, own=local_name).sections} == {local_name}
    assert plugin.call("Describe")["producer"]["name"] != local_name


def test_a_configured_name_beats_the_stamp(program: Program, host: GoHost, world: World) -> None:
    """The ``name`` attribute is what the operator wrote down, so it is believed before anything else."""
    plugin = host.launch(program, local_name="stamped")
    plugin.configure({"name": "written"})
    assert {section.provider for section in plugin.contribute(world.firing, own="written").sections} == {"written"}


def test_a_stamp_of_another_category_is_not_believed(
    program: Program, start_host: Callable[..., GoHost], world: World
) -> None:
    """A host that appends its own environment may hand down the stamp of quite another plugin."""
    stamp = "pluggableharness.producer.category=model,pluggableharness.producer.name=opus"
    plugin = start_host(OTEL_RESOURCE_ATTRIBUTES=stamp).launch(program, local_name="mine", whole_environment=True)
    assert {section.provider for section in plugin.contribute(world.firing).sections} == {program.name}


@pytest.mark.parametrize("omitted", ["null", "zero", "default"])
def test_attributes_left_out_mean_the_default(program: Program, host: GoHost, world: World, omitted: str) -> None:
    """Hosts send null, the type's zero or default_json for them; the sections are those of no configuration at all."""
    plugin = host.launch(program)
    unconfigured = plugin.contribute({**world.firing, "session_id": "a"})
    plugin.configure({}, omitted=omitted)
    assert plugin.contribute({**world.firing, "session_id": "b"}).wire == unconfigured.wire
    assert unconfigured.wire


def test_what_the_operator_wrote_is_taken(program: Program, host: GoHost, world: World) -> None:
    """A token budget smaller than the host's caps what is contributed."""
    plugin = host.launch(program)
    plugin.configure({"token_budget": 10}, omitted="zero")
    assert sum(section.tokens for section in plugin.contribute(world.firing).sections) <= 10


def test_fields_of_a_newer_host_survive(program: Program, host: GoHost, world: World) -> None:
    """A foreign section keeps even the fields that our copy of the contract does not know."""
    plugin = host.launch(program)
    assert plugin.contribute({**world.firing, "prior_sections": [FOREIGN, FOREIGN]}, newer=True).intact


def test_own_sections_of_an_earlier_turn_are_found_again(program: Program, host: GoHost, world: World) -> None:
    """A host that hands the last turn's whole chain back gets it back, nothing doubled and nothing moved."""
    plugin = host.launch(program)
    chain = [*plugin.contribute(world.firing).wire, FOREIGN]
    again = plugin.contribute({**world.firing, "prior_sections": chain})
    assert again.intact
    assert [section["label"] for section in again.wire] == [section["label"] for section in chain]


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"colour": "blue"}, "colour"),
        ({"token_budget": "many"}, "token_budget"),
        ({"token_budget": -1}, "token_budget"),
        ({"name": 5}, "name"),
    ],
)
def test_a_wrong_attribute_is_an_invalid_request(
    program: Program, host: GoHost, config: dict[str, Any], named: str
) -> None:
    """The status names the attribute and carries both details of the contract."""
    plugin = host.launch(program)
    with pytest.raises(FailureError) as caught:
        plugin.call("Configure", {"config": config})
    assert caught.value.code == "InvalidArgument"
    assert named in caught.value.message
    details = {detail["@type"]: detail for detail in caught.value.details}
    assert details[CONTEXT_ERROR]["category"] == "CONTEXT_ERROR_CATEGORY_INVALID_REQUEST"
    assert details[ERROR_INFO] == {
        "@type": ERROR_INFO,
        "reason": "invalid_request",
        "domain": "context.pluggableharness.dev",
        "metadata": {"retryable": "false"},
    }


MISSING = {
    "claude-md": {"path": "not-there/CLAUDE.md"},
    "agents-md": {"glob": "not-there/**/AGENTS.md"},
    "git-status": {"repository": "/"},
}


def test_a_declared_source_that_is_missing_is_unavailable(program: Program, host: GoHost) -> None:
    """The host learns at Configure that what the operator declared is not there."""
    plugin = host.launch(program)
    with pytest.raises(FailureError) as caught:
        plugin.configure(MISSING[program.name], omitted="null")
    assert caught.value.code == "Unavailable"
    assert {detail.get("category") or detail.get("reason") for detail in caught.value.details} == {
        "CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE",
        "source_unavailable",
    }


def test_rendering_an_unknown_version_is_refused(program: Program, host: GoHost) -> None:
    """Only the versions of a stored event that are known are rendered."""
    plugin = host.launch(program)
    with pytest.raises(FailureError) as caught:
        plugin.render({"tokens": 1}, version="7")
    assert caught.value.code == "InvalidArgument"


def test_the_declared_budget_can_be_raised_from_the_environment(program: Program, host: GoHost) -> None:
    """CONTEXT_TOKEN_BUDGET in the operator's environment block becomes the declared default."""
    plugin = host.launch(program, variables={"CONTEXT_TOKEN_BUDGET": "12345"})
    assert int(plugin.capabilities()["default_token_budget"]) == 12345
