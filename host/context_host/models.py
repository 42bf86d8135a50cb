"""The model that a firing is assembled for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from context_common.wire import model_pb2
from context_host.errors import UnusableError

_WINDOW = re.compile("[0-9]{1,18}")
"""What a request can carry."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model's window, and what of it context can never have; all in tokens."""

    id: str = "claude-opus-5"
    context_window: int = 200_000
    reserved_output: int = 8_192
    system_overhead: int = 15_808

    @property
    def effective_ceiling(self) -> int:
        """What is left for assembled context."""
        return max(0, self.context_window - self.reserved_output - self.system_overhead)

    def target(self) -> model_pb2.ModelTarget:
        """The model as a request names it."""
        return model_pb2.ModelTarget(
            id=self.id, context_window=self.context_window, effective_ceiling=self.effective_ceiling
        )


def read_model(text: str) -> Model:
    """The model that ``NAME:WINDOW`` means; NAME may hold colons itself.

    Raises:
        UnusableError: there is no window in it.
    """
    name, _, window = text.rpartition(":")
    digits = window.replace("_", "")
    if not name or not _WINDOW.fullmatch(digits):
        raise UnusableError(f"--model {text}: accepted is NAME:WINDOW, such as small:32000")
    return Model(name, int(digits))
