"""A plugin from declaration to first firing: start, Describe, GetCapabilities, decode its block, Configure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import grpc

from context_common.wire import common_pb2, content_pb2, context_pb2
from context_host.client import CallError
from context_host.decode import decode
from context_host.enums import enum_name
from context_host.errors import PluginError, UnusableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_host.connection import Connection
    from context_host.declarations import Declaration

Answer = TypeVar("Answer")
_NOBODY_THERE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNIMPLEMENTED)


class NotAContextProviderError(PluginError):
    """The program is a plugin of another category."""


@dataclass(frozen=True)
class Plugin:
    """A configured plugin.

    Attributes:
        name: the local name.
        identity: what it says of itself.
        cap: the operator's ``token_budget``, or else its own default.
        dynamic: whether its sections may differ from turn to turn.
        compactor: whether it may rewrite other sections and the history.
        connection: the process and the way to it.
    """

    name: str
    identity: common_pb2.ProducerRef
    cap: int
    dynamic: bool
    compactor: bool
    connection: Connection

    @classmethod
    def bring_up(cls, declaration: Declaration, connection: Connection) -> Plugin:
        """Connect to the plugin that was started for ``declaration``, and configure it.

        Raises:
            NotAContextProviderError: the program serves another category.
            PluginError: it does not shake hands, or refuses its configuration.
            UnusableError: its block does not fit its schema.
        """
        connection.connect()
        identity = _identity(declaration, connection)
        capabilities = _asked(connection, connection.client.get_capabilities)
        config = decode(capabilities.config_schema, declaration)
        _asked(connection, lambda: connection.client.configure(config))
        return cls(
            name=declaration.name,
            identity=identity,
            cap=_cap(declaration, capabilities),
            dynamic=capabilities.stability == content_pb2.STABILITY_DYNAMIC,
            compactor=capabilities.compactor,
            connection=connection,
        )

    def contribute(self, request: context_pb2.ContextRequest, /) -> context_pb2.ContextContribution:
        """One firing.

        Raises:
            PluginError: it answered with an error, or not at all.
        """
        try:
            return self.connection.client.contribute(request)
        except CallError as error:
            raise _failure(error, self.connection, "during Contribute") from None


def _identity(declaration: Declaration, connection: Connection) -> common_pb2.ProducerRef:
    try:
        producer = connection.client.describe().producer
    except CallError as error:
        # A plugin whose imports fail may answer like this as well, just before it ends.
        if error.code is grpc.StatusCode.UNIMPLEMENTED and not connection.process.has_ended():
            raise NotAContextProviderError(declaration.name, "the program is no context provider") from None
        raise _failure(error, connection, "before it was configured") from None
    if producer.category != common_pb2.CATEGORY_CONTEXT:
        category = enum_name(common_pb2.Category, producer.category)
        raise NotAContextProviderError(
            declaration.name, f"the program describes itself as of category {category}, not context"
        )
    return producer


def _asked(connection: Connection, call: Callable[[], Answer]) -> Answer:
    try:
        return call()
    except CallError as error:
        raise _failure(error, connection, "before it was configured") from None


def _failure(error: CallError, connection: Connection, when: str) -> PluginError:
    """The error itself, or how the process ended when that is why nothing answered."""
    unanswered = error.code in _NOBODY_THERE and not error.category
    if unanswered and connection.process.has_ended():
        return PluginError(error.plugin, connection.process.obituary(when))
    return error


def _cap(declaration: Declaration, capabilities: context_pb2.ContextCapabilities) -> int:
    given = declaration.arguments.get("token_budget")
    if given is None or not given.value or not isinstance(given.value, int | float):
        return capabilities.default_token_budget
    if given.value < 0:
        raise UnusableError(
            f"{given.where}: 'token_budget' of {declaration.name} is {given.value}; accepted is a whole number above 0"
        )
    return int(given.value)
