"""The life of a plugin process: listen, shake hands, serve, leave."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NoReturn

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # grpc's own chatter would land raw in the host's log

from context_common.plugin.lean import without

# asyncio, which grpc imports, and hashlib would load OpenSSL: 9 MB and 10 ms, for a socket that has no TLS.
with without("ssl", "_hashlib"):
    import hashlib  # noqa: F401  (loaded here for whoever imports it later)

    import grpc

from context_common.plugin import goplugin, hclog
from context_common.plugin.broker import Broker
from context_common.plugin.sockets import private_directory, target

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL_VERSION: Final = 1
_PARENT_POLL: Final = 0.25
"""Seconds between looks at the parent, for a host that dies before it opens the broker stream."""
_GRACE: Final = 0.05
"""Seconds that running calls get once the process is asked to leave."""
_THREADS: Final = 18
"""Sixteen for calls, and the two that go-plugin's streams hold for the life of the process."""
_OPTIONS: Final = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # Two processes that bound one address would share the traffic.
    ("grpc.so_reuseport", 0),
]


def run(provider: str, handshake: int, parent: int) -> NoReturn:
    """Serve until the host shuts the plugin down, closes the broker stream, or dies.

    Args:
        provider: ``"package.module:Class"``, imported after the handshake.
        handshake: the file descriptor that the host reads the handshake line from.
        parent: the process id of the host.
    """
    leave = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: leave.set())
    directory = ""
    code = 1
    try:
        directory = private_directory()
        broker = Broker()
        server = grpc.server(ThreadPoolExecutor(_THREADS, thread_name_prefix="call"), options=_OPTIONS)
        services = _Services()
        server.add_generic_rpc_handlers((goplugin.handlers(broker, leave), services))
        path = os.path.join(directory, "s")  # noqa: PTH118  (pathlib is not loaded yet)
        server.add_insecure_port(target(path))
        server.start()
        _shake_hands(handshake, path)
        hclog.capture()
        # In a thread of its own, so that a host which only probed does not wait for imports when it lets go.
        threading.Thread(target=services.load, args=(provider, broker, leave), name="load", daemon=True).start()
        while not leave.wait(_PARENT_POLL) and os.getppid() == parent:
            continue
        leave.set()
        services.close()
        server.stop(_GRACE).wait(_GRACE * 2)
        code = 0
    except BaseException as failure:  # noqa: BLE001  (whatever it was, the host must read one clear line)
        hclog.write(5, _cannot_start(failure))
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        # grpc's threads would keep an ordinary exit waiting.
        os._exit(code)


def _shake_hands(descriptor: int, path: str) -> None:
    """Write the one line that the host waits for."""
    # Older hosts split the line into six fields, so the seventh is only sent to those that ask for it.
    multiplexing = "|false" if os.environ.get("PLUGIN_MULTIPLEX_GRPC") else ""
    os.write(descriptor, os.fsencode(f"1|{PROTOCOL_VERSION}|unix|{path}|grpc|{multiplexing}\n"))
    os.close(descriptor)


def _cannot_start(failure: BaseException | None) -> str:
    return f"plugin cannot start: {type(failure).__name__}: {failure}"


class _Services(grpc.GenericRpcHandler):
    """The context service, which is imported only after the handshake: calls wait until it is there."""

    def __init__(self) -> None:
        self._loaded = threading.Event()
        self._handler: grpc.GenericRpcHandler | None = None
        self._close: Callable[[], None] = lambda: None
        self._failure: BaseException | None = None

    def load(self, provider: str, broker: Broker, leave: threading.Event) -> None:
        try:
            from context_common.kernel import Kernel  # noqa: PLC0415  (after the handshake)
            from context_common.plugin.byhand import load  # noqa: PLC0415
            from context_common.service import ContextService  # noqa: PLC0415

            service = ContextService(load(provider), Kernel(broker.channel))
            self._close = service.close
            self._handler = service.handler()
        except BaseException as failure:  # noqa: BLE001  (raised again by close, in the main thread)
            self._failure = failure
            leave.set()
        self._loaded.set()

    def close(self) -> None:
        """End what the service started; raises what kept it from starting."""
        if self._failure is not None:
            raise self._failure
        self._close()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        if not handler_call_details.method.startswith("/pluggableharness.context.v1.ContextService/"):
            return None
        self._loaded.wait()
        return self._handler.service(handler_call_details) if self._handler else self._refusal()

    def _refusal(self) -> grpc.RpcMethodHandler[Any, Any]:
        """Answers a call that came before the process could leave; UNIMPLEMENTED would say that it is another category's."""
        return grpc.unary_unary_rpc_method_handler(
            lambda _request, context: context.abort(grpc.StatusCode.INTERNAL, _cannot_start(self._failure))
        )
