"""The go-plugin runtime: what makes a `Provider` a process that a host can launch."""

from context_common.plugin.launch import serve

__all__ = ["serve"]
