"""go-plugin's own services on the plugin side: health, broker, controller, stdio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import grpc

from context_common.wire.goplugin_pb2 import ConnInfo, Empty, HealthCheckRequest, HealthCheckResponse, StdioData

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from context_common.plugin.broker import Broker

SERVICE_NAME: Final = "plugin"
"""The name under which go-plugin asks for health."""
_SHUTDOWN: Final = "/plugin.GRPCController/Shutdown"


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, methods: dict[str, grpc.RpcMethodHandler[Any, Any]], leave: threading.Event) -> None:
        self._methods = methods
        self._leave = leave

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        # Asked as the call arrives; the handler itself may have to wait until one of the threads is free.
        if handler_call_details.method == _SHUTDOWN:
            self._leave.set()
        return self._methods.get(handler_call_details.method)


def handlers(broker: Broker, leave: threading.Event) -> grpc.GenericRpcHandler:
    """The four services; ``leave`` is set when the host says, by call or by going away, that it is done."""

    def check(request: HealthCheckRequest, context: grpc.ServicerContext) -> HealthCheckResponse:
        if request.service not in {"", SERVICE_NAME}:
            context.abort(grpc.StatusCode.NOT_FOUND, f"no service {request.service!r}; there is {SERVICE_NAME!r}")
        return HealthCheckResponse(status=HealthCheckResponse.SERVING)

    def start_stream(requests: Iterator[ConnInfo], context: grpc.ServicerContext) -> Iterator[ConnInfo]:
        # The host holds this stream for as long as it lives: its end is the surest sign that the host is gone.
        if not context.add_callback(leave.set):
            leave.set()
        for info in _until_closed(requests):
            broker.add(info)
        leave.set()
        yield from ()

    def shutdown(_request: Empty, _context: grpc.ServicerContext) -> Empty:
        return Empty()

    def stream_stdio(_request: Empty, _context: grpc.ServicerContext) -> Iterator[StdioData]:
        # The host ends its own copy when the stream ends, so it is held open, and nothing is ever sent.
        leave.wait()
        yield from ()

    return _Handlers(
        {
            "/grpc.health.v1.Health/Check": grpc.unary_unary_rpc_method_handler(
                check, HealthCheckRequest.FromString, HealthCheckResponse.SerializeToString
            ),
            "/plugin.GRPCBroker/StartStream": grpc.stream_stream_rpc_method_handler(
                start_stream, ConnInfo.FromString, ConnInfo.SerializeToString
            ),
            _SHUTDOWN: grpc.unary_unary_rpc_method_handler(shutdown, Empty.FromString, Empty.SerializeToString),
            "/plugin.GRPCStdio/StreamStdio": grpc.unary_stream_rpc_method_handler(
                stream_stdio, Empty.FromString, StdioData.SerializeToString
            ),
        },
        leave,
    )


def _until_closed(requests: Iterator[ConnInfo]) -> Iterator[ConnInfo]:
    """The messages of a stream, which the sync server ends with an exception when the peer goes away."""
    try:
        yield from requests
    except Exception:  # noqa: BLE001  (grpc raises a bare Exception here)
        return
