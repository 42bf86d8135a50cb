"""The RPCs of a context provider, called on the wire messages; failures as one exception that knows its category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from context_common.wire import context_pb2, goplugin_pb2
from context_host.enums import enum_name
from context_host.errors import PluginError

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from google.protobuf.struct_pb2 import Struct

SERVICE = "pluggableharness.context.v1.ContextService"
CALL_SECONDS = 30.0
_SHUTDOWN_SECONDS = 2.0


class CallError(PluginError):
    """A plugin answered a call with an error, or did not answer.

    Attributes:
        code: the gRPC status.
        category: the protocol's category in lower case, ``""`` when the answer carried none.
        retryable: whether the plugin says that trying again may help.
    """

    def __init__(self, plugin: str, method: str, error: grpc.RpcError, seconds: float) -> None:
        self.code: grpc.StatusCode = error.code()
        detail = _unpacked(error, context_pb2.ContextError())
        self.category = enum_name(context_pb2.ContextErrorCategory, detail.category) if detail else ""
        self.retryable = detail.retryable if detail else False
        self.info = _unpacked(error, error_details_pb2.ErrorInfo())
        message = (detail.message if detail else "") or error.details() or "no reason given"
        if self.code is grpc.StatusCode.DEADLINE_EXCEEDED and not detail:
            super().__init__(plugin, f"{method} was not answered within {seconds:g} s")
        else:
            super().__init__(plugin, f"{method} failed with {self.category or self.code.name}: {message}")
        self.message = message


class ContextClient:
    """Calls the context service, and go-plugin's own services, of one plugin.

    Args:
        plugin: its local name, for messages.
        channel: the way to it.
        start_seconds: how long it may take to say what it is and can do, for which it has nothing to read.
        call_seconds: how long any other call may take.
    """

    def __init__(self, plugin: str, channel: grpc.Channel, start_seconds: float, call_seconds: float) -> None:
        self._plugin = plugin
        self._channel = channel
        self._start_seconds = start_seconds
        self._call_seconds = call_seconds

    def describe(self) -> context_pb2.DescribeResponse:
        """Who the plugin says it is."""
        response: context_pb2.DescribeResponse = self._context(
            "Describe", context_pb2.DescribeRequest(), context_pb2.DescribeResponse, self._start_seconds
        )
        return response

    def get_capabilities(self) -> context_pb2.ContextCapabilities:
        """What the plugin can do."""
        response: context_pb2.GetCapabilitiesResponse = self._context(
            "GetCapabilities",
            context_pb2.GetCapabilitiesRequest(),
            context_pb2.GetCapabilitiesResponse,
            self._start_seconds,
        )
        return response.capabilities

    def configure(self, config: Struct) -> None:
        """Hand the plugin its decoded block."""
        self._context("Configure", context_pb2.ConfigureRequest(config=config), context_pb2.ConfigureResponse)

    def contribute(self, request: context_pb2.ContextRequest) -> context_pb2.ContextContribution:
        """One firing."""
        contribution: context_pb2.ContextContribution = self._context(
            "Contribute", request, context_pb2.ContextContribution
        )
        return contribution

    def render(self, request: context_pb2.RenderRequest) -> context_pb2.RenderResponse:
        """How the plugin shows a stored event."""
        response: context_pb2.RenderResponse = self._context("Render", request, context_pb2.RenderResponse)
        return response

    def shut_down(self) -> None:
        """Ask the plugin to leave; a plugin without the controller is left to the signal that follows."""
        try:
            self.call(
                "/plugin.GRPCController/Shutdown", goplugin_pb2.Empty(), goplugin_pb2.Empty, seconds=_SHUTDOWN_SECONDS
            )
        except CallError:
            return

    def call(self, path: str, request: Message, response_type: type[Message], *, seconds: float | None = None) -> Any:
        """Call any unary method.

        Raises:
            CallError: the plugin answered with an error, or did not answer in time.
        """
        method = self._channel.unary_unary(
            path, request_serializer=type(request).SerializeToString, response_deserializer=response_type.FromString
        )
        limit = seconds or self._call_seconds
        try:
            return method(request, timeout=limit)
        except grpc.RpcError as error:
            raise CallError(self._plugin, path.rpartition("/")[2], error, limit) from None

    def _context(
        self, method: str, request: Message, response_type: type[Message], seconds: float | None = None
    ) -> Any:
        return self.call(f"/{SERVICE}/{method}", request, response_type, seconds=seconds)


def _unpacked(error: grpc.RpcError, detail: Any) -> Any:
    try:
        status = rpc_status.from_call(error)
    except ValueError:
        # A status whose details contradict its code is still an error; it only has no details to read.
        return None
    for packed in status.details if status else ():
        if packed.Unpack(detail):
            return detail
    return None
