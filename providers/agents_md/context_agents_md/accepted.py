"""What an attribute that names files or directories may say."""

from __future__ import annotations

from context_common.errors import InvalidRequestError


def require_path(attribute: str, path: str, accepted: str) -> None:
    """Refuse a ``path`` that does not simply lead down.

    Raises:
        InvalidRequestError: it is absolute, leads up or home, or cannot be one.
    """
    if "\0" in path or path.startswith("~") or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise InvalidRequestError(f"attribute {attribute!r} is {path!r}; accepted is {accepted}")


def require_name(attribute: str, name: str, accepted: str) -> None:
    """Refuse a ``name`` that is a path or a pattern.

    Raises:
        InvalidRequestError: it is one, or cannot be a name.
    """
    if not {"/", "*", "?"}.isdisjoint(name):
        raise InvalidRequestError(f"attribute {attribute!r} is {name!r}; accepted is {accepted}")
    require_path(attribute, name, accepted)
