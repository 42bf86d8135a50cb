"""Every exception has one status, with both details."""

from __future__ import annotations

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from context_common.errors import (
    BudgetExceededError,
    InvalidRequestError,
    ScopeViolationError,
    SourceUnavailableError,
)
from context_common.status import status_of
from context_common.wire.context_pb2 import ContextError, ContextErrorCategory

TABLE = [
    (SourceUnavailableError("gone"), "UNAVAILABLE", "source_unavailable", "true", "gone"),
    (BudgetExceededError("big"), "FAILED_PRECONDITION", "budget_exceeded", "false", "big"),
    (ScopeViolationError("mine"), "PERMISSION_DENIED", "scope_violation", "false", "mine"),
    (InvalidRequestError("odd"), "INVALID_ARGUMENT", "invalid_request", "false", "odd"),
    (ValueError("bug"), "INTERNAL", "unknown", "false", "ValueError: bug"),
]


@pytest.mark.parametrize(("failure", "code", "reason", "retryable", "message"), TABLE, ids=str)
def test_status_and_details(failure: Exception, code: str, reason: str, retryable: str, message: str) -> None:
    """The gRPC code, ContextError and ErrorInfo all say the same."""
    status = status_of(failure)
    assert status.code == grpc.StatusCode[code].value[0]
    assert status.message == message
    error, info = ContextError(), ErrorInfo()
    assert status.details[0].Unpack(error)
    assert status.details[1].Unpack(info)
    assert ContextErrorCategory.Name(error.category) == f"CONTEXT_ERROR_CATEGORY_{reason.upper()}"
    assert (error.message, error.retryable) == (message, retryable == "true")
    assert (info.reason, info.domain) == (reason, "context.pluggableharness.dev")
    assert dict(info.metadata) == {"retryable": retryable}


def test_a_message_with_stray_bytes_still_becomes_a_status() -> None:
    assert status_of(SourceUnavailableError("caf\udce9")).message == "caf\\udce9"
