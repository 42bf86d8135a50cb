"""Counting tokens: the protocol's formula, or a tokenizer that the user has."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from context_common.wire.content_pb2 import ContentBlock

_BYTES_PER_TOKEN = 4
_REMEMBERED_TEXTS = 4096


@dataclass(frozen=True)
class Counter:
    """Counts tokens.

    Attributes:
        of_text: the tokens of a text.
        exact: whether a real tokenizer counted.
    """

    of_text: Callable[[str], int]
    exact: bool

    def of_blocks(self, content: Iterable[ContentBlock]) -> int:
        """The tokens of all text blocks together; other blocks count nothing."""
        return self.of_text("".join(block.text.text for block in content))


def fallback(text: str) -> int:
    """The protocol's own formula: a quarter of the UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8")) // _BYTES_PER_TOKEN)


FALLBACK = Counter(fallback, exact=False)


def load_tokenizer(name: str) -> Counter:
    """The counter around ``module:callable``, which takes a text and returns its tokens or how many they are.

    Raises:
        UnusableError: there is no such callable; or, when it counts, that it fails.
    """
    module_name, _, attribute = name.partition(":")
    try:
        tokenize = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # noqa: BLE001  (the user's own module may raise anything)
        raise UnusableError(f"--tokenizer {name}: {error}; accepted is module:callable") from None
    if not callable(tokenize):
        raise UnusableError(f"--tokenizer {name}: {attribute} is not callable")

    @lru_cache(_REMEMBERED_TEXTS)
    def count(text: str) -> int:
        try:
            tokens = tokenize(text)
            return len(tokens) if isinstance(tokens, Sized) else int(tokens)
        except Exception as error:
            raise UnusableError(f"--tokenizer {name}: counting failed: {type(error).__name__}: {error}") from error

    return Counter(count, exact=True)
