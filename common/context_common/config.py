"""The configuration of a provider: one frozen dataclass is its schema, its reader and its documentation."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, get_type_hints

from context_common.errors import InvalidRequestError
from context_common.wire import config_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.struct_pb2 import Struct, Value

_SHOWN: Final = 80

_TYPES: Final = {
    str: ("string", config_pb2.ATTR_TYPE_STRING, ""),
    int: ("number", config_pb2.ATTR_TYPE_NUMBER, 0),
    bool: ("bool", config_pb2.ATTR_TYPE_BOOL, False),
    tuple[str, ...]: ("list_string", config_pb2.ATTR_TYPE_LIST_STRING, ()),
}


def option(
    default: Any,
    description: str,
    *,
    minimum: int = 0,
    maximum: int | None = None,
    choices: tuple[str, ...] = (),
    required: bool = False,
) -> Any:
    """A configuration attribute: its default and what the operator reads about it.

    Args:
        default: the value when the attribute is absent, null or its type's zero value.
        description: one sentence for the schema and the README.
        minimum: the smallest number accepted; a number left at zero still means *not set*.
        maximum: the largest number accepted.
        choices: the strings accepted, for a string or for each element of a list.
        required: refuse a configuration without it.
    """
    metadata = {
        "description": description,
        "minimum": minimum,
        "maximum": maximum,
        "choices": choices,
        "required": required,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Config:
    """What every provider's configuration has; subclass it, frozen, with one `option` per attribute.

    Annotations are ``str``, ``int``, ``bool`` or ``tuple[str, ...]``.
    """

    token_budget: int = option(0, "The operator's cap in tokens; 0 takes the host's.")
    name: str = option("", "The local name of this plugin, where the host does not tell it.")


ConfigT = TypeVar("ConfigT", bound=Config)


@dataclass(frozen=True)
class Attribute:
    """One attribute of a configuration, as the schema and the README's table show it."""

    name: str
    type: str
    wire_type: config_pb2.AttrType
    zero: object
    default: object
    description: str
    minimum: int
    maximum: int | None
    choices: tuple[str, ...]
    required: bool

    @property
    def default_json(self) -> str:
        """The default as JSON."""
        return json.dumps(list(self.default) if isinstance(self.default, tuple) else self.default)


def attributes(config_type: type[Config]) -> tuple[Attribute, ...]:
    """The attributes of ``config_type``, its own first, then those every provider has."""
    hints = get_type_hints(config_type)
    shared = {field.name for field in dataclasses.fields(Config)}
    fields = sorted(dataclasses.fields(config_type), key=lambda field: field.name in shared)
    return tuple(Attribute(field.name, *_TYPES[hints[field.name]], field.default, **field.metadata) for field in fields)


def schema(config_type: type[Config]) -> config_pb2.ConfigSchema:
    """The ConfigSchema that the host decodes the operator's block against."""
    return config_pb2.ConfigSchema(
        attributes=[
            config_pb2.ConfigAttribute(
                name=attribute.name,
                type=attribute.wire_type,
                required=attribute.required,
                description=attribute.description,
                default_json=None if attribute.required else attribute.default_json,
            )
            for attribute in attributes(config_type)
        ]
    )


def read(config_type: type[ConfigT], values: Mapping[str, Any]) -> ConfigT:
    """The configuration that ``values``, a decoded Struct, describes.

    Absent, null and the type's zero value all mean *not set*, because hosts differ in what they send for an
    attribute that was left out.

    Raises:
        InvalidRequestError: an unknown attribute, a wrong type, a number out of range, or a missing required one.
    """
    known = {attribute.name: attribute for attribute in attributes(config_type)}
    for name in values:
        if name not in known:
            raise InvalidRequestError(f"unknown attribute {name!r}; accepted are {', '.join(known)}")
    given: dict[str, Any] = {name: _value(known[name], value) for name, value in values.items() if value is not None}
    given = {name: value for name, value in given.items() if value != known[name].zero}
    missing = [name for name, attribute in known.items() if attribute.required and name not in given]
    if missing:
        raise InvalidRequestError(f"attribute {missing[0]!r} is required and was not given")
    return config_type(**given)


def decoded(values: Struct) -> dict[str, Any]:
    """``values`` as Python has them; numbers that JSON cannot say are kept, to be refused by name."""
    return {name: _decoded(value) for name, value in values.fields.items()}


def _decoded(value: Value) -> object:
    match value.WhichOneof("kind"):
        case "list_value":
            return [_decoded(element) for element in value.list_value.values]
        case "struct_value":
            return decoded(value.struct_value)
        case "null_value" | None:
            return None
        case kind:
            plain: object = getattr(value, kind)
            return plain


def _value(attribute: Attribute, value: object) -> object:
    if attribute.type == "number":
        return _number(attribute, value)
    if attribute.type == "bool":
        return _truth(attribute, value)
    if attribute.type == "string":
        return _text(attribute, value)
    if not isinstance(value, list | tuple):
        _refuse(attribute, value, "a list of strings")
    return tuple(_text(attribute, element) for element in value)


def _truth(attribute: Attribute, value: object) -> bool:
    if not isinstance(value, bool):
        _refuse(attribute, value, "true or false")
    return value


def _text(attribute: Attribute, value: object) -> str:
    if not isinstance(value, str):
        _refuse(attribute, value, "a list of strings" if attribute.type == "list_string" else "a string")
    if attribute.choices and value not in attribute.choices and (value or attribute.type == "list_string"):
        _refuse(attribute, value, "one of " + ", ".join(map(json.dumps, attribute.choices)))
    return value


def _number(attribute: Attribute, value: object) -> int:
    accepted = f"a whole number of at least {attribute.minimum}"
    if attribute.maximum is not None:
        accepted = f"a whole number from {attribute.minimum} to {attribute.maximum}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value != int(value):
        _refuse(attribute, value, accepted)
    number = int(value)
    too_large = attribute.maximum is not None and number > attribute.maximum
    if number and (number < attribute.minimum or too_large):
        _refuse(attribute, value, accepted)
    return number


def _refuse(attribute: Attribute, value: object, accepted: str) -> NoReturn:
    raise InvalidRequestError(f"attribute {attribute.name!r} is {_shown(value)}; accepted is {accepted}")


def _shown(value: object) -> str:
    if isinstance(value, float):
        # Every number arrives as a double, and the operator wrote no ".0".
        return f"{value:.15g}"
    text = json.dumps(value, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
