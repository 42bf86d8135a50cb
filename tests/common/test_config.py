"""One dataclass is the schema, the reader and the documentation of a configuration."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest
from google.protobuf.struct_pb2 import Struct

from context_common.config import Config, attributes, decoded, option, read, schema
from context_common.errors import InvalidRequestError
from context_common.wire import config_pb2


@dataclass(frozen=True)
class Sample(Config):
    path: str = option("", "Which file.")
    mode: str = option("all", "How much.", choices=("all", "some"))
    depth: int = option(4, "How deep.", minimum=1, maximum=16)
    trust: bool = option(False, "Whether to trust.")
    scopes: tuple[str, ...] = option(("a", "b"), "Which scopes.", choices=("a", "b", "c"))


@dataclass(frozen=True)
class Needy(Config):
    path: str = option("", "Which file.", required=True)


def test_own_attributes_come_before_shared_ones() -> None:
    names = [attribute.name for attribute in attributes(Sample)]
    assert names == ["path", "mode", "depth", "trust", "scopes", "token_budget", "name"]


def test_schema_tells_types_defaults_and_descriptions() -> None:
    told = {a.name: (a.type, json.loads(a.default_json), a.required) for a in schema(Sample).attributes}
    assert told == {
        "path": (config_pb2.ATTR_TYPE_STRING, "", False),
        "mode": (config_pb2.ATTR_TYPE_STRING, "all", False),
        "depth": (config_pb2.ATTR_TYPE_NUMBER, 4, False),
        "trust": (config_pb2.ATTR_TYPE_BOOL, False, False),
        "scopes": (config_pb2.ATTR_TYPE_LIST_STRING, ["a", "b"], False),
        "token_budget": (config_pb2.ATTR_TYPE_NUMBER, 0, False),
        "name": (config_pb2.ATTR_TYPE_STRING, "", False),
    }
    assert all(attribute.description for attribute in schema(Sample).attributes)


def test_a_required_attribute_has_no_default() -> None:
    attribute = schema(Needy).attributes[0]
    assert attribute.required
    assert not attribute.HasField("default_json")


@pytest.mark.parametrize(
    "values",
    [
        {},
        dict.fromkeys(["path", "mode", "depth", "trust", "scopes", "token_budget", "name"]),
        {"path": "", "mode": "", "depth": 0.0, "trust": False, "scopes": [], "token_budget": 0.0, "name": ""},
        {"path": "", "mode": "all", "depth": 4.0, "trust": False, "scopes": ["a", "b"]},
    ],
    ids=["absent", "null", "zero", "default_json applied"],
)
def test_what_was_left_out_takes_the_default_whatever_the_host_sends_for_it(values: dict[str, object]) -> None:
    assert read(Sample, values) == Sample()


def test_given_values_are_taken_and_numbers_arrive_as_doubles() -> None:
    config = read(Sample, {"path": "x", "depth": 16.0, "trust": True, "scopes": ["c"], "token_budget": 900.0})
    assert config == Sample(path="x", depth=16, trust=True, scopes=("c",), token_budget=900)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"pth": "x"}, "unknown attribute 'pth'; accepted are path, mode, depth, trust, scopes, token_budget, name"),
        ({"path": 3.0}, "attribute 'path' is 3; accepted is a string"),
        ({"mode": "none"}, 'attribute \'mode\' is "none"; accepted is one of "all", "some"'),
        ({"depth": 17.0}, "attribute 'depth' is 17; accepted is a whole number from 1 to 16"),
        ({"depth": -1.0}, "attribute 'depth' is -1; accepted is a whole number from 1 to 16"),
        ({"depth": 1.5}, "attribute 'depth' is 1.5; accepted is a whole number from 1 to 16"),
        ({"depth": True}, "attribute 'depth' is true; accepted is a whole number from 1 to 16"),
        ({"depth": float("nan")}, "attribute 'depth' is nan; accepted is a whole number from 1 to 16"),
        ({"depth": float("inf")}, "attribute 'depth' is inf; accepted is a whole number from 1 to 16"),
        ({"depth": "4"}, "attribute 'depth' is \"4\"; accepted is a whole number from 1 to 16"),
        ({"token_budget": -5.0}, "attribute 'token_budget' is -5; accepted is a whole number of at least 0"),
        ({"trust": 1.0}, "attribute 'trust' is 1; accepted is true or false"),
        ({"trust": "true"}, "attribute 'trust' is \"true\"; accepted is true or false"),
        ({"scopes": "a"}, "attribute 'scopes' is \"a\"; accepted is a list of strings"),
        ({"scopes": ["a", 1.0]}, "attribute 'scopes' is 1; accepted is a list of strings"),
        ({"scopes": ["z"]}, 'attribute \'scopes\' is "z"; accepted is one of "a", "b", "c"'),
        ({"scopes": ["a", ""]}, 'attribute \'scopes\' is ""; accepted is one of "a", "b", "c"'),
        ({"scopes": {"a": 1}}, "attribute 'scopes' is {\"a\": 1}; accepted is a list of strings"),
    ],
)
def test_a_refusal_names_the_attribute_what_came_and_what_is_accepted(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        read(Sample, values)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("number", "shown"), [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf"), (1e300, "1e+300")]
)
def test_numbers_that_json_cannot_say_arrive_and_are_refused_by_name(number: float, shown: str) -> None:
    struct = Struct()
    struct.update({"depth": number})
    with pytest.raises(InvalidRequestError, match=f"attribute 'depth' is {re.escape(shown)}; accepted"):
        read(Sample, decoded(struct))


def test_a_struct_is_decoded_however_deep_it_is() -> None:
    values = {"a": "x", "b": 1.5, "c": True, "d": None, "e": ["x", [2.0], {"f": None}], "g": {"h": []}}
    struct = Struct()
    struct.update(values)
    struct.fields["unset"].Clear()
    assert decoded(struct) == values | {"unset": None}


@pytest.mark.parametrize("values", [{}, {"path": ""}, {"path": None}])
def test_a_missing_required_attribute_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(InvalidRequestError, match="attribute 'path' is required"):
        read(Needy, values)


def test_a_refusal_does_not_repeat_a_long_value() -> None:
    with pytest.raises(InvalidRequestError) as refused:
        read(Sample, {"mode": "x" * 10_000})
    assert len(str(refused.value)) < 200
