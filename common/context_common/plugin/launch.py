"""The first milliseconds of a plugin process: checks and file descriptors, before anything heavy is imported."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

COOKIE_KEY: Final = "PLUGGABLEHARNESS_AGENT_PLUGIN"
COOKIE_VALUE: Final = "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake"


def serve(provider: str, argv: list[str] | None = None) -> int:
    """Serve a provider to the host that launched this process, until the host lets go of it.

    Started by hand, it explains itself instead: ``--help``, ``--version``, ``--schema``, and exit code 1 otherwise.

    Args:
        provider: where the provider's class is, ``"package.module:Class"``. It is imported only after the
            handshake line is out, so that its imports cost the host no start-up time.
        argv: the arguments; ``sys.argv`` when not given. A host passes none.

    Returns:
        The exit code, when there is nothing to serve. A served process ends here and does not return.
    """
    parent = os.getppid()
    arguments = sys.argv[1:] if argv is None else argv
    if arguments or os.environ.get(COOKIE_KEY) != COOKIE_VALUE:
        from context_common.plugin.byhand import answer  # noqa: PLC0415  (only needed when no host is waiting)

        return answer(provider, arguments)
    if os.environ.get("PLUGIN_CLIENT_CERT"):
        sys.stderr.write(
            "[ERROR] This plugin cannot do AutoMTLS: gRPC for Python does not accept go-plugin's P-521 certificates. "
            "Launch it without; it listens on a unix socket that only its user can open.\n"
        )
        return 1
    # Ctrl-C and a closed terminal reach the whole process group; the host decides what they mean.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    handshake = _take_stdio()
    from context_common.plugin.process import run  # noqa: PLC0415  (imports grpc)

    return run(provider, handshake, parent)


def _take_stdio() -> int:
    """Keep standard output for the handshake alone; whatever prints later goes to the host's log.

    A stray line on standard output fails the launch, and a long one after it blocks the process for good.
    """
    # Input first: where it was closed, 0 would be the number that the next descriptor gets.
    null = os.open(os.devnull, os.O_RDONLY)
    if null != 0:
        os.dup2(null, 0)
        os.close(null)
    handshake = os.dup(1)
    os.dup2(2, 1)
    return handshake
