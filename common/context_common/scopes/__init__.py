"""Where convention files live, and the only place that opens them.

``paths`` finds roots and directory chains, ``links`` follows links, ``reading`` opens files behind a guard,
``cache`` reads each of them once. The repository is untrusted: a name is checked, then the file that was really opened is.
"""

from context_common.scopes.cache import FileCache, View
from context_common.scopes.links import follow
from context_common.scopes.paths import chain, common_git_dir, find_root, home, is_inside, is_wide, locate, names_in
from context_common.scopes.reading import (
    SIZE_LIMIT,
    Signature,
    Source,
    below,
    entries,
    is_hidden,
    read,
    signature,
)
from context_common.scopes.refusal import Reason, RefusedError, refused_by_name

__all__ = [
    "SIZE_LIMIT",
    "FileCache",
    "Reason",
    "RefusedError",
    "Signature",
    "Source",
    "View",
    "below",
    "chain",
    "common_git_dir",
    "entries",
    "find_root",
    "follow",
    "home",
    "is_hidden",
    "is_inside",
    "is_wide",
    "locate",
    "names_in",
    "read",
    "refused_by_name",
    "signature",
]
