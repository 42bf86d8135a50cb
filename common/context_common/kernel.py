"""The kernel's callbacks as a plugin uses them: counting tokens, and logging without ever waiting."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import grpc

from context_common.plugin import hclog
from context_common.plugin.callbacks import CALL_SECONDS, CallbackError, Callbacks
from context_common.plugin.log_pump import Entry, LogPump
from context_common.provider import Level
from context_common.wire.content_pb2 import ContentBlock, TextBlock
from context_common.wire.kernel_pb2 import CountTokensRequest, CountTokensResult
from context_common.wire.model_pb2 import ModelRef

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TEXT_LIMIT: Final = 3 * 2**20
"""Bytes; the host takes callback messages of at most 4 MiB."""
UNCOUNTABLE: Final = 2**62
"""The count of a text that is too large to be sent: over any budget."""
_REMEMBERED: Final = 4096


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

    def counter(self, model_id: str, remaining: Callable[[], float | None] = lambda: None) -> Callable[[str], int]:
        """A count function for one firing.

        It asks the kernel for the tokens of a text under the model ``model_id``, and remembers the answers for
        the process. Once the kernel has failed, the rest of the firing is counted with the contract's own
        fallback formula, so that a kernel that hangs costs a turn one time limit and not one per text.

        Args:
            model_id: the model of the firing, ``""`` for none.
            remaining: seconds until the firing's deadline, None for no deadline.
        """
        reachable = True

        def count(text: str) -> int:
            nonlocal reachable
            data = text.encode("utf-8", "surrogatepass")
            if len(data) > TEXT_LIMIT:
                return UNCOUNTABLE
            key = (model_id, hashlib.sha256(data).digest())
            counted = self._recall(key)
            if counted is None and reachable:
                counted = self._ask(text, model_id, remaining)
                reachable = counted is not None
                if counted is not None:
                    self._remember(key, counted)
            return fallback_count(text) if counted is None else counted

        return count

    def name_logger(self, name: str) -> None:
        """Give the name under which entries reach the host's log."""
        self._pump.logger = name

    def log(self, level: Level, message: str, fields: Mapping[str, str], session_id: str) -> None:
        """Queue one entry for the host's log; returns at once and never fails."""
        self._pump.put(Entry(level, message, fields, session_id, time.time()))

    def close(self) -> None:
        """Give the last entries a moment to leave."""
        self._pump.drain(0.03)

    def _recall(self, key: tuple[str, bytes]) -> int | None:
        with self._lock:
            count = self._counts.get(key)
            if count is not None:
                self._counts.move_to_end(key)
            return count

    def _remember(self, key: tuple[str, bytes], count: int) -> None:
        with self._lock:
            self._counts[key] = count
            if len(self._counts) > _REMEMBERED:
                self._counts.popitem(last=False)

    def _ask(self, text: str, model_id: str, remaining: Callable[[], float | None]) -> int | None:
        """The kernel's count, or None when it cannot be had; asked again without the model where that was refused."""
        try:
            try:
                return self._count(text, model_id, remaining)
            except CallbackError as failure:
                # A kernel that did not answer in time would only cost the same time again.
                if not model_id or failure.code in {None, grpc.StatusCode.DEADLINE_EXCEEDED}:
                    raise
                return self._count(text, "", remaining)
        except CallbackError as failure:
            if not self._told:
                self._told = True
                hclog.write(
                    Level.WARN,
                    "the kernel does not count tokens; counting with the contract's fallback, a quarter of the bytes",
                    {"error": str(failure)},
                )
            return None

    def _count(self, text: str, model_id: str, remaining: Callable[[], float | None]) -> int:
        left = remaining()
        # Half of the caller's time stays for the answer, which a kernel that hangs must not cost.
        seconds = CALL_SECONDS if left is None else max(0.0, min(CALL_SECONDS, left / 2))
        request = CountTokensRequest(content=[ContentBlock(text=TextBlock(text=text))])
        if model_id:
            request.model_ref.CopyFrom(ModelRef(id=model_id))
        count = self._callbacks.call("CountTokens", request, CountTokensResult, seconds).count
        if count < 0:
            raise CallbackError(f"CountTokens: answered {count}, which is no count")
        return count


def fallback_count(text: str) -> int:
    """The contract's own formula for tokens: a quarter of the UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)
