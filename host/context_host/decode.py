"""A plugin's block decoded against its own ConfigSchema, as the host does before Configure."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from google.protobuf.struct_pb2 import Struct

from context_common.wire import config_pb2
from context_host.errors import PluginError, UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_host.declarations import Declaration

    Attribute = config_pb2.ConfigAttribute

_ZEROS: Mapping[int, Any] = {
    config_pb2.ATTR_TYPE_STRING: "",
    config_pb2.ATTR_TYPE_NUMBER: 0,
    config_pb2.ATTR_TYPE_BOOL: False,
    config_pb2.ATTR_TYPE_LIST_STRING: [],
    config_pb2.ATTR_TYPE_LIST_NUMBER: [],
    config_pb2.ATTR_TYPE_MAP_STRING: {},
    config_pb2.ATTR_TYPE_OBJECT: None,
}
_ACCEPTED: Mapping[int, str] = {
    config_pb2.ATTR_TYPE_STRING: "a string",
    config_pb2.ATTR_TYPE_NUMBER: "a number",
    config_pb2.ATTR_TYPE_BOOL: "true or false",
    config_pb2.ATTR_TYPE_LIST_STRING: "a list of strings",
    config_pb2.ATTR_TYPE_LIST_NUMBER: "a list of numbers",
    config_pb2.ATTR_TYPE_MAP_STRING: "an object of strings",
    config_pb2.ATTR_TYPE_OBJECT: "an object",
}


def decode(schema: config_pb2.ConfigSchema, declaration: Declaration) -> Struct:
    """What Configure is sent: every attribute of the schema, the declared ones and for the others default or zero value.

    Raises:
        UnusableError: the block cannot be read, or an attribute is unknown, of another type, or required and missing; named with file and line.
        PluginError: the schema's own default does not fit it.
    """
    if declaration.fault:
        raise declaration.fault
    known = {attribute.name: attribute for attribute in schema.attributes}
    for name, given in declaration.arguments.items():
        if name not in known:
            accepted = ", ".join(known) or "none"
            raise UnusableError(f"{given.where}: {declaration.name} has no attribute {name!r}; accepted are {accepted}")
        if not _fits(known[name], given.value):
            wanted = _ACCEPTED.get(known[name].type, "nothing that this host knows")
            raise UnusableError(
                f"{given.where}: {name!r} of {declaration.name} is {_shown(given.value)}; accepted is {wanted}"
            )
    values = {name: given.value for name, given in declaration.arguments.items()}
    struct = Struct()
    struct.update(_completed(schema.attributes, values, declaration))
    return struct


def _completed(attributes: Iterable[Attribute], values: Mapping[str, Any], declaration: Declaration) -> dict[str, Any]:
    completed = {}
    for attribute in attributes:
        value = values.get(attribute.name)
        if value is None and attribute.required:
            raise UnusableError(
                f"{declaration.where}: {declaration.name} needs the attribute {attribute.name!r}: {attribute.description or _ACCEPTED.get(attribute.type, '')}"
            )
        if value is None:
            value = _default(attribute, declaration)
        elif attribute.type == config_pb2.ATTR_TYPE_OBJECT:
            value = _completed(attribute.object_attributes, value, declaration)
        completed[attribute.name] = value
    return completed


def _default(attribute: Attribute, declaration: Declaration) -> Any:
    if not attribute.HasField("default_json"):
        return _ZEROS.get(attribute.type)
    try:
        default = json.loads(attribute.default_json)
    except (ValueError, RecursionError):
        raise PluginError(
            declaration.name,
            f"the default of attribute {attribute.name!r} is no JSON: {_shown(attribute.default_json)}",
        ) from None
    if not _fits(attribute, default):
        wanted = _ACCEPTED.get(attribute.type, "nothing that this host knows")
        raise PluginError(
            declaration.name, f"the default of attribute {attribute.name!r} is {_shown(default)}, not {wanted}"
        )
    return default


def _fits(attribute: Attribute, value: Any) -> bool:
    if value is None:
        return True
    kind = attribute.type
    if kind == config_pb2.ATTR_TYPE_LIST_STRING:
        return isinstance(value, list) and all(isinstance(element, str) for element in value)
    if kind == config_pb2.ATTR_TYPE_LIST_NUMBER:
        return isinstance(value, list) and all(map(_is_number, value))
    if kind == config_pb2.ATTR_TYPE_MAP_STRING:
        return isinstance(value, dict) and all(isinstance(element, str) for element in value.values())
    if kind == config_pb2.ATTR_TYPE_OBJECT:
        return isinstance(value, dict) and _object_fits(attribute, value)
    if kind == config_pb2.ATTR_TYPE_NUMBER:
        return _is_number(value)
    return isinstance(value, bool if kind == config_pb2.ATTR_TYPE_BOOL else str)


def _object_fits(attribute: Attribute, value: Mapping[str, Any]) -> bool:
    inner = {part.name: part for part in attribute.object_attributes}
    return all(name in inner and _fits(inner[name], part) for name, part in value.items())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:59] + "…"  # noqa: PLR2004  (what one line of a terminal holds)
