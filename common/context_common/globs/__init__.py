"""Globs from repository files: untrusted, so matched in time linear in pattern and path."""

from context_common.globs.patterns import MAX_PATTERNS, GlobError, Globs

__all__ = ["MAX_PATTERNS", "GlobError", "Globs"]
