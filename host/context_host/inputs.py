"""Files that the user names on the command line, read whole as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from pathlib import Path

_LIMIT = 1 << 20


class MissingFileError(UnusableError):
    """There is no such file."""


def read_text(path: Path) -> str:
    """The text of ``path``, without a byte order mark.

    Raises:
        MissingFileError: there is no such file.
        UnusableError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(f"{path}: {error.strerror}") from None
    except OSError as error:
        raise UnusableError(f"{path}: {error.strerror}") from None
    if len(data) > _LIMIT:
        raise UnusableError(f"{path}: this file is larger than 1 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableError(f"{path}: byte {error.start} is not UTF-8") from None
