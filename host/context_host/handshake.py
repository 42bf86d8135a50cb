"""go-plugin's handshake, from the host's side: the cookie going in, one line of text coming out."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, quote_plus

COOKIE = {"PLUGGABLEHARNESS_AGENT_PLUGIN": "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"}
CORE_VERSION = "1"
APP_VERSION = "1"
GO_PLUGIN_ENVIRONMENT = {
    **COOKIE,
    "PLUGIN_MIN_PORT": "10000",
    "PLUGIN_MAX_PORT": "25000",
    "PLUGIN_PROTOCOL_VERSIONS": APP_VERSION,
}
_FEWEST_FIELDS = 4
_DEFAULT_FIELDS = ("", "", "", "", "netrpc", "")
_SHOWN_CHARACTERS = 80


class HandshakeError(Exception):
    """The line is no handshake that this host can use; says why."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """Where a plugin listens: ``network`` is ``unix`` or ``tcp``."""

    network: str
    address: str

    @property
    def target(self) -> str:
        """The address as grpc takes it; grpc reads ``unix:`` as a URI, so the path is quoted."""
        return f"unix:{quote(self.address)}" if self.network == "unix" else self.address


def read_handshake(line: str) -> Handshake:
    """The handshake that ``line``, without its newline, carries.

    Raises:
        HandshakeError: it is something else, or asks for what this host does not speak.
    """
    fields = line.split("|")
    if len(fields) < _FEWEST_FIELDS:
        raise HandshakeError(f"printed {_shown(line)} on stdout where the handshake line belongs")
    core, app, network, address, protocol, certificate = [*fields, *_DEFAULT_FIELDS[len(fields) :]][
        : len(_DEFAULT_FIELDS)
    ]
    if core != CORE_VERSION:
        raise HandshakeError(
            f"speaks version {_shown(core)} of go-plugin's core protocol; this host speaks {CORE_VERSION}"
        )
    if app != APP_VERSION:
        raise HandshakeError(f"speaks version {_shown(app)} of the plugin protocol; this host offers {APP_VERSION}")
    if protocol != "grpc":
        raise HandshakeError(f"speaks {_shown(protocol)}; this host speaks grpc")
    if network not in {"unix", "tcp"} or not address:
        raise HandshakeError(f"listens on {_shown(f'{network}|{address}')}; accepted are unix and tcp addresses")
    if certificate:
        raise HandshakeError("answers with a TLS certificate although none was asked for")
    return Handshake(network, address)


def producer_stamp(name: str, version: str) -> str:
    """``OTEL_RESOURCE_ATTRIBUTES`` that tells a plugin under which local name it was declared."""
    attributes = {"category": "context", "name": name, "version": version}
    return ",".join(f"pluggableharness.producer.{key}={quote_plus(value)}" for key, value in attributes.items())


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…")
