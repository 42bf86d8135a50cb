"""The kernel's side of the callback: the service that a plugin dials, and the broker that tells it where."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

import grpc

from context_common.wire import goplugin_pb2, kernel_pb2

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from google.protobuf.message import Message

BROKER_ID = 1
_SERVICE = "pluggableharness.kernel.v1.KernelCallbackService"


class RefusedError(Exception):
    """A callback that the kernel answers with an error."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Kernel(Protocol):
    """What a plugin can ask its host; methods may raise `RefusedError` and run in several threads at once."""

    def count_tokens(self, request: kernel_pb2.CountTokensRequest, /) -> kernel_pb2.CountTokensResult:
        """The token count of the request's content."""

    def log(self, request: kernel_pb2.LogRequest, /) -> kernel_pb2.LogResult:
        """Take the plugin's log entries."""


class CallbackServer:
    """Serves ``kernel`` on a unix socket in ``directory``."""

    def __init__(self, kernel: Kernel, directory: Path) -> None:
        self.address = str(directory / "k")
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="callback")
        self._server = grpc.server(self._pool, options=[("grpc.so_reuseport", 0)])
        handlers = {
            "CountTokens": _handler(kernel.count_tokens, kernel_pb2.CountTokensRequest),
            "Log": _handler(kernel.log, kernel_pb2.LogRequest),
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, handlers),))
        self._server.add_insecure_port(f"unix:{quote(self.address)}")
        self._server.start()

    def close(self) -> None:
        """Stop serving at once."""
        self._server.stop(None).wait()
        self._pool.shutdown()


class Broker:
    """go-plugin's broker stream: tells the plugin where the callback is served; its end tells it that the host is gone."""

    def __init__(self, channel: grpc.Channel, address: str) -> None:
        self._outgoing: queue.SimpleQueue[goplugin_pb2.ConnInfo | None] = queue.SimpleQueue()
        self._outgoing.put(goplugin_pb2.ConnInfo(service_id=BROKER_ID, network="unix", address=address))
        start_stream = channel.stream_stream(
            "/plugin.GRPCBroker/StartStream",
            request_serializer=goplugin_pb2.ConnInfo.SerializeToString,
            response_deserializer=goplugin_pb2.ConnInfo.FromString,
        )
        # Kept, because grpc cancels a call that nobody holds.
        self._stream = start_stream(iter(self._outgoing.get, None))

    def close(self) -> None:
        """End the stream."""
        self._outgoing.put(None)


def _handler(answer: Callable[..., Message], request_type: type[Message]) -> grpc.RpcMethodHandler[Message, Message]:
    def serve(request: Message, context: grpc.ServicerContext) -> Message:
        try:
            return answer(request)
        except RefusedError as error:
            context.abort(error.code, str(error))
            raise

    return grpc.unary_unary_rpc_method_handler(
        serve, request_type.FromString, lambda response: response.SerializeToString()
    )
