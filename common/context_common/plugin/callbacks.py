"""Calls from the plugin to the kernel, over the broker's one channel."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

import grpc

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

_SERVICE: Final = "/pluggableharness.kernel.v1.KernelCallbackService/"
CALL_SECONDS: Final = 2.0
"""The longest that one callback may take."""

AnswerT = TypeVar("AnswerT", bound="Message")


class CallbackError(Exception):
    """The kernel could not be reached, or refused.

    Attributes:
        code: the gRPC status, None when no connection came about.
    """

    def __init__(self, sentence: str, code: grpc.StatusCode | None = None) -> None:
        super().__init__(sentence)
        self.code = code


class Callbacks:
    """The raw calls; every one has a deadline.

    Args:
        dial: gives the channel to the kernel within a number of seconds, or None.
    """

    def __init__(self, dial: Callable[[float], grpc.Channel | None]) -> None:
        self._dial = dial

    def call(self, method: str, request: Message, answer: type[AnswerT], seconds: float = CALL_SECONDS) -> AnswerT:
        """Call ``method`` of the kernel's callback service.

        Raises:
            CallbackError: no answer within ``seconds``, or an answer that is an error.
        """
        deadline = time.monotonic() + seconds
        channel = self._dial(seconds)
        if channel is None:
            raise CallbackError(f"the host opened no callback service within {seconds:.1f} s")
        invoke = channel.unary_unary(
            _SERVICE + method,
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        try:
            result: AnswerT = invoke(request, timeout=max(0.001, deadline - time.monotonic()))
        except grpc.RpcError as failure:
            raise CallbackError(f"{method}: {failure.code().name}: {failure.details()}", failure.code()) from failure
        return result
