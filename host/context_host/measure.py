"""How much of a request a prefix cache would serve again: measured on the requests alone, without any vendor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_host.projection.values import ModelContext


@dataclass(frozen=True, slots=True)
class Common:
    """What two requests have in common from their start on.

    Attributes:
        messages: leading messages that are equal.
        bytes: leading UTF-8 bytes that are equal, system prompt and tools included.
        full: whether the earlier request is a full prefix of the later one.
    """

    messages: int
    bytes: int
    full: bool


@dataclass(frozen=True, slots=True)
class Prefix:
    """One request against all that the session sent before it, in UTF-8 bytes of whole lines.

    Attributes:
        size: the whole request.
        known: the lines of it that an earlier request held already, as often as it held them.
        served: its longest leading run of lines that an earlier request began with too.
    """

    size: int
    known: int
    served: int


def common(earlier: ModelContext, later: ModelContext) -> Common:
    """What ``later`` repeats of ``earlier``, from the start on."""
    before, after = list(_parts(earlier)), list(_parts(later))
    pairs = zip(before, after, strict=False)
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    size = sum(len(text) for _, text in before[:equal])
    if equal < min(len(before), len(after)) and before[equal][0] == after[equal][0]:
        size += _common_bytes(before[equal][1], after[equal][1])
    head = len(earlier.tools) + 1
    return Common(max(0, equal - head), size, full=equal == len(before))


@dataclass
class PrefixMeter:
    """Every request of one session, measured in the order sent."""

    requests: list[Prefix] = field(default_factory=list)
    _begun: set[bytes] = field(default_factory=set)
    _held: Counter[bytes] = field(default_factory=Counter)

    def add(self, request: ModelContext) -> Prefix:
        """Measure ``request``, then count it as sent."""
        size = served = 0
        lines: Counter[bytes] = Counter()
        beginning, beginnings = b"", []
        for line in _lines(request):
            beginning = blake2b(line, key=beginning, digest_size=16).digest()
            size += len(line)
            served += len(line) if beginning in self._begun else 0
            lines[line] += 1
            beginnings.append(beginning)
        known = sum(len(line) * count for line, count in (lines & self._held).items())
        self._held |= lines
        self._begun.update(beginnings)
        measured = Prefix(size, known, served)
        self.requests.append(measured)
        return measured

    @property
    def share(self) -> float:
        """Of all bytes that had been sent before, the share that a prefix cache would have served; 1 for none."""
        known = sum(request.known for request in self.requests)
        return sum(request.served for request in self.requests) / known if known else 1.0


def _parts(request: ModelContext) -> Iterator[tuple[str, bytes]]:
    """Tools, system prompt, messages: the order in which caches see them."""
    for tool in request.tools:
        yield "tool", _utf8(tool)
    yield "system", _utf8(request.system_prompt)
    for message in request.messages:
        yield message.role, _utf8(message.text)


def _lines(request: ModelContext) -> Iterator[bytes]:
    for role, text in _parts(request):
        # The role stands in front of the first line, so that equal lines of different messages stay different.
        head, *rest = text.split(b"\n")
        yield role.encode() + b"\0" + head
        yield from (b"\n" + line for line in rest)


def _common_bytes(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
