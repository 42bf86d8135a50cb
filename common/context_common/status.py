"""One mapping from exception to gRPC status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

import grpc

from context_common.errors import Category, ContextError
from context_common.wire import context_pb2

if TYPE_CHECKING:
    from google.rpc.status_pb2 import Status

DOMAIN: Final = "context.pluggableharness.dev"
_LIMIT: Final = 1_000
"""Bytes of a message: the status carries it three times, and gRPC takes 8 KiB of metadata."""

_CODES: Final = {
    Category.SOURCE_UNAVAILABLE: (grpc.StatusCode.UNAVAILABLE, context_pb2.CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE),
    Category.BUDGET_EXCEEDED: (grpc.StatusCode.FAILED_PRECONDITION, context_pb2.CONTEXT_ERROR_CATEGORY_BUDGET_EXCEEDED),
    Category.SCOPE_VIOLATION: (grpc.StatusCode.PERMISSION_DENIED, context_pb2.CONTEXT_ERROR_CATEGORY_SCOPE_VIOLATION),
    Category.INVALID_REQUEST: (grpc.StatusCode.INVALID_ARGUMENT, context_pb2.CONTEXT_ERROR_CATEGORY_INVALID_REQUEST),
    Category.UNKNOWN: (grpc.StatusCode.INTERNAL, context_pb2.CONTEXT_ERROR_CATEGORY_UNKNOWN),
}


def abort(context: grpc.ServicerContext, failure: BaseException) -> NoReturn:
    """End the call with the status that ``failure`` stands for: its message, never a traceback."""
    from grpc_status import rpc_status  # noqa: PLC0415  (only a failing call pays for the import)

    context.abort_with_status(rpc_status.to_status(status_of(failure)))
    raise AssertionError("abort_with_status raises")


def status_of(failure: BaseException) -> Status:
    """The status of ``failure`` with both details, a ContextError and an ErrorInfo."""
    from google.rpc.error_details_pb2 import ErrorInfo  # noqa: PLC0415  (only a failing call pays for the import)
    from google.rpc.status_pb2 import Status  # noqa: PLC0415

    known = failure if isinstance(failure, ContextError) else ContextError(f"{type(failure).__name__}: {failure}")
    code, category = _CODES[known.category]
    message = _bounded(str(known))
    status = Status(code=code.value[0], message=message)
    status.details.add().Pack(context_pb2.ContextError(category=category, message=message, retryable=known.retryable))
    status.details.add().Pack(
        ErrorInfo(reason=known.category.value, domain=DOMAIN, metadata={"retryable": str(known.retryable).lower()})
    )
    return status


def _bounded(message: str) -> str:
    data = message.encode("utf-8", "backslashreplace")
    return data.decode() if len(data) <= _LIMIT else data[:_LIMIT].decode("utf-8", "ignore") + "…"
