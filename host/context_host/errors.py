"""What can go wrong in the host, each with the exit code that a shell sees."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of ``context-host``."""

    DONE = 0
    PLUGIN_FAILED = 1
    """A plugin could not be started, refused its configuration, or ended a strict turn."""
    UNUSABLE = 2
    """The command line, ``agent.hcl``, a script or another input cannot be used."""
    SIGNALLED = 128
    """Ended by a signal: this and the signal's number."""
    INTERRUPTED = 130


class HostError(Exception):
    """A failure told to the user in one sentence, then the host ends."""

    exit_code = Exit.PLUGIN_FAILED


class UnusableError(HostError):
    """What the user wrote cannot be used; the sentence says where and what is accepted."""

    exit_code = Exit.UNUSABLE


class PluginError(HostError):
    """A plugin did not do its part.

    Args:
        plugin: the local name of the plugin.
        reason: the rest of the sentence.
    """

    def __init__(self, plugin: str, reason: str) -> None:
        super().__init__(f"{plugin}: {reason}")
        self.plugin = plugin
        self.reason = reason
