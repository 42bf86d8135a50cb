"""The console that results are printed on: no line of it ends in blanks, in a terminal or in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, RenderHook
from rich.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import ConsoleOptions, ConsoleRenderable, RenderResult

_NARROWEST = 20
_ASCII = {"━": "=", "╍": "~", "─": "-", "·": ".", "╌": ":", "…": "~", "✎": "*", "→": ">", "“": '"', "”": '"'}


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        # rich's own would end the program with a code of its own.
        raise BrokenPipeError


def screen(**options: object) -> Console:
    """A console for stdout; ``options`` are those of rich's own."""
    console = _Screen(highlight=False, **options)  # type: ignore[arg-type]
    console.width = max(console.width, _NARROWEST)
    console.push_render_hook(_Trimming(_spelling(console.encoding)))
    return console


def _spelling(encoding: str) -> dict[int, str]:
    """What stands for the characters of the view where ``encoding`` has none of them."""
    try:
        "".join(_ASCII).encode(encoding)
    except UnicodeEncodeError:
        return str.maketrans(_ASCII)
    return {}


class _Trimming(RenderHook):
    def __init__(self, spelling: dict[int, str]) -> None:
        self._spelling = spelling

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Trimmed(renderable, self._spelling) for renderable in renderables]


class _Trimmed:
    def __init__(self, renderable: ConsoleRenderable, spelling: dict[int, str]) -> None:
        self._renderable = renderable
        self._spelling = spelling

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self._renderable, options, pad=False):
            for segment in reversed(list(_without_trailing_blanks(line))):
                yield segment._replace(text=segment.text.translate(self._spelling))
            yield Segment.line()


def _without_trailing_blanks(line: Sequence[Segment]) -> Iterator[Segment]:
    """The segments of ``line`` from its end on, beginning with the first that holds more than blanks."""
    begun = False
    for segment in reversed(line):
        text = segment.text if begun else segment.text.rstrip(" ")
        begun = begun or bool(text)
        if begun:
            yield segment._replace(text=text)
