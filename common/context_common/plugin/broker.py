"""The plugin's end of go-plugin's broker: learn where the kernel's callback service listens, dial it once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import grpc

from context_common.plugin.sockets import target

if TYPE_CHECKING:
    from context_common.wire.goplugin_pb2 import ConnInfo

CALLBACK_ID: Final = 1
"""The stream id of the kernel's callback service; fixed by the protocol, never negotiated."""

_OPTIONS: Final = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # grpc would send the quoted socket path, which not every server accepts as an authority.
    ("grpc.default_authority", "localhost"),
    ("grpc.enable_http_proxy", 0),
]


class Broker:
    """Connection infos, kept for as long as the process lives, and the one channel made from them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = threading.Event()
        self._target = ""
        self._channel: grpc.Channel | None = None

    def add(self, info: ConnInfo) -> None:
        """Remember where a brokered service listens."""
        if info.service_id != CALLBACK_ID or not info.address:
            return
        self._target = target(info.address) if info.network == "unix" else info.address
        self._known.set()

    def channel(self, timeout: float) -> grpc.Channel | None:
        """The channel to the kernel, or None when the host has not said within ``timeout`` seconds where it listens.

        The info may come after the first call: the host serves the broker only once it has dispensed the client.
        """
        if not self._known.wait(timeout):
            return None
        with self._lock:
            if self._channel is None:
                self._channel = grpc.insecure_channel(self._target, options=_OPTIONS)
            return self._channel
