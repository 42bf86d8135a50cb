"""Where temporary directories are made."""

from __future__ import annotations

import os
import tempfile

from context_host.errors import UnusableError


def temporary_base(longest: int | None = None) -> str:
    """The user's directory for temporary files; ``/tmp`` where its name has more than ``longest`` bytes.

    Raises:
        UnusableError: its name is not UTF-8, so that no request and no address could hold it.
    """
    base = tempfile.gettempdir()
    name = os.fsencode(base)
    if name.decode("utf-8", "replace").encode() != name:
        raise UnusableError(f"the temporary directory {base!r} is not UTF-8; name another in TMPDIR")
    return "/tmp" if longest is not None and len(name) > longest else base  # noqa: S108  (callers make private directories in it)
