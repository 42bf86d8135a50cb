"""A firing as it comes over the wire, made into what a provider sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_common.errors import InvalidRequestError
from context_common.provider import Model, Request

if TYPE_CHECKING:
    from context_common.provider import Log
    from context_common.wire.context_pb2 import ContextRequest

_LONGEST_PATH: Final = 4096


def request_of(request: ContextRequest, touched: tuple[str, ...], budget: int, log: Log) -> Request:
    """``request`` with what the session has touched so far, and with the budget that holds.

    Raises:
        InvalidRequestError: the working directory is none that there could be.
    """
    target = request.model_target
    return Request(
        session_id=request.session_id,
        parent_session_id=request.parent_session_id,
        turn_id=request.turn_id,
        token_budget=budget,
        model=Model(target.id, target.context_window, target.effective_ceiling),
        working_directory=_directory(request.working_directory),
        files_touched=touched,
        log=log,
    )


def _directory(path: str) -> Path:
    if len(path) > _LONGEST_PATH or "\0" in path:
        raise InvalidRequestError(
            f"working_directory has {len(path)} characters and begins with {path[:80]!r}; accepted is the path of a directory"
        )
    if path.startswith("/"):
        return Path(path)
    try:
        return Path(path or ".").absolute()
    except FileNotFoundError as failure:
        raise InvalidRequestError(
            f"working_directory is {path!r}, and the directory that this process works in is gone; accepted is an absolute path"
        ) from failure
