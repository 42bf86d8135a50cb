"""A block is decoded against the plugin's own schema before Configure sees it."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from context_common.wire import config_pb2
from context_host.declarations import Declaration, Value
from context_host.decode import decode
from context_host.errors import Exit, PluginError, UnusableError


def attribute(name, kind, **fields):
    return config_pb2.ConfigAttribute(name=name, type=getattr(config_pb2, f"ATTR_TYPE_{kind}"), **fields)


SCHEMA = config_pb2.ConfigSchema(
    attributes=[
        attribute("text", "STRING", default_json='"hello"'),
        attribute("plain", "STRING"),
        attribute("count", "NUMBER"),
        attribute("loud", "BOOL"),
        attribute("names", "LIST_STRING"),
        attribute("sizes", "LIST_NUMBER"),
        attribute("labels", "MAP_STRING"),
        attribute(
            "nested",
            "OBJECT",
            object_attributes=[attribute("depth", "NUMBER", default_json="3"), attribute("kind", "STRING")],
        ),
    ]
)


def decoded(**values):
    arguments = {name: Value(value, f"agent.hcl:{number}") for number, (name, value) in enumerate(values.items(), 1)}
    return MessageToDict(decode(SCHEMA, Declaration("notes", "agent.hcl:1", arguments=arguments)))


def test_what_is_left_out_arrives_as_default_or_zero_value():
    """`default_json` where there is one, the type's zero value elsewhere."""
    assert decoded() == {
        "text": "hello",
        "plain": "",
        "count": 0,
        "loud": False,
        "names": [],
        "sizes": [],
        "labels": {},
        "nested": None,
    }


def test_null_counts_as_left_out():
    """An argument set to null is not set."""
    assert decoded(text=None)["text"] == "hello"


def test_given_values_arrive_as_they_are():
    """Every type of attribute takes its own kind of value."""
    given = {
        "text": "a",
        "count": 1.5,
        "loud": True,
        "names": ["x"],
        "sizes": [1],
        "labels": {"k": "v"},
        "nested": {"kind": "deep"},
    }
    assert decoded(**given) == {**given, "plain": "", "nested": {"kind": "deep", "depth": 3}}


WRONG = {
    "txt": (
        "a",
        "agent.hcl:1: notes has no attribute 'txt'; accepted are text, plain, count, loud, names, sizes, labels, nested",
    ),
    "text": (3, "agent.hcl:1: 'text' of notes is 3; accepted is a string"),
    "count": ("3", "agent.hcl:1: 'count' of notes is \"3\"; accepted is a number"),
    "loud": (1, "agent.hcl:1: 'loud' of notes is 1; accepted is true or false"),
    "names": (["a", 1], "agent.hcl:1: 'names' of notes is [\"a\", 1]; accepted is a list of strings"),
    "sizes": (float("inf"), "agent.hcl:1: 'sizes' of notes is Infinity; accepted is a list of numbers"),
    "labels": ({"a": []}, "agent.hcl:1: 'labels' of notes is {\"a\": []}; accepted is an object of strings"),
    "nested": ({"width": 1}, "agent.hcl:1: 'nested' of notes is {\"width\": 1}; accepted is an object"),
}


@pytest.mark.parametrize(("name", "value", "sentence"), [(name, *case) for name, case in WRONG.items()], ids=WRONG)
def test_wrong_attribute_is_one_sentence(name, value, sentence):
    """File, line, attribute, what came and what is accepted."""
    with pytest.raises(UnusableError) as refusal:
        decoded(**{name: value})
    assert str(refusal.value) == sentence


def test_truth_values_are_no_numbers():
    """`true` would otherwise pass as 1."""
    with pytest.raises(UnusableError, match="'count' of notes is true; accepted is a number"):
        decoded(count=True)


BAD_DEFAULTS = {
    ("NUMBER", "{"): "the default of attribute 'a' is no JSON: \"{\"",
    ("NUMBER", "[" * 50_000): "the default of attribute 'a' is no JSON: " + '"' + "[" * 58 + "…",
    ("NUMBER", '"x"'): "the default of attribute 'a' is \"x\", not a number",
    ("NUMBER", "NaN"): "the default of attribute 'a' is NaN, not a number",
    ("NUMBER", "1" + "0" * 400): "the default of attribute 'a' is 1" + "0" * 58 + "…, not a number",
    ("BOOL", "1"): "the default of attribute 'a' is 1, not true or false",
}


@pytest.mark.parametrize(("case", "sentence"), BAD_DEFAULTS.items(), ids=range(len(BAD_DEFAULTS)))
def test_default_that_does_not_fit_is_the_plugins_fault(case, sentence):
    """The operator has written nothing wrong; the exit code says so."""
    kind, default = case
    schema = config_pb2.ConfigSchema(attributes=[attribute("a", kind, default_json=default)])
    with pytest.raises(PluginError) as failure:
        decode(schema, Declaration("notes", "agent.hcl:7"))
    assert str(failure.value) == f"notes: {sentence}"
    assert failure.value.exit_code == Exit.PLUGIN_FAILED


def test_required_attribute_must_be_there():
    """The sentence repeats what the schema says about it."""
    schema = config_pb2.ConfigSchema(
        attributes=[attribute("path", "STRING", required=True, description="the file to read")]
    )
    with pytest.raises(UnusableError, match=r"agent\.hcl:7: notes needs the attribute 'path': the file to read"):
        decode(schema, Declaration("notes", "agent.hcl:7"))
