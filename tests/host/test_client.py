"""How long each call may take."""

from __future__ import annotations

from google.protobuf.struct_pb2 import Struct

from context_common.wire import context_pb2
from context_host.client import ContextClient


class Channel:
    """Answers every call at once, and remembers how long it would have waited."""

    def __init__(self):
        self.limits = {}

    def unary_unary(self, path, *, request_serializer, response_deserializer):
        def call(request, timeout):
            self.limits[path.rpartition("/")[2]] = timeout
            return response_deserializer(b"")

        return call


def test_plugin_says_at_once_what_it_is_and_can_do():
    """Neither depends on any source, so both have the short limit of the start; the others may have files to read."""
    channel = Channel()
    client = ContextClient("notes", channel, start_seconds=10, call_seconds=30)
    client.describe()
    client.get_capabilities()
    client.configure(Struct())
    client.contribute(context_pb2.ContextRequest())
    assert channel.limits == {"Describe": 10, "GetCapabilities": 10, "Configure": 30, "Contribute": 30}
