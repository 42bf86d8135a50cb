"""The error taxonomy of context providers.

Raise one of these where nothing useful can be returned. The runtime maps each to its gRPC status;
any other exception is reported as ``unknown``.
"""

from __future__ import annotations

from enum import StrEnum


class Category(StrEnum):
    """Why a call failed, in the protocol's words."""

    SOURCE_UNAVAILABLE = "source_unavailable"
    BUDGET_EXCEEDED = "budget_exceeded"
    SCOPE_VIOLATION = "scope_violation"
    INVALID_REQUEST = "invalid_request"
    UNKNOWN = "unknown"


class ContextError(Exception):
    """A failure with a category of its own; the message goes to the host as it stands.

    Attributes:
        category: what the host is told about the cause.
        retryable: whether the same call may succeed later.
    """

    category = Category.UNKNOWN
    retryable = False


class SourceUnavailableError(ContextError):
    """A declared source is not there or cannot be read."""

    category = Category.SOURCE_UNAVAILABLE
    retryable = True


class BudgetExceededError(ContextError):
    """What must be sent does not fit the budget."""

    category = Category.BUDGET_EXCEEDED


class ScopeViolationError(ContextError):
    """Another provider's section would have to change."""

    category = Category.SCOPE_VIOLATION


class InvalidRequestError(ContextError):
    """The host or the operator sent something that is not accepted."""

    category = Category.INVALID_REQUEST
