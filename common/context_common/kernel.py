"""The kernel's callbacks as a plugin uses them: counting tokens, and logging without ever waiting."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Final

from context_common.chain import sendable
from context_common.plugin import hclog
from context_common.plugin.callbacks import CALL_SECONDS, CallbackError, Callbacks
from context_common.plugin.log_pump import Entry, LogPump
from context_common.provider import Level
from context_common.wire.content_pb2 import ContentBlock, TextBlock
from context_common.wire.kernel_pb2 import CountTokensRequest, CountTokensResult
from context_common.wire.model_pb2 import ModelRef

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import grpc

TEXT_LIMIT: Final = 3 * 2**20
"""Bytes; the host takes callback messages of at most 4 MiB."""
UNCOUNTABLE: Final = 2**63
"""The count of a text that is too large to be sent: over any budget that the wire can carry."""
_REMEMBERED: Final = 4096
_WORTH_ASKING: Final = 0.05
"""Seconds that must be left for a second question."""


class Kernel:
    """The callback client of one plugin process; used by many threads at once.

    Args:
        dial: gives the channel to the kernel within a number of seconds, or None.
    """

    def __init__(self, dial: Callable[[float], grpc.Channel | None]) -> None:
        self._callbacks = Callbacks(dial)
        self._pump = LogPump(self._callbacks)
        self._counts: OrderedDict[tuple[str, bytes], int] = OrderedDict()
        self._lock = threading.Lock()
        self._told = False

    def counter(self, model_id: str, remaining: Callable[[], float | None] = lambda: None) -> Counter:
        """A count function for one firing, which asks the kernel and remembers its answers for the process.

        Args:
            model_id: the model of the firing, ``""`` for none.
            remaining: seconds until the firing's deadline, None for no deadline.
        """
        return Counter(partial(self._recall, model_id), partial(self._ask, model_id, remaining))

    def name_logger(self, name: str) -> None:
        """Give the name under which entries reach the host's log."""
        self._pump.logger = name

    def log(self, level: Level, message: str, fields: Mapping[str, str], session_id: str) -> None:
        """Queue one entry for the host's log; returns at once and never fails."""
        self._pump.put(Entry(level, message, fields, session_id, time.time()))

    def close(self) -> None:
        """Give the last entries a moment to leave."""
        self._pump.drain(0.03)

    def _recall(self, model_id: str, text: str) -> int | None:
        key = _key(model_id, text)
        with self._lock:
            count = self._counts.get(key)
            if count is not None:
                self._counts.move_to_end(key)
            return count

    def _remember(self, model_id: str, text: str, count: int) -> None:
        with self._lock:
            self._counts[_key(model_id, text)] = count
            if len(self._counts) > _REMEMBERED:
                self._counts.popitem(last=False)

    def _ask(self, model_id: str, remaining: Callable[[], float | None], text: str) -> int | None:
        """The kernel's count, or None when it cannot be had; asked again without the model where that was refused."""
        try:
            count = self._count(text, model_id, _deadline(remaining()))
        except CallbackError as failure:
            if not self._told:
                self._told = True
                hclog.write(
                    Level.WARN,
                    "the kernel does not count tokens; counting with the protocol's fallback, a quarter of the bytes",
                    {"error": str(failure)},
                )
            return None
        self._remember(model_id, text, count)
        return count

    def _count(self, text: str, model_id: str, deadline: float) -> int:
        request = CountTokensRequest(content=[ContentBlock(text=TextBlock(text=text))])
        if model_id:
            request.model_ref.CopyFrom(ModelRef(id=model_id))
        try:
            count = self._callbacks.call("CountTokens", request, CountTokensResult, deadline - time.monotonic()).count
        except CallbackError:
            # Asked by the clock, not by the status: a kernel whose own timer fires first ends the call as CANCELLED.
            if not model_id or time.monotonic() >= deadline - _WORTH_ASKING:
                raise
            return self._count(text, "", deadline)
        if count < 0:
            raise CallbackError(f"CountTokens: answered {count}, which is no count")
        return count


def _deadline(left: float | None) -> float:
    """When an answer must be there, by the monotonic clock; half of the caller's ``left`` seconds stays its own."""
    return time.monotonic() + (CALL_SECONDS if left is None else max(0.0, min(CALL_SECONDS, left / 2)))


class Counter:
    """Counts the texts of one firing under one model.

    Once the kernel has failed, the rest of the firing is counted with the protocol's own fallback formula, so
    that a kernel that hangs costs a turn one time limit and not one per text.

    Args:
        recall: gives the count of a text that was counted before, or None.
        ask: gives the kernel's count of a text, or None where it cannot be had.

    Attributes:
        fell_back: whether a count was not the kernel's.
    """

    def __init__(self, recall: Callable[[str], int | None], ask: Callable[[str], int | None]) -> None:
        self.fell_back = False
        self._recall = recall
        self._ask = ask

    def __call__(self, text: str) -> int:
        text = sendable(text)
        if len(text.encode()) > TEXT_LIMIT:
            return UNCOUNTABLE
        count = self._recall(text)
        if count is None and not self.fell_back:
            count = self._ask(text)
        if count is None:
            self.fell_back = True
            return fallback_count(text)
        return count


def _key(model_id: str, text: str) -> tuple[str, bytes]:
    return model_id, hashlib.sha256(text.encode()).digest()


def fallback_count(text: str) -> int:
    """The protocol's own formula for tokens: a quarter of the UTF-8 bytes, rounded up."""
    return -(-len(text.encode()) // 4)
