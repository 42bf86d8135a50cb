"""Names of enum values as messages of this host show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper


def enum_name(enum: _EnumTypeWrapper[Any], value: int) -> str:
    """The name of ``value`` in lower case without the enum's own prefix; the bare number where it has none."""
    names = enum.keys()
    prefix = names[0].removesuffix("UNSPECIFIED")
    return enum.Name(value).removeprefix(prefix).lower() if value in enum.values() else str(value)
